//! What a job needs of nodes, in numbers.

use super::node_set::NodeSet;

/// Memory of each processor or of each node, in MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedMemory {
    /// For each processor.
    PerCpu(u64),
    /// For each node.
    PerNode(u64),
    /// All memory of each node.
    AllOfNode,
}

/// What a job needs in one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Nodes it must have, and may have.
    pub nodes: (u32, u32),
    /// As asked for, before what tasks on each node make of it: what its size counts.
    pub asked_nodes: u32,
    /// Tasks.
    pub tasks: u32,
    /// Processors of each.
    pub cpus_per_task: u32,
    /// Processors altogether.
    pub cpus: u32,
    /// Tasks on each node; zero: not said.
    pub tasks_per_node: u32,
    /// Fewest processors of each node.
    pub least_cpus_per_node: u32,
    /// Memory.
    pub memory: NeedMemory,
    /// Generic resources of each node, by their place in the layout.
    pub gres_per_node: Vec<(usize, u64)>,
    /// And of the whole job.
    pub gres_per_job: Vec<(usize, u64)>,
    /// Whether it shares no node.
    pub is_exclusive: bool,
    /// Nodes that could run it if they were idle.
    pub feasible: NodeSet,
    /// Nodes that must be among its nodes.
    pub required: NodeSet,
}
