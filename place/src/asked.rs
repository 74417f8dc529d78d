//! One question at each place: what is known there, and what there is to learn from.

use super::job::numbered;
use super::lost_regime::LostRegime;
use super::queue_history::without_jobs;
use super::queue_past::{QueuePast, by_scheduler};
use super::{
    JobSize, LabelledLog, LearnedLog, LivePast, LiveQueue, LiveSite, NewJob, SlurmJob, SlurmPlace, known_user,
};
use queuecast_core::asking::{Learning, Messages, Refusal, Unheard};
use queuecast_core::job::{Job, QueueId};
use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::advice::JobLimits;
use queuecast_forecast::forecast::{
    ClusterDraws, ClusterQuestion, ClusterWhenError, ClusterWhenSettings, PastFacts, SimulatedWaits,
    WaitMethod, WhenAnswer, WhenError, WhenSettings, WhenSource, when, when_at_cluster,
};
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::site::Site;
use queuecast_slurm_sim::cluster::SubmittedJob;
use queuecast_trace::{MachineSize, MachineSource, Moment, TimeZone};

/// Where a job would be submitted.
#[derive(Debug, Clone, Copy)]
pub enum AskedPlace<'a> {
    /// At a moment of a log, which tells what was known then.
    Log {
        /// The log.
        log: LabelledLog<'a>,
        /// The moment.
        at: Time,
    },
    /// On a live site, with accounting to learn from, if there is any.
    Live {
        /// The site.
        site: &'a LiveSite,
        /// Its accounting.
        history: Option<LivePast<'a>>,
        /// The only partition that is asked about.
        partition: Option<&'a str>,
        /// Replaces the number of processors in service.
        procs: Option<u32>,
    },
    /// At a Slurm site, by its own scheduler; the job is part of it.
    Slurm(&'a SlurmPlace),
}

/// What an answer says of its place.
#[derive(Debug)]
pub(super) struct PlaceFacts<'q> {
    /// The source, for errors.
    pub name: &'q str,
    pub moment: Moment,
    pub epoch: Option<i64>,
    /// The partition, on a live site.
    pub partition: Option<String>,
    pub machine: MachineSize,
    /// What the job asks for there.
    pub asked: JobSize,
    /// What the place allows one job.
    pub limits: JobLimits,
    /// The past, where it is kept in numbers.
    pub past: Option<PastFacts>,
    /// Processors of the partition that no job holds, where the answer is of a whole site.
    pub free: Option<Procs>,
    pub whose: Option<String>,
}

impl PlaceFacts<'_> {
    /// What was learned from, in words.
    pub fn learned_from(&self, jobs: usize) -> String {
        let whose = self.whose.as_ref();
        whose.map_or_else(|| "no history".to_owned(), |whose| format!("{}{whose}", number_of(jobs, "job")))
    }
}

