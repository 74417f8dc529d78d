//! The queue in order, and what jobs in it wait for.

use std::cmp::Reverse;

use super::job::CtlState;
use super::queue_record::QueueRecord;
use super::state::Controller;
use crate::cluster::DependencyKind;

impl Controller<'_> {
    /// Whether a job could start as far as holds, begin times, dependencies and its reservation go; `None` if it never can.
    pub(super) fn is_ready(&self, job: usize) -> Option<bool> {
        let (one, now) = (&self.jobs[job], self.now());
        let met = self.dependency_met(job)?;
        let has_begun = |name: &String| {
            self.reservations.iter().any(|reserved| reserved.name == *name && reserved.start.0 <= now)
        };
        Some(met && !one.is_held && one.begin <= now && one.reservation.as_ref().is_none_or(has_begun))
    }

    /// Where a job's submission stands among all in the order in which they come.
    fn rank(&self, job: usize) -> usize {
        self.ranks[self.jobs[job].submission]
    }

    /// Whether a job of the same name and user runs, or waits since earlier.
    fn has_namesake(&self, job: usize) -> bool {
        let own = self.jobs[job].submission;
        let of = |place: usize| {
            let one = &self.submissions[place];
            one.request.name.as_ref().map(|name| (name, &one.user))
        };
        let Some(named) = of(own) else { return false };
        let same = |&&other: &&usize| {
            let place = self.jobs[other].submission;
            place != own && of(place) == Some(named)
        };
        self.running.iter().any(|other| same(&other))
            || self.waiting.iter().filter(same).any(|&other| self.rank(other) < self.ranks[own])
    }

    /// Whether what a job waits for has happened; `None` if it never will.
    pub(super) fn dependency_met(&self, job: usize) -> Option<bool> {
        let Some(dependency) = &self.submissions[self.jobs[job].submission].request.dependency else {
            return Some(true);
        };
        let mut all = true;
        let mut any = false;
        let mut never = false;
        for on in &dependency.on {
            let whole = on.job.trim_start_matches('@');
            let (name, task) = match whole.rsplit_once('_') {
                Some((name, task)) if !self.keys.contains_key(whole) => (name, task.parse::<u32>().ok()),
                _ => (whole, None),
            };
            let met = match self.keys.get(name) {
                _ if on.kind == DependencyKind::Singleton => Some(!self.has_namesake(job)),
                // A job that is not there has ended long ago.
                None => Some(on.kind != DependencyKind::AfterNotOk),
                Some(&place) => {
                    let states = self.of_submission[place]
                        .iter()
                        .filter(|&&one| task.is_none() || self.jobs[one].task == task)
                        .map(|&one| self.jobs[one].state);
                    let states: Vec<CtlState> = states.collect();
                    let over = |state: &CtlState| {
                        matches!(state, CtlState::Ended { .. } | CtlState::Cancelled | CtlState::Refused)
                    };
                    let well = |state: &CtlState| *state == CtlState::Ended { well: true };
                    match on.kind {
                        DependencyKind::After => {
                            Some(states.iter().all(|state| over(state) || *state == CtlState::Running))
                        }
                        DependencyKind::AfterOk | DependencyKind::AfterCorr => {
                            if states.iter().any(|state| over(state) && !well(state)) {
                                None
                            } else {
                                Some(states.iter().all(well))
                            }
                        }
                        DependencyKind::AfterNotOk => {
                            if states.iter().all(over) {
                                if states.iter().all(well) { None } else { Some(true) }
                            } else {
                                Some(false)
                            }
                        }
                        _ => Some(states.iter().all(over)),
                    }
                }
            };
            match met {
                Some(true) => any = true,
                Some(false) => all = false,
                None => (all, never) = (false, true),
            }
        }
        if dependency.any {
            if any { Some(true) } else { Some(false) }
        } else if never {
            None
        } else {
            Some(all)
        }
    }

    /// A job has become ready: it is put into the queue. Of an array only one task is in it at a time.
    pub(super) fn enqueue(&mut self, job: usize) {
        let one = &self.jobs[job];
        if one.task.is_some() {
            let head = *self.heads.entry(one.submission).or_insert(job);
            if head != job {
                return;
            }
        }
        for place in 0..self.jobs[job].places.len() {
            let record = self.record(job, place);
            let at = self.order.partition_point(|other| other.key < record.key);
            self.order.insert(at, record);
        }
    }

    /// A job has left the queue: the next task of its array takes its place. Its own records stay until the queue is next made
    /// anew; its state tells that they do not count.
    pub(super) fn dequeue(&mut self, job: usize) {
        let (submission, is_task) = (self.jobs[job].submission, self.jobs[job].task.is_some());
        self.left += 1;
        if is_task && self.heads.get(&submission) == Some(&job) {
            self.heads.remove(&submission);
            // One that has gone back to the queue may not be ready yet.
            let tasks = self.of_submission[submission].iter().skip(self.arrays[submission].waiting_from);
            let is_ready = |&&one: &&usize| {
                self.jobs[one].state == CtlState::Waiting && self.jobs[one].eligible.is_some()
            };
            if let Some(&next) = tasks.clone().find(is_ready) {
                self.enqueue(next);
            }
        }
    }

    fn record(&self, job: usize, place: usize) -> QueueRecord {
        let one = &self.jobs[job];
        let at = &one.places[place];
        let key = (
            one.reservation.is_none(),
            Reverse(self.cluster.partitions[at.partition].priority_tier),
            Reverse(at.priority),
            one.submit,
            (self.rank(job), one.task, place),
        );
        QueueRecord { key, job, place }
    }

    /// Takes the queue, in order: reservation first, tier, priority, submission. Jobs that have become ready are in it and count
    /// as seen. It is given back by [`give_back`](Controller::give_back).
    pub(super) fn take_queue(&mut self) -> Vec<QueueRecord> {
        let now = self.now();
        self.requeued.clear();
        let mut unready = std::mem::take(&mut self.unready);
        let mut gone = Vec::new();
        unready.retain(|&job| {
            if self.jobs[job].state != CtlState::Waiting {
                return false;
            }
            match self.is_ready(job) {
                Some(true) => {
                    let begin = self.jobs[job].begin;
                    let since = if begin > self.jobs[job].submit { begin } else { now };
                    self.jobs[job].eligible = Some(since);
                    self.jobs[job].was_seen = true;
                    self.enqueue(job);
                    false
                }
                None if self.cluster.settings.kill_invalid_depend => {
                    gone.push(job);
                    false
                }
                _ => true,
            }
        });
        self.unready = unready;
        gone.into_iter().for_each(|job| self.withdraw(job));
        for job in std::mem::take(&mut self.unseen) {
            self.jobs[job].was_seen = true;
        }
        if self.is_order_stale || self.left > 64.max(self.order.len() / 2) {
            self.order.retain(|record| self.jobs[record.job].state == CtlState::Waiting);
            self.left = 0;
        }
        let mut order = std::mem::take(&mut self.order);
        if std::mem::take(&mut self.is_order_stale) {
            order.iter_mut().for_each(|record| *record = self.record(record.job, record.place));
            order.sort_unstable_by_key(|record| record.key);
        }
        order
    }

    /// Gives the queue back, with the jobs that came into it meanwhile.
    pub(super) fn give_back(&mut self, mut order: Vec<QueueRecord>) {
        let requeued = std::mem::take(&mut self.requeued);
        if !requeued.is_empty() {
            order.retain(|record| !requeued.contains(&record.job));
        }
        for record in std::mem::replace(&mut self.order, order) {
            let at = self.order.partition_point(|other| other.key < record.key);
            self.order.insert(at, record);
        }
    }

    /// The next task of the same array that waits.
    pub(super) fn next_task(&self, job: usize, after: usize) -> Option<usize> {
        let submission = self.jobs[job].submission;
        let own = &self.of_submission[submission];
        let waits = |one: &usize| self.jobs[*one].state == CtlState::Waiting;
        own.iter().skip(self.arrays[submission].waiting_from).copied().filter(waits).nth(after)
    }

    pub(super) fn is_throttled(&self, job: usize, planned: usize) -> bool {
        let submission = self.jobs[job].submission;
        let array = self.submissions[submission].request.array.as_ref();
        let most = array.and_then(|array| array.throttle).filter(|most| *most > 0);
        most.is_some_and(|most| self.arrays[submission].running + planned >= most as usize)
    }
}
