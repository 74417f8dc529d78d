//! `queuecast trace`: look at, clean and convert traces.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::source::Source;

const EXAMPLES: &str = "\
Examples:
  queuecast trace info KTH-SP2.swf.gz
  queuecast trace head KTH-SP2.swf.gz --jobs 5
  queuecast trace clean KTH-SP2.swf.gz --output cleaned.swf.gz
  sacct --parsable2 --allusers --format=ALL | queuecast trace convert - --output ours.swf";

/// Describe, clean, convert or look into traces
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do with a trace.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Describe traces: machine, period, load, users, requested and actual run times, and what is wrong
    Info {
        /// The traces, compressed or not; - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        source: Source,
    },
    /// Apply a set of cleaning rules, report what each did, and write the result
    Clean {
        /// The trace, compressed or not; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where to write the cleaned trace; without it, only report
        #[arg(short, long, value_name = "OUT")]
        output: Option<PathBuf>,
        #[command(flatten)]
        source: Source,
    },
    /// Write a trace in another format
    Convert {
        /// The trace, compressed or not; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where to write it; by default standard output
        #[arg(short, long, value_name = "OUT")]
        output: Option<PathBuf>,
        /// What to write
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
        to: OutputFormat,
        #[command(flatten)]
        source: Source,
    },
    /// Show the first jobs of a trace as a table
    Head {
        /// The trace, compressed or not; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How many jobs
        #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
        jobs: usize,
        #[command(flatten)]
        source: Source,
    },
}

/// What a trace is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OutputFormat {
    /// The Standard Workload Format
    #[default]
    Swf,
    /// One row per job, with names instead of numbers where the trace has them
    Csv,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn each_command_reads_its_arguments() {
        let parse = |line: &str| Alone::try_parse_from(line.split(' ')).unwrap().command;
        assert!(matches!(parse("trace info a b"), Command::Info { files, .. } if files.len() == 2));
        assert!(matches!(parse("trace head a -n 3"), Command::Head { jobs: 3, .. }));
        assert!(matches!(parse("trace clean a -o b"), Command::Clean { output: Some(_), .. }));
        let converted = parse("trace convert - --to csv");
        assert!(matches!(converted, Command::Convert { to: OutputFormat::Csv, output: None, .. }));
        assert_eq!(Alone::try_parse_from(["trace", "tail", "a"]).unwrap_err().exit_code(), 2);
    }
}
