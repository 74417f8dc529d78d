//! `queuecast when`: when a job would start.

mod answer;

use std::path::{Path, PathBuf};

use queuecast::forecast::{WaitMethod, WhenSettings};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::trace::{MachineSize, MachineSource};
use queuecast::units::{Procs, Seconds};

use self::answer::{StartTime, StartTimes};
use super::cleaning;
use super::live::{self, LiveSite};
use super::loaded::{Loaded, number_of};
use super::moment::{self, Moment};
use super::newcomer::{self, Asked, METHODS, NewJob, QueueAnswer};
use super::source::Source;
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
use crate::printer::Printer;
use crate::spec::{self, Several, SpecList, SpecParser};

const EXAMPLES: &str = "\
Examples:
  64 processors for two hours, submitted at the end of a log:
    queuecast when LOG.swf.gz -n 64 -t 2h

  The same on a day of the log, for user 12 in queue 3:
    queuecast when LOG.swf.gz --at 1997-02-03T10:00 -n 64 -t 2h -u 12 -q 3

  On a Slurm site, now, with its accounting to learn from:
    queuecast when --live site.sacct.gz -n 64 -t 2h -p batch";

/// Say when a job would start: most likely between, at the latest, and how often such answers held
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from
    #[arg(value_name = "FILE", required_unless_present = "live")]
    pub file: Option<PathBuf>,
    /// Processors the job asks for
    #[arg(short = 'n', long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "The job")]
    pub size: u32,
    /// Time the job asks for: 2h10m, 1-12:00:00, plain seconds; by default a day, as of jobs that ask for none
    #[arg(short = 't', long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "The job")]
    pub time: Option<Seconds>,
    /// Its user: a name or number of the log
    #[arg(short = 'u', long, value_name = "USER", help_heading = "The job")]
    pub user: Option<String>,
    /// Its queue: a name or number of the log; in accounting records the partition
    #[arg(short = 'q', long, value_name = "QUEUE", conflicts_with = "live", help_heading = "The job")]
    pub queue: Option<String>,
    #[command(flatten)]
    pub live: live::Arguments,
    #[command(flatten)]
    pub moment: moment::Arguments,
    #[arg(long, value_name = "METHOD,...", default_value = METHODS, value_parser = SpecList(method()), hide_possible_values = true, help_heading = "The answer")]
    #[arg(help = method().help(METHOD), long_help = method().long_help(METHOD))]
    pub method: Vec<Several<WaitMethod>>,
    /// How many of the last jobs the methods are tried on, each predicted at its submission with what was known then
    #[arg(long, value_name = "N", default_value_t = WhenSettings::TRIALS, value_parser = spec::at_least::<1, usize>, allow_negative_numbers = true, help_heading = "The answer")]
    pub trials: usize,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub plotting: Plotting,
}

const METHOD: &str = "How waits are predicted; of several, separated by commas, the one whose ranges were best for the last jobs of the site, by their interval score";

fn method() -> SpecParser<WaitMethod> {
    spec::of()
}

/// Reads the log or asks the site, and says when the job would start.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let mut trace =
        arguments.file.as_ref().map(|file| Loaded::read(file, &arguments.source, printer)).transpose()?;
    if let Some(trace) = &trace {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    match trace.as_mut().filter(|_| !arguments.live.live) {
        Some(trace) => {
            live::take_size(trace);
            let taken = trace.log.workload.latest(&trace.log.unfinished);
            newcomer::take_unfinished(trace, taken.unwrap_or_default(), printer)?;
            from_log(arguments, trace, plot, printer)
        }
        None => from_site(arguments, trace, plot, printer),
    }
}

impl Arguments {
    fn settings(&self) -> WhenSettings {
        let methods = Several::together(&self.method);
        WhenSettings { methods, trials: self.trials, default_request: DEFAULT_REQUEST }
    }

    fn job(&self) -> NewJob {
        let (user, queue) = (self.user.clone(), self.queue.clone());
        NewJob { procs: Procs(self.size), time: self.time, user, queue }
    }
}

/// The answer at a moment of a log.
fn from_log(
    arguments: &Arguments,
    trace: &Loaded,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (workload, zone) = (&trace.log.workload, &arguments.source.reading.time_zone);
    let at = moment::read(&arguments.moment.at, zone, workload)?;
    let new = arguments.job();
    new.check(workload)?;
    let job = new.at(at, workload);
    let answer = newcomer::at_moment(&job, trace, &arguments.settings(), printer)?;
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

/// The answer on a live site now: one, or one for each partition that differs from the others.
fn from_site(
    arguments: &Arguments,
    mut history: Option<Loaded>,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let procs = arguments.source.procs;
    let (site, new, settings) = (LiveSite::ask()?, arguments.job(), arguments.settings());
    if let Some(history) = &mut history {
        newcomer::take_history(history, &site, printer)?;
    }
    if let (Some(user), Some(history)) = (&arguments.user, &history)
        && new.at(site.asked, &history.log.workload).user.is_none()
    {
        printer
            .note(&format!("--user {user}: {} has no such user; the answer is that for any", history.name));
    }
    let queues = site.queues(arguments.live.partition.as_deref(), procs, printer)?;
    let several = queues.len() > 1;
    let (mut answers, mut refusals) = (Vec::new(), Vec::new());
    for queue in &queues {
        if let Some(why) = newcomer::not_allowed(queue, &new.asks(queue)) {
            refusals.push(format!("{}: {why}", queue.name));
            continue;
        }
        let QueueAnswer { asked, history: learned, answer } =
            newcomer::in_queue(&new, (&site, queue), history.as_ref(), &settings, printer)?;
        let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
        answers.push(StartTime {
            version: env!("CARGO_PKG_VERSION"),
            source: history
                .as_ref()
                .map_or_else(|| "squeue".to_owned(), |trace| format!("squeue, learning from {}", trace.name)),
            moment: Moment::of(site.asked, Some(0), &arguments.source.reading.time_zone),
            epoch: Some(0),
            zone: arguments.source.reading.time_zone.clone(),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history: learned,
            asked,
            answer,
        });
    }
    match (answers.pop(), several) {
        (Some(only), false) => plot.answer(&only, printer),
        (Some(last), true) => {
            answers.push(last);
            plot.answer(&StartTimes { partitions: answers, refused: refusals }, printer)
        }
        (None, _) => Err(Failure::usage("no partition allows this job").hint(refusals.join("; "))),
    }
}
