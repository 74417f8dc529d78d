//! What a job needs of nodes, in numbers.

use super::apart::JobApart;
use super::node_order::NodeOrder;
use super::node_set::NodeSet;

/// Memory of each processor or of each node, in MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryNeed {
    /// For each processor.
    PerCpu(u64),
    /// For each node.
    PerNode(u64),
    /// For each GPU.
    PerGpu(u64),
    /// All memory of each node.
    AllOfNode,
}

impl Default for MemoryNeed {
    fn default() -> MemoryNeed {
        MemoryNeed::PerCpu(0)
    }
}

/// A partition that limits the processors of a node: its place among those that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CappedPartition(pub usize);

/// The most processors of a node that jobs of a partition have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CpuCap {
    /// The partition.
    pub of: CappedPartition,
    /// Processors.
    pub most: u32,
}

/// A generic resource: its place among those of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GresIndex(pub usize);

/// Generic resources that a job needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct NeedGres {
    /// Of each node.
    pub per_node: Vec<(GresIndex, u64)>,
    /// Of the whole job.
    pub per_job: Vec<(GresIndex, u64)>,
    /// Of each task, if it is not said how many tasks a node has.
    pub per_task: Vec<(GresIndex, u64)>,
    /// GPUs among these.
    pub gpus_per_node: Option<(GresIndex, u64)>,
    pub gpus_of_job: Option<(GresIndex, u64)>,
    pub gpus_per_task: Option<(GresIndex, u64)>,
    /// Processors for each GPU; zero: not said.
    pub cpus_per_gpu: u32,
    /// Whether GPUs of the whole job are on one node where one has them all: the job says that it is one task, and not on how many
    /// nodes.
    pub on_one_node: bool,
    /// Whether the job asks for a resource that no node has, or for numbers of GPUs that do not go together.
    pub is_impossible: bool,
}

/// The nodes that a job may have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct NeedNodes {
    /// Nodes that could run it if they were idle.
    pub feasible: NodeSet,
    /// And those that would be so if they had all generic resources: a plan waits for jobs on any of them.
    pub considered: NodeSet,
    /// Nodes that must be among its nodes.
    pub required: NodeSet,
    /// Processors that it can use of each idle node, if that is the same on all feasible ones.
    pub uniform_cpus: Option<u32>,
    /// Whether enough nodes could run it if nothing else ran.
    pub could_run: bool,
}

/// What decides which nodes a job is given besides its amounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NeedPlacing {
    /// How it is kept apart from jobs of other partitions.
    pub apart: JobApart,
    /// In which order it takes nodes of equal weight.
    pub order: NodeOrder,
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
    /// `cpus` without the default processors of GPUs: what the job-size factor counts.
    pub asked_cpus: u32,
    /// The most processors of a node that its partition gives, if it says so.
    pub cap: Option<CpuCap>,
    /// Threads of each core that it uses at most.
    pub threads: u32,
    /// Tasks on each node; zero: not said.
    pub tasks_per_node: u32,
    /// Whether it says how many tasks each node has and not how many it has altogether: every node that it is given has that many,
    /// also beyond the nodes that it must have.
    pub tasks_by_node: bool,
    /// Fewest processors of each node.
    pub least_cpus_per_node: u32,
    /// Memory.
    pub memory: MemoryNeed,
    /// Memory as its priority counts it: without what is the default of its GPUs.
    pub counted_memory: MemoryNeed,
    /// Generic resources.
    pub gres: NeedGres,
    /// Whether it shares no node.
    pub is_exclusive: bool,
    /// What else decides which nodes it is given.
    pub placing: NeedPlacing,
    /// Whether any node is as good as any other of its weight: it names none and asks for no generic resources.
    pub is_plain: bool,
    /// The nodes it may have.
    pub on: NeedNodes,
}

impl Need {
    /// The need of jobs that are gone, on a cluster of this number of nodes.
    pub fn nothing(nodes: usize) -> Need {
        let none = NodeSet::none(nodes);
        let on = NeedNodes {
            feasible: none.clone(),
            considered: none.clone(),
            required: none,
            ..NeedNodes::default()
        };
        Need { cpus_per_task: 1, threads: u32::MAX, on, ..Need::default() }
    }

    /// Nodes that are kept free for it once a pass could not start it: those it names, if they are all it needs. Otherwise its
    /// partition is closed.
    pub fn kept_free(&self) -> Option<&NodeSet> {
        // A plain need names none.
        (!self.is_plain)
            .then_some(&self.on.required)
            .filter(|named| !named.is_empty() && named.len() >= self.asked_nodes as usize)
    }

    /// GPUs that it asks for.
    pub fn gpus(&self) -> u64 {
        let per_node = self.gres.gpus_per_node.map_or(0, |one| one.1);
        let of_job = self.gres.gpus_of_job.map_or(0, |one| one.1);
        let of_tasks = self.gres.gpus_per_task.map_or(0, |one| one.1.saturating_mul(u64::from(self.tasks)));
        of_job.max(of_tasks).max(per_node.saturating_mul(u64::from(self.nodes.0)))
    }

