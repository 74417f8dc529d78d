//! What becomes of jobs, as the other rooms say it.

use std::sync::Arc;

use super::jobs::Jobs;
use crate::cluster::{Cluster, JobSettings, PartitionIndex, Sharing};
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, RefusedFor, RequestedPartition};
use crate::controller::limits::Amounts;
use crate::controller::placement::{CachedNeed, NodeShare};
use queuecast_core::units::Micros;

impl Jobs<'_> {
    /// A waiting job is eligible, in seconds.
    pub fn is_eligible_since(&mut self, job: JobHandle, since: i64) {
        self.at_mut(job).wait.eligible = Some(since);
    }

    /// A pass or cycle has looked at a job while it was eligible, or (`was_seen` is false) none has.
    pub fn set_seen(&mut self, job: JobHandle, was_seen: bool) {
        self.at_mut(job).wait.was_seen = was_seen;
    }

    /// A waiting job gains age, in seconds.
    pub fn accrues_since(&mut self, job: JobHandle, since: i64) {
        self.at_mut(job).wait.accrues_since = Some(since);
    }

    /// A job does not gain age any more; whether it did.
    pub fn accrues_no_more(&mut self, job: JobHandle) -> bool {
        self.at_mut(job).wait.accrues_since.take().is_some()
    }

    /// A job has this priority in one of its partitions.
    pub fn set_priority(&mut self, job: JobHandle, choice: PartitionChoice, priority: u64) {
        self.at_mut(job).partitions[choice].priority = priority;
    }

    /// Whether the size of a job that was just submitted is known.
    pub fn set_sized(&mut self, job: JobHandle, is_sized: bool) {
        self.at_mut(job).wait.is_sized = is_sized;
    }

    /// A job's size is this number of processors, and so is that of all tasks of its array that have not started.
    pub fn set_size(&mut self, job: JobHandle, cpus: u32) {
        let one = self.at_mut(job);
        (one.wait.size_cpus, one.wait.is_sized) = (cpus, true);
        if one.task.is_some() && one.last.incarnation == 0 {
            self.set_size_of_tasks(job, cpus);
        }
    }

    /// The size of all tasks of a job's array that have not started is this number of processors.
    pub fn set_size_of_tasks(&mut self, job: JobHandle, cpus: u32) {
        let submission = self[job].submission;
        for at in 0..self.may_wait(submission).len() {
            let task = self.may_wait(submission)[at];
            let one = self.at_mut(task);
            if one.state == JobStage::Waiting && one.last.incarnation == 0 {
                (one.wait.size_cpus, one.wait.is_sized) = (cpus, true);
            }
        }
    }

    /// A job runs for this time after it starts; `None`: past its limit.
    pub fn set_run(&mut self, job: JobHandle, run: Option<Micros>) {
        self.at_mut(job).terms.run = run;
    }

    /// A job had left before the instant from which a simulation goes on.
    pub fn has_left(&mut self, job: JobHandle, well: bool) {
        self.at_mut(job).state = JobStage::Ended { well };
    }

    /// The submission of a job is refused.
    pub fn is_refused(&mut self, job: JobHandle, why: RefusedFor) {
        self.at_mut(job).state = JobStage::Refused(why);
    }

    /// A job was submitted, in seconds.
    pub fn was_submitted(&mut self, job: JobHandle, at: i64) {
        self.at_mut(job).wait.submit = at;
    }

    /// A running job is stopped at its limit, or at the end of its reservation.
    pub fn is_timed_out(&mut self, job: JobHandle) {
        self.at_mut(job).last.is_timed_out = true;
    }

    /// Others are preempted for a waiting job, in seconds.
    pub fn preempts(&mut self, job: JobHandle, now: i64) {
        self.at_mut(job).wait.preempted_at = Some(now);
    }

    /// A job was preempted.
    pub fn is_preempted(&mut self, job: JobHandle) {
        self.at_mut(job).interruptions.preempted += 1;
    }

    /// A job was preempted for the last time: what it has computed since its last start is lost.
    pub fn ends_preempted(&mut self, job: JobHandle) {
        let one = self.at_mut(job);
        one.lose_run();
        one.last.is_preempted = true;
    }

    /// What a job has of its nodes, which it does not have any more.
    pub fn take_shares(&mut self, job: JobHandle) -> Arc<[NodeShare]> {
        std::mem::take(&mut self.at_mut(job).last.shares)
    }

    /// A job that ran waits again: it was submitted at the first instant and may begin at the second, and its run is lost. What it has
    /// of nodes stays until it has been stopped.
    pub fn waits_again(&mut self, job: JobHandle, shares: Arc<[NodeShare]>, (submit, begin): (i64, i64)) {
        let one = self.at_mut(job);
        (one.last.shares, one.last.amounts) = (shares, Amounts::default());
        one.lose_run();
        one.interruptions.requeued += 1;
        one.state = JobStage::Waiting;
        (one.wait.submit, one.terms.begin) = (submit, begin);
        (one.wait.eligible, one.wait.was_seen, one.last.by) = (None, false, None);
        let submission = one.submission;
        self.all_may_wait(submission);
    }

    /// Whether a job may be requeued.
    pub fn can_requeue(&self, job: JobHandle, settings: &JobSettings) -> bool {
        self.submission(job).request.terms.requeue.unwrap_or(settings.job_requeue)
    }

    /// Of a job that is gone only what became of it is kept: its needs are replaced by this one.
    pub fn forget_needs(&mut self, job: JobHandle, gone: &Arc<CachedNeed>) {
        let asked = self.at_mut(job).partitions.iter_mut();
        asked.for_each(|at| (at.kept, at.whole) = (gone.clone(), None));
    }

    /// Nodes are looked for in one of a job's partitions, to start it: if that is `OverSubscribe=EXCLUSIVE`, the job shares no node from
    /// now on, in any of them. Tasks of its array that wait have one record with it.
    pub fn try_in(&mut self, job: JobHandle, partition: PartitionIndex, cluster: &Cluster) {
        let is_changed = cluster[partition].sharing == Sharing::Exclusive
            && self[job].partitions.iter().any(|at| at.whole.is_some());
        if is_changed {
            for other in self.tasks(self[job].submission).to_vec() {
                if other == job || self[other].state == JobStage::Waiting {
                    let asked = self.at_mut(other).partitions.iter_mut();
                    asked.for_each(RequestedPartition::has_whole_nodes);
                }
            }
        }
    }

    /// Those of some jobs that wait.
    pub fn waiting_of(&self, jobs: &[JobHandle]) -> Vec<JobHandle> {
        let waits = |job: &JobHandle| self[*job].state == JobStage::Waiting;
        jobs.iter().copied().filter(waits).collect()
    }
}