/// A question as the forecasters take it.
pub(super) enum Asking<'q> {
    /// By what jobs did before.
    Jobs { job: Job, source: WhenSource<'q>, settings: Box<WhenSettings> },
    /// By a simulated controller.
    Slurm { question: ClusterQuestion<'q>, settings: ClusterWhenSettings },
}

/// The answers for the partitions of a live site, or the only one of another place; never empty.
pub(super) struct PlaceAnswers<T> {
    pub answers: Vec<T>,
    /// Partitions that do not allow the job, and why.
    pub refused: Vec<String>,
    /// Whether more than one partition was asked.
    pub several: bool,
}

/// Simulating a whole site costs more than asking a model: past submissions that it is tried on, at most.
pub(super) const SITE_TRIALS: usize = 60;

impl AskedPlace<'_> {
    /// Whether a site's own scheduler answers: it looks at all that a job script asks for.
    pub fn is_by_scheduler(&self) -> bool {
        match *self {
            AskedPlace::Log { .. } => false,
            AskedPlace::Live { history, procs, .. } => by_scheduler(history, procs).is_some(),
            AskedPlace::Slurm(_) => true,
        }
    }

    /// Whether a user is known there: has an account at a site whose own scheduler answers and that has accounts; else has jobs that run or
    /// wait, or are learned from.
    pub fn knows_user(&self, user: &str) -> bool {
        match *self {
            AskedPlace::Log { log, .. } => known_user(user, &log.log.workload).is_some(),
            AskedPlace::Slurm(place) => place.knows_user(user),
            AskedPlace::Live { site, history, procs, .. } => {
                by_scheduler(history, procs).is_some_and(|known| known.1.knows_user(user))
                    || site.jobs().iter().any(|job| job.user == user)
                    || history.is_some_and(|past| known_user(user, past.workload).is_some())
            }
        }
    }

    /// The lost regime by which ranges of a new job of a size are widened in a partition of a live site, given how many jobs wait there;
    /// `None` if they are not.
    pub(super) fn lost(&self, facts: &PlaceFacts<'_>, procs: Procs, waiting: usize) -> Option<&LostRegime> {
        let AskedPlace::Live { history: Some(past), .. } = self else { return None };
        past.lost(facts.partition.as_ref()?, procs, waiting == 0)
    }

    /// Asks about a job at the place: once, or for each partition of a live site that allows it; refused if none does.
    pub(super) fn each<T>(
        &self,
        new: &NewJob,
        settings: &WhenSettings,
        zone: &TimeZone,
        messages: &dyn Messages,
        mut ask: impl FnMut(&PlaceFacts<'_>, Asking<'_>) -> Result<T, Refusal>,
    ) -> Result<PlaceAnswers<T>, Refusal> {
        let only = |answer: T| PlaceAnswers { answers: vec![answer], refused: Vec::new(), several: false };
        match *self {
            AskedPlace::Log { log: LabelledLog { name, log, learned }, at } => {
                let workload = &log.workload;
                let job = new.at(at, workload);
                let time = job.shape.limit.unwrap_or(DEFAULT_REQUEST);
                let facts = PlaceFacts {
                    name,
                    moment: Moment::of(at, workload.epoch, zone),
                    epoch: workload.epoch,
                    partition: None,
                    machine: log.machine,
                    asked: JobSize { procs: job.shape.procs, time },
                    limits: JobLimits::default(),
                    past: None,
                    free: None,
                    whose: Some(String::new()),
                };
                let source = match learned {
                    Some(LearnedLog { forecaster, site, .. }) => {
                        let (site, learned) = (site.clone(), Some(forecaster));
                        WhenSource::Live { site, now: at, history: workload, learned }
                    }
                    None => WhenSource::Log { workload, at },
                };
                ask(&facts, Asking::Jobs { job, source, settings: Box::new(settings.clone()) }).map(only)
            }
            AskedPlace::Slurm(place) => {
                let (question, asked) = place.question()?;
                let facts = place.facts(question.job, asked, zone);
                ask(&facts, place.asking(question, settings)).map(only)
            }
            AskedPlace::Live { site, history, partition, procs } => {
                let scheduler = by_scheduler(history, procs);
                let queues = site.whole_queues(partition, procs)?;
                // The scheduler leaves out no job.
                LiveQueue::note(&queues, procs, scheduler.is_none(), messages);
                let by = (settings, zone);
                let (mut answers, mut refused) = (Vec::new(), Vec::new());
                for queue in &queues {
                    // What is said of a job is the same for each partition.
                    let messages: &dyn Messages = if answers.is_empty() { messages } else { &Unheard };
                    match in_live_queue(new, (site, queue, procs), history, by, messages, &mut ask)? {
                        Ok(answer) => answers.push(answer),
                        Err(why) => refused.push(format!("{}: {why}", queue.name)),
                    }
                }
                if answers.is_empty() {
                    return Err(Refusal::question("no partition allows this job").hint(refused.join("; ")));
                }
                Ok(PlaceAnswers { answers, refused, several: queues.len() > 1 })
            }
        }
    }
}

/// With more waiting jobs several new ones are simulated as often as the answers are that they are corrected by: each simulation goes
/// through all of them.
const MANY_WAITING: usize = 100;

