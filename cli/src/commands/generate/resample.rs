//! `queuecast generate resample`.

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::generate::{self, ResampleSettings};

use super::log_change::LogChange;

const EXAMPLES: &str = "\
Examples:
  queuecast generate resample KTH-SP2.swf.gz --seed 3 --output another.swf.gz
  queuecast generate resample KTH-SP2.swf --weeks 104 --load 0.8 -o 2y.swf";

/// A trace of the same users with their weeks resampled (user-based resampling, Zakay & Feitelson 2014)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Number of weeks, 1 to 10000; by default as in the trace, to the nearest
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub weeks: Option<u32>,
    /// Offered load to reach on average by more or fewer users, 0.001 to 100; by default as in the trace
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Seed: the same seed gives the same trace
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub change: LogChange,
}

/// Resamples the trace and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let &Arguments { weeks, load, seed, ref change } = arguments;
    change.run(|log| generate::resample(&ResampleSettings { weeks, load, seed }, log), invocation, printer)
}
