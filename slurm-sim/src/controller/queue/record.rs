//! What the queue consists of.

use std::cmp::Reverse;

use crate::cluster::{Cluster, PartitionIndex};
use crate::controller::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use crate::controller::lifecycle::Jobs;
use crate::controller::limits::{FullLimits, LimitNumber, Limits};

/// Where a job stands in the queue: what comes first is smaller.
pub type QueueKey = (bool, Reverse<u32>, Reverse<u64>, i64, (usize, Option<u32>, PartitionChoice));

/// A record: its place in the queue as a pass or cycle has taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordIndex(pub usize);

impl RecordIndex {
    /// The record behind it.
    pub fn next(self) -> RecordIndex {
        RecordIndex(self.0 + 1)
    }
}

/// A job in one of its partitions, in the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueRecord {
    pub key: QueueKey,
    pub job: JobHandle,
    pub choice: PartitionChoice,
    /// What does not change of the job, so that a pass need not look at each.
    pub submission: SubmissionHandle,
    pub partition: PartitionIndex,
    /// The number of its user.
    pub user: u32,
    /// The number of its limits.
    pub limits: LimitNumber,
    /// Whether nothing but its limits matters of a job that is at a limit of running jobs: it is no task, and asks for one partition, no
    /// reservation and no nodes by name.
    pub is_simple: bool,
    /// Whether it shares nodes.
    pub shares_nodes: bool,
}

impl QueueRecord {
    /// Of a job in one of its partitions.
    pub fn of(jobs: &Jobs<'_>, cluster: &Cluster, job: JobHandle, choice: PartitionChoice) -> QueueRecord {
        let one = &jobs[job];
        let at = &one.partitions[choice];
        let key = (
            one.terms.reservation.is_none(),
            Reverse(cluster[at.partition].priority_tier),
            Reverse(at.priority),
            one.wait.submit,
            (jobs.rank(job), one.task, choice),
        );
        QueueRecord {
            key,
            job,
            choice,
            submission: one.submission,
            partition: at.partition,
            user: one.holder.user,
            limits: at.limits.number,
            is_simple: one.task.is_none()
                && one.partitions.len() == 1
                && one.terms.reservation.is_none()
                && at.kept.need.kept_free().is_none()
                && !at.limits.is_closed,
            shares_nodes: !at.kept.need.is_exclusive,
        }
    }

    /// Whether a limit of running jobs is known to keep the job waiting, where nothing else of it matters then.
    #[inline]
    pub fn is_at_limit(&self, jobs: &Jobs<'_>, limits: &Limits, full: &mut FullLimits) -> bool {
        self.is_simple && full.is_full(self.limits, limits, || &jobs[self.job].partitions[self.choice].limits)
    }

    /// Whether it is of a task of an array.
    pub fn is_task(&self) -> bool {
        self.key.4.1.is_some()
    }
}
