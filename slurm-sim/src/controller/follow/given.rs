//! What jobs were given of their nodes in a recorded run.

use super::follower::RecordingFollower;
use crate::cluster::{ConsumedUnit, GivenPart, JobNumber};
use crate::controller::handles::JobHandle;
use crate::controller::placement::NodeShare;

/// A recorded start may be told some seconds off.
const SAME_START: i64 = 2;

impl RecordingFollower<'_> {
    /// What a job was given at each of its recorded starts.
    pub fn given_to(&self, number: JobNumber) -> impl Iterator<Item = &GivenPart> {
        self.recorded.given.iter().filter(move |part| part.job == number)
    }

    /// Replaces what a job that starts now has of its nodes by what was recorded. Where threads are given one by one, recordings tell
    /// whole cores only: a node with several threads gives no more than these, and all nodes together what accounting tells.
    pub fn as_recorded(&self, number: JobNumber, job: JobHandle, shares: &mut [NodeShare]) {
        let now = self.controller.second();
        let select = &self.controller.cluster.settings.select;
        let threads = |node: usize| self.controller.pool.layout.nodes[node].threads;
        // What each share could have more, where that is not told.
        let mut open = vec![0; shares.len()];
        for part in self.given_to(number).filter(|part| (part.start.0 - now).abs() <= SAME_START) {
            let Some(index) = shares.iter().position(|share| share.node == part.node) else { continue };
            let share = &mut shares[index];
            share.held = part.cpus;
            if select.unit == ConsumedUnit::Cpu && threads(part.node) > 1 {
                share.cpus = share.cpus.min(part.cpus);
                open[index] = part.cpus - share.cpus;
            } else {
                share.cpus = part.cpus;
            }
            if select.memory {
                share.memory = part.memory;
            }
        }
        let given: u32 = shares.iter().map(|share| share.cpus).sum();
        let mut missing = self.cpus_of_start(job).map_or(0, |told| told.saturating_sub(given));
        for (share, open) in shares.iter_mut().zip(open) {
            let more = open.min(missing);
            (share.cpus, missing) = (share.cpus + more, missing - more);
        }
    }
}
