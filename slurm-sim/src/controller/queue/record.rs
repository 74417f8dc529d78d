//! What the queue consists of.

use crate::controller::handles::{JobHandle, SubmissionHandle};
use std::cmp::Reverse;

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
    /// Whether it is of a task of an array.
    pub fn is_task(&self) -> bool {
        self.key.4.1.is_some()
    }
}
