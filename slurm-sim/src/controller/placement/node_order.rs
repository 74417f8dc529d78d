//! In which order nodes are taken.

use crate::cluster::{ClusterPartition, ClusterSettings, JobRequest};

/// In which order a job takes nodes of equal weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum NodeOrder {
    /// In runs of neighbours that fit best.
    #[default]
    Runs,
    /// Those with the largest share of idle processors first (`LLN`, `CR_LLN`).
    LeastLoaded,
    /// The last first (`pack_serial_at_end`).
    LastFirst,
    /// The first first (`--spread-job`).
    FirstFirst,
}

impl NodeOrder {
    /// Of a request for this number of processors and nodes.
    pub fn of(
        request: &JobRequest,
        partition: &ClusterPartition,
        settings: &ClusterSettings,
        (cpus, nodes): (u32, u32),
    ) -> NodeOrder {
        if request.wishes.spread {
            NodeOrder::FirstFirst
        } else if partition.least_loaded_nodes || settings.select.least_loaded_nodes {
            NodeOrder::LeastLoaded
        } else if settings.main.pack_serial_at_end && (cpus, nodes) == (1, 1) {
            NodeOrder::LastFirst
        } else {
            NodeOrder::Runs
        }
    }
}
