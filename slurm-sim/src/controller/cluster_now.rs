//! A controller's jobs, nodes and limits at one instant, to be read: what schedulers ask about a job, and change nothing by.

use super::lifecycle::Jobs;
use super::limits::Limits;
use super::placement::NodePool;
use crate::cluster::Cluster;

/// Jobs, nodes and limits at one instant.
#[derive(Clone, Copy)]
pub struct ClusterNow<'a> {
    pub cluster: &'a Cluster,
    pub jobs: &'a Jobs<'a>,
    pub pool: &'a NodePool,
    pub limits: &'a Limits,
    /// The second it is.
    pub second: i64,
}
