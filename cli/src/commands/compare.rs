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
    /// Who runs next; separate several by commas or repeat the option
    #[arg(long, value_name = "POLICY", value_delimiter = ',', default_value = "fcfs,easy,sjbf,conservative")]
    #[arg(value_parser = spec::policy())]
    pub policy: Vec<spec::Policy>,
    /// How long jobs are expected to run: requested, perfect, constant:SECONDS, recent:K[:median]
    #[arg(long, value_name = "PREDICTOR", value_delimiter = ',', default_value = "requested")]
    #[arg(value_parser = spec::predictor(), hide_possible_values = true)]
    pub predictor: Vec<spec::Predictor>,
    /// What to expect of a job that outlived its prediction: requested, increments, factor:F
    #[arg(long, value_name = "CORRECTION", value_delimiter = ',', default_value = "requested")]
    #[arg(value_parser = spec::correction(), hide_possible_values = true)]
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
