//! Weights of nodes that differ from those configured.

use super::node_set::NodeSet;

/// Factor on node weights: leaves room below one unit to prefer, of nodes of equal weight, those with more GPUs.
pub const WEIGHT_UNIT: u64 = 256;

/// How the weights of nodes differ from those configured.
#[derive(Debug, Clone)]
pub struct WeightShift {
    /// By how much each node is lighter than its configured weight: what a test for a job with GPUs leaves behind for jobs without.
    /// Empty: none is.
    pub lighter: Vec<u8>,
    /// Nodes whose weight is one more, so that a job is given them after the nodes that count for a limit on nodes already.
    pub heavier: NodeSet,
}

impl WeightShift {
    /// No node of this number of nodes differs from its configured weight.
    pub fn none(nodes: usize) -> WeightShift {
        WeightShift { lighter: Vec::new(), heavier: NodeSet::none(nodes) }
    }

    /// Whether all are as configured.
    pub fn is_none(&self) -> bool {
        self.lighter.is_empty() && self.heavier.is_empty()
    }

    /// What is added to the weight of a node.
    pub fn added(&self, node: usize) -> u32 {
        u32::from(self.heavier.contains(node))
    }

    /// By how much a node is lighter, in parts of [`WEIGHT_UNIT`].
    pub fn lighter(&self, node: usize) -> u64 {
        self.lighter.get(node).copied().map_or(0, u64::from)
    }
}
