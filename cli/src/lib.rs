//! The `queuecast` command: arguments, files, progress and printing. The library computes.
//!
//! Each run reads the arguments, runs one command, prints its answer, and exits with a documented code (see
//! `failure`).

mod args;
mod cache;
mod commands;
mod failure;
mod file_limit;
mod input;
mod interrupt;
mod invocation;
mod nearest;
mod output;
mod plot;
mod printer;
mod program;
mod progress;
mod roles;
mod screen;
mod settings;
mod showing;
mod spec;
mod staged;
mod supervisor;
mod temporary;
mod zone;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::Args;
use crate::failure::{Failure, Kind};
use crate::invocation::Invocation;
use crate::printer::Printer;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let invocation =
        Invocation::read(Args::command(), std::env::args_os()).unwrap_or_else(|error| error.exit());
    let args = Args::from_arg_matches(invocation.matches())
        .unwrap_or_else(|error| error.format(&mut Args::command()).exit());
    let printer = Printer::new(&args.showing);
    end_at_panics(&printer);
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

/// A panic is a bug: from now on one in any thread removes what is being written and ends the process with the documented code rather than
/// Rust's 101. Release builds do not unwind, so nothing could be caught later.
fn end_at_panics(printer: &Printer) {
    let (tell, printer) = (std::panic::take_hook(), printer.clone());
    std::panic::set_hook(Box::new(move |panic| {
        screen::restore();
        tell(panic);
        program::end_all();
        output::abandon();
        printer.failure(&Failure::panicked());
        std::process::exit(i32::from(Kind::Unexpected.code()));
    }));
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set in the process that is to panic.
    const PANICS: &str = "QUEUECAST_TEST_PANICS";

    #[test]
    fn a_panic_in_any_thread_ends_the_process_with_the_documented_code() {
        if std::env::var_os(PANICS).is_some() {
            end_at_panics(&Printer::silent());
            let _ = std::thread::spawn(|| panic!("a planted bug")).join();
            unreachable!("the process goes on after a panic");
        }
        let test = "tests::a_panic_in_any_thread_ends_the_process_with_the_documented_code";
        let this = std::env::current_exe().unwrap();
        let run =
            Command::new(this).args(["--exact", test, "--nocapture"]).env(PANICS, "1").output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(i32::from(Kind::Unexpected.code())), "{said}");
        assert!(said.contains("a planted bug") && said.contains("stopped because of a bug in it"), "{said}");
    }
}
