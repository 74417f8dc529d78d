//! The command's process and its world: the files it reads and writes, its terminal, signals, other programs, and how it ends. What is asked
//! and what is answered is not known here.

pub mod cache;
pub mod failure;
pub mod file_limit;
pub mod input;
pub mod interrupt;
pub mod invocation;
mod nearest;
pub mod output;
pub mod printer;
pub mod program;
pub mod progress;
pub mod roles;
pub mod screen;
pub mod staged;
pub mod supervisor;
mod temporary;
pub mod told;
pub mod zone;

pub use nearest::nearest;

use crate::failure::{Failure, Kind};
use crate::printer::Printer;

/// A panic is a bug: from now on one in any thread removes what is being written and ends the process with the documented code rather than
/// Rust's 101. Release builds do not unwind, so nothing could be caught later.
pub fn end_at_panics(printer: &Printer) {
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
