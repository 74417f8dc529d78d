//! The site's own Slurm, asked now through `squeue` and `sinfo`.

use queuecast_operate::{SlurmCommands, site_now};

use crate::commands::loaded::Loaded;
use crate::commands::outside;
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
    /// With --live, answer for this partition only, or for several (short,long); by default for each that differs from the others
    #[arg(short, long, value_name = "NAME")]
    pub partition: Option<String>,
    #[command(flatten)]
    pub store: store_option::Arguments,
    #[command(flatten)]
    pub outside: outside::Arguments,
}

/// Gives accounting records whose machine is guessed the size of the site, if there is a Slurm here that answers.
pub fn take_size(trace: &mut Loaded, commands: &SlurmCommands<'_>) {
    if trace.log.format.is_accounting() && trace.log.machine.is_largest_job() {
        trace.log.take_size(site_now::site_procs(commands));
    }
}
