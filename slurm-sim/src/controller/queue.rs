//! The queue in order, and what jobs in it wait for.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::job::{ControlledJob, CtlState};
use super::queue_record::QueueRecord;
use super::state::Controller;
use crate::cluster::{DependencyKind, DependencyOn};

/// When the delay of a dependency ends, in seconds: counted from the needed job's start, or its cancellation while pending.
fn delayed(needed: &ControlledJob, on: &DependencyOn) -> i64 {
    let since = if needed.by.is_some() { needed.start } else { needed.end };
    since.saturating_add(on.delay.0)
}

impl Controller<'_> {
    /// Whether a job is eligible by hold, begin time, dependencies and its reservation; `None` if it never will be.
    pub(super) fn is_ready(&self, job: usize) -> Option<bool> {
        let (one, now) = (&self.jobs[job], self.now());
        let met = self.dependency_met(job)?;
        let has_begun = |name: &String| {
            self.reservations.iter().any(|reserved| reserved.name == *name && reserved.start.0 <= now)
        };
        Some(met && !one.is_held && one.begin <= now && one.reservation.as_ref().is_none_or(has_begun))
    }

    /// The position of a job's submission in the order of submission.
    fn rank(&self, job: usize) -> usize {
        self.ranks[self.jobs[job].submission]
    }

    /// Whether a job of this job's name and user runs or was pending before it (dependency `singleton`).
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

    /// The tasks that a condition names; `None` if there is no such job.
    fn needed(&self, on: &DependencyOn) -> Option<Vec<&ControlledJob>> {
        let whole = on.job.trim_start_matches('@');
        let (name, task) = match whole.rsplit_once('_') {
            Some((name, task)) if !self.keys.contains_key(whole) => (name, task.parse::<u32>().ok()),
            _ => (whole, None),
        };
        let tasks = self.of_submission[*self.keys.get(name)?].iter().map(|&one| &self.jobs[one]);
        Some(tasks.filter(|one| task.is_none() || one.task == task).collect())
    }

    /// When the dependency delays of a job end, of those needed jobs that have started or were cancelled while pending.
    pub(super) fn delayed_until(&self, job: usize) -> Vec<i64> {
        let dependency = self.submissions[self.jobs[job].submission].request.dependency.iter();
        let with_delay = dependency.flat_map(|one| &one.on).filter(|on| on.delay.0 > 0);
        let ends = with_delay.flat_map(|on| {
            let tasks = self.needed(on).unwrap_or_default().into_iter();
            let begun = tasks.filter(|one| !matches!(one.state, CtlState::ToCome | CtlState::Waiting));
            begun.map(move |one| delayed(one, on))
        });
        ends.collect()
    }

    /// Whether the dependencies of a job are met; `None` if they never can be.
    pub(super) fn dependency_met(&self, job: usize) -> Option<bool> {
        let Some(dependency) = &self.submissions[self.jobs[job].submission].request.dependency else {
            return Some(true);
        };
        let mut all = true;
        let mut any = false;
        let mut never = false;
        for on in &dependency.on {
            let met = match self.needed(on) {
                _ if on.kind == DependencyKind::Singleton => Some(!self.has_namesake(job)),
                // A job that is not known counts as one that ended long ago.
                None => Some(on.kind != DependencyKind::AfterNotOk),
                Some(tasks) => {
                    let states: Vec<CtlState> = tasks.iter().map(|one| one.state).collect();
                    let over = |state: &CtlState| {
                        matches!(state, CtlState::Ended { .. } | CtlState::Cancelled | CtlState::Refused)
                    };
                    let well = |state: &CtlState| *state == CtlState::Ended { well: true };
                    match on.kind {
                        DependencyKind::After => {
                            let now = self.now();
                            Some(tasks.iter().all(|one| {
                                (over(&one.state) || one.state == CtlState::Running)
                                    && now >= delayed(one, on)
                            }))
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

    /// Adds an eligible job to the queue. Of a job array, only one pending task is in it at a time.
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

    /// A job has left the queue: the next pending task of its array takes its place. Its own records stay until the queue is next
    /// rebuilt, and are skipped by the job's state.
    pub(super) fn dequeue(&mut self, job: usize) {
        let (submission, is_task) = (self.jobs[job].submission, self.jobs[job].task.is_some());
        self.left += 1;
        if is_task && self.heads.get(&submission) == Some(&job) {
            self.heads.remove(&submission);
            // A requeued task may not be eligible yet.
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
        self.requeued.clear();
        let mut unready = std::mem::take(&mut self.unready);
        let mut gone = Vec::new();
        unready.retain(|&job| {
            if self.jobs[job].state != CtlState::Waiting {
                return false;
            }
            match self.is_ready(job) {
                Some(true) => {
                    self.has_become_ready(job);
                    self.jobs[job].was_seen = true;
                    false
                }
                None if self.cluster.settings.jobs.kill_invalid_depend => {
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
        self.begin_ageing();
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

    /// A job that is eligible at its submission is compared with the pending jobs, in the order of their records, up to the first
    /// of higher priority. Pending jobs that have become eligible are noticed here.
    pub(super) fn look_at_waiting(&mut self, new: usize) {
        let settings = &self.cluster.settings;
        let by_age = settings.backfill.as_ref().is_some_and(|one| one.min_age_reserve.0 > 0);
        if settings.main.defer || by_age {
            return;
        }
        let is_found = |job: &usize| {
            self.jobs[*job].state == CtlState::Waiting
                && self.is_ready(*job) == Some(true)
                && !self.is_throttled(*job, 0)
        };
        let mut found: Vec<usize> = self.unready.iter().copied().filter(is_found).collect();
        if found.is_empty() {
            return;
        }
        found.sort_by_key(|&job| self.record_of(job));
        let is_higher = |job: usize| {
            let (one, new) = (&self.jobs[job], &self.jobs[new]);
            one.reservation == new.reservation && one.places[0].priority > new.places[0].priority
        };
        let is_limited = |job: usize| {
            let at = &self.jobs[job].places[0];
            self.limits.before_selection(&at.limits, at.limit).is_some() || self.is_over_at_least(at)
        };
        let stops = |&&job: &&usize| {
            job != new && self.jobs[job].eligible.is_some() && is_higher(job) && !is_limited(job)
        };
        let mut last = self.waiting.iter().filter(stops).map(|&job| self.record_of(job)).min();
        let mut reached = BTreeSet::new();
        for job in found {
            let record = self.record_of(job);
            if last.is_some_and(|last| record > last) {
                break;
            }
            if is_higher(job) {
                last = Some(record);
            }
            reached.insert(job);
        }
        for &job in &reached {
            self.has_become_ready(job);
            self.unseen.push(job);
        }
        self.unready.retain(|job| !reached.contains(job));
    }

    /// Notes since when a job that has become eligible is so, and adds it to the queue.
    fn has_become_ready(&mut self, job: usize) {
        let (begin, now) = (self.jobs[job].begin, self.now());
        self.jobs[job].eligible = Some(if begin > self.jobs[job].submit { begin } else { now });
        self.enqueue(job);
    }

    /// Returns the queue after a pass or cycle, merged with the jobs that entered it meanwhile.
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

    /// The pending task of this job's array that comes after `after` others.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{JobArray, PriorityKind, SubmittedJob};
    use crate::controller::Phases;
    use crate::controller::tests::{cluster, job};

    /// Since when the first job, an array, could start, once the second was submitted two seconds later.
    fn ready_since(first: u32, second: u32, change: impl Fn(&mut SubmittedJob)) -> Option<i64> {
        let mut cluster = cluster(2);
        cluster.settings.priority.kind = PriorityKind::Multifactor;
        let mut jobs = vec![job(0, 0, 1, 5, 60), job(1, 2, 1, 5, 60)];
        jobs[0].request.array = Some(JobArray { indices: vec![1, 2], throttle: None });
        (jobs[0].request.priority, jobs[1].request.priority) = (Some(first), Some(second));
        change(&mut jobs[1]);
        let mut controller = Controller::new(&cluster, &jobs, Phases::from_start(0, 30));
        controller.submit(0);
        assert_eq!(controller.jobs[0].eligible, None, "no pass has seen it");
        controller.now_us += 2_000_000;
        controller.submit(1);
        controller.jobs[0].eligible
    }

    #[test]
    fn a_submission_finds_jobs_that_have_become_ready() {
        assert_eq!(ready_since(5, 9, |_| ()), Some(2));
        assert_eq!(ready_since(9, 5, |_| ()), Some(2), "it is reached, and ends the look");
        // Controls: a job that cannot start itself looks at nothing.
        assert_eq!(ready_since(5, 9, |job| job.request.hold = true), None);
        let is_array = |job: &mut SubmittedJob| {
            job.request.array.clone_from(&Some(JobArray { indices: vec![1], throttle: None }))
        };
        assert_eq!(ready_since(5, 9, is_array), None);
    }
}
