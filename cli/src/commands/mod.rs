//! One file per command: its arguments and what it does. A command reads through [`crate::input`], asks the
//! library, and hands what it gets to the printer.

mod compare;
mod completions;
mod demo;
mod simulate;
mod source;
mod trace;

use clap::Subcommand;

use crate::failure::Failure;
use crate::printer::Printer;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    Completions(completions::Arguments),
}

/// Does what was asked.
pub fn run(command: Command, printer: &Printer) -> Result<(), Failure> {
    match command {
        Command::Completions(arguments) => completions::run(&arguments, printer),
    }
}
