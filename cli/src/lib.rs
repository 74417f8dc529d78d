//! The `queuecast` command: arguments, files, progress and printing. The library computes.
//!
//! Each run reads the arguments, runs one command, prints its answer, and exits with a documented code (see
//! `failure`).

mod args;
mod commands;
mod failure;
mod input;
mod interrupt;
mod invocation;
mod output;
mod plot;
mod printer;
mod program;
mod progress;
mod roles;
mod showing;
mod spec;
mod staged;
mod temporary;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::Args;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let invocation =
        Invocation::read(Args::command(), std::env::args_os()).unwrap_or_else(|error| error.exit());
    let args = Args::from_arg_matches(invocation.matches())
        .unwrap_or_else(|error| error.format(&mut Args::command()).exit());
    let printer = Printer::new(&args.showing);
    // A panic is a bug; it still has to end with the documented code rather than Rust's 101.
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
        interrupt::watch(&printer)?;
        commands::run(args.command, &invocation, &printer)
    }))
    .unwrap_or_else(|_| Err(Failure::panicked()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            printer.failure(&failure);
            failure.exit_code()
        }
    }
}
