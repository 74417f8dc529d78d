//! The site's own Slurm, asked now through `squeue` and `sinfo`.

use std::time::{SystemTime, UNIX_EPOCH};

use queuecast_core::units::{Procs, Time};
use queuecast_place::LiveSite;
use queuecast_process::failure::Failure;
use queuecast_trace::sinfo::{SINFO, all_procs, sinfo};
use queuecast_trace::squeue::SQUEUE;

use crate::commands::loaded::Loaded;
use crate::commands::outside::{self, SlurmCommands};
use crate::commands::store_option;

/// Whether and what to ask.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The site")]
#[group(id = "the_site")]
pub struct Arguments {
    /// Ask the site's Slurm, by squeue and sinfo, which jobs run and wait now, and what each partition allows
    #[arg(long)]
    pub live: bool,
    /// With --live, answer for this partition only; by default for each that differs from the others
    #[arg(short, long, value_name = "NAME")]
    pub partition: Option<String>,
    #[command(flatten)]
    pub store: store_option::Arguments,
    #[command(flatten)]
    pub outside: outside::Arguments,
}

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

/// Gives accounting records whose machine is guessed the size of the site, if there is a Slurm here that answers.
pub fn take_size(trace: &mut Loaded, commands: &SlurmCommands<'_>) {
    if trace.log.format.is_accounting() && trace.log.machine.is_largest_job() {
        trace.log.take_size(site_procs(commands));
    }
}

/// All processors of the site, if there is a Slurm here that answers.
fn site_procs(commands: &SlurmCommands<'_>) -> Option<Procs> {
    let partitions = sinfo(&commands.printed("sinfo", &SINFO).ok()?).ok()?;
    Some(all_procs(&partitions)).filter(|&procs| procs > Procs(0))
}

/// What a command prints.
fn output(commands: &SlurmCommands<'_>, command: &str, arguments: &[&str]) -> Result<String, Failure> {
    const HINT: &str = "a live site is asked through its Slurm: run this where squeue and sinfo work, or use a log that is not live";
    commands.printed(command, arguments).map_err(|why| why.failure(command, HINT))
}
