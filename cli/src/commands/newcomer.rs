//! A job that has not been submitted: what it asks for, and when it would start at a moment of a log or in a queue of a live
//! site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use queuecast::forecast::{
    SimulatedWaits, WaitMethod, WhenAnswer, WhenError, WhenSettings, WhenSource, when,
};
use queuecast::job::{Job, PartitionId, QueueId, UserId};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::report::duration;
use queuecast::site::Site;
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};
use serde::Serialize;

use super::live::{self, LiveQueue, LiveSite};
use super::loaded::{Loaded, number_of};
use super::outside::SlurmCommands;
use super::raw_trace::RawTrace;
use super::source::Source;
use super::{cleaning, moment, site_option};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec::{self, Several, SpecList, SpecParser};

/// The methods that are tried by default.
pub const METHODS: &str = "trees,simulated,knn,past";

/// What `--live` asks, here also at a site with its configuration.
const LIVE: &str = "Ask the site's Slurm which jobs run and wait now, and what each partition allows: by squeue and sinfo, with --site by sacct, scontrol and sshare";

/// What is asked about: the job, where and when it would be submitted, and how its wait is predicted.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(mut_arg("live", |live| live.help(LIVE)))]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from
    #[arg(value_name = "FILE", required_unless_present = "live")]
    pub file: Option<PathBuf>,
    /// Processors the job asks for
    #[arg(short = 'n', long, value_name = "N", required_unless_present = "sbatch", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "The job")]
    pub size: Option<u32>,
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
    pub slurm: site_option::Arguments,
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
}

const METHOD: &str = "How waits are predicted; of several, separated by commas, the one whose ranges were best for the last jobs of the site, by their interval score";

fn method() -> SpecParser<WaitMethod> {
    spec::of()
}

impl Arguments {
    /// How its wait is predicted.
    pub fn settings(&self) -> WhenSettings {
        let methods = Several::together(&self.method);
        WhenSettings { methods, trials: self.trials, default_request: DEFAULT_REQUEST }
    }

    /// The job.
    pub fn job(&self) -> NewJob {
        let (user, queue) = (self.user.clone(), self.queue.clone());
        NewJob { procs: Procs(self.size.unwrap_or(1)), time: self.time, user, queue }
    }

    /// Slurm's commands, with the time that they may take.
    pub fn commands<'a>(&self, printer: &'a Printer) -> SlurmCommands<'a> {
        SlurmCommands::within(&self.live.outside, printer)
    }

    /// Files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        self.file.iter().map(PathBuf::as_path).collect()
    }

    /// What a log tells of the moment asked about; or what a live site is asked with.
    pub fn read(&self, printer: &Printer) -> Result<AskedPlace, Failure> {
        match &self.file {
            Some(file) if !self.live.live => {
                let (trace, at) = self.read_log(file, printer)?;
                Ok(AskedPlace::Log(trace, at))
            }
            file => {
                let mut history = file.as_ref().map(|file| self.read_cleaned(file, printer)).transpose()?;
                let site = LiveSite::ask(&self.commands(printer))?;
                if let Some(history) = &mut history {
                    take_history(history, &site, printer)?;
                }
                Ok(AskedPlace::Site { site, history })
            }
        }
    }

    /// What a log tells of the moment asked about, and that moment.
    pub fn read_log(&self, file: &Path, printer: &Printer) -> Result<(Loaded, Time), Failure> {
        self.known(&RawTrace::read(file, &self.source.options(), printer)?, printer)
    }

    /// What a log that was read tells of the moment asked about, and that moment.
    pub fn known(&self, raw: &RawTrace, printer: &Printer) -> Result<(Loaded, Time), Failure> {
        let known = raw.known(&self.source, &self.moment.at, &self.commands(printer), printer)?;
        cleaning::note(&known.0.name, &known.0.log.report, cleaning::Overrun::Kept, printer);
        Ok(known)
    }

    fn read_cleaned(&self, file: &Path, printer: &Printer) -> Result<Loaded, Failure> {
        let trace = Loaded::read(file, &self.source, printer)?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
        Ok(trace)
    }

    /// One answer for each partition of a live site that allows the job, and why the others do not; refused if none does.
    pub fn each_partition<T>(
        &self,
        site: &LiveSite,
        printer: &Printer,
        mut answer: impl FnMut(&LiveQueue) -> Result<T, Failure>,
    ) -> Result<PartitionAnswers<T>, Failure> {
        let job = self.job();
        let queues = site.queues(self.live.partition.as_deref(), self.source.procs, printer)?;
        let (mut answers, mut refused) = (Vec::new(), Vec::new());
        for queue in &queues {
            match not_allowed(queue, &job.asks(queue)) {
                Some(why) => refused.push(format!("{}: {why}", queue.name)),
                None => answers.push(answer(queue)?),
            }
        }
        if answers.is_empty() {
            return Err(Failure::usage("no partition allows this job").hint(refused.join("; ")));
        }
        Ok(PartitionAnswers { answers, refused, several: queues.len() > 1 })
    }
}

