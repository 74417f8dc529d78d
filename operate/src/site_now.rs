//! A site as its Slurm answers now, by `squeue` and `sinfo`.

use std::time::{SystemTime, UNIX_EPOCH};

use queuecast_core::units::{Procs, Time};
use queuecast_place::LiveSite;
use queuecast_process::failure::Failure;
use queuecast_trace::sinfo::{SINFO, all_procs, sinfo};
use queuecast_trace::squeue::SQUEUE;

use crate::slurm_commands::SlurmCommands;

/// Now, as a Unix time.
pub fn now() -> Time {
    Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64))
}

/// Asks for all partitions and all jobs.
pub fn ask(commands: &SlurmCommands<'_>) -> Result<LiveSite, Failure> {
    let partitions = output(commands, "sinfo", &SINFO)?;
    let queue = output(commands, "squeue", &SQUEUE)?;
    Ok(LiveSite::read(&partitions, &queue, now())?)
}

/// All processors of the site, if there is a Slurm here that answers.
pub fn site_procs(commands: &SlurmCommands<'_>) -> Option<Procs> {
    let partitions = sinfo(&commands.printed("sinfo", &SINFO).ok()?).ok()?;
    Some(all_procs(&partitions)).filter(|&procs| procs > Procs(0))
}

/// What a command prints.
fn output(commands: &SlurmCommands<'_>, command: &str, arguments: &[&str]) -> Result<String, Failure> {
    const HINT: &str = "a live site is asked through its Slurm: run this where squeue and sinfo work, or use a log that is not live";
    commands.printed(command, arguments).map_err(|why| why.failure(command, HINT))
}
