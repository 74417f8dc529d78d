//! `--method` and `--trials`: how the forecaster predicts waits.

use queuecast_forecast::forecast::{WaitMethod, WhenSettings};

use crate::commands::cache_option;
use crate::spec::{self, Several, SpecList, SpecParser};

/// The methods, and how they are chosen from.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    #[arg(long, value_name = "METHOD,...", default_value = WhenSettings::METHODS, value_parser = SpecList(method()), hide_possible_values = true, help_heading = "The answer")]
    #[arg(help = method().help(METHOD), long_help = method().long_help(METHOD))]
    pub method: Vec<Several<WaitMethod>>,
    /// How many of the last jobs the methods are tried on, each predicted at its submission with what was known then
    #[arg(long, value_name = "N", default_value_t = WhenSettings::TRIALS, value_parser = spec::at_least::<1, usize>, allow_negative_numbers = true, help_heading = "The answer")]
    pub trials: usize,
    #[command(flatten)]
    pub cache: cache_option::Arguments,
}

const METHOD: &str = "How waits are predicted; of several, separated by commas, the first answers, unless another had better ranges for the last jobs of the site, by their interval score and beyond chance";

fn method() -> SpecParser<WaitMethod> {
    spec::of()
}

impl Arguments {
    /// How waits are predicted.
    pub fn settings(&self) -> WhenSettings {
        // The best is one of those that are tried by default.
        let mut methods = Vec::new();
        for one in Several::together(&self.method) {
            let each = if one == WaitMethod::Best { WhenSettings::default().methods } else { vec![one] };
            methods.extend(each.into_iter().filter(|one| !methods.contains(one)).collect::<Vec<_>>());
        }
        WhenSettings { methods, trials: self.trials, ..WhenSettings::default() }
    }
}