/// Where a job would be submitted.
pub enum AskedPlace {
    /// At a moment of a log, which tells what was known then.
    Log(Loaded, Time),
    /// On a live site, with accounting to learn from, if there is any.
    Site { site: LiveSite, history: Option<Loaded> },
}

/// The answers for the partitions of a live site; never empty.
pub struct PartitionAnswers<T> {
    pub answers: Vec<T>,
    /// Partitions that do not allow the job, and why.
    pub refused: Vec<String>,
    /// Whether more than one partition was asked.
    pub several: bool,
}

/// What the job asks for.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Asked {
    pub procs: Procs,
    /// In seconds.
    pub time: Seconds,
}

/// A job as it is described on the command line.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub procs: Procs,
    /// The time it asks for, if it does.
    pub time: Option<Seconds>,
    /// A name or number of the log.
    pub user: Option<String>,
    /// A name or number of the log.
    pub queue: Option<String>,
}

impl NewJob {
    /// The job, submitted at this moment, as a log with these names numbers its user and queue. What the log does not know is left
    /// out.
    pub fn at(&self, submit: Time, workload: &Workload) -> Job {
        let names = &workload.names;
        let number =
            |text: &str, names: &BTreeMap<u32, String>| numbered(text, names).or_else(|| text.parse().ok());
        let mut job = Job::rigid(u64::MAX, submit, self.procs, self.time);
        job.user = self.user.as_ref().and_then(|text| number(text, &names.users)).and_then(UserId::new);
        job.queue = self.queue.as_ref().and_then(|text| number(text, &names.queues)).and_then(QueueId::new);
        job
    }

    /// Whether the log has a job of the user, if one is named.
    pub fn knows_user(&self, workload: &Workload) -> bool {
        let Some(user) = self.user.as_ref().map(|_| self.at(Time(0), workload).user) else { return true };
        user.is_some() && workload.jobs().iter().any(|one| one.user == user)
    }

    /// Refuses a user or a queue that no job of the log has.
    pub fn check(&self, workload: &Workload) -> Result<(), Failure> {
        if let Some(text) = self.user.as_ref().filter(|_| !self.knows_user(workload)) {
            return Err(Failure::usage(format!("--user {text}: the log has no such user")));
        }
        let queue = self.at(Time(0), workload).queue;
        let known = queue.is_some() && workload.jobs().iter().any(|one| one.queue == queue);
        if let Some(text) = self.queue.as_ref().filter(|_| !known) {
            return Err(
                Failure::usage(format!("--queue {text}: the log has no such queue")).hint(queues(workload))
            );
        }
        Ok(())
    }

