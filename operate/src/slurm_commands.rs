//! Slurm's commands, run to read what they print: within a time limit, and with a word if they are slow.

use std::process::Command;
use std::time::Duration;

use queuecast_core::units::Seconds;
use queuecast_live::declared::DeclaredCommand;
use queuecast_live::{Ask, AskFailed};
use queuecast_process::printer::Printer;
use queuecast_process::program::{PATIENCE, Unanswered, answered};
use queuecast_process::progress::Progress;
use queuecast_trace::squeue::TIME_FORMAT;

/// Slurm's commands, each with a time limit.
#[derive(Debug, Clone)]
pub struct SlurmCommands<'a> {
    limit: Duration,
    printer: &'a Printer,
}

impl<'a> SlurmCommands<'a> {
    /// With a time limit for each command.
    pub fn within(limit: Seconds, printer: &'a Printer) -> SlurmCommands<'a> {
        SlurmCommands { limit: Duration::from_secs(limit.0.unsigned_abs()), printer }
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

impl Ask for SlurmCommands<'_> {
    fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed> {
        let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        self.printed(command.program, &words).map_err(|why| AskFailed(why.to_string()))
    }
}
