//! What jobs were given of their nodes in a recorded run.

use super::follower::RecordingFollower;
use crate::cluster::{ConsumedUnit, GivenPart, JobNumber};
use crate::controller::placement::NodeShare;

/// A recorded start may be told some seconds off.
const SAME_START: i64 = 2;

impl RecordingFollower<'_> {
    /// What a job was given at each of its recorded starts.
    pub fn given_to(&self, number: JobNumber) -> impl Iterator<Item = &GivenPart> {
        self.recorded.given.iter().filter(move |part| part.job == number)
    }

    /// Replaces what a job that starts now has of its nodes by what was recorded. Where threads are given one by one, recordings tell
    /// whole cores only, so processors of nodes with several threads are left as they are.
    pub fn as_recorded(&self, number: JobNumber, shares: &mut [NodeShare]) {
        let now = self.controller.second();
        let by_threads = self.controller.cluster.settings.select.unit == ConsumedUnit::Cpu;
        for part in self.given_to(number).filter(|part| (part.start.0 - now).abs() <= SAME_START) {
            let Some(share) = shares.iter_mut().find(|share| share.node == part.node) else { continue };
            if !by_threads || self.controller.pool.layout.nodes[part.node].threads == 1 {
                share.cpus = part.cpus;
            }
            if self.controller.cluster.settings.select.memory {
                share.memory = part.memory;
            }
        }
    }
}