    /// What it asks a partition for: without a time, what the partition allows; no more than a day is assumed.
    pub fn asks(&self, queue: &LiveQueue) -> Asked {
        let longest = queue.limits.longest.unwrap_or(DEFAULT_REQUEST).min(DEFAULT_REQUEST);
        Asked { procs: self.procs, time: self.time.unwrap_or(longest) }
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

/// Prepares the accounting of a live site to be learned from.
pub fn take_history(history: &mut Loaded, site: &LiveSite, printer: &Printer) -> Result<(), Failure> {
    if history.log.machine.is_largest_job() {
        history.log.take_size(Some(site.procs()));
    }
    // Of jobs that waited when the accounting was taken and do not now, it is not known when they started.
    history.log.unfinished.retain(|one| one.start.is_some() || site.waits(one.job.id.0));
    history.take_unfinished(site.asked, printer)
}

/// Why there is no answer, with what helps.
pub fn refused(name: &str, error: WhenError) -> Failure {
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

/// The answer, with a progress bar. `name` is the source, for errors.
fn answered(
    job: &Job,
    source: &WhenSource<'_>,
    settings: &WhenSettings,
    name: &str,
    printer: &Printer,
) -> Result<WhenAnswer, Failure> {
    let progress = trying(source, settings, printer);
    let done = |steps| progress.advance_by(steps);
    when(job, source, settings, &done).map_err(|error| refused(name, error))
}

/// Progress over the jobs that methods are tried on.
pub fn trying(source: &WhenSource<'_>, settings: &WhenSettings, printer: &Printer) -> Progress {
    let (history, now) = match source {
        WhenSource::Log { workload, at } => (*workload, *at),
        WhenSource::Live { history, now, .. } => (*history, *now),
    };
    let known = history.jobs().partition_point(|one| one.submit <= now);
    let trials = settings.methods.len() * settings.trials.min(known);
    Progress::new(printer, "trying methods", trials)
}

/// When a job would start that is submitted at a moment of a log.
pub fn at_moment(
    job: &Job,
    trace: &Loaded,
    settings: &WhenSettings,
    printer: &Printer,
) -> Result<WhenAnswer, Failure> {
    let source = WhenSource::Log { workload: &trace.log.workload, at: job.submit };
    answered(job, &source, settings, &trace.name, printer)
}

/// Whether a job of the log has started by then: else there is nothing to learn from.
pub fn has_started(workload: &Workload, at: Time) -> bool {
    workload.starts.iter().any(|&start| start <= at)
}

/// When a job would start at a moment by which no job of the log has started, by simulating the queue.
pub fn by_queue_alone(
    job: &Job,
    trace: &Loaded,
    settings: &WhenSettings,
    printer: &Printer,
) -> Result<WhenAnswer, Failure> {
    let workload = &trace.log.workload;
    let waiting = workload.jobs().iter().take_while(|one| one.submit <= job.submit).cloned();
    let site = Site::found(workload.machine(), job.submit, [], waiting, settings.default_request);
    let nothing = without_jobs(workload.machine().procs)?;
    let source = WhenSource::Live { site, now: job.submit, history: &nothing };
    answered(job, &source, &without_history(settings), &trace.name, printer)
}

/// Without a history there is nothing to learn from, and nothing to try methods on.
fn without_history(settings: &WhenSettings) -> WhenSettings {
    WhenSettings {
        methods: vec![WaitMethod::Simulated { draws: SimulatedWaits::DRAWS, policy: None }],
        ..settings.clone()
    }
}

fn without_jobs(procs: Procs) -> Result<Workload, Failure> {
    let machine = Machine { procs: procs.max(Procs(1)) };
    Workload::new(machine, Vec::new()).map_err(|error| Failure::input(format!("sinfo: {error}")))
}

/// When a job would start in a queue of a live site.
#[derive(Debug)]
pub struct QueueAnswer {
    /// What the job asks for there.
    pub asked: Asked,
    /// Whose past it was learned from.
    pub history: String,
    /// The answer.
    pub answer: WhenAnswer,
}

/// A job that is submitted to a queue of a live site now, and what there is to learn from.
pub struct LiveQuestion<'q> {
    /// The job.
    pub job: Job,
    /// The site.
    pub source: WhenSource<'q>,
    /// How its wait is predicted.
    pub settings: WhenSettings,
    /// What it asks for there.
    pub asked: Asked,
    /// The source, for errors.
    pub name: &'q str,
    /// Whose past is learned from, after the number of jobs; `None` where there is none.
    pub whose: Option<String>,
}

/// Asks about a job that is submitted to a queue of a live site now, with accounting to learn from, if there is any.
pub fn with_queue<T>(
    new: &NewJob,
    (site, queue): (&LiveSite, &LiveQueue),
    history: Option<&Loaded>,
    settings: &WhenSettings,
    ask: impl FnOnce(&LiveQuestion<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let asked = new.asks(queue);
    let (own, whose) = match history {
        Some(trace) => history_of(&trace.log.workload, queue),
        None => (None, String::new()),
    };
    let nothing = without_jobs(site.procs())?;
    let workload = own.as_ref().or(history.map(|trace| &trace.log.workload)).unwrap_or(&nothing);
    let mut job = new.at(site.asked, workload);
    job.shape.limit = Some(asked.time);
    let names = queue.name.split(',');
    job.queue =
        names.into_iter().find_map(|name| numbered(name, &workload.names.queues)).and_then(QueueId::new);
    let settings = if workload.is_empty() { without_history(settings) } else { settings.clone() };
    let found = queue.site(site.asked, &workload.names, settings.default_request, new.user.as_deref());
    let source = WhenSource::Live { site: found, now: site.asked, history: workload };
    let name = history.map_or("squeue", |one| one.name.as_str());
    let whose = (!workload.is_empty()).then_some(whose);
    ask(&LiveQuestion { job, source, settings, asked, name, whose })
}

/// What was learned from, in words.
pub fn learned_from(whose: Option<&str>, jobs: usize) -> String {
    whose.map_or_else(|| "no history".to_owned(), |whose| format!("{}{whose}", number_of(jobs, "job")))
}

/// When a job would start that is submitted to a queue of a live site now.
pub fn in_queue(
    new: &NewJob,
    place: (&LiveSite, &LiveQueue),
    history: Option<&Loaded>,
    settings: &WhenSettings,
    printer: &Printer,
) -> Result<QueueAnswer, Failure> {
    with_queue(new, place, history, settings, |question| {
        let answer = answered(&question.job, &question.source, &question.settings, question.name, printer)?;
        let history = learned_from(question.whose.as_deref(), answer.learned);
        Ok(QueueAnswer { asked: question.asked, history, answer })
    })
}

/// Why a partition does not allow the job.
pub fn not_allowed(queue: &LiveQueue, asked: &Asked) -> Option<String> {
    if let Some(most) = queue.limits.most.filter(|&most| asked.procs > most) {
        return Some(format!("a job may have at most {most} processors"));
    }
    let longest = queue.limits.longest.filter(|&longest| asked.time > longest)?;
    Some(format!("a job may ask for at most {}", duration::human(longest)))
}

/// Fewer jobs of a partition than this are too few to learn from; then all jobs of the site are.
const OWN_HISTORY: usize = 100;

/// The history of the partitions of a queue and of those within it, and " of" whom it is; `None` for that of the whole site.
fn history_of(workload: &Workload, queue: &LiveQueue) -> (Option<Workload>, String) {
    let partition = |job: &Job| {
        let number = job.partition.map(PartitionId::number)?;
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
