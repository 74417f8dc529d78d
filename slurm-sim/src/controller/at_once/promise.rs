//! Starts that waiting jobs are promised.

use crate::controller::handles::{JobHandle, PartitionChoice};

/// A start that a waiting job is promised.
#[derive(Debug, Clone)]
pub struct Promise {
    pub job: JobHandle,
    pub choice: PartitionChoice,
    /// In seconds.
    pub start: i64,
    /// When it is planned to end then.
    pub end: i64,
    /// Promises are numbered as they are made: of those of one start the first begins first.
    pub number: u64,
    /// Where it would start as far as is known now.
    pub nodes: Vec<usize>,
}

impl PartialEq for Promise {
    /// Whether they promise the same, whenever they were made.
    fn eq(&self, other: &Promise) -> bool {
        let facts = |one: &Promise| (one.job, one.choice, one.start, one.end);
        facts(self) == facts(other) && self.nodes == other.nodes
    }
}

/// When and where a job could start.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstStart {
    /// In seconds.
    pub start: i64,
    pub nodes: Vec<usize>,
    /// Promises that would get other nodes: their indices, and which.
    pub moved: Vec<(usize, Vec<usize>)>,
}

/// A job that is asked about, in one of its partitions, and how long it is planned to run there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartitionAsked {
    pub job: JobHandle,
    pub choice: PartitionChoice,
    pub length: i64,
}
