//! Nodes as they would be without some of what is in use.

use super::releases::Releases;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::lifecycle::Jobs;
use crate::controller::placement::{CachedNeed, Load};

/// Nodes as they would be without the jobs that a job may preempt, or once reservations of cores are over.
pub struct EmptiedNodes {
    /// The need of the job, without cached usable nodes: those are computed for the emptied nodes.
    pub kept: CachedNeed,
    pub load: Load,
    pub releases: Releases,
}

impl EmptiedNodes {
    /// For a job in one of its partitions: these jobs still run, and this is in use.
    pub fn with(running: &[JobHandle], jobs: &Jobs<'_>, load: Load, at: &RequestedPartition) -> EmptiedNodes {
        let releases = Releases::of(running, jobs.all(), &load, true);
        EmptiedNodes { kept: CachedNeed::new(at.kept.need.clone(), at.kept.class), load, releases }
    }
}
