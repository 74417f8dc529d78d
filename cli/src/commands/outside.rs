//! Slurm's commands, run to read what they print: within a time limit, and with a word if they are slow.

use std::process::Command;
use std::time::Duration;

use queuecast_core::units::Seconds;
use queuecast_process::printer::Printer;
use queuecast_process::program::{PATIENCE, Unanswered, answered};
use queuecast_process::progress::Progress;
use queuecast_trace::squeue::TIME_FORMAT;

use crate::spec;

/// How long Slurm's commands may take.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// How long each of Slurm's commands may take to answer; then it is ended
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub slurm_timeout: Seconds,
}

/// Slurm's commands, each with a time limit.
#[derive(Debug, Clone)]
pub struct SlurmCommands<'a> {
    limit: Duration,
    printer: &'a Printer,
}

impl<'a> SlurmCommands<'a> {
    /// With a time limit for each command.
    pub fn within(given: &Arguments, printer: &'a Printer) -> SlurmCommands<'a> {
        let limit = Duration::from_secs(given.slurm_timeout.0.unsigned_abs());
        SlurmCommands { limit, printer }
    }

    /// What a program prints. Slurm's programs print times as Unix seconds.
    ///
    /// # Errors
    /// If it cannot be run, fails, or takes longer than the limit; it is ended then.
    pub fn printed(&self, program: &str, arguments: &[&str]) -> Result<String, Unanswered> {
        let mut progress = None;
        let slow = || {
            let line = format!("{program} {}", arguments.join(" "));
            // A list of columns is no help to a reader.
            let line = line.split([',', '\x1f']).next().unwrap_or_default().to_owned();
            self.printer.note(&format!(
                "{line} has not answered for {} s; waiting up to {} s (--slurm-timeout)",
                PATIENCE.as_secs(),
                self.limit.as_secs()
            ));
            progress = Some(Progress::uncounted(self.printer, &format!("waiting for {program}")));
        };
        let mut command = Command::new(program);
        command.args(arguments).env(TIME_FORMAT.0, TIME_FORMAT.1);
        let (status, stdout, stderr) = answered(command, self.limit, slow)?;
        drop(progress);
        if status.success() {
            return Ok(String::from_utf8_lossy(&stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&stderr).into_owned();
        let said = said.lines().map(str::trim).find(|line| !line.is_empty());
        Err(Unanswered::Failed(said.unwrap_or("it does not say why").to_owned()))
    }
}
