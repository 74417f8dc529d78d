//! `queuecast simulate`: one trace, one policy, one predictor.

use std::path::PathBuf;

use clap::ValueEnum;

use super::source::{Scheduling, Source};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  What EASY backfilling would have done with a trace:
    queuecast simulate KTH-SP2.swf.gz

  The same, planning with the mean of each user's last two run times, shortest jobs first:
    queuecast simulate KTH-SP2.swf.gz --policy sjbf --predictor recent:2 --correction increments

  Where every job was placed, for a spreadsheet:
    queuecast simulate KTH-SP2.swf.gz --schedule placed.csv

  Slurm's own records, from a pipe, by user, for a program:
    sacct --parsable2 --allusers --format=ALL | queuecast simulate - --procs 4096 --by user --format json";

/// Replay a trace through a scheduler and report how long jobs would have waited
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "POLICY", default_value = "easy", value_parser = spec::policy(), hide_possible_values = true)]
    #[arg(help = spec::policy().help("Who runs next"), long_help = spec::policy().long_help("Who runs next"))]
    pub policy: spec::Policy,
    #[arg(long, value_name = "PREDICTOR", default_value = "requested", value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("How long jobs are expected to run"), long_help = spec::predictor().long_help("How long jobs are expected to run"))]
    pub predictor: spec::Predictor,
    #[arg(long, value_name = "CORRECTION", default_value = "requested", value_parser = spec::correction(), hide_possible_values = true)]
    #[arg(help = spec::correction().help("What to expect of a job that outlived its prediction"), long_help = spec::correction().long_help("What to expect of a job that outlived its prediction"))]
    pub correction: spec::Correction,
    #[command(flatten)]
    pub scheduling: Scheduling,
    #[command(flatten)]
    pub source: Source,
    /// Also report one row per user, queue, and so on
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Results")]
    pub by: Option<Split>,
    /// Write where every job was placed, and why, as CSV
    #[arg(long, value_name = "OUT.csv", help_heading = "Results")]
    pub schedule: Option<PathBuf>,
    /// Write the schedule as a trace in the Standard Workload Format
    #[arg(long, value_name = "OUT.swf", help_heading = "Results")]
    pub schedule_swf: Option<PathBuf>,
    /// Write how many jobs waited and how many processors were busy, over time, as CSV
    #[arg(long, value_name = "OUT.csv", help_heading = "Results")]
    pub queue_series: Option<PathBuf>,
    /// Leave out the chart of the queue
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
}

/// What results are split by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    User,
    Group,
    Queue,
    Partition,
    /// Processors, in powers of two
    Size,
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use queuecast::units::Seconds;

    use super::*;
    use crate::commands::source::{InputFormat, Limit};
    use crate::spec::Depth;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Arguments {
        Alone::try_parse_from(line.split(' ')).unwrap().arguments
    }

    #[test]
    fn a_file_is_enough() {
        let arguments = parse("simulate a.swf");
        let specs =
            [arguments.policy, arguments.predictor, arguments.correction, arguments.scheduling.event_order];
        assert_eq!(specs, ["easy", "requested", "requested", "textbook"]);
        assert_eq!((arguments.scheduling.factor, arguments.scheduling.limit), (1.0, Limit::Kill));
        assert_eq!((arguments.source.procs, arguments.source.input_format), (None, InputFormat::Auto));
        assert!(!arguments.source.strict && !arguments.no_plot);
    }

    #[test]
    fn every_option_is_read() {
        let arguments = parse(
            "simulate - --policy sjbf --predictor recent:2:median --correction factor:1.5 --event-order pyss \
             --procs 100 --clean archive --strict --input-format sacct --time-zone UTC --depth all \
             --backfill-order shortest --priority wait/run --factor 2 --limit ignore --default-request 2h10m \
             --window all --by user --schedule a.csv --schedule-swf b.swf --queue-series c.csv --no-plot",
        );
        assert_eq!(arguments.predictor, "recent:2:median");
        assert_eq!(arguments.scheduling.depth, Some(Depth::All));
        assert_eq!(arguments.source.default_request, Some(Seconds(7_800)));
        assert_eq!(arguments.by, Some(Split::User));
        assert_eq!(arguments.source.procs, Some(100));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (line, reason) in [
            ("simulate", "FILE"),
            ("simulate a --policy easi", "similar value exists: 'easy'"),
            ("simulate a --procs 0", "0 is not in 1.."),
            ("simulate a --factor 0", "above zero"),
            ("simulate a --default-request 2x", "not a length of time"),
            ("simulate a --depth some", "whole number or \"all\""),
        ] {
            let error = Alone::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
    }
}
