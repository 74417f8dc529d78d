//! `queuecast generate shake`.

use queuecast::report::duration;
use queuecast::synth::{Shaken, Variant};
use queuecast::units::Seconds;

use super::derived::{Changed, Derived};
use super::refused::Refused;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate shake KTH-SP2.swf.gz --by 10m --seed 3 -o shaken.swf";

/// A trace with every arrival moved a little at random: how far results differ that should not (Tsafrir et al. 2007)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The furthest an arrival is moved, either way, 1s to 365d: 10m, 1h, plain seconds
    #[arg(long, value_name = "DURATION", value_parser = distance, allow_hyphen_values = true)]
    pub by: Seconds,
    /// Another seed is another trace; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub derived: Derived,
}

const YEAR: Seconds = Seconds(31_536_000);

fn distance(text: &str) -> Result<Seconds, String> {
    let length = duration::parse(text).map_err(|error| error.to_string())?;
    if (Seconds(1)..=YEAR).contains(&length) {
        Ok(length)
    } else {
        Err("must be between 1s and 365d".to_owned())
    }
}

const REFUSED: Refused = Refused { model: "shake", options: &[] };

/// Shakes and writes.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    arguments.derived.run(
        |trace| {
            let shaken = Some(Shaken { by: arguments.by, seed: arguments.seed });
            let workload = Variant { shaken, ..Variant::default() }
                .of(&trace.log.workload)
                .map_err(|error| REFUSED.because(error.into(), Some(&trace.name)))?;
            let how = format!("every arrival moved by up to {} either way", duration::human(arguments.by));
            let parameters = vec![("shake.by".to_owned(), arguments.by.to_string())];
            Ok(Changed { workload, how, parameters, seed: Some(arguments.seed) })
        },
        invocation,
        printer,
    )
}
