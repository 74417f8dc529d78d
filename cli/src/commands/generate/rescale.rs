//! `queuecast generate rescale`.

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::{LoadTarget, Rescale, ScaledQuantity, generate};

use super::log_change::LogChange;
use crate::spec;

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
    #[arg(long, alias = "by", value_name = "WHAT", value_parser = spec::choice::<ScaledQuantity>(), default_value_t)]
    pub scale: ScaledQuantity,
    #[command(flatten)]
    pub change: LogChange,
}

/// Rescales the trace and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let to = match (arguments.load, arguments.load_factor) {
        (_, Some(factor)) => LoadTarget::Factor(factor),
        (load, None) => LoadTarget::Load(load.unwrap_or(1.0)),
    };
    let by = arguments.scale;
    arguments.change.run(|log| generate::rescale(&Rescale { to, by }, log), invocation, printer)
}
