//! `queuecast when`: when a job would start.

mod answer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use queuecast::forecast::{WaitMethod, WhenError, WhenSettings, WhenSource, when};
use queuecast::job::{Job, QueueId, UserId};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::trace::{MachineSize, MachineSource};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};

use self::answer::{Asked, StartTime, StartTimes};
use super::cleaning;
use super::live::{self, LiveQueue, LiveSite};
use super::loaded::{Loaded, number_of};
use super::moment::{self, Moment};
use super::source::Source;
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
use crate::printer::Printer;
use crate::progress::Progress;
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
    #[arg(long, value_name = "METHOD,...", default_value = DEFAULT, value_parser = SpecList(method()), hide_possible_values = true, help_heading = "The answer")]
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

const DEFAULT: &str = "ranges:quick,knn,quick,simulated,past";
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
            take_unfinished(trace, taken.unwrap_or_default(), printer)?;
            from_log(arguments, trace, plot, printer)
        }
        None => from_site(arguments, trace, plot, printer),
    }
}

/// Adds the jobs that had not ended when the log was taken, and takes partitions for queues where there are none.
fn take_unfinished(trace: &mut Loaded, taken: Time, printer: &Printer) -> Result<(), Failure> {
    let (log, name) = (&mut trace.log, &trace.name);
    let ended = log.workload.len();
    if !log.unfinished.is_empty() {
        let joined = log.workload.with_unfinished(&log.unfinished, taken);
        log.workload = joined.map_err(|error| Failure::input(format!("{name}: {error}")))?;
    }
    log.workload.take_partitions_for_queues();
    let added = log.workload.len() - ended;
    if added > 0 {
        let (jobs, they) = match added {
            1 => ("1 job".to_owned(), "it counts"),
            count => (number_of(count, "job"), "they count"),
        };
        printer.note(&format!("{name}: {jobs} had not ended; {they} as running or waiting"));
    }
    Ok(())
}

impl Arguments {
    fn settings(&self, methods: Vec<WaitMethod>) -> WhenSettings {
        WhenSettings { methods, trials: self.trials, default_request: DEFAULT_REQUEST }
    }

    fn methods(&self) -> Vec<WaitMethod> {
        Several::together(&self.method)
    }

    /// The job, as a log with these names numbers its user and queue.
    fn job(&self, workload: &Workload) -> Result<Job, Failure> {
        let names = &workload.names;
        let number =
            |text: &str, names: &BTreeMap<u32, String>| numbered(text, names).or_else(|| text.parse().ok());
        let mut job =
            Job::rigid(u64::MAX, workload.begins().unwrap_or_default(), Procs(self.size), self.time);
        if let Some(text) = &self.user {
            job.user = number(text, &names.users).and_then(UserId::new);
            if !self.live.live
                && (job.user.is_none() || workload.jobs().iter().all(|one| one.user != job.user))
            {
                return Err(Failure::usage(format!("--user {text}: the log has no such user")));
            }
        }
        if let Some(text) = &self.queue {
            job.queue = number(text, &names.queues).and_then(QueueId::new);
            if job.queue.is_none() || workload.jobs().iter().all(|one| one.queue != job.queue) {
                return Err(Failure::usage(format!("--queue {text}: the log has no such queue"))
                    .hint(queues(workload)));
            }
        }
        Ok(job)
    }
}

/// The number that a log gives to this name.
fn numbered(text: &str, names: &BTreeMap<u32, String>) -> Option<u32> {
    names.iter().find(|(_, name)| *name == text).map(|(&number, _)| number)
}

/// The queues of a log, for an error.
fn queues(workload: &Workload) -> String {
    let numbers: BTreeSet<u32> =
        workload.jobs().iter().filter_map(|job| job.queue).map(QueueId::number).collect();
    let name =
        |number: &u32| workload.names.queues.get(number).cloned().unwrap_or_else(|| number.to_string());
    let names: Vec<String> = numbers.iter().take(20).map(name).collect();
    match names.len() {
        0 => "the log names no queues".to_owned(),
        _ => format!("queues of the log: {}", names.join(", ")),
    }
}

