//! One file per command: its arguments and what it does. A command reads through [`crate::input`], asks the
//! library, and hands what it gets to the printer.

mod cleaning;
mod completions;
mod loaded;
mod simulate;
mod source;

use clap::Subcommand;

use crate::failure::Failure;
use crate::printer::Printer;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    Simulate(Box<simulate::Arguments>),
    Completions(completions::Arguments),
}

/// Does what was asked.
pub fn run(command: Command, printer: &Printer) -> Result<(), Failure> {
    match command {
        Command::Simulate(arguments) => simulate::run(&arguments, printer),
        Command::Completions(arguments) => completions::run(&arguments, printer),
    }
}
