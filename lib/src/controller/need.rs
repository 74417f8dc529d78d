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

impl Default for NeedMemory {
    fn default() -> NeedMemory {
        NeedMemory::PerCpu(0)
    }
}

/// What a job needs in one partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Need {
    /// Nodes it must have, and may have.
    pub nodes: (u32, u32),
    /// Whether it says that it wants one node: no node with too few processors is looked at.
    pub is_of_one_node: bool,
    /// Nodes it would like to have: the most that it asked for, if it said so.
    pub wanted_nodes: u32,
    /// As asked for, before what tasks on each node make of it: what its size counts.
    pub asked_nodes: u32,
    /// Tasks.
    pub tasks: u32,
    /// Processors of each.
    pub cpus_per_task: u32,
    /// Processors altogether.
    pub cpus: u32,
    /// Threads of each core that it uses at most.
    pub threads: u32,
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
    /// And those that would be so if they had all generic resources: a plan waits for jobs on any of them.
    pub considered: NodeSet,
    /// Processors that it can use of each idle node, if that is the same on all feasible ones.
    pub uniform_cpus: Option<u32>,
    /// Whether it asks for a resource that no node has.
    pub asks_for_unknown: bool,
    /// Whether enough nodes could run it if nothing else ran.
    pub could_run: bool,
    /// Whether any node is as good as any other of its weight: it names none and asks for no generic resources.
    pub is_plain: bool,
    /// Nodes that must be among its nodes.
    pub required: NodeSet,
}

impl Need {
    /// That of jobs that are gone, on so many nodes.
    pub fn nothing(nodes: usize) -> Need {
        let none = NodeSet::none(nodes);
        let (feasible, considered, required) = (none.clone(), none.clone(), none);
        Need { cpus_per_task: 1, threads: u32::MAX, feasible, considered, required, ..Need::default() }
    }

    /// Nodes that are kept free for it once a pass could not start it: those it names, if they are all it needs. Otherwise its
    /// partition is closed.
    pub fn kept_free(&self) -> Option<&NodeSet> {
        Some(&self.required).filter(|named| !named.is_empty() && named.len() >= self.asked_nodes as usize)
    }

    /// How many of its tasks have room on a node that gives so many processors.
    pub fn tasks_on(&self, cpus: u32) -> u32 {
        let fit = cpus / self.cpus_per_task.max(1);
        if self.tasks_per_node > 0 { fit.min(self.tasks_per_node) } else { fit }
    }

    /// The fewest processors that it has of a node.
    pub fn least_cpus_on_node(&self) -> u32 {
        let for_tasks = self.cpus_per_task.saturating_mul(self.tasks_per_node.max(1));
        for_tasks.max(self.least_cpus_per_node).max(1)
    }

    /// It takes at least so many nodes.
    pub fn least_nodes(&self) -> usize {
        let for_cpus = self.uniform_cpus.map_or(0, |cpus| self.cpus.div_ceil(cpus.max(1)));
        self.nodes.0.max(for_cpus).max(1) as usize
    }
}
