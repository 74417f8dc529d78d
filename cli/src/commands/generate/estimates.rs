//! `queuecast generate estimates`.

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::generate::{self, EstimateSettings, ParameterSetting, RequestedTimes};

use super::estimate_options::{self, EstimateOptions};
use super::log_change::LogChange;

const EXAMPLES: &str = "\
Examples:
  Requested times for a log that has none:
    queuecast generate estimates NASA-iPSC.swf --max-estimate 18h -o asked.swf

  The log's own, given to other jobs:
    queuecast generate estimates CTC.swf --estimates shuffled -o other.swf

  The model, told the three most used times of the log:
    queuecast generate estimates CTC.swf --modes-of-log 3 -o model.swf";

/// A trace with other requested times: modelled, reassigned, or made from run times
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[arg(long, value_name = "WHAT", default_value = "tsafrir", value_parser = estimate_options::replaced(), hide_possible_values = true)]
    #[arg(help = estimate_options::replaced().help("Requested times"), long_help = estimate_options::replaced().long_help("Requested times"))]
    pub estimates: RequestedTimes,
    /// Seed: the same seed gives the same trace
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Set a parameter of the model by its name in the header; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<ParameterSetting>,
    #[command(flatten)]
    pub estimate_options: EstimateOptions,
    #[command(flatten)]
    pub change: LogChange,
}

/// Replaces the requested times and writes the trace.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let Arguments { estimates, seed, set, estimate_options, change } = arguments;
    let requested = estimate_options.requested(estimates)?;
    let settings = EstimateSettings { requested, set: set.clone(), seed: *seed };
    change.run(|log| generate::estimates(&settings, log), invocation, printer)
}
