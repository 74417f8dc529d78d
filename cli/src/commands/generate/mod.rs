//! `queuecast generate`: traces that nobody recorded, from models or made of other traces.

mod asking;
mod dealing;
mod derived;
pub mod downey;
mod estimates;
mod habits;
mod lublin;
mod making;
pub mod modelled;
pub mod parameters;
mod people;
mod product;
pub mod refused;
mod resample;
mod rescale;
mod shake;

use clap::Subcommand;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

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
    pub command: Command,
}

/// What to make it from.
#[derive(Debug, Subcommand)]
pub enum Command {
    Lublin(Box<lublin::Arguments>),
    Downey(Box<downey::Arguments>),
    Habits(habits::Arguments),
    Estimates(Box<estimates::Arguments>),
    Rescale(rescale::Arguments),
    Resample(resample::Arguments),
    Shake(shake::Arguments),
}

/// Makes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    match &arguments.command {
        Command::Lublin(arguments) => lublin::run(arguments, invocation, printer),
        Command::Downey(arguments) => downey::run(arguments, invocation, printer),
        Command::Habits(arguments) => habits::run(arguments, invocation, printer),
        Command::Estimates(arguments) => estimates::run(arguments, invocation, printer),
        Command::Rescale(arguments) => rescale::run(arguments, invocation, printer),
        Command::Resample(arguments) => resample::run(arguments, invocation, printer),
        Command::Shake(arguments) => shake::run(arguments, invocation, printer),
    }
}
