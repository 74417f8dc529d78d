//! `queuecast generate shake`.

use queuecast_core::units::Seconds;
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::{Shaken, generate};

use super::log_change::LogChange;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast generate shake KTH-SP2.swf.gz --max-shift 10m --seed 3 -o shaken.swf";

/// A trace with every arrival moved at random, to test the sensitivity of results (input shaking, Tsafrir et al. 2007)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Largest change of an arrival in either direction, 1s to 365d: 10m, 1h, plain seconds
    #[arg(long, alias = "by", value_name = "DURATION", value_parser = distance, allow_hyphen_values = true)]
    pub max_shift: Seconds,
    /// Seed: the same seed gives the same trace
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub change: LogChange,
}

const YEAR: Seconds = Seconds(31_536_000);

fn distance(text: &str) -> Result<Seconds, String> {
    let length = spec::duration(text).map_err(|error| error.to_string())?;
    if (Seconds(1)..=YEAR).contains(&length) {
        Ok(length)
    } else {
        Err("must be between 1s and 365d".to_owned())
    }
}

/// Shakes the trace and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let shaken = Shaken { by: arguments.max_shift, seed: arguments.seed };
    arguments.change.run(|log| generate::shake(&shaken, log), invocation, printer)
}
