//! `queuecast when`: when a job would start.

use queuecast::place::when_at;
use queuecast::report::Explained;

use super::place::ReadPlace;
use super::{newcomer, told};
use crate::failure::Failure;
use crate::plot::Plotting;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  64 processors for two hours, submitted at the end of a log:
    queuecast when LOG.swf.gz -n 64 -t 2h

  The same on a day of the log, for user 12 in queue 3:
    queuecast when LOG.swf.gz --at 1997-02-03T10:00 -n 64 -t 2h -u 12 -q 3

  On a Slurm site, now, with its accounting to learn from:
    queuecast when --live site.sacct.gz -n 64 -t 2h -p batch

  By Slurm's own scheduler, on the configuration saved by site capture:
    queuecast when site.sacct.gz --site mysite -n 64 -t 2h -q batch -u anna";

/// Say when a job would start: most likely between, at the latest, and how often such answers held
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    pub asked: newcomer::Arguments,
    /// Say what the answer stands on: all quantiles, and how right each method was for the last jobs
    #[arg(long, help_heading = "Results")]
    pub explain: bool,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// Reads the place, and says when the job would start.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let asked = &arguments.asked;
    let plot = arguments.plotting.plan(&asked.inputs())?;
    let read = ReadPlace::read(asked, printer)?;
    read.check_user(&asked.job())?;
    let (place, zone) = (read.asked(&asked.live, asked.source.procs), &asked.source.reading.time_zone);
    let answer = told::learned(&asked.methods.cache, printer, |messages| {
        when_at(place, &asked.job(), &asked.settings(), zone, messages)
    })?;
    match arguments.explain {
        true => plot.answer(&Explained(&answer), printer),
        false => plot.answer(&answer, printer),
    }
}
