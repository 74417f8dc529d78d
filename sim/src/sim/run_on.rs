//! A site run on under EASY backfilling with the queue in a given order: the fast form of a [`super::Fork`] for the many runs
//! that a distribution of start times needs.
//!
//! A run has no jobs, predictors or observers, only numbers: who holds how many processors until when, who waits for how many,
//! in which order. A property test holds it to the engine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::joining::{AwaitedEnd, JoinState, Joining};
use super::run_queue::{BehindRoom, QueueSpot, QueuedJob, RunQueue};
use queuecast_core::units::{Seconds, Time};

/// Seconds from now at which a running job that has outlived its plan is planned to end.
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

/// A job on the machine of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Holding {
    planned_end: i64,
    number: u32,
    procs: u32,
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
    /// Jobs by their numbers: the waiting jobs first, then the arrivals so far.
    jobs: Vec<QueuedJob>,
    queue: RunQueue,
    /// The numbers of the jobs in the queue at the begin, in order.
    first: Vec<u32>,
    /// What jobs behind the head are held to; `None` once a job has ended.
    plan: Option<HeadPlan>,
    /// Whether no job of the queue is small enough for what is free, and none has ended since that was found.
    is_full: bool,
    /// Where in the queue a job has joined since the last plan, and how many have.
    joined: Option<QueueSpot>,
    joiners: usize,
    starts: Vec<Time>,
    /// Waiting jobs that are asked about and have not started.
    left: usize,
    /// The jobs that join later, if there are any: which of the waiting jobs are asked about, and since when each job counts as waiting.
    joins: JoinState,
    is_asked: Vec<bool>,
    since: Vec<i64>,
    /// The number of the job of each holding that began in the run.
    holders: Vec<u32>,
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
    /// Waiting jobs that are asked about together, of which some join the queue later; without them, all that wait are asked about. With
    /// them, arrivals come again once the last has come, each time `shift` later.
    pub joining: Option<&'a Joining>,
}

impl RunOn {
    /// When each waiting job starts, [`Time::NEVER`] where it does not before `until`. With `target`, only until that one of
    /// the waiting jobs has started.
    pub fn starts(&mut self, state: &RunOnState<'_>, target: Option<usize>, until: Time) -> &[Time] {
        let now = state.now.0;
        self.set(state);
        // Jobs that are asked about together may take longer than the arrivals last.
        let again = state.joining.map(|_| state.shift).filter(|again| *again > Seconds::ZERO);
        let mut arrivals = state.arrivals.iter();
        let mut shift = state.shift.0;
        let shifted = std::iter::from_fn(|| {
            if arrivals.as_slice().is_empty()
                && let Some(again) = again
            {
                arrivals = state.arrivals.iter();
                shift = shift.saturating_add(again.0);
            }
            arrivals.next().map(|&(at, job)| (at.0.saturating_add(shift).max(now), job))
        });
        let mut joins = state.last_joins.filter(|_| !state.waiting.is_empty()).map(|at| at.0.max(now));
        if joins.is_some() {
            let last = state.waiting.len() as u32 - 1;
            self.first.retain(|&number| number != last);
        }
        self.queue.set(&self.first, &self.jobs);
        self.plan(now, state.waiting.len());
        let mut coming = shifted.peekable();
        let is_done = |run: &RunOn| match target {
            Some(target) => run.starts.get(target).is_none_or(|&start| start != Time::NEVER),
            None => run.left == 0,
        };
        while !is_done(self) {
            let end = self.ends.peek().map(|&Reverse((at, _))| at);
            let arrival = coming.peek().map(|&(at, _)| at);
            let later = state.joining.and_then(|_| self.joins.next());
            let next = end.into_iter().chain(arrival).chain(joins).chain(later).min();
            let Some(at) = next.filter(|&at| at < until.0) else { break };
            while let Some(&Reverse((due, number))) = self.ends.peek()
                && due <= at
            {
                self.ends.pop();
                self.end(number);
                if let Some(joining) = state.joining {
                    self.tell_end(number as usize, state, joining, at);
                }
            }
            if let Some(joining) = state.joining {
                self.joins.reached(joining, at);
                self.join_due(joining);
            }
            if let Some(due) = joins
                && due <= at
            {
                joins = None;
                self.join(state.waiting.len() as u32 - 1);
            }
            while let Some(&(due, job)) = coming.peek()
                && due <= at
            {
                coming.next();
                self.jobs.push(job);
                if state.joining.is_some() {
                    self.since.push(at);
                }
                self.join(self.jobs.len() as u32 - 1);
            }
            self.plan(at, state.waiting.len());
        }
        &self.starts
    }

