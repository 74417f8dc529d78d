//! Weights of nodes that differ from those configured.

use super::need::Need;
use super::node_set::NodeSet;

/// How the weights of nodes differ from those configured.
#[derive(Debug, Clone)]
pub struct WeightShift {
    /// Nodes whose weight is lowered slightly: what a test for a job with GPUs leaves behind for jobs without.
    pub lighter: NodeSet,
    /// Nodes whose weight is one more: those that a job is given after the nodes which count for a limit of nodes already.
    pub heavier: NodeSet,
}

impl WeightShift {
    /// Of so many nodes, none.
    pub fn none(nodes: usize) -> WeightShift {
        WeightShift { lighter: NodeSet::none(nodes), heavier: NodeSet::none(nodes) }
    }

    /// Whether all are as configured.
    pub fn is_none(&self) -> bool {
        self.lighter.is_empty() && self.heavier.is_empty()
    }

    /// What is added to the weight of a node.
    pub fn added(&self, node: usize) -> u32 {
        u32::from(self.heavier.contains(node))
    }

    /// Whether a node is slightly lighter for a job.
    pub fn is_lighter(&self, node: usize, need: &Need) -> bool {
        need.gres_per_node.is_empty() && need.gres_per_job.is_empty() && self.lighter.contains(node)
    }
}
