//! What happens at a cluster besides submissions and ends.

use serde::Serialize;

use super::node::NodeState;
use super::request::TimeLimit;
use super::reservation::AdvanceReservation;
use queuecast_core::units::Micros;

/// Something that a user or the administrator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusterEvent {
    /// When.
    pub at: Micros,
    /// What.
    pub action: ClusterAction,
}

/// What a user or the administrator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterAction {
    /// Cancelled a submission, or one task of an array.
    Cancel {
        /// The submission's key.
        key: String,
        /// The task; `None`: all.
        task: Option<u32>,
    },
    /// Created a reservation.
    Reserve(AdvanceReservation),
    /// Removed a reservation.
    Unreserve {
        /// Its name.
        name: String,
    },
    /// Changed the state of nodes.
    Nodes(NodeChange),
    /// Changed a submission, or one task of an array.
    Job {
        /// The submission's key.
        key: String,
        /// The task; `None`: all.
        task: Option<u32>,
        /// What changed.
        change: JobUpdate,
    },
}

/// A change of a job that waits or runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobUpdate {
    /// It waits until it is released.
    Held,
    /// It waits no longer for that.
    Released,
    /// If it runs and may be requeued, it is stopped and waits again.
    Requeued,
    /// What is taken from its priority.
    Nice(i64),
    /// Its time limit.
    TimeLimit(TimeLimit),
}

/// A change of the state of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeChange {
    /// Indices of the nodes, ascending.
    pub nodes: Vec<usize>,
    /// Their state from now on.
    pub state: NodeState,
}
