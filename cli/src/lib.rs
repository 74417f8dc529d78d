//! The `queuecast` command: arguments, files, progress and printing. The library computes.
//!
//! Each run reads the arguments, runs one command, prints its answer, and exits with a documented code (see
//! `failure`).

mod args;
mod commands;
mod plot;
mod showing;
mod spec;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use queuecast_operate::settings;
use queuecast_process::failure::Failure;
use queuecast_process::interrupt;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;

use crate::args::Args;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let invocation = Invocation::read(args::tree(&words), words).unwrap_or_else(|error| error.exit());
    let args = Args::from_arg_matches(invocation.matches())
        .unwrap_or_else(|error| error.format(&mut Args::command()).exit());
    let printer = Printer::new(args.showing.settings());
    queuecast_process::end_at_panics(&printer);
    let (invocation, args) = match with_settings(invocation, args) {
        Ok(both) => both,
        Err(failure) => {
            printer.failure(&failure);
            return failure.exit_code();
        }
    };
    let outcome =
        interrupt::watch(&printer).and_then(|()| commands::run(args.command, &invocation, &printer));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            printer.failure(&failure);
            failure.exit_code()
        }
    }
}

/// The command line with the settings of a service that were not typed.
fn with_settings(invocation: Invocation, args: Args) -> Result<(Invocation, Args), Failure> {
    let Some(invocation) = settings::applied(&invocation)? else { return Ok((invocation, args)) };
    let args = Args::from_arg_matches(invocation.matches()).map_err(|error| settings::refused(&error))?;
    Ok((invocation, args))
}
