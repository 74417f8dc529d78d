//! `queuecast score shadow`: how far the simulated scheduler of a followed site decides as the real one does.

use queuecast_core::units::Seconds;
use queuecast_operate::site_now;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;

use crate::commands::store_option;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast score shadow
  queuecast score shadow --last 1d --cluster hpc1 --format csv";

/// Score the site's own scheduler, simulated beside the real one by queuecast collect, decision by decision
///
/// Once accounting tells what happened between two looks, the site's scheduler is simulated from the first of them on, with jobs that come and end as they did, and its starts are compared with the real ones. A decision is that a job was started, or that one that could be started waited until the second look; of an array, the tasks that waited are one decision. Starts are alike if they are no further apart than the longest period of the site's schedulers, and at least a minute.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    pub store: store_option::Arguments,
    /// Name of the cluster, where the store has several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Decisions of this time before the last look, in whole hours
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub last: Seconds,
}

/// Shows what a store has counted.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let Some(store) = arguments.store.open(arguments.cluster.as_deref())? else {
        return Err(Failure::usage("no site has been followed yet").hint("queuecast collect follows one"));
    };
    printer.answer(&store.shadow(arguments.last, site_now::now())?)
}