impl SlurmPlace {
    /// A question as its scheduler takes it.
    pub(super) fn asking<'q>(&self, question: ClusterQuestion<'q>, settings: &WhenSettings) -> Asking<'q> {
        Asking::Slurm { question, settings: self.when_settings(settings) }
    }

    /// How it is asked about a new job: on as many trials as the settings allow at most.
    pub(super) fn when_settings(&self, settings: &WhenSettings) -> ClusterWhenSettings {
        let trials = self.asked_settings().trials.min(settings.trials);
        ClusterWhenSettings { trials, ..self.asked_settings() }
    }

    /// How a question about a new job is answered.
    pub(super) fn asked_settings(&self) -> ClusterWhenSettings {
        let settings = self.settings();
        let trials = if self.has_past { SITE_TRIALS.min(settings.trials) } else { 0 };
        ClusterWhenSettings { trials, ..settings }
    }

    /// How it is asked about several jobs of a live site, which are simulated with the queue.
    pub(super) fn live_settings(&self, site: &LiveSite, settings: &WhenSettings) -> ClusterWhenSettings {
        let usual = self.when_settings(settings);
        let draws = if site.waiting() > MANY_WAITING { usual.trial_draws } else { usual.draws.draws };
        ClusterWhenSettings { draws: ClusterDraws { draws, ..usual.draws }, ..usual }
    }

    /// What is said of the site where a job is submitted to it.
    pub(super) fn facts(&self, job: &SubmittedJob, asked: JobSize, zone: &TimeZone) -> PlaceFacts<'_> {
        PlaceFacts {
            name: &self.source,
            moment: Moment::of(self.at, self.epoch, zone),
            epoch: self.epoch,
            partition: job.request.partitions.first().cloned(),
            machine: MachineSize { procs: asked.procs, source: MachineSource::Given },
            asked,
            limits: JobLimits::default(),
            past: None,
            free: None,
            whose: Some(String::new()),
        }
    }
}

/// Asks about a job that is submitted to a queue of a live site now: its own scheduler, where that is known, else what was learned; or why
/// the queue does not allow the job.
pub(super) fn in_live_queue<T>(
    new: &NewJob,
    (site, queue, procs): (&LiveSite, &LiveQueue, Option<u32>),
    history: Option<LivePast<'_>>,
    (settings, zone): (&WhenSettings, &TimeZone),
    messages: &dyn Messages,
    ask: &mut impl FnMut(&PlaceFacts<'_>, Asking<'_>) -> Result<T, Refusal>,
) -> Result<Result<T, String>, Refusal> {
    if let Some(why) = queue.not_allowed(&queue.asked_by(new)) {
        return Ok(Err(why));
    }
    match by_scheduler(history, procs) {
        Some(known) => in_queue_by_scheduler(new, (site, queue), known, (settings, zone), messages, ask),
        None => {
            let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
            in_queue(new, (site, queue, from), history, settings, zone, ask).map(Ok)
        }
    }
}

/// Asks about a job that is submitted to a queue of a live site now; or why the site would refuse it.
fn in_queue_by_scheduler<T>(
    new: &NewJob,
    (site, queue): (&LiveSite, &LiveQueue),
    (history, scheduler): (LivePast<'_>, &SlurmPlace),
    (settings, zone): (&WhenSettings, &TimeZone),
    messages: &dyn Messages,
    ask: &mut impl FnMut(&PlaceFacts<'_>, Asking<'_>) -> Result<T, Refusal>,
) -> Result<Result<T, String>, Refusal> {
    let job = SlurmJob::in_partition(new, &queue.name, queue.asked_by(new).time);
    let (job, asked) = match scheduler.newcomer(&job, messages) {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    let facts = facts_by_scheduler((site, queue), history, asked, zone);
    ask(&facts, scheduler.asking(scheduler.question_about(&job), settings)).map(Ok)
}

/// What is said of a queue that is asked by the scheduler of its site.
pub(super) fn facts_by_scheduler<'q>(
    (site, queue): (&LiveSite, &LiveQueue),
    history: LivePast<'q>,
    asked: JobSize,
    zone: &TimeZone,
) -> PlaceFacts<'q> {
    PlaceFacts {
        name: history.name,
        moment: Moment::of(site.asked, Some(0), zone),
        epoch: Some(0),
        partition: Some(queue.name.clone()),
        machine: MachineSize { procs: queue.machine, source: MachineSource::Sinfo },
        asked,
        limits: queue.limits,
        past: None,
        free: Some(queue.free()),
        whose: Some(String::new()),
    }
}

