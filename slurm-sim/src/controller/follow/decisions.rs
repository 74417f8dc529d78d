//! How many recorded decisions of a real controller this one decides alike, each put into the recorded state.

use super::decided::{DecisionShares, DecisionTally};
use super::follower::RecordingFollower;
use crate::cluster::{Cluster, RecordedDecisions, RecordedRun};
use crate::controller::clock::Phases;

/// Follows a recorded run and asks, at each recorded decision, what the controller of [`simulate_cluster`](crate::controller::simulate_cluster)
/// decides in that state: the jobs that wait, those that run with their nodes and starts, usage, node states and reservations are
/// those of the recording, and so is what the same pass or cycle has decided before.
pub fn decisions(
    cluster: &Cluster,
    run: &RecordedRun,
    phases: Phases,
    recorded: &RecordedDecisions,
) -> DecisionShares {
    let mut tally = DecisionTally::default();
    RecordingFollower::new(cluster, run, phases, recorded).follow(&mut tally);
    tally.shares()
}
