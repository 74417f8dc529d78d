//! A cluster at an instant.

use super::indices::PartitionIndex;
use super::reservation::AdvanceReservation;
use super::submitted::SubmittedJob;
use queuecast_core::units::{Micros, Time};

/// A cluster as it is at an instant: what waits, what runs where, and what has been used. Nothing in it is of later, but for the
/// run times on the submissions, which are not looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterMoment {
    /// The instant, on the clock of the submissions.
    pub now: Micros,
    /// What was submitted up to then and has not left, and what that depends on, in the order of submission.
    pub submissions: Vec<SubmittedJob>,
    /// Where jobs stand, array tasks one by one; those that are not named wait.
    pub standings: Vec<JobStanding>,
    /// Reservations that are known then.
    pub reservations: Vec<AdvanceReservation>,
    /// Nodes that take no jobs, ascending.
    pub closed_nodes: Vec<usize>,
    /// Decayed usage of each association by its own jobs, in billed seconds, in the order of the cluster's associations; empty:
    /// none.
    pub usage: Vec<f64>,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStanding {
    /// The place of its submission.
    pub submission: usize,
    /// Its index in an array.
    pub task: Option<u32>,
    /// What it does.
    pub state: StandingState,
}

/// What a job does at an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandingState {
    /// It waits, and could start since then.
    Waiting {
        /// Since when it could start: a task of an array waits for nothing that its submission depends on then. `None`: it could not yet,
        /// or that is not known.
        eligible: Option<Time>,
    },
    /// It waits and is held, by itself: a task of an array of which others are not. A submission that is held says so in what it asks for.
    Held,
    /// It runs.
    Running {
        /// When it started.
        start: Time,
        /// Its nodes, ascending.
        nodes: Vec<usize>,
        /// Its partition; `None`: the first that it asks for.
        partition: Option<PartitionIndex>,
    },
    /// It has ended or was cancelled.
    Left {
        /// Whether it ended well.
        well: bool,
    },
}
