//! `queuecast trace`: look at, clean and convert traces.

mod clean;
mod convert;
mod head;
mod info;

use clap::Subcommand;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast trace info KTH-SP2.swf.gz
  queuecast trace head KTH-SP2.swf.gz -n 5
  queuecast trace clean KTH-SP2.swf.gz --output cleaned.swf.gz
  queuecast trace convert site.sacct.gz --output site.swf.zst

docs/guides/slurm.md has the sacct command that writes site.sacct.gz.";

/// Describe, clean, convert or look into traces
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    Info(info::Arguments),
    Clean(clean::Arguments),
    Convert(convert::Arguments),
    Head(head::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    match &arguments.command {
        TraceCommand::Info(arguments) => info::run(arguments, printer),
        TraceCommand::Clean(arguments) => clean::run(arguments, printer),
        TraceCommand::Convert(arguments) => convert::run(arguments, printer),
        TraceCommand::Head(arguments) => head::run(arguments, printer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn each_command_reads_its_arguments() {
        let parse = |line: &str| arguments_alone::parse_subcommand(line).unwrap();
        assert!(matches!(parse("trace info a b"), TraceCommand::Info(info) if info.files.len() == 2));
        assert!(matches!(parse("trace head a -n 3"), TraceCommand::Head(head) if head.jobs == 3));
        assert!(matches!(parse("trace clean a -o b"), TraceCommand::Clean(clean) if clean.output.is_some()));
        assert!(
            matches!(parse("trace convert -"), TraceCommand::Convert(convert) if convert.output.is_none())
        );
        assert_eq!(
            arguments_alone::parse_subcommand::<TraceCommand>("trace tail a").unwrap_err().exit_code(),
            2
        );
    }
}
