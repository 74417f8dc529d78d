//! The `queuecast` program. Its code is a library, so that it compiles while the libraries below it are still optimised.

use std::process::ExitCode;

fn main() -> ExitCode {
    queuecast_cli::main()
}
