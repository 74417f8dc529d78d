//! What became of a job at a real cluster.

use serde::Serialize;

use super::node_names::NodeNames;
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Time};

/// What became of a job, or of one task of an array. Times are of the clock of its submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JobOutcome {
    /// The key of its submission.
    pub key: String,
    /// Its index in an array.
    pub task: Option<u32>,
    /// Its final state.
    pub state: JobState,
    /// When it was submitted.
    pub submit: Time,
    /// When it could have started; `None` if never.
    pub eligible: Option<Time>,
    /// When it started; `None` if never.
    pub start: Option<Time>,
    /// When it ended.
    pub end: Option<Time>,
    /// The partition it ran in, or those it waited in.
    pub partition: String,
    /// Its processors.
    pub cpus: u32,
    /// What it is billed for each second, by the weights of its partition; `None` if that is not told.
    pub billed: Option<u64>,
    /// Names of the nodes it ran on.
    pub nodes: NodeNames,
    /// Whether backfilling started it; `None` if that is not told.
    pub backfilled: Option<bool>,
    /// Its last priority.
    pub priority: Option<u64>,
}

/// Whether what happened in a second is known at an instant: once its last millisecond has begun, since it is not told when in it.
pub fn is_known(second: Time, now: Micros) -> bool {
    Micros::last_of(second) <= now
}
