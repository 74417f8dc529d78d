//! Other programs, run to read what they print.

use std::io;
use std::process::Command;

use queuecast::trace::squeue::TIME_FORMAT;

use crate::failure::Failure;

/// What a program prints; within, what it says if it fails. Slurm's programs print times as Unix seconds.
///
/// # Errors
/// If it cannot be run.
pub fn printed(program: &str, arguments: &[&str], hint: &str) -> Result<Result<String, String>, Failure> {
    let output = Command::new(program).args(arguments).env(TIME_FORMAT.0, TIME_FORMAT.1).output().map_err(
        |cause| match cause.kind() {
            io::ErrorKind::NotFound => Failure::input(format!("there is no {program} here")).hint(hint),
            _ => Failure::input(format!("cannot run {program}")).because(cause).hint(hint),
        },
    )?;
    if output.status.success() {
        return Ok(Ok(String::from_utf8_lossy(&output.stdout).into_owned()));
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Err(said.lines().next().unwrap_or("it does not say why").trim().to_owned()))
}
