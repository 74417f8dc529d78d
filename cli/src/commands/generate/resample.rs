//! `queuecast generate resample`.

use queuecast::seed::Seed;
use queuecast::synth::Resample;

use super::derived::{Changed, Derived, missed};
use super::refused::Refused;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate resample KTH-SP2.swf.gz --seed 3 --output another.swf.gz
  queuecast generate resample KTH-SP2.swf --weeks 104 --load 0.8 -o 2y.swf";

/// A trace of the same users, their weeks mixed anew (user-based resampling, Zakay & Feitelson 2014)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// How many weeks to make, 1 to 10000; by default as many as the trace has, to the nearest
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub weeks: Option<u32>,
    /// The offered load to reach on average by more or fewer users at a time, 0.001 to 100; by default as in the trace
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Another seed is another trace; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub derived: Derived,
}

const REFUSED: Refused = Refused { model: "resample", options: &[("weeks", "--weeks"), ("load", "--load")] };

const WEEK: i64 = 604_800;

/// Resamples and writes.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    arguments.derived.run(
        |trace| {
            let before = &trace.log.workload;
            let last = before.jobs().last().map(|job| job.submit);
            let span = before.begins().zip(last).map_or(0, |(first, last)| (last - first).0);
            let whole = u32::try_from(((span + WEEK / 2) / WEEK).max(1)).unwrap_or(u32::MAX);
            let resample = Resample { weeks: arguments.weeks.unwrap_or(whole), load: arguments.load };
            let workload = resample
                .of(before, Seed(arguments.seed))
                .map_err(|error| REFUSED.because(error, Some(&trace.name)))?;
            let reached = workload.offered_load();
            if let Some(missed) = resample.load.and_then(|load| missed(reached, load, 0.05)) {
                printer
                    .warning(&format!("{missed}: it is met on average only; another --seed may be nearer"));
            }
            let how = "users' weeks mixed anew".to_owned();
            let mut parameters = vec![("resample.weeks".to_owned(), resample.weeks.to_string())];
            parameters.extend(resample.load.map(|load| ("resample.load".to_owned(), load.to_string())));
            Ok(Changed { workload, how, parameters, seed: Some(arguments.seed) })
        },
        invocation,
        printer,
    )
}
