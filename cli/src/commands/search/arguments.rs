//! The arguments of `queuecast search`.

use std::path::PathBuf;

use queuecast_sim::predict::template::Estimator;
use queuecast_study::search::{
    Evolution, MOST_TEMPLATES, Method, PredictedAt, SMALLEST_POPULATION, SearchRequest, Similarity,
    read_history, read_holdout,
};

use crate::commands::replacing::Replacing;
use crate::commands::source::Source;
use crate::plot::Plotting;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  The templates that predict a log best, for use with simulate and compare:
    queuecast search CTC-SP2.swf.gz --output ctc.templates
    queuecast simulate CTC-SP2.swf.gz --policy sjbf \\
      --predictor template:@ctc.templates

  Searched on the first half, scored on the second:
    queuecast search CTC-SP2.swf.gz --holdout 0.5

  A long search that can be interrupted with Ctrl-C and resumed:
    queuecast search CTC-SP2.swf.gz --generations 500 \\
      --checkpoint ctc.search
    queuecast search CTC-SP2.swf.gz --generations 500 \\
      --checkpoint ctc.search --resume

  A log that does not record waits:
    queuecast search made-up.swf --replay submit --method greedy";

/// Search for the job characteristics that predict run times best
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How to search
    #[arg(long, value_name = "METHOD", value_parser = spec::choice::<Method>(), default_value_t)]
    pub method: Method,
    /// When jobs are predicted
    #[arg(long, value_name = "WHEN", value_parser = spec::choice::<PredictedAt>(), default_value_t)]
    pub replay: PredictedAt,
    /// Keep this share of the jobs, the last ones, out of the search, and score on them too
    #[arg(long, value_name = "SHARE", value_parser = read_holdout, allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// Template sets in a generation
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = spec::at_least::<{ SMALLEST_POPULATION as i64 }, u32>, allow_negative_numbers = true, help_heading = "Genetic search")]
    pub population: u32,
    /// How many generations
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "Genetic search")]
    pub generations: u32,
    /// Seed of the random numbers; the same seed gives the same search
    #[arg(
        long,
        value_name = "SEED",
        default_value_t = 1,
        allow_negative_numbers = true,
        help_heading = "Genetic search"
    )]
    pub seed: u64,
    /// Begin with random template sets only; by default the best set of a greedy search is part of the first
    /// generation, so that the result is never worse
    #[arg(long, help_heading = "Genetic search")]
    pub unseeded: bool,
    /// What may make jobs similar, of q (queue), p (partition), o (quality of service), u (user), g (group), k
    /// (account), e (executable) and n (ranges of processors); by default all in which the jobs differ
    #[arg(long, value_name = "LETTER,...", value_delimiter = ',', value_parser = Similarity::read, help_heading = "What is searched")]
    pub characteristics: Vec<Similarity>,
    /// How similar jobs become a prediction: mean, lr (linear regression on processors), inv, log
    #[arg(long, value_name = "WORD,...", value_delimiter = ',', default_value = "mean,lr", value_parser = Estimator::read, help_heading = "What is searched")]
    pub estimators: Vec<Estimator>,
    /// How many jobs a category may remember: numbers, or all; by default all for the greedy search, and all, 2,
    /// 4, 8, 16, 32, 128 and 512 for the genetic search
    #[arg(long, value_name = "JOBS,...", value_delimiter = ',', value_parser = read_history, help_heading = "What is searched")]
    pub histories: Vec<Option<u32>>,
    /// Let categories remember all jobs, as the paper does
    #[arg(long, conflicts_with = "histories", help_heading = "What is searched")]
    pub no_history: bool,
    /// The most templates of one set
    #[arg(long, value_name = "N", default_value_t = MOST_TEMPLATES as u16, value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "What is searched")]
    pub max_templates: u16,
    #[command(flatten)]
    pub source: Source,
    /// Write the state of the search to this file after each step, to resume from
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint
    #[arg(long, requires = "checkpoint", help_heading = "Results")]
    pub resume: bool,
    /// Write the templates found, for --predictor template:@FILE
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub output: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Results")]
    pub replacing: Replacing,
    /// How many template sets are scored at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "Results")]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub plotting: Plotting,
}

impl Arguments {
    /// The arguments as the library takes them.
    pub fn request(&self) -> SearchRequest {
        SearchRequest {
            method: self.method,
            replay: self.replay,
            holdout: self.holdout,
            evolution: Evolution {
                population: self.population as usize,
                generations: self.generations as usize,
                seed: self.seed,
            },
            seeded: !self.unseeded,
            similarity: Similarity::any(&self.characteristics),
            estimators: self.estimators.clone(),
            histories: match (self.no_history, self.histories.is_empty()) {
                (true, _) => Some(vec![None]),
                (false, true) => None,
                (false, false) => Some(self.histories.clone()),
            },
            most: usize::from(self.max_templates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    fn parse(line: &str) -> Arguments {
        arguments_alone::parse(line).unwrap()
    }

    #[test]
    fn the_file_is_enough() {
        let arguments = parse("search a.swf");
        assert_eq!((arguments.method, arguments.replay), (Method::Genetic, PredictedAt::Start));
        assert_eq!((arguments.population, arguments.generations, arguments.seed), (50, 50, 1));
        assert_eq!(arguments.estimators, [Estimator::Mean, Estimator::Linear]);
        assert!(!arguments.unseeded && arguments.max_templates == 10 && arguments.histories.is_empty());
        assert_eq!(arguments.request(), SearchRequest::default());
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (line, reason) in [
            ("search", "FILE"),
            ("search a --method hill", "greedy, genetic"),
            ("search a --population 3", "must be at least 4"),
            ("search a --generations 0", "must be at least 1"),
            ("search a --holdout 1", "between 0 and 1"),
            ("search a --holdout half", "between 0 and 1"),
            ("search a --characteristics u,x", "known are q, p, o, u, g, k, e, n"),
            ("search a --estimators median", "known are mean, lr, inv, log"),
            ("search a --histories 0", "a number of jobs from 1 on, or all"),
            ("search a --histories 2 --no-history", "cannot be used with"),
            ("search a --resume", "--checkpoint"),
            ("search a --max-templates 0", "must be at least 1"),
        ] {
            let error = arguments_alone::parse::<Arguments>(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
    }
}
