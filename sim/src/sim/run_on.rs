//! A site run on under EASY backfilling with the queue in a given order: the fast form of a [`super::Fork`] for the many runs
//! that a distribution of start times needs.
//!
//! A run has no jobs, predictors or observers, only numbers: who holds how many processors until when, who waits for how many,
//! in which order. A property test holds it to the engine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use queuecast_core::units::{Seconds, Time};

/// A running job of which the plan has been outlived is planned to end so many seconds from now.
const OUTLIVED: i64 = 60;

/// Processors that a running job holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldProcs {
    /// How many.
    pub procs: u32,
    /// Until when the scheduler takes them to be held.
    pub planned_end: Time,
    /// Until when they are.
    pub end: Time,
}

/// A job that waits, or will.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueuedJob {
    /// Processors it asks for.
    pub procs: u32,
    /// The run time that the scheduler plans with, in seconds.
    pub planned: i64,
    /// How long it runs.
    pub run: i64,
    /// Its place: jobs of a higher rank come first, of equal ones those that arrived first.
    pub rank: f64,
}

/// A job on the machine of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Holding {
    planned_end: i64,
    number: u32,
    procs: u32,
}

/// A job in the queue of a run, by its number: the waiting jobs first, then the arrivals.
#[derive(Debug, Clone, Copy)]
struct InQueue {
    job: QueuedJob,
    number: u32,
}

/// What jobs behind the head are held to. As long as it stays, none of those that could not start by it can later: with time fewer
/// of them would end by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HeadPlan {
    /// When the head is to start.
    shadow: i64,
    /// Processors that it leaves over then.
    extra: i64,
}

/// Buffers for runs, used again by the next one.
#[derive(Debug, Clone, Default)]
pub struct RunOn {
    free: i64,
    /// Actual ends, earliest first: time, number of the holding.
    ends: BinaryHeap<Reverse<(i64, u32)>>,
    /// By planned end.
    holdings: Vec<Holding>,
    /// Planned end and processors of each holding by its number.
    held: Vec<(i64, u32)>,
    /// In order.
    queue: Vec<InQueue>,
    /// The processors of each of these, which is all that most looks at the queue need.
    sizes: Vec<u32>,
    /// What jobs behind the head are held to; `None` once a job has ended.
    plan: Option<HeadPlan>,
    /// Where in the queue jobs have joined since the last plan.
    joined: Vec<usize>,
    /// Where in the queue jobs have started.
    started: Vec<usize>,
    starts: Vec<Time>,
    /// Waiting jobs that have not started.
    left: usize,
}

/// What a run begins with.
#[derive(Debug, Clone, Copy)]
pub struct RunOnState<'a> {
    /// The instant.
    pub now: Time,
    /// Free processors.
    pub free: u32,
    /// Running jobs.
    pub running: &'a [HeldProcs],
    /// Waiting jobs, in order of arrival.
    pub waiting: &'a [QueuedJob],
    /// Jobs that arrive later, in order of their times; each arrives `shift` after its time.
    pub arrivals: &'a [(Time, QueuedJob)],
    /// Added to the times of arrivals.
    pub shift: Seconds,
    /// When the last of the waiting jobs joins the queue, if not at once: before arrivals of the same second.
    pub last_joins: Option<Time>,
}

impl RunOn {
    /// When each waiting job starts, [`Time::NEVER`] where it does not before `until`. With `target`, only until that one of
    /// the waiting jobs has started.
    pub fn starts(&mut self, state: &RunOnState<'_>, target: Option<usize>, until: Time) -> &[Time] {
        let now = state.now.0;
        self.set(state);
        let shifted =
            state.arrivals.iter().map(|&(at, job)| (at.0.saturating_add(state.shift.0).max(now), job));
        let mut joins = state.last_joins.and_then(|at| Some((at.0.max(now), *state.waiting.last()?)));
        if joins.is_some() {
            let last = state.waiting.len() as u32 - 1;
            self.queue.retain(|one| one.number != last);
        }
        self.sizes.clear();
        self.sizes.extend(self.queue.iter().map(|one| one.job.procs));
        self.plan(now, state.waiting.len());
        let mut coming = shifted.zip(state.waiting.len() as u32..).peekable();
        let is_done = |run: &RunOn| match target {
            Some(target) => run.starts.get(target).is_none_or(|&start| start != Time::NEVER),
            None => run.left == 0,
        };
        while !is_done(self) {
            let end = self.ends.peek().map(|&Reverse((at, _))| at);
            let arrival = coming.peek().map(|&((at, _), _)| at);
            let joining = joins.map(|(at, _)| at);
            let Some(at) = end.into_iter().chain(arrival).chain(joining).min().filter(|&at| at < until.0)
            else {
                break;
            };
            while let Some(&Reverse((due, number))) = self.ends.peek()
                && due <= at
            {
                self.ends.pop();
                self.end(number);
            }
            if let Some((due, job)) = joins
                && due <= at
            {
                joins = None;
                self.join(job, state.waiting.len() as u32 - 1);
            }
            while let Some(&((due, job), number)) = coming.peek()
                && due <= at
            {
                coming.next();
                self.join(job, number);
            }
            self.plan(at, state.waiting.len());
        }
        &self.starts
    }

