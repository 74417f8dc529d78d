//! When each job that already waits at a site starts, all by the same simulations.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::answer::WhenSettings;
use super::past_queues::{CorrectedBy, PastQueues, PendingRange, PendingRecord};
use super::starts::{LearnedSite, QueueDraws, QueueOrder};
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::order;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::site::{Replay, RunningJob, Site, Step, View};

/// The seed of all simulations of a queue: the same question has the same answer.
pub(super) const SEED: Seed = Seed(31);

/// Simulations of an answer.
const DRAWS: u32 = 200;

/// Simulations of an answer about a past queue, which is only judged.
const PAST_DRAWS: u32 = 40;

/// Past queues that are asked about too, those of the last submissions before the moment asked about, and jobs of each.
const PAST_QUEUES: usize = 200;
const PAST_JOBS: usize = 4;

/// Submissions between two past queues.
const APART: usize = 25;

/// Learns how a site goes on, and how right such forecasts of its waiting jobs were; says when each waiting job starts.
///
/// What corrects the answer of `when` for a new job is how right answers were *at the submission* of jobs. A job that waits has come
/// through a part of its wait, so that record says little of the rest. Therefore past queues are asked about as the present one is, with
/// what was known then, and what became of these jobs corrects the ranges.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingForecaster {
    learned: LearnedSite,
    past: PastQueues,
}

/// When a waiting job starts.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingStart {
    /// Its number at the site.
    pub index: JobIndex,
    /// Its place in the order, from 1.
    pub place: usize,
    /// Processors that the jobs before it ask for.
    pub ahead_wanted: u64,
    /// When it starts; `None` if it does in no simulation.
    pub start: Option<PendingRange>,
    /// The share of simulations in which it never started.
    pub never: f64,
    /// Of the first job in the order, where too little is free: the running jobs whose ends are expected to free enough, the first one
    /// to end first.
    pub frees: Vec<JobIndex>,
}

/// When a running job ends, in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunningEnd {
    /// Its number at the site.
    pub index: JobIndex,
    /// When it started.
    pub start: Time,
    /// One in ten ends sooner.
    pub low: f64,
    /// Even odds.
    pub median: f64,
    /// One in ten ends later.
    pub high: f64,
}

/// When each job that waits starts.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingStarts {
    /// In the order in which they go.
    pub jobs: Vec<PendingStart>,
    /// Simulations.
    pub draws: u32,
    /// How often such ranges held; with fewer than 30 known answers `None`.
    pub record: Option<PendingRecord>,
    /// Processors that no job holds.
    pub free: Procs,
    /// Processors in service.
    pub procs: Procs,
    /// Running jobs.
    pub running: usize,
}

impl PendingForecaster {
    /// Learns the schedule that a log records up to the end of a second, and returns the site as it is then. `done` is told of each
    /// past queue that was asked about, of [`PendingForecaster::steps`].
    pub fn of_log(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        done: &(dyn Fn(usize) + Sync),
    ) -> (PendingForecaster, Site) {
        let mut played = PlayedQueue::new(history, until, settings);
        played.advance_to(until, done);
        (played.forecaster, played.replay.site().clone())
    }

    /// How many past queues are asked about at most, where `submitted` jobs were submitted before.
    pub fn steps(submitted: usize) -> usize {
        submitted.div_ceil(APART).min(PAST_QUEUES)
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.learned.observe(event);
        match event.what {
            What::Started(_) => self.past.started(event.job.index, event.at),
            What::Withdrawn => self.past.left(event.job.index),
            _ => {}
        }
    }

    /// Asks about some jobs of a past queue, evenly chosen from its order.
    fn ask(&mut self, site: View<'_>) {
        let waiting: Vec<_> = site.waiting().collect();
        if waiting.is_empty() {
            return;
        }
        let now = site.now();
        let seed = SEED.named(&format!("queue at {now}"));
        let draws = self.learned.queue_draws(site, None, QueueOrder::Learned, (PAST_DRAWS, seed));
        let (starts, order) = (draws.starts(), draws.order());
        let asked = order.len().min(PAST_JOBS);
        for number in 0..asked {
            let place = order[number * order.len() / asked];
            let job = waiting[place].job;
            let size = (job.shape.procs, self.learned.requested(job));
            self.past.said(waiting[place].index, now, &waits(&starts[place], now).0, size);
        }
    }

    /// What is learned of the site.
    pub(super) fn learned(&self) -> &LearnedSite {
        &self.learned
    }

