//! Whether limits let a job start.

use super::amounts::Amounts;
use super::counted::Limits;
use super::licenses::LicenseCounts;
use crate::cluster::SubmittedJob;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{NodeLayout, NodeShare};

impl Limits {
    /// Whether a limit does not allow what a job would be given.
    pub fn forbid(&self, at: &RequestedPartition, amounts: &Amounts, shares: &[NodeShare]) -> bool {
        let nodes = shares.iter().map(|share| share.node);
        self.after_selection(&at.limits, (amounts, true), at.limit, nodes).is_some()
    }

    /// Whether a limit forbids even the least that a job would be given on any nodes.
    pub fn forbid_least(&self, at: &RequestedPartition, layout: &NodeLayout) -> bool {
        let need = &at.kept.need;
        let (mut cpus, mut nodes) = (need.least_cpus(), need.nodes.0);
        if layout.is_linear {
            nodes = need.least_nodes() as u32;
            cpus = layout.equal_cpus.map_or(cpus, |each| nodes.saturating_mul(each));
        }
        let least = self.least(u64::from(cpus), u64::from(nodes), at.partition);
        self.after_selection(&at.limits, (&least, false), at.limit, need.on.required.iter()).is_some()
    }
}

impl LicenseCounts {
    /// Whether other jobs have licenses that a job needs.
    pub fn lack(&self, asked: &SubmittedJob) -> bool {
        !self.are_none() && !self.are_free(&asked.request.gres.licenses)
    }
}