    fn join(&mut self, number: u32) {
        let job = self.jobs[number as usize];
        let at = self.queue.join(number, &job, |other| self.jobs[other as usize].rank >= job.rank);
        (self.joined, self.joiners) = (Some(at), self.joiners + 1);
    }

    /// Tells those that wait for the end of a job that it has ended.
    fn tell_end(&mut self, holding: usize, state: &RunOnState<'_>, joining: &Joining, at: i64) {
        let end = match holding.checked_sub(state.running.len()) {
            None => AwaitedEnd::Running(holding as u32),
            Some(begun) => AwaitedEnd::Waiting(self.holders[begun]),
        };
        self.joins.ended(joining, end, at);
    }

    /// The jobs that are due join the queue: among those of the same rank behind all that have been waiting for longer.
    fn join_due(&mut self, joining: &Joining) {
        while let Some(joiner) = self.joins.joins.pop() {
            let number = joining.joiners()[joiner as usize].place;
            let since = self.joins.since(joiner);
            self.since[number as usize] = since;
            let job = self.jobs[number as usize];
            let at = self.queue.join(number, &job, |other| {
                let ranked = self.jobs[other as usize].rank.total_cmp(&job.rank).reverse();
                ranked.then((self.since[other as usize], other).cmp(&(since, number))).is_lt()
            });
            (self.joined, self.joiners) = (Some(at), self.joiners + 1);
        }
    }

    /// Takes those that join later out of the queue.
    fn set_joining(&mut self, joining: &Joining, now: i64) {
        self.since.clear();
        self.since.resize(self.jobs.len(), now);
        self.joins.set(joining, now);
        self.is_asked.extend((0..self.jobs.len()).map(|place| joining.has(place)));
        let mut is_out = self.is_asked.clone();
        for joiner in self.joins.joins.drain(..) {
            is_out[joining.joiners()[joiner as usize].place as usize] = false;
        }
        self.first.retain(|&number| !is_out[number as usize]);
        self.left = joining.joiners().len();
    }

    fn set(&mut self, state: &RunOnState<'_>) {
        self.free = i64::from(state.free);
        let mut ends = std::mem::take(&mut self.ends).into_vec();
        ends.clear();
        self.holdings.clear();
        self.held.clear();
        let now = state.now.0;
        for (one, number) in state.running.iter().zip(0..) {
            let planned_end = if one.planned_end.0 <= now { now + OUTLIVED } else { one.planned_end.0 };
            self.held.push((planned_end, one.procs));
            self.holdings.push(Holding { planned_end, number, procs: one.procs });
            ends.push(Reverse((one.end.0.max(now + 1), number)));
        }
        self.ends = ends.into();
        self.holdings.sort_unstable();
        self.jobs.clear();
        self.jobs.extend_from_slice(state.waiting);
        self.first.clear();
        self.first.extend(0..state.waiting.len() as u32);
        self.first
            .sort_by(|&one, &other| self.jobs[other as usize].rank.total_cmp(&self.jobs[one as usize].rank));
        self.starts.clear();
        self.starts.resize(state.waiting.len(), Time::NEVER);
        self.left = state.waiting.len();
        self.holders.clear();
        self.is_asked.clear();
        if let Some(joining) = state.joining {
            self.set_joining(joining, now);
        }
        self.plan = None;
        self.is_full = false;
        (self.joined, self.joiners) = (None, 0);
    }

