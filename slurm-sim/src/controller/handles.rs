//! What jobs and submissions of a controller are named by.

/// A job: its place among all of a controller, array tasks one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobHandle(pub usize);

/// A submission: its place among all of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SubmissionHandle(pub usize);

/// One of the partitions that a job asks for: its place among these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PartitionChoice(pub usize);

impl PartitionChoice {
    /// The partition that a job names first.
    pub const FIRST: PartitionChoice = PartitionChoice(0);
}
