//! When each job that already waits at a place starts, and what it waits for.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::asked::refused;
use super::queue_past::QueuePast;
use super::waits_for::WaitsFor;
use super::{JobSize, LabelledLog, LivePast, LiveQueue, LiveSite, NewJob, known_user};
use queuecast_core::asking::{Learning, Messages, Refusal};
use queuecast_core::job::{Job, JobIndex, QueueId, UserId};
use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{
    PastFacts, PendingForecaster, PendingRange, PendingRecord, PendingStart, PendingStarts, QueueOrder,
    WhenError, WhenSettings,
};
use queuecast_sim::site::Site;
use queuecast_trace::squeue::Queued;
use queuecast_trace::{Moment, TimeZone};

/// Every job that waits at a place. Uses nothing that a log records of later.
#[derive(Debug, Clone, Serialize)]
pub struct PendingAnswer {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// The moment asked about.
    pub moment: Moment,
    /// The Unix time that the clock of the moment begins at.
    #[serde(skip)]
    pub epoch: Option<i64>,
    /// The zone of dates.
    #[serde(skip)]
    pub zone: TimeZone,
    /// Whose jobs come first, if that is asked for.
    pub user: Option<String>,
    /// The machine, or each group of partitions of a live site.
    pub queues: Vec<AskedQueue>,
    /// How many jobs a table has at most; JSON and CSV have all.
    #[serde(skip)]
    pub shown: Option<usize>,
    /// One's own jobs first, then by partition and place; those that wait for something else than their turn at the end.
    pub jobs: Vec<PendingJob>,
}

/// What jobs wait for, and how their starts were found.
#[derive(Debug, Clone, Serialize)]
pub struct AskedQueue {
    /// The partitions, on a live site.
    pub partition: Option<String>,
    /// Processors in service.
    pub procs: Procs,
    /// Processors that no job holds.
    pub free: Procs,
    /// Running jobs.
    pub running: usize,
    /// Whose past it was learned from.
    pub history: String,
    /// Simulations.
    pub draws: u32,
    /// How often such ranges held for jobs of past queues; `None` if too few outcomes are known.
    pub record: Option<PendingRecord>,
}

/// A job that waits.
#[derive(Debug, Clone, Serialize)]
pub struct PendingJob {
    /// Its number: `1234`, or `1234_5` of an array.
    pub job: String,
    /// Its user.
    pub user: Option<String>,
    /// Whether it is one's own.
    pub own: bool,
    /// Its partition or queue.
    pub partition: Option<String>,
    /// What it asks for.
    pub asked: JobSize,
    /// Seconds since it was submitted, where that is known.
    pub waited: Option<Seconds>,
    /// Its place in the order of its queue, from 1; `None` if it is not in line.
    pub place: Option<usize>,
    /// When it starts, in seconds from the moment; `None` if it is not in line, or started in no simulation.
    pub start: Option<PendingRange>,
    /// Its start before it was widened, if it was: ranges of such jobs have failed lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unwidened: Option<PendingRange>,
    /// The share of simulations in which it never started.
    pub never: f64,
    /// It starts no sooner than this many seconds from the moment, where a begin time or a reservation says so.
    pub not_before: Option<i64>,
    /// What it waits for.
    pub waits_for: WaitsFor,
    /// What it waits for, in words.
    pub why: String,
}

impl PendingJob {
    /// What it waits in; `None` if it is not in line.
    pub fn queue_in<'q>(&self, queues: &'q [AskedQueue]) -> Option<&'q AskedQueue> {
        match queues {
            _ if self.place.is_none() => None,
            [only] => Some(only),
            several => {
                let names = |of: &Option<String>| -> Vec<String> {
                    of.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect()
                };
                let own = names(&self.partition);
                several.iter().find(|one| names(&one.partition).iter().any(|name| own.contains(name)))
            }
        }
    }
}

/// A log may be asked by the number of a user whose name it has.
pub(super) fn name_in(log: LabelledLog<'_>, user: &str) -> String {
    match known_user(user, &log.log.workload) {
        Some(known) => user_name(known, &log.log.workload),
        None => user.to_owned(),
    }
}

impl PendingAnswer {
    /// The answer with the jobs of a user first.
    pub fn of_user(&self, user: Option<&str>) -> PendingAnswer {
        let mut answer = self.clone();
        answer.put_first(user.map(str::to_owned));
        answer
    }

