//! The queue in order, and what jobs in it wait for.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::record::QueueRecord;
use crate::cluster::{DependencyKind, DependencyOn};
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::job::{ControlledJob, JobStage};
use crate::controller::state::Controller;

/// When the delay of a dependency ends, in seconds: counted from the needed job's start, or its cancellation while pending.
fn delayed(needed: &ControlledJob, on: &DependencyOn) -> i64 {
    let since = if needed.last.by.is_some() { needed.last.start } else { needed.last.end };
    since.saturating_add(on.delay.0)
}

impl Controller<'_> {
    /// Whether a job is eligible by hold, begin time, dependencies and its reservation; `None` if it never will be.
    pub fn is_ready(&self, job: JobHandle) -> Option<bool> {
        let (one, now) = (&self.jobs[job], self.second());
        let met = self.dependency_met(job)?;
        let has_begun = |name: &String| {
            let mut own = self.pool.reservations.iter().filter(|reserved| reserved.name == *name);
            own.any(|reserved| reserved.start.0 <= now || reserved.flags.flexible)
        };
        Some(
            met && !one.terms.is_held
                && one.terms.begin <= now
                && one.terms.reservation.as_ref().is_none_or(has_begun),
        )
    }

    /// Whether a job of this job's name and user runs or was pending before it (dependency `singleton`).
    fn has_namesake(&self, job: JobHandle) -> bool {
        let own = self.jobs[job].submission;
        let of = |submission: SubmissionHandle| {
            let one = self.jobs.asked(submission);
            one.request.name.as_ref().map(|name| (name, &one.user))
        };
        let Some(named) = of(own) else { return false };
        let same = |&&other: &&JobHandle| {
            let submission = self.jobs[other].submission;
            submission != own && of(submission) == Some(named)
        };
        self.jobs.running.iter().any(|other| same(&other))
            || self
                .queue
                .waiting
                .iter()
                .filter(same)
                .any(|&other| self.jobs.rank(other) < self.jobs.rank_of(own))
    }

    /// The tasks that a condition names; `None` if there is no such job.
    fn needed(&self, on: &DependencyOn) -> Option<Vec<&ControlledJob>> {
        let whole = on.job.trim_start_matches('@');
        let (name, task) = match whole.rsplit_once('_') {
            Some((name, task)) if self.jobs.named(whole).is_none() => (name, task.parse::<u32>().ok()),
            _ => (whole, None),
        };
        let tasks = self.jobs.tasks(self.jobs.named(name)?).iter().map(|&one| &self.jobs[one]);
        Some(tasks.filter(|one| task.is_none() || one.task == task).collect())
    }

    /// When the dependency delays of a job end, of those needed jobs that have started or were cancelled while pending.
    pub fn delayed_until(&self, job: JobHandle) -> Vec<i64> {
        let dependency = self.jobs.submission(job).request.dependency.iter();
        let with_delay = dependency.flat_map(|one| &one.on).filter(|on| on.delay.0 > 0);
        let ends = with_delay.flat_map(|on| {
            let tasks = self.needed(on).unwrap_or_default().into_iter();
            let begun = tasks.filter(|one| !matches!(one.state, JobStage::ToCome | JobStage::Waiting));
            begun.map(move |one| delayed(one, on))
        });
        ends.collect()
    }

    /// Whether the dependencies of a job are met; `None` if they never can be.
    pub fn dependency_met(&self, job: JobHandle) -> Option<bool> {
        let Some(dependency) = &self.jobs.submission(job).request.dependency else {
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
                    let states: Vec<JobStage> = tasks.iter().map(|one| one.state).collect();
                    let over = |state: &JobStage| {
                        matches!(state, JobStage::Ended { .. } | JobStage::Cancelled | JobStage::Refused)
                    };
                    let well = |state: &JobStage| *state == JobStage::Ended { well: true };
                    match on.kind {
                        DependencyKind::After => {
                            let now = self.second();
                            Some(tasks.iter().all(|one| {
                                (over(&one.state) || one.state == JobStage::Running)
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

    /// Adds an eligible job to the queue. Of the tasks of an array that have not started yet, only one is in it at a time; a task
    /// that was requeued is there by itself.
    pub fn enqueue(&mut self, job: JobHandle) {
        let one = &self.jobs[job];
        if one.task.is_some() && one.last.incarnation == 0 {
            let submission = one.submission;
            if !self.queue.heads_array(submission, job) {
                return;
            }
        }
        for place in 0..self.jobs[job].partitions.len() {
            let record = self.record(job, place);
            self.queue.insert(record);
        }
    }

    /// A job has left the queue: the next pending task of its array takes its place. Its own records stay until the queue is next
    /// taken, and are skipped by the job's state.
    pub fn dequeue(&mut self, job: JobHandle) {
        let (submission, is_task) = (self.jobs[job].submission, self.jobs[job].task.is_some());
        if self.queue.leave(submission, job) && is_task {
            let is_ready = |&&one: &&JobHandle| {
                let one = &self.jobs[one];
                one.state == JobStage::Waiting && one.wait.eligible.is_some() && one.last.incarnation == 0
            };
            if let Some(&next) = self.jobs.may_wait(submission).iter().find(is_ready) {
                self.enqueue(next);
            }
        }
    }

    fn record(&self, job: JobHandle, place: usize) -> QueueRecord {
        let one = &self.jobs[job];
        let at = &one.partitions[place];
        let key = (
            one.terms.reservation.is_none(),
            Reverse(self.cluster.partitions[at.partition].priority_tier),
            Reverse(at.priority),
            one.wait.submit,
            (self.jobs.rank(job), one.task, place),
        );
        QueueRecord {
            key,
            job,
            place,
            submission: one.submission,
            partition: at.partition,
            user: one.holder.user,
        }
    }

    /// Takes the queue, in order: reservation first, tier, priority, submission. Jobs that have become ready are in it and count
    /// as seen. It is given back by [`give_back`](super::pending::PendingQueue::give_back).
    pub fn take_queue(&mut self) -> Vec<QueueRecord> {
        self.queue.begin_look();
        let mut unready = std::mem::take(&mut self.queue.unready);
        let mut gone = Vec::new();
        unready.retain(|&job| {
            if self.jobs[job].state != JobStage::Waiting {
                return false;
            }
            match self.is_ready(job) {
                Some(true) => {
                    self.has_become_ready(job);
                    self.jobs[job].wait.was_seen = true;
                    false
                }
                None if self.cluster.settings.jobs.kill_invalid_depend => {
                    gone.push(job);
                    false
                }
                _ => true,
            }
        });
        self.queue.unready = unready;
        gone.into_iter().for_each(|job| self.withdraw(job));
        for job in std::mem::take(&mut self.queue.unseen) {
            self.jobs[job].wait.was_seen = true;
        }
        self.begin_ageing();
        let mut queue = std::mem::take(&mut self.queue);
        let waits = |record: &QueueRecord| self.jobs[record.job].state == JobStage::Waiting;
        let order = queue.take(waits, |record| self.record(record.job, record.place));
        self.queue = queue;
        order
    }

    /// A job that is eligible at its submission is compared with the pending jobs, in the order of their records, up to the first
    /// of higher priority. Pending jobs that have become eligible are noticed here.
    pub fn look_at_waiting(&mut self, new: JobHandle) {
        let settings = &self.cluster.settings;
        let by_age = settings.backfill.as_ref().is_some_and(|one| one.min_age_reserve.0 > 0);
        if settings.main.defer || by_age {
            return;
        }
        let is_found = |job: &JobHandle| {
            self.jobs[*job].state == JobStage::Waiting
                && self.is_ready(*job) == Some(true)
                && !self.jobs.is_throttled(*job, 0)
        };
        let mut found: Vec<JobHandle> = self.queue.unready.iter().copied().filter(is_found).collect();
        if found.is_empty() {
            return;
        }
        found.sort_by_key(|&job| self.jobs.record_of(job));
        let is_higher = |job: JobHandle| {
            let (one, new) = (&self.jobs[job], &self.jobs[new]);
            one.terms.reservation == new.terms.reservation
                && one.partitions[0].priority > new.partitions[0].priority
        };
        let is_limited = |job: JobHandle| {
            let at = &self.jobs[job].partitions[0];
            self.limits.before_selection(&at.limits, at.limit).is_some() || self.is_over_at_least(at)
        };
        let stops = |&&job: &&JobHandle| {
            job != new && self.jobs[job].wait.eligible.is_some() && is_higher(job) && !is_limited(job)
        };
        let mut last = self.queue.waiting.iter().filter(stops).map(|&job| self.jobs.record_of(job)).min();
        let mut reached = BTreeSet::new();
        for job in found {
            let record = self.jobs.record_of(job);
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
            self.queue.unseen.push(job);
        }
        self.queue.unready.retain(|job| !reached.contains(job));
    }

    /// Notes since when a job that has become eligible is so, and adds it to the queue.
    fn has_become_ready(&mut self, job: JobHandle) {
        let (begin, now) = (self.jobs[job].terms.begin, self.second());
        self.jobs[job].wait.eligible = Some(if begin > self.jobs[job].wait.submit { begin } else { now });
        self.enqueue(job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{JobArray, PriorityKind, SubmittedJob};
    use crate::controller::Phases;
    use crate::controller::tests::{cluster, job};
    use queuecast_core::units::{Micros, Seconds};

    /// Since when the first job, an array, could start, once the second was submitted two seconds later.
    fn ready_since(first: u32, second: u32, change: impl Fn(&mut SubmittedJob)) -> Option<i64> {
        let mut cluster = cluster(2);
        cluster.settings.priority.kind = PriorityKind::Multifactor;
        let mut jobs = vec![job(0, 0, 1, 5, 60), job(1, 2, 1, 5, 60)];
        jobs[0].request.array = Some(JobArray { indices: vec![1, 2], throttle: None });
        (jobs[0].request.terms.priority, jobs[1].request.terms.priority) = (Some(first), Some(second));
        change(&mut jobs[1]);
        let mut controller = Controller::new(&cluster, &jobs, Phases::from_start(Micros::ZERO, Seconds(30)));
        controller.submit(SubmissionHandle(0));
        assert_eq!(controller.jobs[JobHandle(0)].wait.eligible, None, "no pass has seen it");
        controller.clock.set(controller.clock.now() + Micros::of_seconds(2));
        controller.submit(SubmissionHandle(1));
        controller.jobs[JobHandle(0)].wait.eligible
    }

    #[test]
    fn a_submission_finds_jobs_that_have_become_ready() {
        assert_eq!(ready_since(5, 9, |_| ()), Some(2));
        assert_eq!(ready_since(9, 5, |_| ()), Some(2), "it is reached, and ends the look");
        // Controls: a job that cannot start itself looks at nothing.
        assert_eq!(ready_since(5, 9, |job| job.request.terms.hold = true), None);
        let is_array = |job: &mut SubmittedJob| {
            job.request.array.clone_from(&Some(JobArray { indices: vec![1], throttle: None }))
        };
        assert_eq!(ready_since(5, 9, is_array), None);
    }
}
