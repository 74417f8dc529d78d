//! The nodes of a cluster in numbers.

use super::alike::alike_by_weight;
use super::apart::PartitionsApart;
use super::need::{CappedPartition, CpuCap, GresIndex, MemoryNeed, Need};
use super::node_set::NodeSet;
use super::switch_tree::SwitchTree;
use crate::cluster::{Cluster, ConsumedUnit, GresRequest, SelectKind};

/// A node in numbers.
#[derive(Debug, Clone)]
pub struct NodeNumbers {
    /// Processors that jobs can have.
    pub cpus: u32,
    /// Processors, those that are set aside included.
    pub all_cpus: u32,
    /// Of each core.
    pub threads: u32,
    /// Cores that are given together: those of a socket where whole sockets are given, else one.
    pub cores_at_once: u32,
    /// MB.
    pub memory: u64,
    /// By [`GresIndex`].
    pub gres: Vec<u64>,
    /// Lighter nodes are taken first.
    pub weight: u32,
}

/// The nodes of a cluster in numbers.
#[derive(Debug, Clone)]
pub struct NodeLayout {
    /// By their index.
    pub nodes: Vec<NodeNumbers>,
    /// Names and types of generic resources; `None` is of any type.
    pub(super) kinds: Vec<(String, Option<String>)>,
    /// Of each that is of a type, those of any type.
    untyped: Vec<Option<GresIndex>>,
    /// The nodes of each partition.
    pub partitions: Vec<NodeSet>,
    /// The switches above them; none: selection knows none.
    pub tree: SwitchTree,
    /// Whether jobs are given whole nodes.
    pub whole_nodes: bool,
    /// Whether `select/linear` gives them.
    pub is_linear: bool,
    /// For it, nodes that are configured alike, the lightest first.
    pub alike: Vec<NodeSet>,
    /// Whether cores are given with all their threads.
    whole_cores: bool,
    /// Whether a job takes the cores of one socket after the other.
    fills_sockets: bool,
    /// Of each partition that limits the processors of a node, that limit.
    pub caps: Vec<Option<CpuCap>>,
    /// Which partitions keep their jobs apart from those of others.
    pub apart: PartitionsApart,
    /// Processors of each node, if all have as many.
    pub equal_cpus: Option<u32>,
    /// Whether as many processors are held for the same tasks on any node: cores have as many threads everywhere, and sockets are not
    /// given whole.
    pub holds_alike: bool,
    /// The first of each run of nodes of equal weight, and that weight.
    pub equal_weights: Vec<(usize, u32)>,
    /// The weight of the lightest nodes.
    pub least_weight: u32,
}

