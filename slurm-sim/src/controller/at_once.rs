//! A controller that plans at once: the backfilling family (first come, first served; EASY; shortest first; conservative) on nodes with
//! parts.
//!
//! It has no timers and no delays. After all events of an instant, ends first, pending jobs are considered in the order of their
//! submission, each with [`first_start`](Controller::first_start): a job that can start now starts; another is promised a start,
//! as long as fewer than `depth` jobs of its partition have one. Limits, dependencies, arrays, holds, begin times, reservations
//! and node failures work as in the Slurm controller. Priorities, priority tiers and preemption are ignored: the rules set the
//! order. A job that the nodes in service cannot run is skipped until they can.

use std::fmt;

use super::clock::{Due, LAST_SECOND, on_clock};
use super::job::{JobStage, StartedBy};
use super::promises::{FirstStart, Promise};
use super::state::Controller;
use crate::cluster::ClusterEvent;
use crate::controller::handles::JobHandle;
use crate::controller::queue::WaitReason;
use queuecast_core::units::Micros;

/// A member of the backfilling family. Jobs come in the order of their submission.
#[derive(Clone, Copy)]
pub struct SiteRules<'r> {
    /// At most this number of pending jobs of each partition is promised a start.
    pub depth: usize,
    /// The others start if they can beside what is promised, in the order of this number of their processors and limit in seconds,
    /// then of their submission. `None`: behind a job that waits no other of its partition starts.
    pub rank: Option<&'r dyn Fn(u32, i64) -> u64>,
    /// Promises are kept, and moved earlier when a job ends; otherwise they are made anew each time. Only where every job is promised
    /// a start.
    pub keeps: bool,
}

impl fmt::Debug for SiteRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SiteRules {{ depth: {}, has_rank: {}, keeps: {} }}",
            self.depth,
            self.rank.is_some(),
            self.keeps
        )
    }
}

/// What has happened since the last plan.
#[derive(Debug, Clone, Copy, Default)]
struct SincePlan {
    /// Something came free: promises may move earlier.
    eased: bool,
    /// Promises may not be kept any more.
    broken: bool,
}

