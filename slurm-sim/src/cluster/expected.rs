//! Starts that a site's own scheduler expected.

use queuecast_core::units::{Micros, Time};

/// A start that a site's own scheduler expected, as `squeue --start` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedStart {
    /// When it said so.
    pub at: Micros,
    /// The number of the job.
    pub id: u64,
    /// Its index in an array; `None`: all tasks that wait.
    pub task: Option<u32>,
    /// When it expected the start.
    pub start: Time,
}
