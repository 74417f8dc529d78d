//! The queue in order, and what jobs in it wait for.

use std::collections::BTreeSet;

use super::record::QueueRecord;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{ControlledJob, JobStage};
use crate::controller::state::Controller;

impl Controller<'_> {
    /// Whether a job is eligible by hold, begin time, dependencies and its reservation; `None` if it never will be.
    pub fn is_ready(&self, job: JobHandle) -> Option<bool> {
        let (terms, now) = (&self.jobs[job].terms, self.second());
        let met = self.jobs.dependency_met(job, self.queue.waiting(), now)?;
        Some(met && !terms.is_held && terms.begin <= now && self.pool.has_begun(terms, now))
    }

    /// Takes the queue, in order: reservation first, tier, priority, submission. Jobs that have become ready are in it and count
    /// as seen. It is given back by [`give_back`](super::pending::PendingQueue::give_back).
    pub fn take_queue(&mut self) -> Vec<QueueRecord> {
        self.queue.begin_look();
        let (mut ready, mut gone) = (Vec::new(), Vec::new());
        for &job in self.queue.unready().iter().filter(|job| self.jobs[**job].state == JobStage::Waiting) {
            match self.is_ready(job) {
                Some(true) if self.jobs.waits_for_turn(job) => {}
                Some(true) => ready.push(job),
                None if self.cluster.settings.jobs.kill_invalid_depend => gone.push(job),
                _ => {}
            }
        }
        for job in ready {
            self.has_become_ready(job);
            self.jobs.set_seen(job, true);
        }
        gone.into_iter().for_each(|job| self.withdraw(job));
        let is_unready = |one: &ControlledJob| one.state == JobStage::Waiting && one.wait.eligible.is_none();
        self.queue.keep_unready(|job| is_unready(&self.jobs[job]));
        for job in self.queue.take_unseen() {
            self.jobs.set_seen(job, true);
        }
        self.limits.begin_ageing(&mut self.jobs, self.queue.waiting(), self.clock.second());
        self.queue.take(&self.jobs, self.cluster)
    }

    /// A job that is eligible at its submission is compared with the pending jobs, in the order of their records, up to the first
    /// of higher priority that is kept from starting by no limit, dependency, array, reservation or node out of service. Pending jobs that
    /// have become eligible are noticed here.
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
        let mut found: Vec<JobHandle> = self.queue.unready().iter().copied().filter(is_found).collect();
        if found.is_empty() {
            return;
        }
        found.sort_by_key(|&job| self.jobs.record_of(job));
        let is_higher = |job: JobHandle| {
            let (one, new) = (&self.jobs[job], &self.jobs[new]);
            one.terms.reservation == new.terms.reservation
                && one.partitions[PartitionChoice::FIRST].priority
                    > new.partitions[PartitionChoice::FIRST].priority
        };
        let cannot_start = |job: JobHandle| {
            let at = &self.jobs[job].partitions[PartitionChoice::FIRST];
            self.limits.before_selection(&at.limits, at.limit).is_some()
                || self.limits.forbid_least(at, &self.pool.layout)
                || self.jobs.is_throttled(job, 0)
                || self.is_ready(job) != Some(true)
                || self.now().lacks_nodes(job, at)
        };
        let stops = |&&job: &&JobHandle| {
            job != new && self.jobs[job].wait.eligible.is_some() && is_higher(job) && !cannot_start(job)
        };
        let mut last = self.queue.waiting().iter().filter(stops).map(|&job| self.jobs.record_of(job)).min();
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
            self.queue.is_unseen(job);
        }
        self.queue.keep_unready(|job| !reached.contains(&job));
    }

    /// Notes since when a job that has become eligible is so, and adds it to the queue.
    fn has_become_ready(&mut self, job: JobHandle) {
        let (begin, submit) = (self.jobs[job].terms.begin, self.jobs[job].wait.submit);
        self.jobs.is_eligible_since(job, if begin > submit { begin } else { self.second() });
        self.queue.enqueue(&self.jobs, self.cluster, job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{JobArray, PriorityKind, SubmittedJob};
    use crate::controller::Phases;
    use crate::controller::handles::SubmissionHandle;
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