    fn join(&mut self, job: QueuedJob, number: u32) {
        let place = self.queue.partition_point(|one| one.job.rank >= job.rank);
        self.queue.insert(place, InQueue { job, number });
        self.sizes.insert(place, job.procs);
        self.joined.push(place);
    }

    fn set(&mut self, state: &RunOnState<'_>) {
        self.free = i64::from(state.free);
        self.ends.clear();
        self.holdings.clear();
        self.held.clear();
        let now = state.now.0;
        for one in state.running {
            let planned_end = if one.planned_end.0 <= now { now + OUTLIVED } else { one.planned_end.0 };
            self.hold(planned_end, one.end.0.max(now + 1), one.procs);
        }
        self.holdings.sort_unstable();
        self.queue.clear();
        self.queue.extend(state.waiting.iter().zip(0..).map(|(&job, number)| InQueue { job, number }));
        self.queue.sort_by(|one, other| other.job.rank.total_cmp(&one.job.rank));
        self.starts.clear();
        self.starts.resize(state.waiting.len(), Time::NEVER);
        self.left = state.waiting.len();
        self.plan = None;
        self.joined.clear();
    }

    /// Adds a holding at the end of the list.
    fn hold(&mut self, planned_end: i64, end: i64, procs: u32) -> Holding {
        let number = self.held.len() as u32;
        self.held.push((planned_end, procs));
        self.ends.push(Reverse((end, number)));
        let holding = Holding { planned_end, number, procs };
        self.holdings.push(holding);
        holding
    }

    fn end(&mut self, number: u32) {
        let (planned_end, procs) = self.held[number as usize];
        self.free += i64::from(procs);
        self.plan = None;
        if let Ok(place) = self.holdings.binary_search(&Holding { planned_end, number, procs }) {
            self.holdings.remove(place);
        }
    }

    fn start(&mut self, at: i64, job: &InQueue, waiting: usize) {
        self.free -= i64::from(job.job.procs);
        let planned_end = at.saturating_add(job.job.planned.max(1));
        let holding = self.hold(planned_end, at.saturating_add(job.job.run.max(1)), job.job.procs);
        // Into its place: the rest of the list is in order.
        self.holdings.pop();
        let place = self.holdings.partition_point(|other| *other < holding);
        self.holdings.insert(place, holding);
        if (job.number as usize) < waiting {
            self.starts[job.number as usize] = Time(at);
            self.left -= 1;
        }
    }

    /// Starts jobs from the head while they fit, then those behind that do not delay the head.
    fn plan(&mut self, at: i64, waiting: usize) {
        // Where all that has happened since the last plan is that a job joined behind the head, only that job can start.
        if let ([place], Some(plan)) = (self.joined.as_slice(), self.plan)
            && *place > 0
            && plan.shadow >= at
        {
            let place = *place;
            self.joined.clear();
            let mut plan = plan;
            if self.starts_behind(place, &mut plan, at, waiting) {
                self.queue.remove(place);
                self.sizes.remove(place);
            }
            self.plan = Some(plan);
            return;
        }
        self.joined.clear();
        let mut heads = 0;
        while let Some(&one) = self.queue.get(heads)
            && i64::from(one.job.procs) <= self.free
        {
            self.start(at, &one, waiting);
            heads += 1;
        }
        self.queue.drain(..heads);
        self.sizes.drain(..heads);
        self.plan = None;
        let Some(head) = self.queue.first().filter(|_| self.free > 0) else { return };
        let Some(mut plan) = self.shadow(at, i64::from(head.job.procs)) else { return };
        self.started.clear();
        for place in 1..self.sizes.len() {
            if i64::from(self.sizes[place]) <= self.free && self.starts_behind(place, &mut plan, at, waiting)
            {
                self.started.push(place);
            }
        }
        self.plan = Some(plan);
        if let Some(&first) = self.started.first() {
            let mut kept = first;
            let mut gone = self.started.iter().copied().peekable();
            for place in first..self.queue.len() {
                if gone.next_if_eq(&place).is_none() {
                    self.queue[kept] = self.queue[place];
                    self.sizes[kept] = self.sizes[place];
                    kept += 1;
                }
            }
            self.queue.truncate(kept);
            self.sizes.truncate(kept);
        }
    }

    /// Starts the job at a place behind the head if it does not delay the head. It stays in the queue.
    fn starts_behind(&mut self, place: usize, plan: &mut HeadPlan, at: i64, waiting: usize) -> bool {
        let one = self.queue[place];
        let procs = i64::from(one.job.procs);
        let in_time = at.saturating_add(one.job.planned) <= plan.shadow;
        let starts = procs <= self.free && (in_time || procs <= plan.extra);
        if starts {
            self.start(at, &one, waiting);
            if !in_time {
                plan.extra -= procs;
            }
        }
        starts
    }

    /// When so many processors will be free by the plans, and how many more then; `None` if never, and then no job may pass.
    fn shadow(&self, at: i64, wanted: i64) -> Option<HeadPlan> {
        let mut available = self.free;
        let mut reached = None;
        for one in &self.holdings {
            if reached.is_some_and(|end| one.planned_end > end) {
                break;
            }
            available += i64::from(one.procs);
            if available >= wanted && reached.is_none() {
                reached = Some(one.planned_end);
            }
        }
        reached.map(|end| HeadPlan { shadow: end.max(at), extra: available - wanted })
    }
}