#[cfg(test)]
thread_local! {
    /// How often this thread has found out what a job could use of a node.
    pub static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Partitions that limit the processors of a node, counted one by one.
fn caps(cluster: &Cluster) -> Vec<Option<CpuCap>> {
    let mut count = 0;
    let partitions = cluster.partitions.iter();
    let caps = partitions.map(|one| {
        let most = one.max_cpus_per_node?;
        count += 1;
        Some(CpuCap { of: CappedPartition(count - 1), most })
    });
    caps.collect()
}

impl NodeLayout {
    pub fn of(cluster: &Cluster) -> NodeLayout {
        let mut kinds: Vec<(String, Option<String>)> = Vec::new();
        for one in cluster.nodes.iter().flat_map(|node| &node.gres) {
            for kind in [None, one.kind.clone()] {
                if !kinds.contains(&(one.name.clone(), kind.clone())) {
                    kinds.push((one.name.clone(), kind));
                }
            }
        }
        let nodes = cluster.nodes.iter();
        let nodes: Vec<NodeNumbers> = nodes
            .map(|node| NodeNumbers {
                // `select/linear` reserves no cores: jobs have all processors, though totals leave those cores out.
                cpus: match cluster.settings.select.kind {
                    SelectKind::Linear => node.cpus,
                    _ => node.unreserved_cpus(),
                },
                all_cpus: node.cpus,
                threads: node.threads_per_core.max(1),
                cores_at_once: match cluster.settings.select.unit {
                    ConsumedUnit::Socket => node.cores_per_socket.max(1),
                    _ => 1,
                },
                memory: node.memory_mb.saturating_sub(node.reserved_memory_mb),
                gres: kinds.iter().map(|(name, kind)| node.gres_count(name, kind.as_deref())).collect(),
                weight: node.weight,
            })
            .collect();
        let count = nodes.len();
        let partitions =
            cluster.partitions.iter().map(|one| NodeSet::of(count, one.nodes.iter().copied())).collect();
        let select = &cluster.settings.select;
        let mut equal_weights: Vec<(usize, u32)> =
            nodes.iter().enumerate().map(|(node, one)| (node, one.weight)).collect();
        equal_weights.dedup_by_key(|one| one.1);
        let first = nodes.first().map(|node| node.cpus);
        let untyped = kinds.iter().map(|(name, kind)| {
            let any = kinds.iter().position(|(other, none)| other == name && none.is_none());
            any.filter(|_| kind.is_some()).map(GresIndex)
        });
        NodeLayout {
            untyped: untyped.collect(),
            equal_cpus: first.filter(|&cpus| nodes.iter().all(|node| node.cpus == cpus)),
            holds_alike: select.unit != ConsumedUnit::Socket
                && nodes.iter().all(|node| node.threads == nodes[0].threads),
            least_weight: equal_weights.iter().map(|one| one.1).min().unwrap_or(0),
            equal_weights,
            nodes,
            kinds,
            partitions,
            tree: SwitchTree::of(&cluster.topology, count),
            whole_nodes: select.kind == SelectKind::Linear || select.unit == ConsumedUnit::Node,
            is_linear: select.kind == SelectKind::Linear,
            alike: if select.kind == SelectKind::Linear { alike_by_weight(cluster) } else { Vec::new() },
            whole_cores: select.unit != ConsumedUnit::Cpu,
            fills_sockets: select.block_distribution,
            caps: caps(cluster),
            apart: PartitionsApart::of(cluster),
        }
    }

    /// Processors of a node that a job which uses `cpus` of them keeps from other jobs: no two jobs have threads of the same core.
    pub fn cpus_of_cores(&self, node: usize, cpus: u32, need: &Need) -> u32 {
        let NodeNumbers { threads, cpus: all, .. } = self.nodes[node];
        if self.whole_cores || threads == 1 {
            return cpus;
        }
        cpus.div_ceil(need.threads.clamp(1, threads)).saturating_mul(threads).min(all.max(cpus))
    }

    /// Whether cores are given with all their threads.
    pub fn gives_cores(&self) -> bool {
        self.whole_cores
    }

    /// Processors of a core that a job uses: as many threads as it may, or one where threads are given one by one.
    pub fn cpus_at_once(&self, node: usize, need: &Need) -> u32 {
        if self.whole_cores { need.threads.clamp(1, self.nodes[node].threads) } else { 1 }
    }

    /// Processors allocated to a job that uses `used` of a node of which `free` are free: whole cores, even if it uses only some of
    /// their threads, or whole sockets. Cores are taken one of each free socket in turn, or by `CR_CORE_DEFAULT_DIST_BLOCK` one
    /// socket after the other.
    pub fn held_cpus(&self, node: usize, used: u32, free: u32, need: &Need) -> u32 {
        if !self.whole_cores {
            return used;
        }
        let NodeNumbers { threads, cores_at_once, .. } = self.nodes[node];
        let cores = used.div_ceil(self.cpus_at_once(node, need));
        if cores_at_once == 1 {
            return cores.saturating_mul(threads);
        }
        let in_turn = if self.fills_sockets { 0 } else { cores.min(free / threads / cores_at_once) };
        let sockets = cores.div_ceil(cores_at_once).max(in_turn);
        sockets.saturating_mul(cores_at_once).saturating_mul(threads).min(free.max(used))
    }

    /// Processors allocated to a job that uses `used` of an idle node.
    pub fn held_on_idle(&self, node: usize, used: u32, need: &Need) -> u32 {
        self.held_cpus(node, used, self.nodes[node].cpus, need)
    }

    /// The fewest processors that a job which shares its nodes holds: whole cores.
    pub fn least_held(&self, need: &Need) -> u32 {
        let cpus = need.least_cpus();
        need.on.feasible.iter().next().map_or(cpus, |node| self.held_on_idle(node, cpus, need))
    }

    /// All processors of some nodes.
    pub fn cpus_of(&self, nodes: &[usize]) -> u32 {
        nodes.iter().map(|&node| self.nodes[node].cpus).sum()
    }

    /// Whether a job's size may change with each selection: nodes of `select/linear` differ, or its number of nodes is a range.
    pub fn size_varies(&self, need: &Need) -> bool {
        self.is_linear && (self.equal_cpus.is_none() || need.wanted_nodes > need.nodes.0)
    }

    /// Whether the size of a job is another one on other nodes.
    pub fn sizes_differ(&self, need: &Need) -> bool {
        match need.is_exclusive {
            true => self.equal_cpus.is_none() || self.size_varies(need),
            false => need.follows_nodes() || !self.holds_alike,
        }
    }

    /// Whether some nodes have GPUs.
    pub fn has_gpus(&self) -> bool {
        (0..self.kinds.len()).any(|index| self.is_gpu(GresIndex(index)))
    }

    /// Whether a generic resource is GPUs.
    pub fn is_gpu(&self, resource: GresIndex) -> bool {
        self.kinds.get(resource.0).is_some_and(|(name, _)| name == "gpu")
    }

    /// What a generic resource is named by; `None` if no node has it.
    pub fn gres(&self, asked: &GresRequest) -> Option<GresIndex> {
        let found = self.kinds.iter().position(|(name, kind)| *name == asked.name && *kind == asked.kind);
        found.map(GresIndex)
    }

    /// Names of the generic resources as limits name them, by [`GresIndex`].
    pub fn gres_names(&self) -> impl Iterator<Item = String> + '_ {
        self.kinds.iter().map(|(name, kind)| match kind {
            Some(kind) => format!("gres/{name}:{kind}"),
            None => format!("gres/{name}"),
        })
    }

    /// Those of a name as limits name them.
    pub fn gres_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = GresIndex> + 'a {
        self.gres_names().zip(0..).filter(move |(one, _)| one == name).map(|(_, at)| GresIndex(at))
    }

    /// A generic resource, and what an amount of it also counts for.
    pub fn gres_counts_for(&self, resource: GresIndex) -> impl Iterator<Item = GresIndex> + '_ {
        [Some(resource), self.untyped[resource.0]].into_iter().flatten()
    }

    /// Whether enough nodes could run a job if nothing else ran.
    pub fn could_run(&self, need: &Need) -> bool {
        let cpus: u64 = need.on.feasible.iter().map(|node| u64::from(self.idle_cpus(node, need))).sum();
        need.on.feasible.len() >= need.nodes.0 as usize
            && cpus >= u64::from(need.cpus)
            && need.on.required.is_subset(&need.on.feasible)
            && need.gres.per_job.iter().all(|&(resource, count)| {
                let all = need.on.feasible.iter().map(|node| self.nodes[node].gres[resource.0]);
                all.fold(0_u64, u64::saturating_add) >= count
            })
    }

    /// Processors that a job could use of a node if nothing else ran on it.
    pub fn idle_cpus(&self, node: usize, need: &Need) -> u32 {
        self.usable(node, [0, 0], 0, |_| 0, true, need)
    }

    /// Processors that a job can use of a node with `cpus` in use, `of_partition` of them by its partition (`MaxCPUsPerNode`).
    pub(super) fn usable(
        &self,
        node: usize,
        [cpus, of_partition]: [u32; 2],
        memory: u64,
        gres: impl Fn(GresIndex) -> u64,
        is_idle: bool,
        need: &Need,
    ) -> u32 {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        let numbers = &self.nodes[node];
        if need.is_exclusive && !is_idle {
            return 0;
        }
        let free = numbers.cpus.saturating_sub(cpus);
        let mut free = if self.whole_cores {
            // Of sockets only those of which no core is in use.
            let cores = free / numbers.threads;
            let cores = if cores < numbers.cores_at_once { cores * u32::from(is_idle) } else { cores };
            let partly = if is_idle { 0 } else { cores % numbers.cores_at_once };
            (cores - partly) * self.cpus_at_once(node, need)
        } else {
            free / numbers.threads * need.threads.clamp(1, numbers.threads)
        };
        if let Some(cap) = need.cap.filter(|cap| free.saturating_add(of_partition) > cap.most) {
            if need.is_exclusive {
                return 0;
            }
            free = free.min(cap.most.saturating_sub(of_partition));
        }
        // Of one type, and of any: what is taken without a type counts for both.
        let lacks = |resource: GresIndex, count: u64| {
            self.gres_counts_for(resource).any(|one| numbers.gres[one.0] < gres(one).saturating_add(count))
        };
        if need.gres.per_node.iter().any(|&(resource, count)| lacks(resource, count))
            || need.gres.per_job.iter().any(|&(resource, _)| lacks(resource, 1))
            || need.gres.per_task.iter().any(|&(resource, count)| lacks(resource, count))
        {
            return 0;
        }
        let left = numbers.memory.saturating_sub(memory);
        if self.is_linear {
            return self.usable_whole(numbers, left, need);
        }
        match need.memory {
            MemoryNeed::PerNode(mb) if left < mb => return 0,
            MemoryNeed::PerGpu(mb)
                if left
                    < mb.saturating_mul(
                        need.gres.gpus_per_node.or(need.gres.gpus_per_task).map_or(1, |one| one.1),
                    ) =>
            {
                return 0;
            }
            MemoryNeed::AllOfNode if memory > 0 => return 0,
            MemoryNeed::PerCpu(mb)
                if need.is_exclusive && left < mb.saturating_mul(u64::from(numbers.cpus)) =>
            {
                return 0;
            }
            MemoryNeed::PerCpu(mb) if mb > 0 => {
                // Memory for a part of a core's threads only is not enough for the core.
                let enough = u32::try_from(left / mb).unwrap_or(u32::MAX);
                let unit = if self.whole_cores { self.cpus_at_once(node, need) } else { 1 };
                free = free.min(enough / unit * unit);
            }
            _ => {}
        }
        let for_tasks = need.tasks_per_node.saturating_mul(need.cpus_per_task);
        if need.tasks_per_node > 0 {
            if free < for_tasks {
                return 0;
            }
            if !self.tree.0.is_empty() {
                free = free.min(for_tasks);
            }
        } else if need.is_of_one_node && free < need.cpus {
            return 0;
        }
        if free < need.least_cpus_per_node.max(need.least_cpus_for_gpus()) {
            return 0;
        }
        // As many tasks as there are resources for.
        for &(resource, count) in &need.gres.per_task {
            let free_of = |one: GresIndex| numbers.gres[one.0].saturating_sub(gres(one));
            let left_of = self.gres_counts_for(resource).map(free_of).min().unwrap_or(0);
            let mut tasks = left_of / count.max(1);
            if let MemoryNeed::PerGpu(mb) = need.memory {
                tasks = tasks.min(left.checked_div(mb.saturating_mul(count)).unwrap_or(u64::MAX));
            }
            let tasks = u32::try_from(tasks).unwrap_or(u32::MAX);
            free = free.min(tasks.saturating_mul(need.cpus_per_task));
        }
        free / need.cpus_per_task * need.cpus_per_task
    }

    /// Processors of a node that is given whole, as far as tasks can use them; memory for each processor is that of all of them.
    fn usable_whole(&self, numbers: &NodeNumbers, left: u64, need: &Need) -> u32 {
        let memory = match need.memory {
            MemoryNeed::PerCpu(mb) => mb.saturating_mul(u64::from(numbers.cpus)),
            MemoryNeed::PerNode(mb) => mb,
            MemoryNeed::PerGpu(mb) => mb.saturating_mul(need.gres.gpus_per_node.map_or(1, |one| one.1)),
            MemoryNeed::AllOfNode => 0,
        };
        let for_tasks = need.tasks_per_node.saturating_mul(need.cpus_per_task);
        if memory > left || numbers.cpus < for_tasks.max(need.least_cpus_per_node) {
            return 0;
        }
        if for_tasks > 0 { numbers.cpus.min(for_tasks) } else { numbers.cpus }
    }
}
