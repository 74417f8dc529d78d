//! `queuecast generate rescale`.

use clap::ValueEnum;
use queuecast::synth::{LoadTarget, Rescale, ScaledQuantity, generate};

use super::log_change::LogChange;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate rescale KTH-SP2.swf.gz --load 0.9 --output busy.swf.gz
  queuecast generate rescale KTH.swf --load-factor 2 --scale run-times -o x.swf";

/// A trace at another load
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "queuecast generate rescale TRACE <--load LOAD|--load-factor F> [OPTIONS]")]
#[group(id = "target", required = true, multiple = false, args = ["load", "load_factor"])]
pub struct Arguments {
    /// Offered load to reach, 0.001 to 100
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Multiply the offered load by this, 0.001 to 1000
    #[arg(long, alias = "factor", value_name = "FACTOR", allow_negative_numbers = true)]
    pub load_factor: Option<f64>,
    /// The quantity that is scaled
    #[arg(long, alias = "by", value_name = "WHAT", value_enum, default_value_t)]
    pub scale: Scale,
    #[command(flatten)]
    pub change: LogChange,
}

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Scale {
    /// The time between arrivals
    #[default]
    Arrivals,
    /// Run times, and requested times with them
    RunTimes,
    /// Processors, within one and the machine
    Sizes,
}

/// Rescales the trace and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let to = match (arguments.load, arguments.load_factor) {
        (_, Some(factor)) => LoadTarget::Factor(factor),
        (load, None) => LoadTarget::Load(load.unwrap_or(1.0)),
    };
    let by = match arguments.scale {
        Scale::Arrivals => ScaledQuantity::Arrivals,
        Scale::RunTimes => ScaledQuantity::RunTimes,
        Scale::Sizes => ScaledQuantity::Sizes,
    };
    arguments.change.run(|log| generate::rescale(&Rescale { to, by }, log), invocation, printer)
}
