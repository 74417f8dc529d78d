//! The machine at a moment: what runs on it and until when, and what is expected to start.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::pending::{LearnedQueue, PendingAnswer, names_in};
use super::waiting_jobs::of_live;
use super::{LabelledLog, LivePast, LiveQueue, LiveSite};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_forecast::forecast::{PendingForecaster, WhenSettings};
use queuecast_sim::site::Site;
use queuecast_trace::{Moment, TimeZone};

/// The machine at a moment. Times are seconds on the clock of the moment: Unix seconds where the log or site has dates.
#[derive(Debug, Clone, Serialize)]
pub struct MachineAnswer {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// The moment.
    pub moment: Moment,
    /// The moment on the clock of the times below.
    pub now: i64,
    /// Processors of the machine.
    pub processors: u64,
    /// Those that running jobs hold.
    pub used: u64,
    /// The jobs that run.
    pub running: Vec<MachineRun>,
    /// The jobs that wait and are expected to start, in the order of the queue.
    pub planned: Vec<MachinePlan>,
}

/// A running job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineRun {
    /// Its number.
    pub job: String,
    /// Its user.
    pub user: Option<String>,
    /// Its partition or queue.
    pub partition: Option<String>,
    /// Processors it holds.
    pub procs: Procs,
    /// When it started.
    pub start: i64,
    /// One in ten ends sooner.
    pub end_low: i64,
    /// Even odds.
    pub end_median: i64,
    /// One in ten ends later.
    pub end_high: i64,
    /// When its time limit is over; `None` without one.
    pub limit_end: Option<i64>,
}

/// A waiting job that is expected to start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachinePlan {
    /// Its number.
    pub job: String,
    /// Its user.
    pub user: Option<String>,
    /// Its partition or queue.
    pub partition: Option<String>,
    /// Processors it asks for.
    pub procs: Procs,
    /// Start of the 80 % range.
    pub start_low: i64,
    /// Even odds.
    pub start_median: i64,
    /// End of the 80 % range.
    pub start_high: i64,
    /// The median of its start and that of its run time together.
    pub end_median: i64,
}

/// What a job, its user and its partition are called.
type JobNames = (String, Option<String>, Option<String>);

/// What is collected of a machine while its queues are asked about.
#[derive(Debug, Default)]
pub(super) struct MachineParts {
    running: Vec<MachineRun>,
    seen: BTreeSet<String>,
    /// The median run time of each waiting job, by name.
    runs: BTreeMap<String, f64>,
}

impl MachineParts {
    /// Of a log whose clock begins at `epoch`.
    pub fn of_log(log: LabelledLog<'_>, forecaster: &PendingForecaster, (site, now): (&Site, Time)) -> Self {
        let workload = &log.log.workload;
        let zero = workload.epoch.unwrap_or(0);
        let mut parts = MachineParts::default();
        let named = |job: &Job| {
            let (user, partition) = names_in(workload, job);
            (job.id.0.to_string(), user, partition)
        };
        parts.add(forecaster, site, now, zero, &named);
        parts
    }

    /// Adds a group of partitions of a live site. A job that competes for the processors of several is counted once.
    pub fn add_group(&mut self, learned: &LearnedQueue, group: &LiveQueue) {
        let named = |job: &Job| {
            let queued = &group.jobs()[job.index.at()];
            (queued.name.clone(), Some(queued.user.clone()), Some(queued.partitions.join(",")))
        };
        self.add(&learned.forecaster, &learned.site, learned.now, 0, &named);
    }

    fn add(
        &mut self,
        forecaster: &PendingForecaster,
        site: &Site,
        now: Time,
        zero: i64,
        named: &dyn Fn(&Job) -> JobNames,
    ) {
        let on_clock = |time: Time| zero.saturating_add(time.0);
        let later = |seconds: f64| on_clock(now).saturating_add(seconds.round() as i64);
        for end in forecaster.ends(site, now) {
            let Some(job) = site.job(end.index) else { continue };
            let (name, user, partition) = named(job);
            if !self.seen.insert(name.clone()) {
                continue;
            }
            let limit = job.shape.limit.map(|limit: Seconds| on_clock(end.start).saturating_add(limit.0));
            self.running.push(MachineRun {
                job: name,
                user,
                partition,
                procs: job.shape.procs,
                start: on_clock(end.start),
                end_low: later(end.low),
                end_median: later(end.median),
                end_high: later(end.high),
                limit_end: limit,
            });
        }
        for waiting in site.view(now).waiting() {
            self.runs.insert(named(waiting.job).0, forecaster.expected_run(waiting.job));
        }
    }

    /// The machine, with the starts that an answer about its waiting jobs has.
    pub fn machine(self, pending: &PendingAnswer, processors: u64) -> MachineAnswer {
        let now = pending.epoch.unwrap_or(0).saturating_add(pending.moment.time.0);
        let later = |seconds: f64| now.saturating_add(seconds.round() as i64);
        let plan = |job: &super::PendingJob| {
            let start = job.start?;
            let run = self.runs.get(&job.job).copied().unwrap_or(job.asked.time.0 as f64);
            Some(MachinePlan {
                job: job.job.clone(),
                user: job.user.clone(),
                partition: job.partition.clone(),
                procs: job.asked.procs,
                start_low: later(start.low),
                start_median: later(start.median),
                start_high: later(start.high),
                end_median: later(start.median + run),
            })
        };
        MachineAnswer {
            version: pending.version,
            source: pending.source.clone(),
            moment: pending.moment.clone(),
            now,
            processors,
            used: self.running.iter().map(|one| u64::from(one.procs.0)).sum(),
            planned: pending.jobs.iter().filter_map(plan).collect(),
            running: self.running,
        }
    }
}

/// The queue of a live site and its machine, from the same simulations.
///
/// # Errors
/// As of [`pending_at`](super::pending_at).
pub fn queue_and_machine(
    site: &LiveSite,
    history: Option<LivePast<'_>>,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<(PendingAnswer, MachineAnswer), Refusal> {
    let mut parts = MachineParts::default();
    let mut add = |learned: &LearnedQueue, group: &LiveQueue| parts.add_group(learned, group);
    let mut pending = of_live((site, None, None), history, settings, zone, messages, Some(&mut add))?;
    pending.put_first(None);
    let machine = parts.machine(&pending, site.procs().0.into());
    Ok((pending, machine))
}