fn refused(name: &str, error: WhenError) -> Failure {
    match error {
        WhenError::NoWaits => Failure::input(format!("{name}: {error}")).hint(
            "simulate it (queuecast simulate LOG --schedule-swf OUT.swf) and ask about the simulated log",
        ),
        WhenError::NothingStarted => {
            Failure::usage(format!("{name}: {error}")).hint("ask about a later moment, by --at")
        }
        WhenError::TooLarge { .. } => Failure::usage(error.to_string())
            .hint("--procs says how large the machine is, where the log does not"),
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
    let job = Job { submit: at, ..arguments.job(workload)? };
    let settings = arguments.settings(arguments.methods());
    let answer = {
        let known = workload.jobs().partition_point(|one| one.submit <= at);
        let trials = settings.methods.len() * arguments.trials.min(known);
        let progress = Progress::new(printer, "trying methods", trials);
        let done = |steps| progress.advance_by(steps);
        when(&job, &WhenSource::Log { workload, at }, &settings, &done)
            .map_err(|error| refused(&trace.name, error))?
    };
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
    let site = LiveSite::ask()?;
    if let Some(history) = history.as_mut().filter(|one| one.log.machine.source == MachineSource::LargestJob)
    {
        history.take_size(Some(site.procs()));
    }
    if let Some(history) = &mut history {
        // Of jobs that waited when the accounting was taken and do not now, it is not known when they started.
        history.log.unfinished.retain(|one| one.start.is_some() || site.waits(one.job.id.0));
        take_unfinished(history, site.asked, printer)?;
    }
    if let (Some(user), Some(history)) = (&arguments.user, &history)
        && arguments.job(&history.log.workload)?.user.is_none()
    {
        printer
            .note(&format!("--user {user}: {} has no such user; the answer is that for any", history.name));
    }
    let queues = site.queues(arguments.live.partition.as_deref(), procs, printer)?;
    let nothing = Workload::new(Machine { procs: site.procs().max(Procs(1)) }, Vec::new())
        .map_err(|error| Failure::input(format!("sinfo: {error}")))?;
    let several = queues.len() > 1;
    let (mut answers, mut refusals) = (Vec::new(), Vec::new());
    for queue in &queues {
        // A job that names no time gets what the partition allows; no more than a day is assumed.
        let longest = queue.limits.longest.unwrap_or(DEFAULT_REQUEST).min(DEFAULT_REQUEST);
        let asked = Asked { procs: Procs(arguments.size), time: arguments.time.unwrap_or(longest) };
        if let Some(why) = not_allowed(queue, &asked) {
            refusals.push(format!("{}: {why}", queue.name));
            continue;
        }
        let (own, whose) = match &history {
            Some(trace) => history_of(&trace.log.workload, queue),
            None => (None, String::new()),
        };
        let workload = own.as_ref().or(history.as_ref().map(|trace| &trace.log.workload)).unwrap_or(&nothing);
        let mut job = Job { submit: site.asked, ..arguments.job(workload)? };
        job.shape.limit = Some(asked.time);
        job.queue = queue
            .name
            .split(',')
            .find_map(|name| numbered(name, &workload.names.queues))
            .and_then(QueueId::new);
        // Without a history there is nothing to learn from, and nothing to try methods on.
        let methods = if workload.is_empty() {
            vec![WaitMethod::Simulated { draws: queuecast::forecast::SimulatedWaits::DRAWS }]
        } else {
            arguments.methods()
        };
        let settings = arguments.settings(methods);
        let answer = {
            let trials = settings.methods.len() * arguments.trials.min(workload.len());
            let progress = Progress::new(printer, "trying methods", trials);
            let done = |steps| progress.advance_by(steps);
            let found =
                queue.site(site.asked, &workload.names, settings.default_request, arguments.user.as_deref());
            let source = WhenSource::Live { site: found, now: site.asked, history: workload };
            when(&job, &source, &settings, &done).map_err(|error| {
                refused(&history.as_ref().map_or("squeue".to_owned(), |one| one.name.clone()), error)
            })?
        };
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
            history: match workload.is_empty() {
                true => "no history".to_owned(),
                false => format!("{}{whose}", number_of(answer.learned, "job")),
            },
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

/// Why a partition does not allow the job.
fn not_allowed(queue: &LiveQueue, asked: &Asked) -> Option<String> {
    if queue.limits.most.is_some_and(|most| asked.procs > most) {
        return Some(format!("a job may have at most {} processors", queue.limits.most.unwrap_or_default()));
    }
    let longest = queue.limits.longest.filter(|&longest| asked.time > longest)?;
    Some(format!("a job may ask for at most {}", queuecast::report::duration::human(longest)))
}

/// Fewer jobs of a partition than this are too few to learn from; then all jobs of the site are.
const OWN_HISTORY: usize = 100;

/// The history of the partitions of a queue and of those within it, and " of" whom it is; `None` for that of the whole site.
fn history_of(workload: &Workload, queue: &LiveQueue) -> (Option<Workload>, String) {
    let partition = |job: &Job| {
        let number = job.partition.map(queuecast::job::PartitionId::number)?;
        workload.names.partitions.get(&number).map(String::as_str)
    };
    let own: Vec<&str> = queue.name.split(',').collect();
    let of_own =
        workload.jobs().iter().filter(|job| partition(job).is_some_and(|name| own.contains(&name))).count();
    let is_within = |job: &Job| partition(job).is_some_and(|name| queue.within.iter().any(|one| one == name));
    let within: Vec<&Job> = workload.jobs().iter().filter(|job| is_within(job)).collect();
    if within.len() == workload.len() || of_own < OWN_HISTORY {
        let whose = if of_own == workload.len() { "" } else { " of all partitions" };
        return (None, whose.to_owned());
    }
    let names: BTreeSet<&str> = within.iter().filter_map(|job| partition(job)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let Ok(mut kept) = workload.only(is_within) else { return (None, " of all partitions".to_owned()) };
    // Refused if a job was larger, on nodes that are gone: then the machine stays that of the site.
    let _ = kept.set_machine(Machine { procs: queue.machine });
    (Some(kept), format!(" of {}", names.join(", ")))
}
