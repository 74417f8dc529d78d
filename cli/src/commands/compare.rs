//! `queuecast compare`: policies × predictors × corrections × traces, on all cores.

use std::path::PathBuf;

use super::source::{Scheduling, Source};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Four policies on one trace:
    queuecast compare KTH-SP2.swf.gz --policy fcfs,easy,sjbf,conservative

  Does predicting run times help, and how far is it from knowing them?
    queuecast compare traces/*.swf.gz --policy easy,sjbf --predictor requested,recent:2,perfect

  A table for a paper:
    queuecast compare KTH-SP2.swf.gz --policy fcfs,easy --format markdown";

/// Simulate every combination of policies, predictors, corrections and traces, and compare
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The traces, compressed or not
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "POLICY,...", default_value = "fcfs,easy,sjbf,conservative", value_delimiter = ',', value_parser = spec::policy(), hide_possible_values = true)]
    #[arg(help = spec::policy().help("Who runs next"), long_help = spec::policy().long_help("Who runs next"))]
    pub policy: Vec<spec::Policy>,
    #[arg(long, value_name = "PREDICTOR,...", default_value = "requested", value_delimiter = ',', value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("How long jobs are expected to run"), long_help = spec::predictor().long_help("How long jobs are expected to run"))]
    pub predictor: Vec<spec::Predictor>,
    #[arg(long, value_name = "CORRECTION,...", default_value = "requested", value_delimiter = ',', value_parser = spec::correction(), hide_possible_values = true)]
    #[arg(help = spec::correction().help("What to expect of a job that outlived its prediction"), long_help = spec::correction().long_help("What to expect of a job that outlived its prediction"))]
    pub correction: Vec<spec::Correction>,
    #[command(flatten)]
    pub scheduling: Scheduling,
    #[command(flatten)]
    pub source: Source,
    /// How many simulations run at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Leave out the charts
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Arguments {
        Alone::try_parse_from(line.split(' ')).unwrap().arguments
    }

    #[test]
    fn commas_and_repetition_mean_the_same() {
        let commas = parse("compare a b --policy fcfs,easy --predictor requested,recent:2");
        let repeated =
            parse("compare a b --policy fcfs --policy easy --predictor requested --predictor recent:2");
        assert_eq!(commas.policy, ["fcfs", "easy"]);
        assert_eq!((commas.policy, commas.predictor), (repeated.policy, repeated.predictor));
        assert_eq!(commas.files.len(), 2);
    }

    #[test]
    fn a_file_is_enough_and_at_least_one_is_needed() {
        assert_eq!(parse("compare a").policy, ["fcfs", "easy", "sjbf", "conservative"]);
        assert_eq!(Alone::try_parse_from(["compare"]).unwrap_err().exit_code(), 2);
        assert_eq!(Alone::try_parse_from(["compare", "a", "--threads", "0"]).unwrap_err().exit_code(), 2);
    }
}
