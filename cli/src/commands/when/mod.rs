//! `queuecast when`: when a job would start.

mod answer;

use queuecast::forecast::{ClusterQuestion, when_at_cluster};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::trace::{MachineSize, MachineSource};
use queuecast::units::Time;

use self::answer::{StartTime, StartTimes};
use super::live::LiveSite;
use super::loaded::{Loaded, number_of};
use super::moment::Moment;
use super::newcomer::{self, Asked, AskedPlace, QueueAnswer};
use super::slurm_site::{self, SiteQuestion};
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
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
    #[command(flatten)]
    pub plotting: Plotting,
}

/// Reads the log or asks the site, and says when the job would start.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let plot = arguments.plotting.plan(&arguments.asked.inputs())?;
    if let Some(site) = &arguments.asked.slurm.site {
        let question = slurm_site::read(&arguments.asked, site, printer)?;
        return at_slurm_site(&arguments.asked, question, plot, printer);
    }
    match arguments.asked.read(printer)? {
        AskedPlace::Log(trace, at) => from_log(&arguments.asked, &trace, at, plot, printer),
        AskedPlace::Site { site, history } => {
            from_site(&arguments.asked, &site, history.as_ref(), plot, printer)
        }
    }
}

/// The answer at a moment of a log.
fn from_log(
    asked: &newcomer::Arguments,
    trace: &Loaded,
    at: Time,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (workload, zone) = (&trace.log.workload, &asked.source.reading.time_zone);
    let new = asked.job();
    new.check(workload)?;
    let job = new.at(at, workload);
    let answer = newcomer::at_moment(&job, trace, &asked.settings(), printer)?;
    let start = StartTime {
        version: env!("CARGO_PKG_VERSION"),
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        epoch: workload.epoch,
        zone: zone.clone(),
        partition: None,
        machine: trace.log.machine,
        history: number_of(answer.learned, "job"),
        asked: Asked { procs: job.shape.procs, time: job.shape.limit.unwrap_or(DEFAULT_REQUEST) },
        answer,
    };
    plot.answer(&start, printer)
}

/// The answer at a Slurm site, by its own scheduler.
fn at_slurm_site(
    asked: &newcomer::Arguments,
    question: SiteQuestion,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let zone = &asked.source.reading.time_zone;
    let settings = slurm_site::settings(asked, &question);
    let progress = slurm_site::trying(&settings, printer);
    let done = |steps| progress.advance_by(steps);
    let SiteQuestion { cluster, history, moment, job, .. } = &question;
    let asking = ClusterQuestion { cluster, history, moment, job };
    let answer = when_at_cluster(&asking, settings, &done).map_err(|error| slurm_site::refused(&error))?;
    drop(progress);
    let start = StartTime {
        version: env!("CARGO_PKG_VERSION"),
        source: question.source,
        moment: Moment::of(question.at, question.epoch, zone),
        epoch: question.epoch,
        zone: zone.clone(),
        partition: question.job.request.partitions.first().cloned(),
        machine: MachineSize { procs: answer.state.procs, source: MachineSource::Given },
        history: number_of(answer.learned, "job"),
        asked: question.asked,
        answer,
    };
    plot.answer(&start, printer)
}

/// The answer on a live site now: one, or one for each partition that differs from the others.
fn from_site(
    asked: &newcomer::Arguments,
    site: &LiveSite,
    history: Option<&Loaded>,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (new, settings, zone) = (asked.job(), asked.settings(), &asked.source.reading.time_zone);
    if let (Some(user), Some(history)) = (&asked.user, history)
        && new.at(site.asked, &history.log.workload).user.is_none()
    {
        printer
            .note(&format!("--user {user}: {} has no such user; the answer is that for any", history.name));
    }
    let source =
        history.map_or_else(|| "squeue".to_owned(), |trace| format!("squeue, learning from {}", trace.name));
    let from = if asked.source.procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
    let mut found = asked.each_partition(site, printer, |queue| {
        let QueueAnswer { asked, history, answer } =
            newcomer::in_queue(&new, (site, queue), history, &settings, printer)?;
        Ok(StartTime {
            version: env!("CARGO_PKG_VERSION"),
            source: source.clone(),
            moment: Moment::of(site.asked, Some(0), zone),
            epoch: Some(0),
            zone: zone.clone(),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history,
            asked,
            answer,
        })
    })?;
    match found.answers.pop() {
        Some(only) if !found.several => plot.answer(&only, printer),
        last => {
            found.answers.extend(last);
            plot.answer(&StartTimes { partitions: found.answers, refused: found.refused }, printer)
        }
    }
}
