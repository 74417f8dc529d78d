//! `queuecast generate rescale`.

use clap::ValueEnum;
use queuecast::synth::{Lever, Rescale, Target};
use queuecast::workload::Workload;

use super::derived::{Changed, Derived, missed};
use super::refused::Refused;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate rescale KTH-SP2.swf.gz --load 0.9 --output busy.swf.gz
  queuecast generate rescale KTH-SP2.swf --factor 2 --by run-times -o long.swf";

/// A trace at another load
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "queuecast generate rescale TRACE <--load LOAD|--factor FACTOR> [OPTIONS]")]
#[group(id = "target", required = true, multiple = false, args = ["load", "factor"])]
pub struct Arguments {
    /// The offered load to reach, 0.001 to 100
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Multiply the offered load by this, 0.001 to 1000
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    pub factor: Option<f64>,
    /// What is changed to get there
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub by: By,
    #[command(flatten)]
    pub derived: Derived,
}

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum By {
    /// The time between arrivals
    #[default]
    Arrivals,
    /// Run times, and requested times with them
    RunTimes,
    /// Processors, within one and the machine
    Sizes,
}

const REFUSED: Refused = Refused { model: "rescale", options: &[("load", "--load"), ("factor", "--factor")] };

/// Rescales and writes.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let (to, name, value) = match (arguments.load, arguments.factor) {
        (_, Some(factor)) => (Target::Factor(factor), "factor", factor),
        (load, None) => (Target::Load(load.unwrap_or(1.0)), "load", load.unwrap_or(1.0)),
    };
    let (by, changed) = match arguments.by {
        By::Arrivals => (Lever::Arrivals, "arrivals"),
        By::RunTimes => (Lever::RunTimes, "run-times"),
        By::Sizes => (Lever::Sizes, "sizes"),
    };
    arguments.derived.run(
        |trace| {
            let before = &trace.log.workload;
            let workload =
                Rescale { to, by }.of(before).map_err(|error| REFUSED.because(error, Some(&trace.name)))?;
            let asked = match to {
                Target::Load(load) => load,
                Target::Factor(factor) => factor * before.offered_load(),
            };
            if let Some(missed) = missed(workload.offered_load(), asked, 0.01) {
                printer.warning(&format!("{missed}: {}", limit(by, &workload, asked)));
            }
            let how = format!(
                "rescaled by {changed} from an offered load of {:.6} to {:.6}",
                before.offered_load(),
                workload.offered_load()
            );
            let parameters = vec![
                (format!("rescale.{name}"), value.to_string()),
                ("rescale.by".to_owned(), changed.to_owned()),
            ];
            Ok(Changed { workload, how, parameters, seed: None })
        },
        invocation,
        printer,
    )
}

/// Why a load was not reached.
fn limit(by: Lever, workload: &Workload, asked: f64) -> &'static str {
    let whole = || workload.jobs().iter().any(|job| job.shape.procs == workload.machine().procs);
    match by {
        Lever::Sizes if workload.offered_load() < asked && whole() => {
            "jobs cannot be larger than the machine"
        }
        Lever::Sizes => "jobs have whole processors, one at least",
        Lever::Arrivals | Lever::RunTimes => "times are whole seconds, and no run loses its last",
    }
}