impl Controller<'_> {
    /// Runs until nothing happens any more. Time is in whole seconds.
    pub fn run_at_once(&mut self, rules: &SiteRules<'_>, events: &[ClusterEvent]) {
        let instant = |at: Micros| Micros::from(on_clock(at).second());
        // Jobs are charged when they end, for all of their time.
        self.priorities.last_charge = -LAST_SECOND;
        let mut arrivals = self.jobs.by_submission().to_vec().into_iter().peekable();
        let mut events = events.iter().peekable();
        let mut promises = Vec::new();
        loop {
            let arrival = arrivals.peek().map_or(Micros::NEVER, |&one| instant(self.jobs.asked(one).submit));
            let event = events.peek().map_or(Micros::NEVER, |event| instant(event.at));
            let end = self.clock.next_due();
            let next = arrival.min(event).min(end).min(self.wakes_at(&promises));
            if next == Micros::NEVER {
                break;
            }
            self.clock.advance(next);
            let mut happened = SincePlan { eased: self.settle_dues(), broken: false };
            while let Some(event) = events.next_if(|event| instant(event.at) <= self.clock.now()) {
                self.act(&event.action);
                happened = SincePlan { eased: true, broken: true };
            }
            while let Some(submission) =
                arrivals.next_if(|&one| instant(self.jobs.asked(one).submit) <= self.clock.now())
            {
                self.submit(submission);
            }
            happened.eased |= self.settle_dues();
            // Jobs that have become ready are found as the queue is looked at.
            let queue = self.take_queue();
            self.queue.give_back(queue);
            if rules.keeps {
                self.plan_kept(&mut promises, happened);
            } else {
                promises = self.plan_anew(rules);
            }
        }
    }

    /// What is due by now happens; whether something did.
    fn settle_dues(&mut self) -> bool {
        let mut has_ended = false;
        while self.clock.next_due() <= self.clock.now() {
            let Some(due) = self.clock.take_due() else { break };
            match due {
                Due::End(job, incarnation) | Due::Limit(job, incarnation) => {
                    let one = &self.jobs[job];
                    if one.state == JobStage::Running && one.last.incarnation == incarnation {
                        self.end(job, matches!(due, Due::End(..)));
                        has_ended = true;
                    }
                }
                Due::Release(job) => {
                    self.release(job);
                    has_ended = true;
                }
            }
        }
        has_ended
    }

    /// When to plan though nothing happens: a promised start, a begin time, a delay, a reservation; the end of time if there is none.
    fn wakes_at(&self, promises: &[Promise]) -> Micros {
        let now = self.second();
        let starts = promises.iter().map(|promise| promise.start).filter(|&at| at <= LAST_SECOND);
        let next = starts.chain(self.openings(&self.queue.unready)).filter(|&at| at > now).min();
        next.filter(|_| !self.queue.waiting.is_empty()).map_or(Micros::NEVER, Micros::of_seconds)
    }

    /// Waiting jobs that could start as far as they themselves go, in the order of their submission.
    fn in_turn(&self) -> Vec<JobHandle> {
        let mut jobs: Vec<JobHandle> = self
            .queue
            .waiting
            .iter()
            .copied()
            .filter(|&job| self.jobs[job].wait.eligible.is_some())
            .collect();
        jobs.sort_by_key(|&job| self.turn(job));
        jobs
    }

    fn turn(&self, job: JobHandle) -> (i64, Micros, JobHandle) {
        let one = &self.jobs[job];
        (one.wait.submit, self.jobs.submission(job).submit, job)
    }

    /// Whether a limit, or the number of tasks of its array that may run at one time, keeps a job from being asked about.
    fn is_kept_back(&mut self, job: JobHandle, place: usize, promises: &[Promise]) -> bool {
        let submission = self.jobs[job].submission;
        let is_sibling = |one: &&Promise| self.jobs[one.job].submission == submission && one.job != job;
        let tasks = match self.jobs[job].task {
            Some(_) => promises.iter().filter(is_sibling).count(),
            None => 0,
        };
        if self.jobs.is_throttled(job, tasks) {
            self.waits_for(job, place, WaitReason::ArrayLimit);
            return true;
        }
        if self.lacks_licenses(job) {
            self.waits_for(job, place, WaitReason::Licenses);
            return true;
        }
        let at = &self.jobs[job].partitions[place];
        let is_limited = at.is_barred
            || self.limits.before_selection(&at.limits, at.limit).is_some()
            || self.is_over_at_least(at);
        if is_limited {
            self.waits_for(job, place, WaitReason::Limit);
        }
        is_limited
    }

    /// Starts a job now on these nodes, unless that is more than a limit allows.
    fn start_now(&mut self, job: JobHandle, place: usize, nodes: &[usize], promises: &[Promise]) -> bool {
        let one = &self.jobs[job];
        let at = one.partitions[place].clone();
        let shares = self.pool.given(nodes, &at.kept.need);
        let amounts = self.limits.amounts(&shares, at.partition);
        if self.limits.before_selection(&at.limits, at.limit).is_some()
            || self.is_over(&at, &amounts, &shares)
        {
            self.waits_for(job, place, WaitReason::Limit);
            return false;
        }
        if self.lacks_licenses(job) {
            self.waits_for(job, place, WaitReason::Licenses);
            return false;
        }
        let is_passed = |one: &Promise| {
            self.jobs[one.job].state == JobStage::Waiting
                && self.jobs[one.job].partitions[one.place].partition == at.partition
                && self.turn(one.job) < self.turn(job)
        };
        let by = if promises.iter().any(is_passed) { StartedBy::Backfill } else { StartedBy::Main };
        self.start(job, place, shares, amounts, by);
        let limit = Due::Limit(job, self.jobs[job].last.incarnation);
        self.clock.set_due(Micros::of_seconds(at.limit), limit);
        true
    }

    /// The earliest start of a job in these of its partitions, before an instant.
    fn earliest_of(
        &self,
        job: JobHandle,
        places: &[usize],
        promises: &[Promise],
        (without, before): (Option<usize>, i64),
    ) -> Option<(usize, FirstStart)> {
        let mut best: Option<(usize, FirstStart)> = None;
        for &place in places {
            let before = best.as_ref().map_or(before, |(_, found)| found.start);
            best = self
                .first_start((job, place), promises, without, before)
                .map(|found| (place, found))
                .or(best);
        }
        best
    }

    /// Plans as if for the first time; what is promised then.
    fn plan_anew(&mut self, rules: &SiteRules<'_>) -> Vec<Promise> {
        let now = self.second();
        let mut promises: Vec<Promise> = Vec::new();
        let mut promised = vec![0; self.cluster.partitions.len()];
        let mut others = Vec::new();
        for job in self.in_turn() {
            let all = self.jobs[job].partitions.len();
            let places: Vec<usize> =
                (0..all).filter(|&place| !self.is_kept_back(job, place, &promises)).collect();
            let is_full = |place: &usize| {
                let here: usize = promised[self.jobs[job].partitions[*place].partition];
                here >= rules.depth || here > 0 && rules.rank.is_none()
            };
            let (full, open): (Vec<usize>, Vec<usize>) = places.into_iter().partition(is_full);
            full.iter().for_each(|&place| self.waits_for(job, place, WaitReason::Priority));
            let found = self.earliest_of(job, &open, &promises, (None, i64::MAX));
            if let Some((place, found)) = found {
                if found.start <= now {
                    if self.start_now(job, place, &found.nodes, &promises) {
                        move_promises(&mut promises, found.moved);
                    }
                    continue;
                }
                self.waits_for(job, place, WaitReason::Resources);
                promised[self.jobs[job].partitions[place].partition] += 1;
                self.promise(&mut promises, (job, place), found);
            }
            others.extend(full.into_iter().map(|place| (job, place)));
        }
        let Some(rank) = rules.rank else { return promises };
        others.sort_by_cached_key(|&(job, place)| {
            let at = &self.jobs[job].partitions[place];
            (rank(at.kept.need.cpus, at.limit), self.turn(job))
        });
        for (job, place) in others {
            if self.jobs[job].state != JobStage::Waiting || self.is_kept_back(job, place, &promises) {
                continue;
            }
            let own = promises.iter().position(|promise| promise.job == job);
            let Some(found) = self.first_start((job, place), &promises, own, now + 1) else { continue };
            if self.start_now(job, place, &found.nodes, &promises) {
                move_promises(&mut promises, found.moved);
                promises.retain(|promise| promise.job != job);
            }
        }
        promises
    }

    fn promise(&self, promises: &mut Vec<Promise>, (job, place): (JobHandle, usize), found: FirstStart) {
        move_promises(promises, found.moved);
        let (start, end) = (found.start, found.start + self.jobs[job].partitions[place].limit);
        let at = promises.partition_point(|promise| promise.start <= start);
        promises.insert(at, Promise { job, place, start, end, nodes: found.nodes });
    }

    /// Plans with a promise for every job, which only moves earlier unless what happened does not leave it room.
    fn plan_kept(&mut self, promises: &mut Vec<Promise>, happened: SincePlan) {
        let now = self.second();
        let mut had = vec![false; self.jobs.all.len()];
        for mut promise in std::mem::take(promises) {
            let one = &self.jobs[promise.job];
            let waits = one.state == JobStage::Waiting && one.wait.eligible.is_some();
            if waits && !self.is_kept_back(promise.job, promise.place, promises) {
                promise.start = promise.start.max(now);
                had[promise.job.0] = true;
                promises.push(promise);
            }
        }
        let order = self.in_turn();
        if happened.broken {
            for promise in std::mem::take(promises) {
                let asked = (promise.job, promise.place);
                if let Some(found) = self.start_then(asked, promises, promise.start) {
                    self.promise(promises, asked, found);
                }
            }
            let displaced: Vec<JobHandle> = order.iter().copied().filter(|&job| had[job.0]).collect();
            self.promise_others(&displaced, promises);
        }
        if happened.eased {
            self.move_earlier(&order, promises);
        }
        for _ in 0..2 {
            self.promise_others(&order, promises);
            if self.start_promised(promises) {
                break;
            }
        }
    }

    /// Promises a start to each of these jobs that has none.
    fn promise_others(&mut self, order: &[JobHandle], promises: &mut Vec<Promise>) {
        let mut has_one = vec![false; self.jobs.all.len()];
        promises.iter().for_each(|promise| has_one[promise.job.0] = true);
        for &job in order {
            if has_one[job.0] || self.jobs[job].state != JobStage::Waiting {
                continue;
            }
            let all = self.jobs[job].partitions.len();
            let places: Vec<usize> =
                (0..all).filter(|&place| !self.is_kept_back(job, place, promises)).collect();
            if let Some((place, found)) = self.earliest_of(job, &places, promises, (None, i64::MAX)) {
                self.waits_for(job, place, WaitReason::Resources);
                self.promise(promises, (job, place), found);
            }
        }
    }

    /// Each in turn moves to the earliest start that the others leave it.
    fn move_earlier(&mut self, order: &[JobHandle], promises: &mut Vec<Promise>) {
        for &job in order {
            let Some(own) = promises.iter().position(|promise| promise.job == job) else { continue };
            let before = promises[own].start;
            let places: Vec<usize> = (0..self.jobs[job].partitions.len()).collect();
            if let Some((place, found)) = self.earliest_of(job, &places, promises, (Some(own), before)) {
                move_promises(promises, found.moved);
                promises.remove(own);
                let found = FirstStart { moved: Vec::new(), ..found };
                self.promise(promises, (job, place), found);
            }
        }
    }

    /// Starts those whose promised starts have come; whether each found its nodes. Those that did not have no promise any more.
    fn start_promised(&mut self, promises: &mut Vec<Promise>) -> bool {
        let now = self.second();
        let mut come: Vec<Promise> =
            promises.iter().filter(|promise| promise.start <= now).cloned().collect();
        promises.retain(|promise| promise.start > now);
        come.sort_by_key(|promise| self.turn(promise.job));
        let mut all = true;
        for promise in come {
            match self.nodes_promised(&promise) {
                Some(nodes) => {
                    self.start_now(promise.job, promise.place, &nodes, promises);
                }
                None => all = false,
            }
        }
        all
    }
}

/// Promises get other nodes.
fn move_promises(promises: &mut [Promise], moved: Vec<(usize, Vec<usize>)>) {
    for (index, nodes) in moved {
        promises[index].nodes = nodes;
    }
}
