//! Which jobs are pending, and the order in which schedulers look at them.

use std::collections::BTreeMap;

use super::record::QueueRecord;
use crate::cluster::Cluster;
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::job::JobStage;
use crate::controller::lifecycle::Jobs;

/// The pending jobs, and the queue of those that are eligible.
#[derive(Debug, Default)]
pub struct PendingQueue {
    /// Pending jobs, in the order of their submission.
    waiting: Vec<JobHandle>,
    /// Those of them that are not eligible yet: dependency, begin time or hold.
    unready: Vec<JobHandle>,
    /// Those that no pass or cycle has seen.
    unseen: Vec<JobHandle>,
    /// The queue in order, while no pass or cycle has it; with records of jobs that have left it.
    order: Vec<QueueRecord>,
    /// Jobs requeued since a pass or cycle took the queue: its records of them are outdated.
    requeued: Vec<JobHandle>,
    /// Jobs that have left since the queue was last taken: records of them may still be in it.
    left: Vec<JobHandle>,
    /// Whether priorities have changed since it was put in order.
    is_stale: bool,
    /// The task of each array that is in the queue, by submission.
    heads: BTreeMap<SubmissionHandle, JobHandle>,
}

impl PendingQueue {
    /// Pending jobs, in the order of their submission.
    pub fn waiting(&self) -> &[JobHandle] {
        &self.waiting
    }

    /// Pending jobs that are not eligible yet.
    pub fn unready(&self) -> &[JobHandle] {
        &self.unready
    }

    /// A job was submitted. It is not eligible, or is [put in the queue](PendingQueue::enqueue) besides.
    pub fn arrives(&mut self, job: JobHandle) {
        self.waiting.push(job);
    }

    /// A pending job is not eligible.
    pub fn is_unready(&mut self, job: JobHandle) {
        self.unready.push(job);
    }

    /// Only these of the jobs that were not eligible still are not.
    pub fn keep_unready(&mut self, stays: impl Fn(JobHandle) -> bool) {
        self.unready.retain(|&job| stays(job));
    }

    /// No pass or cycle has seen a job that is eligible.
    pub fn is_unseen(&mut self, job: JobHandle) {
        self.unseen.push(job);
    }

    /// The eligible jobs that no pass or cycle has seen; one sees them now.
    pub fn take_unseen(&mut self) -> Vec<JobHandle> {
        std::mem::take(&mut self.unseen)
    }

    /// Adds an eligible job to the queue. Of the tasks of an array that have not started yet, only one is in it at a time; a task
    /// that was requeued is there by itself.
    pub fn enqueue(&mut self, jobs: &Jobs<'_>, cluster: &Cluster, job: JobHandle) {
        let one = &jobs[job];
        if one.task.is_some() && one.last.incarnation == 0 && !self.heads_array(one.submission, job) {
            return;
        }
        for choice in one.partitions.choices() {
            self.insert(QueueRecord::of(jobs, cluster, job, choice));
        }
    }

    /// A job has left the queue: the next pending task of its array takes its place. Its own records stay until the queue is next
    /// taken, and are skipped by the job's state.
    pub fn dequeue(&mut self, jobs: &Jobs<'_>, cluster: &Cluster, job: JobHandle) {
        let (submission, is_task) = (jobs[job].submission, jobs[job].task.is_some());
        if self.leave(submission, job) && is_task {
            let is_ready = |&&one: &&JobHandle| {
                let one = &jobs[one];
                one.state == JobStage::Waiting && one.wait.eligible.is_some() && one.last.incarnation == 0
            };
            if let Some(&next) = jobs.may_wait(submission).iter().find(is_ready) {
                self.enqueue(jobs, cluster, next);
            }
        }
    }

    /// Whether a task is the one of its array that is in the queue; if there is none, it becomes so.
    fn heads_array(&mut self, submission: SubmissionHandle, job: JobHandle) -> bool {
        *self.heads.entry(submission).or_insert(job) == job
    }

    /// A job has left the queue: whether it was the task of its array that stood in it.
    fn leave(&mut self, submission: SubmissionHandle, job: JobHandle) -> bool {
        self.left.push(job);
        let was_head = self.heads.get(&submission) == Some(&job);
        if was_head {
            self.heads.remove(&submission);
        }
        was_head
    }

    /// A job is not pending any more.
    pub fn waits_no_more(&mut self, job: JobHandle) {
        if let Some(at) = self.waiting.iter().position(|&other| other == job) {
            self.waiting.remove(at);
        }
    }

    /// A job is pending again: its old records are void, also where a pass or cycle holds the queue.
    pub fn requeue(&mut self, job: JobHandle) {
        self.waiting.push(job);
        self.left.retain(|&other| other != job);
        self.order.retain(|record| record.job != job);
        self.requeued.push(job);
        self.unready.push(job);
    }

    /// A job that was eligible is not any more: its records are void, also where a pass or cycle holds the queue.
    pub fn becomes_unready(&mut self, submission: SubmissionHandle, job: JobHandle) {
        self.leave(submission, job);
        self.left.retain(|&other| other != job);
        self.order.retain(|record| record.job != job);
        self.requeued.push(job);
        self.unseen.retain(|&other| other != job);
        self.unready.push(job);
    }

    /// Adds a record where it belongs.
    fn insert(&mut self, record: QueueRecord) {
        let at = self.order.partition_point(|other| other.key < record.key);
        self.order.insert(at, record);
    }

    /// Priorities have changed.
    pub fn is_out_of_order(&mut self) {
        self.is_stale = true;
    }

    /// A pass or cycle begins to look at the queue.
    pub fn begin_look(&mut self) {
        self.requeued.clear();
    }

    /// Takes the records of jobs that wait, in order: if priorities have changed, as these are now.
    pub fn take(&mut self, jobs: &Jobs<'_>, cluster: &Cluster) -> Vec<QueueRecord> {
        let waits = |record: &QueueRecord| jobs[record.job].state == JobStage::Waiting;
        let left = std::mem::take(&mut self.left);
        match left.len() {
            0 => {}
            // Comparing with a few jobs takes less time than looking up the state of every job.
            1..=4 => self.order.retain(|record| !left.contains(&record.job)),
            _ => self.order.retain(waits),
        }
        let mut order = std::mem::take(&mut self.order);
        debug_assert!(order.iter().all(waits), "only jobs that wait have records");
        if std::mem::take(&mut self.is_stale) {
            let renewed = |record: &QueueRecord| QueueRecord::of(jobs, cluster, record.job, record.choice);
            order.iter_mut().for_each(|record| *record = renewed(record));
            // It mostly consists of long runs that are in order still.
            order.sort_by_key(|record| record.key);
        }
        order
    }

    /// Returns the queue after a pass or cycle, merged with the jobs that entered it meanwhile.
    pub fn give_back(&mut self, mut order: Vec<QueueRecord>) {
        let requeued = std::mem::take(&mut self.requeued);
        if !requeued.is_empty() {
            order.retain(|record| !requeued.contains(&record.job));
        }
        for record in std::mem::replace(&mut self.order, order) {
            self.insert(record);
        }
    }
}
