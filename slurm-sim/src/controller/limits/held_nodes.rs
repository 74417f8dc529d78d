//! Nodes that count for a limit of nodes.

use crate::controller::placement::NodeSet;

/// Nodes that count for a limit, each once, however many of the jobs run on it.
#[derive(Debug, Clone)]
pub struct HeldNodes {
    /// How many of the jobs each node has.
    jobs: Vec<u32>,
    nodes: NodeSet,
}

impl HeldNodes {
    /// No node in use, of this number of nodes.
    pub fn none(nodes: usize) -> HeldNodes {
        HeldNodes { jobs: vec![0; nodes], nodes: NodeSet::none(nodes) }
    }

    /// A job starts on a node.
    pub fn add(&mut self, node: usize) {
        self.jobs[node] += 1;
        self.nodes.insert(node);
    }

    /// A job has ended on a node.
    pub fn remove(&mut self, node: usize) {
        self.jobs[node] -= 1;
        if self.jobs[node] == 0 {
            self.nodes.remove(node);
        }
    }

    /// The nodes with such jobs.
    pub fn nodes(&self) -> &NodeSet {
        &self.nodes
    }
}
