//! `queuecast score live`: how right the forecasts of a followed site were.

use queuecast_core::units::Seconds;
use queuecast_operate::site_now;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::zone;
use queuecast_trace::PastSpan;

use crate::commands::store_option;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast score live
  queuecast score live --last 30d --cluster hpc1 --format csv
  queuecast score live --since 2026-11-01 --until 2026-11-07";

/// Score the forecasts that queuecast collect has made of waiting jobs, beside what Slurm expected of them
///
/// Each job, and of an array the first task that waits, is forecast when it is first seen waiting, and again when it has waited twice as long as at its last forecast. A forecast is judged once its range is over: the share inside the 80 % range, the error of the median beside that of Slurm's own expected start at the same moment, and the interval score beside that of the last 200 waits.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    pub store: store_option::Arguments,
    /// Name of the cluster, where the store has several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Forecasts that were made within this time before the last look
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub last: Seconds,
    /// Forecasts that were made since this moment: a day, `yesterday 14:00`, `7d` for seven days ago, or Unix seconds
    #[arg(long, value_name = "WHEN", conflicts_with = "last", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// And until this one, which is written likewise; a day is in it
    #[arg(long, value_name = "WHEN", conflicts_with = "last", allow_hyphen_values = true)]
    pub until: Option<String>,
}

/// Judges the forecasts of a store.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let Some(store) = arguments.store.open(arguments.cluster.as_deref())? else {
        return Err(Failure::usage("no site has been followed yet").hint("queuecast collect follows one"));
    };
    let (now, since, until) = (site_now::now(), arguments.since.as_deref(), arguments.until.as_deref());
    let is_named = since.is_some() || until.is_some();
    let read = || PastSpan::read((since, until), (now, arguments.last), &zone::of_machine());
    let named = is_named.then(read).transpose()?;
    printer.answer(&store.scorecard((arguments.last, named), now)?)
}
