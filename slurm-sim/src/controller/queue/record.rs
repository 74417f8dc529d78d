//! What the queue consists of.

use std::cmp::Reverse;

use crate::cluster::Cluster;
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::lifecycle::Jobs;

/// Where a job stands in the queue: what comes first is smaller.
pub type QueueKey = (bool, Reverse<u32>, Reverse<u64>, i64, (usize, Option<u32>, usize));

/// A job in one of its partitions, in the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueRecord {
    pub key: QueueKey,
    pub job: JobHandle,
    pub place: usize,
    /// What does not change of the job, so that a pass need not look at each.
    pub submission: SubmissionHandle,
    pub partition: usize,
    /// The number of its user.
    pub user: u32,
}

impl QueueRecord {
    /// Of a job in one of its partitions.
    pub fn of(jobs: &Jobs<'_>, cluster: &Cluster, job: JobHandle, place: usize) -> QueueRecord {
        let one = &jobs[job];
        let at = &one.partitions[place];
        let key = (
            one.terms.reservation.is_none(),
            Reverse(cluster.partitions[at.partition].priority_tier),
            Reverse(at.priority),
            one.wait.submit,
            (jobs.rank(job), one.task, place),
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

    /// Whether it is of a task of an array.
    pub fn is_task(&self) -> bool {
        self.key.4.1.is_some()
    }
}