    /// Puts the jobs of a user first, and marks them.
    pub(super) fn put_first(&mut self, user: Option<String>) {
        for job in &mut self.jobs {
            job.own = user.is_some() && job.user == user;
        }
        self.user = user;
        // Stable: the order within is kept.
        self.jobs.sort_by_key(|job| !job.own);
    }
}

/// A queue of a machine that is a number of processors, with what was learned of it.
pub(super) struct LearnedQueue {
    pub forecaster: Arc<PendingForecaster>,
    pub site: Site,
    pub now: Time,
    pub order: QueueOrder,
    pub history: String,
}

/// Is told of each group of partitions, with what was learned of it.
pub(super) type EachQueue<'e> = Option<&'e mut dyn FnMut(&LearnedQueue, &LiveQueue)>;

impl LearnedQueue {
    /// Of a log at a moment.
    pub fn of_log(
        log: LabelledLog<'_>,
        at: Time,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<LearnedQueue, Refusal> {
        let started = started_by(log, at)?;
        let (forecaster, site) = learned(&log.log.workload, at, settings, messages);
        let forecaster = Arc::new(forecaster);
        let history = number_of(started, "job");
        Ok(LearnedQueue { forecaster, site, now: at, order: QueueOrder::Learned, history })
    }

    /// Of some partitions of a live site. Jobs that a newcomer would come before are left out, as of [`LiveQueue::site`].
    pub fn of_live(
        (site, queue): (&LiveSite, &LiveQueue),
        history: Option<LivePast<'_>>,
        newcomer: Option<&NewJob>,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<LearnedQueue, Refusal> {
        let past = QueuePast::of(history, site, queue)?;
        let workload = past.workload();
        let forecaster = past.pending(site.asked, settings, messages)?;
        let found = queue.site(
            site.asked,
            &workload.names,
            settings.default_request,
            newcomer.and_then(|job| job.user.as_deref()),
        );
        let facts = past.facts().unwrap_or_else(|| PastFacts::of(workload, site.asked));
        let history = match past.is_empty() {
            true => "no history".to_owned(),
            false => format!("{}{}", number_of(facts.started, "job"), past.whose),
        };
        Ok(LearnedQueue { forecaster, site: found, now: site.asked, order: QueueOrder::Shown, history })
    }

    pub(super) fn starts(&self) -> PendingStarts {
        self.forecaster.starts(&self.site, self.now, self.order)
    }

    pub(super) fn told(&self, partition: Option<String>, starts: &PendingStarts) -> AskedQueue {
        AskedQueue::of(partition, self.history.clone(), starts)
    }
}

impl AskedQueue {
    pub(super) fn of(partition: Option<String>, history: String, starts: &PendingStarts) -> AskedQueue {
        AskedQueue {
            partition,
            procs: starts.procs,
            free: starts.free,
            running: starts.running,
            history,
            draws: starts.draws,
            record: starts.record,
        }
    }
}

/// How many jobs of a log had started by a moment.
///
/// # Errors
/// If there are none to learn from.
pub(super) fn started_by(log: LabelledLog<'_>, at: Time) -> Result<usize, Refusal> {
    let starts = &log.log.workload.starts;
    if starts.is_empty() {
        return Err(refused(log.name, WhenError::NoWaits));
    }
    match starts.iter().filter(|&&start| start <= at).count() {
        0 => Err(refused(log.name, WhenError::NothingStarted)),
        started => Ok(started),
    }
}

fn learned(
    workload: &Workload,
    until: Time,
    settings: &WhenSettings,
    messages: &dyn Messages,
) -> (PendingForecaster, Site) {
    let known = workload.jobs().partition_point(|job| job.submit <= until);
    messages.begins("asking about past queues", PendingForecaster::steps(known));
    let learning = Learning { done: &|steps| messages.done(steps), kept: messages.kept() };
    PendingForecaster::recalled(workload, until, settings, learning)
}

/// A job whose start has even odds within this many seconds waits for the scheduler's next pass.
const NEXT_PASS: f64 = 120.0;

/// What a job that is in line waits for. `name` tells how jobs are called.
pub(super) fn in_line(
    start: &PendingStart,
    wanted: Procs,
    free: Procs,
    name: impl Fn(JobIndex) -> String,
) -> WaitsFor {
    let fits = wanted <= free;
    match start.place {
        1 if fits && start.start.is_some_and(|start| start.median < NEXT_PASS) => WaitsFor::NextPass,
        1 if fits => WaitsFor::NotRecorded,
        1 => WaitsFor::Processors {
            wanted: wanted.0.into(),
            free: free.0.into(),
            frees: start.frees.iter().map(|&job| name(job)).collect(),
        },
        place => {
            let fits = fits && start.ahead_wanted + u64::from(wanted.0) > free.0.into();
            let turn = WaitsFor::Turn { ahead: place - 1, wanted: start.ahead_wanted, fits };
            turn.of_one_that_starts(start.start.map_or(f64::INFINITY, |start| start.median))
        }
    }
}

/// What a log calls the user and the queue of a job.
pub(super) fn names_in(workload: &Workload, job: &Job) -> (Option<String>, Option<String>) {
    let queue_name = |queue: QueueId| named(&workload.names.queues, queue.number());
    (job.user.map(|user| user_name(user, workload)), job.queue.map(queue_name))
}

fn user_name(user: UserId, workload: &Workload) -> String {
    named(&workload.names.users, user.number())
}

fn named(names: &BTreeMap<u32, String>, number: u32) -> String {
    names.get(&number).cloned().unwrap_or_else(|| number.to_string())
}

pub(super) fn of_log(
    log: LabelledLog<'_>,
    at: Time,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<PendingAnswer, Refusal> {
    let queue = LearnedQueue::of_log(log, at, settings, messages)?;
    let starts = queue.starts();
    Ok(PendingAnswer {
        jobs: logged_jobs(log, at, settings, (&queue.site, &starts)),
        queues: vec![queue.told(None, &starts)],
        ..without_rows(log, at, zone)
    })
}

/// An answer at a moment of a log, without jobs and queues.
pub(super) fn without_rows(log: LabelledLog<'_>, at: Time, zone: &TimeZone) -> PendingAnswer {
    let epoch = log.log.workload.epoch;
    PendingAnswer {
        version: env!("CARGO_PKG_VERSION"),
        source: log.name.to_owned(),
        moment: Moment::of(at, epoch, zone),
        epoch,
        zone: zone.clone(),
        user: None,
        shown: None,
        jobs: Vec::new(),
        queues: Vec::new(),
    }
}

/// The jobs that wait at a moment of a log, in their order.
pub(super) fn logged_jobs(
    log: LabelledLog<'_>,
    at: Time,
    settings: &WhenSettings,
    (site, starts): (&Site, &PendingStarts),
) -> Vec<PendingJob> {
    let workload = &log.log.workload;
    let id = |index: JobIndex| site.job(index).map_or_else(String::new, |job| job.id.0.to_string());
    let jobs = starts.jobs.iter().filter_map(|start| {
        let job = site.job(start.index)?;
        let (user, partition) = names_in(workload, job);
        let waits_for = in_line(start, job.shape.procs, starts.free, id);
        Some(PendingJob {
            job: id(start.index),
            user,
            own: false,
            partition,
            asked: JobSize {
                procs: job.shape.procs,
                time: job.shape.limit.unwrap_or(settings.default_request),
            },
            waited: Some(at - job.submit),
            place: Some(start.place),
            start: start.start,
            unwidened: None,
            never: start.never,
            not_before: None,
            why: waits_for.words(),
            waits_for,
        })
    });
    jobs.collect()
}

/// A job that `squeue` shows, without a place in the order and a start.
pub(super) fn shown(queued: &Queued, now: Time, settings: &WhenSettings, waits_for: WaitsFor) -> PendingJob {
    let begins = match &waits_for {
        WaitsFor::BeginTime { at } => at.as_ref(),
        WaitsFor::Reservation { begins, .. } => begins.as_ref(),
        _ => None,
    };
    PendingJob {
        job: queued.name.clone(),
        user: Some(queued.user.clone()),
        own: false,
        partition: Some(queued.partitions.join(",")),
        asked: JobSize { procs: queued.procs, time: queued.limit.unwrap_or(settings.default_request) },
        waited: queued.submit.map(|submit| (now - submit).max(Seconds::ZERO)),
        place: None,
        start: None,
        unwidened: None,
        never: 0.0,
        not_before: begins.map(|at| (at.time - now).0.max(0)),
        why: waits_for.words(),
        waits_for,
    }
}