    /// Processors that it has at least: its GPUs may ask for more than its tasks.
    pub fn least_cpus(&self) -> u32 {
        let for_gpus = self.gpus().saturating_mul(u64::from(self.gres.cpus_per_gpu));
        self.cpus.max(u32::try_from(for_gpus).unwrap_or(u32::MAX))
    }

    /// The GPUs that it asks for.
    pub fn gpu_index(&self) -> Option<GresIndex> {
        self.gres.gpus_per_node.or(self.gres.gpus_of_job).or(self.gres.gpus_per_task).map(|one| one.0)
    }

    /// Whether it asks for no generic resources.
    pub fn asks_for_no_gres(&self) -> bool {
        self.gres.per_node.is_empty() && self.gres.per_job.is_empty() && self.gres.per_task.is_empty()
    }

    /// Whether it asks for no GPUs.
    pub fn asks_for_no_gpus(&self) -> bool {
        self.gpu_index().is_none()
    }

    /// How many of a node's GPUs make it lighter for the job: at most the number that it asks for.
    pub fn near_gpus(&self, gpus: u64) -> u64 {
        let asked = self.gres.gpus_per_node.or(self.gres.gpus_of_job).map(|one| one.1);
        gpus.min(asked.unwrap_or(u64::MAX)).min(255)
    }

    /// What counts of a node with `cpus` usable processors where the smallest that suffices is taken. Slurm leaves of a node with GPUs no
    /// more than the job needs, unless its GPUs bring processors or memory: then all that suffice are alike, and the first is taken.
    pub fn counts_as(&self, cpus: u32) -> u32 {
        let brings_more = self.gres.cpus_per_gpu > 0 || matches!(self.memory, MemoryNeed::PerGpu(_));
        if self.asks_for_no_gpus() || brings_more { cpus } else { 0 }
    }

    /// Processors of a node that its GPUs there ask for at least.
    pub fn least_cpus_for_gpus(&self) -> u32 {
        if self.gres.cpus_per_gpu == 0 {
            return 0;
        }
        let gpus = self.gres.gpus_per_node.or(self.gres.gpus_per_task).map_or(1, |one| one.1);
        u32::try_from(gpus.saturating_mul(u64::from(self.gres.cpus_per_gpu))).unwrap_or(u32::MAX)
    }

    /// GPUs of a node that the job can use with these free processors, MB of memory and free GPUs.
    pub fn gpus_beside(&self, cpus: u32, memory: u64, free: u64) -> u64 {
        let mut gpus = free.min(cpus.checked_div(self.gres.cpus_per_gpu).map_or(u64::MAX, u64::from));
        if let MemoryNeed::PerGpu(mb) = self.memory {
            gpus = gpus.min(memory.checked_div(mb).unwrap_or(u64::MAX));
        }
        gpus
    }

    /// Tasks that it has on this number of nodes.
    pub fn tasks_of(&self, nodes: usize) -> u32 {
        if self.tasks_by_node { self.tasks_per_node.saturating_mul(nodes as u32) } else { self.tasks }
    }

    /// Whether the processors of a job that shares its nodes follow from how many nodes it is given.
    pub fn follows_nodes(&self) -> bool {
        self.tasks_by_node && self.wanted_nodes > self.nodes.0 && !self.is_exclusive
    }

    /// How many of its tasks fit on a node that gives `cpus` processors.
    pub fn tasks_on(&self, cpus: u32) -> u32 {
        let fit = cpus / self.cpus_per_task.max(1);
        if self.tasks_per_node > 0 { fit.min(self.tasks_per_node) } else { fit }
    }

    /// The fewest processors that it has of a node.
    pub fn least_cpus_on_node(&self) -> u32 {
        let for_tasks = self.cpus_per_task.saturating_mul(self.tasks_per_node.max(1));
        for_tasks.max(self.least_cpus_per_node).max(self.least_cpus_for_gpus()).max(1)
    }

    /// What decides how much of each node it can use: needs for which this is equal differ only in how much they need in all.
    pub fn of_a_node(&self) -> Need {
        let mut alike = self.clone();
        (alike.nodes, alike.wanted_nodes, alike.asked_nodes) = ((0, 0), 0, 0);
        (alike.tasks, alike.asked_cpus, alike.tasks_by_node) = (0, 0, false);
        (alike.counted_memory, alike.on.could_run) = (MemoryNeed::PerCpu(0), false);
        alike.on.required.clear();
        if !self.is_of_one_node {
            alike.cpus = 0;
        }
        alike
    }

    /// A lower bound of the number of nodes that it takes.
    pub fn least_nodes(&self) -> usize {
        let for_cpus = self.on.uniform_cpus.map_or(0, |cpus| self.cpus.div_ceil(cpus.max(1)));
        self.nodes.0.max(for_cpus).max(1) as usize
    }
}
