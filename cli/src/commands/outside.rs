//! `--slurm-timeout`: how long Slurm's commands may take.

use queuecast_core::units::Seconds;
use queuecast_operate::SlurmCommands;
use queuecast_process::printer::Printer;

use crate::spec;

/// How long Slurm's commands may take.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// How long each of Slurm's commands may take to answer; then it is ended
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub slurm_timeout: Seconds,
}

impl Arguments {
    /// Slurm's commands, each with this time limit.
    pub fn commands<'a>(&self, printer: &'a Printer) -> SlurmCommands<'a> {
        SlurmCommands::within(self.slurm_timeout, printer)
    }
}