    /// When each running job of a site ends, by its run time as predicted now; none is corrected by the past.
    pub fn ends(&self, site: &Site, now: Time) -> Vec<RunningEnd> {
        let end = |one: RunningJob<'_>| {
            let elapsed = (now - one.start).max(Seconds::ZERO);
            let run = self.learned.run_time_of(one.job, elapsed);
            let [low, median, high] =
                [0.1, 0.5, 0.9].map(|level| (run.quantile(level) - elapsed.0 as f64).max(0.0));
            RunningEnd { index: one.index, start: one.start, low, median, high }
        };
        site.view(now).running().map(end).collect()
    }

    /// The median of the run time predicted of a job that waits at the site, in seconds.
    pub fn expected_run(&self, job: &Job) -> f64 {
        self.learned.run_time_of(job, Seconds::ZERO).quantile(0.5)
    }

    /// When each waiting job of a site starts; each no sooner than now.
    pub fn starts(&self, site: &Site, now: Time, order: QueueOrder) -> PendingStarts {
        let view = site.view(now);
        let draws = self.learned.queue_draws(view, None, order, (DRAWS, SEED));
        let starts = draws.starts();
        let waiting: Vec<_> = view.waiting().collect();
        let correction = self.past.correction(now);
        let (mut jobs, mut ahead_wanted) = (Vec::new(), 0_u64);
        for (rank, place) in draws.order().into_iter().enumerate() {
            let (procs, request) =
                (waiting[place].job.shape.procs, self.learned.requested(waiting[place].job));
            let (waits, never) = waits(&starts[place], now);
            let wait = correction.corrected(&waits, procs, request);
            jobs.push(PendingStart {
                index: waiting[place].index,
                place: rank + 1,
                ahead_wanted,
                start: wait.as_ref().map(PendingRange::of),
                never,
                frees: if rank == 0 { freed(&draws, procs, view.free()) } else { Vec::new() },
            });
            ahead_wanted += u64::from(procs.0);
        }
        PendingStarts {
            jobs,
            draws: DRAWS,
            record: self.past.record(now),
            free: view.free(),
            procs: view.machine(),
            running: view.running().count(),
        }
    }
}

/// The schedule that a log records, played forward: the site at an instant, and what had been learned of it by then.
#[derive(Debug)]
pub struct PlayedQueue<'a> {
    forecaster: PendingForecaster,
    replay: Replay<'a>,
    jobs: Cow<'a, [Job]>,
    /// The first submission whose queue is asked about.
    first: usize,
    /// A queue is asked about at the end of the second, when all that happens in it has happened.
    due: Option<Time>,
}

impl<'a> PlayedQueue<'a> {
    /// At the beginning of the log; past queues are asked about from the last ones before `from` on.
    pub fn new(history: &'a Workload, from: Time, settings: &WhenSettings) -> PlayedQueue<'a> {
        let learned = LearnedSite::new(&settings.predictor, settings.default_request);
        let forecaster = PendingForecaster { learned, past: PastQueues::new(CorrectedBy::Nearest) };
        let replay = Replay::recorded(history, settings.default_request);
        let jobs = replay.timeline().jobs(history);
        let known = jobs.partition_point(|job| job.submit <= from);
        let first = known.saturating_sub(PAST_QUEUES * APART);
        PlayedQueue { forecaster, replay, jobs, first, due: None }
    }

    /// Plays up to the end of a second. `done` is told of each past queue that was asked about.
    pub fn advance_to(&mut self, until: Time, done: &(dyn Fn(usize) + Sync)) {
        while let Some(next) = self.replay.peek().filter(|next| next.at <= until) {
            if let Some(at) = self.due.take_if(|at| next.at > *at) {
                self.forecaster.ask(self.replay.site().view(at));
                done(1);
            }
            if next.step == Step::Submitted {
                let number = next.job.at();
                self.replay.admit(self.jobs[number].shape.procs);
                if number >= self.first && (number - self.first).is_multiple_of(APART) {
                    self.due = Some(next.at);
                }
            }
            let Some(event) = self.replay.step() else { break };
            self.forecaster.observe(&event);
        }
    }

    /// The site after what was played.
    pub fn site(&self) -> &Site {
        self.replay.site()
    }

    /// What was learned.
    pub fn forecaster(&self) -> &PendingForecaster {
        &self.forecaster
    }

    /// When each waiting job starts, asked at a moment up to which it was played.
    pub fn starts(&self, now: Time) -> PendingStarts {
        self.forecaster.starts(self.site(), now, QueueOrder::Learned)
    }
}

/// The waits of a job in simulations, and the share in which it never started.
fn waits(starts: &[Time], now: Time) -> (Vec<Seconds>, f64) {
    let known = starts.iter().filter(|&&start| start != Time::NEVER);
    let waits: Vec<Seconds> = known.map(|&start| (start - now).max(Seconds::ZERO)).collect();
    let never = 1.0 - waits.len() as f64 / starts.len().max(1) as f64;
    (waits, never)
}

/// The running jobs that are expected to end first, up to the one with which enough processors are free.
fn freed(draws: &QueueDraws<'_>, wanted: Procs, free: Procs) -> Vec<JobIndex> {
    let mut ends: Vec<(f64, u32, JobIndex)> = draws
        .expected_ends()
        .into_iter()
        .zip(draws.running())
        .map(|(one, &job)| (one.0, one.1, job))
        .collect();
    order::sort_by(&mut ends, |one, other| one.0.total_cmp(&other.0).then(one.2.cmp(&other.2)));
    let mut free = u64::from(free.0);
    let needed = ends.iter().take_while(|one| {
        let is_short = free < u64::from(wanted.0);
        free += u64::from(one.1);
        is_short
    });
    needed.map(|one| one.2).collect()
}