    fn end(&mut self, number: u32) {
        let (planned_end, procs) = self.held[number as usize];
        self.free += i64::from(procs);
        self.plan = None;
        self.is_full = false;
        if let Ok(place) = self.holdings.binary_search(&Holding { planned_end, number, procs }) {
            self.holdings.remove(place);
        }
    }

    fn start(&mut self, at: i64, number: u32, waiting: usize) {
        let job = self.jobs[number as usize];
        self.free -= i64::from(job.procs);
        let planned_end = at.saturating_add(job.planned.max(1));
        let holding = Holding { planned_end, number: self.held.len() as u32, procs: job.procs };
        self.held.push((planned_end, job.procs));
        self.holders.push(number);
        self.ends.push(Reverse((at.saturating_add(job.run.max(1)), holding.number)));
        let place = self.holdings.partition_point(|other| *other < holding);
        self.holdings.insert(place, holding);
        if (number as usize) < waiting {
            self.starts[number as usize] = Time(at);
            self.left -= usize::from(self.is_asked.get(number as usize).is_none_or(|&asked| asked));
        }
    }

    /// Starts jobs from the head while they fit, then those behind that do not delay the head.
    fn plan(&mut self, at: i64, waiting: usize) {
        let (joined, joiners) = (self.joined.take(), std::mem::take(&mut self.joiners));
        if let Some(joined) = joined
            && joiners == 1
        {
            let procs = self.jobs[self.queue.number(joined) as usize].procs;
            if self.is_full && i64::from(procs) > self.free {
                return;
            }
            // Where all that has happened since the last plan is that a job joined behind the head, only that job can start.
            if let Some(mut plan) = self.plan
                && !joined.is_head()
                && plan.shadow >= at
            {
                if self.starts_behind(joined, &mut plan, at, waiting) {
                    self.queue.remove(joined);
                }
                self.plan = Some(plan);
                return;
            }
        }
        while let Some(head) = self.queue.head()
            && i64::from(self.jobs[head as usize].procs) <= self.free
        {
            self.start(at, head, waiting);
            self.queue.remove(QueueSpot::HEAD);
        }
        self.plan = None;
        let Some(head) = self.queue.head() else { return };
        self.is_full = !self.queue.has_behind(self.free);
        // Where no job behind the head is small enough, when the head is to start is not looked for.
        if self.is_full {
            return;
        }
        let Some(mut plan) = self.shadow(at, i64::from(self.jobs[head as usize].procs)) else { return };
        let mut from = QueueSpot::BEHIND_HEAD;
        loop {
            let room =
                BehindRoom { free: self.free, seconds: plan.shadow.saturating_sub(at), extra: plan.extra };
            let Some(next) = self.queue.next_to_start(from, room) else { break };
            from = match self.starts_behind(next, &mut plan, at, waiting) {
                true => self.queue.remove(next),
                false => next.next(),
            };
        }
        self.plan = Some(plan);
    }

    /// Starts a job behind the head if it does not delay the head. It stays in the queue.
    fn starts_behind(&mut self, job: QueueSpot, plan: &mut HeadPlan, at: i64, waiting: usize) -> bool {
        let number = self.queue.number(job);
        let QueuedJob { procs, planned, .. } = self.jobs[number as usize];
        let procs = i64::from(procs);
        let in_time = at.saturating_add(planned) <= plan.shadow;
        let starts = procs <= self.free && (in_time || procs <= plan.extra);
        if starts {
            self.start(at, number, waiting);
            if !in_time {
                plan.extra -= procs;
            }
        }
        starts
    }

    /// When `wanted` processors will be free by the plans, and how many more then; `None` if never, and then no job may be
    /// backfilled.
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
