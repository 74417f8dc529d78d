//! `queuecast generate`: synthetic traces, from models or made of other traces.

pub mod downey;
pub mod errors;
mod estimate_options;
mod estimates;
mod habits;
mod log_change;
mod lublin;
pub mod model_options;
mod output;
mod resample;
mod rescale;
mod shake;
mod user_options;

use clap::Subcommand;
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate lublin --jobs 50000 --load 0.8 --output made.swf.gz
  queuecast generate lublin --like KTH-SP2.swf.gz --output like-kth.swf.gz
  queuecast generate estimates KTH-SP2.swf.gz --estimates f:3 -o f3.swf.gz
  queuecast generate rescale KTH-SP2.swf.gz --load 0.9 --output busy.swf.gz

Every trace records in its header the command, all parameters and the seed that
made it. The same command gives the same bytes.";

/// Make traces: from models of jobs and users, or of another trace at another load, with other requested times
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Generator,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Generator {
    Lublin(Box<lublin::Arguments>),
    Downey(Box<downey::Arguments>),
    Habits(habits::Arguments),
    Estimates(Box<estimates::Arguments>),
    Rescale(rescale::Arguments),
    Resample(resample::Arguments),
    Shake(shake::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    match &arguments.command {
        Generator::Lublin(arguments) => lublin::run(arguments, invocation, printer),
        Generator::Downey(arguments) => downey::run(arguments, invocation, printer),
        Generator::Habits(arguments) => habits::run(arguments, invocation, printer),
        Generator::Estimates(arguments) => estimates::run(arguments, invocation, printer),
        Generator::Rescale(arguments) => rescale::run(arguments, invocation, printer),
        Generator::Resample(arguments) => resample::run(arguments, invocation, printer),
        Generator::Shake(arguments) => shake::run(arguments, invocation, printer),
    }
}