/// Asks about a job that is submitted to a queue of a live site now, with accounting to learn from, if there is any.
pub(super) fn in_queue<T>(
    new: &NewJob,
    (site, queue, from): (&LiveSite, &LiveQueue, MachineSource),
    history: Option<LivePast<'_>>,
    settings: &WhenSettings,
    zone: &TimeZone,
    ask: &mut impl FnMut(&PlaceFacts<'_>, Asking<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let asked = queue.asked_by(new);
    let past = QueuePast::of(history, site, queue)?;
    let workload = past.workload();
    let mut job = new.at(site.asked, workload);
    job.shape.limit = Some(asked.time);
    let names = queue.name.split(',');
    job.queue =
        names.into_iter().find_map(|name| numbered(name, &workload.names.queues)).and_then(QueueId::new);
    let settings = if past.is_empty() { without_history(settings) } else { settings.clone() };
    let found = queue.site(site.asked, &workload.names, settings.default_request, new.user.as_deref());
    let learned = past.forecaster(&settings)?;
    let source =
        WhenSource::Live { site: found, now: site.asked, history: workload, learned: learned.as_ref() };
    let facts = PlaceFacts {
        name: history.map_or("squeue", |one| one.name),
        moment: Moment::of(site.asked, Some(0), zone),
        epoch: Some(0),
        partition: Some(queue.name.clone()),
        machine: MachineSize { procs: queue.machine, source: from },
        asked,
        limits: queue.limits,
        past: past.facts(),
        free: None,
        whose: (!past.is_empty()).then(|| past.whose.clone()),
    };
    ask(&facts, Asking::Jobs { job, source, settings: Box::new(settings) })
}

/// Where a live answer comes from.
pub(super) fn live_source(history: Option<LivePast<'_>>) -> String {
    history.map_or_else(|| "squeue".to_owned(), |one| format!("squeue, learning from {}", one.name))
}

/// When a job would start. `name` is the source, for errors.
pub(super) fn answered(
    asking: &Asking<'_>,
    name: &str,
    messages: &dyn Messages,
) -> Result<WhenAnswer, Refusal> {
    asking.begin(messages);
    let done = |steps| messages.done(steps);
    match asking {
        Asking::Jobs { job, source, settings } => {
            when(job, source, settings, Learning { done: &done, kept: messages.kept() })
                .map_err(|error| refused(name, error))
        }
        Asking::Slurm { question, settings } => {
            when_at_cluster(question, *settings, &done).map_err(|error| refused_at_site(&error))
        }
    }
}

impl Asking<'_> {
    /// Jobs that wait where a job of a live site would be submitted.
    pub fn waiting(&self) -> usize {
        match self {
            Asking::Jobs { source: WhenSource::Live { site, now, .. }, .. } => site.view(*now).queue_length(),
            Asking::Slurm { question, .. } => question.waiting(),
            Asking::Jobs { .. } => 0,
        }
    }

    /// Says how many past jobs methods are tried on.
    pub fn begin(&self, messages: &dyn Messages) {
        match self {
            Asking::Jobs { source: WhenSource::Live { learned: Some(_), .. }, .. } => {}
            Asking::Jobs { source, settings, .. } => {
                let known = source.history().jobs().partition_point(|one| one.submit <= source.now());
                messages.begins("trying methods", settings.methods.len() * settings.trials.min(known));
            }
            Asking::Slurm { question, .. } if question.record.is_some() => {}
            Asking::Slurm { settings, .. } => messages.begins("trying on past submissions", settings.trials),
        }
    }
}

/// Why there is no answer, with what helps.
pub(super) fn refused(name: &str, error: WhenError) -> Refusal {
    match error {
        WhenError::NoWaits => Refusal::input(format!("{name}: {error}")).hint(
            "simulate it (queuecast simulate LOG --schedule-swf OUT.swf) and ask about the simulated log",
        ),
        WhenError::NothingStarted => {
            Refusal::question(format!("{name}: {error}")).hint("ask about a later moment, by --at")
        }
        WhenError::TooLarge { .. } => Refusal::question(error.to_string())
            .hint("--procs says how large the machine is, where the log does not"),
    }
}

/// Why a question at a Slurm site is refused.
pub(super) fn refused_at_site(error: &ClusterWhenError) -> Refusal {
    Refusal::question(error.to_string()).hint("queuecast site check DIR lists partitions and their limits")
}

/// A job at a moment by which no job of the log has started: only its queue can be simulated.
pub(super) fn by_queue_alone<T>(
    job: Job,
    workload: &Workload,
    settings: &WhenSettings,
    ask: impl FnOnce(Asking<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let waiting = workload.jobs().iter().take_while(|one| one.submit <= job.submit).cloned();
    let site = Site::found(workload.machine(), job.submit, [], waiting, settings.default_request);
    let nothing = without_jobs(workload.machine().procs)?;
    let source = WhenSource::Live { site, now: job.submit, history: &nothing, learned: None };
    ask(Asking::Jobs { job, source, settings: Box::new(without_history(settings)) })
}

/// Without a history there is nothing to learn from, and nothing to try methods on.
fn without_history(settings: &WhenSettings) -> WhenSettings {
    WhenSettings {
        methods: vec![WaitMethod::Simulated { draws: SimulatedWaits::DRAWS, policy: None }],
        ..settings.clone()
    }
}
