//! What a request needs in a partition.

use super::layout::NodeLayout;
use super::need::{Need, NeedMemory};
use super::node_set::NodeSet;
use crate::cluster::{
    Cluster, ClusterPartition, Exclusivity, JobRequest, MemoryAmount, MemoryRequest, Sharing,
};

impl Need {
    /// Of a request in a partition.
    pub fn of(request: &JobRequest, partition: usize, layout: &NodeLayout, cluster: &Cluster) -> Need {
        let place: &ClusterPartition = &cluster.partitions[partition];
        let cpus_per_task = request.cpus_per_task.unwrap_or(1).max(1);
        let tasks_per_node = request.tasks_per_node.unwrap_or(0);
        let asked_nodes = request.min_nodes.unwrap_or(1).max(1);
        let tasks = match request.tasks {
            Some(tasks) => tasks.max(1),
            None => asked_nodes.saturating_mul(tasks_per_node.max(1)),
        };
        let cpus = tasks.saturating_mul(cpus_per_task).max(asked_nodes);
        let fewest =
            if tasks_per_node > 0 { asked_nodes.max(tasks.div_ceil(tasks_per_node)) } else { asked_nodes };
        let most = match (request.min_nodes, request.max_nodes) {
            (_, Some(most)) => most.max(fewest),
            (Some(_), None) => request.min_nodes.unwrap_or(1).max(fewest),
            (None, None) => tasks.max(fewest),
        };
        let memory = match request.memory {
            Some(MemoryRequest::PerNode(0)) => NeedMemory::AllOfNode,
            Some(MemoryRequest::PerNode(mb)) => NeedMemory::PerNode(mb),
            Some(MemoryRequest::PerCpu(mb)) => NeedMemory::PerCpu(mb),
            Some(MemoryRequest::PerGpu(mb)) => {
                let gpus: u64 = request.gres_per_node.iter().map(|one| one.count).sum();
                NeedMemory::PerNode(mb.saturating_mul(gpus))
            }
            None => match place.default_memory.or(cluster.settings.default_memory) {
                Some(MemoryAmount::PerCpu(mb)) => NeedMemory::PerCpu(mb),
                Some(MemoryAmount::PerNode(mb)) => NeedMemory::PerNode(mb),
                None => NeedMemory::PerCpu(0),
            },
        };
        let memory = if cluster.settings.select.memory { memory } else { NeedMemory::PerCpu(0) };
        let mut gres_per_node: Vec<(usize, u64)> =
            request.gres_per_node.iter().filter_map(|one| Some((layout.gres(one)?, one.count))).collect();
        if tasks_per_node > 0 || asked_nodes == 1 && most == 1 {
            let per = u64::from(if tasks_per_node > 0 { tasks_per_node } else { tasks });
            gres_per_node.extend(
                request
                    .gres_per_task
                    .iter()
                    .filter_map(|one| Some((layout.gres(one)?, one.count.saturating_mul(per)))),
            );
        }
        let gres_per_job =
            request.gres_per_job.iter().filter_map(|one| Some((layout.gres(one)?, one.count))).collect();
        let is_exclusive = matches!(request.exclusivity, Some(Exclusivity::Exclusive))
            || place.sharing == Sharing::Exclusive
            || layout.whole_nodes;
        let names = |names: &[String]| {
            NodeSet::of(cluster.nodes.len(), names.iter().filter_map(|name| cluster.node(name)))
        };
        let required = names(&request.node_list);
        let excluded = names(&request.exclude);
        let mut need = Need {
            nodes: (fewest, most),
            asked_nodes,
            tasks,
            cpus_per_task,
            cpus,
            tasks_per_node,
            least_cpus_per_node: request.min_cpus_per_node.unwrap_or(0),
            memory,
            gres_per_node,
            gres_per_job,
            is_exclusive,
            feasible: NodeSet::none(cluster.nodes.len()),
            required,
        };
        let fits = |node: usize| {
            let admits =
                request.constraint.as_ref().is_none_or(|one| one.admits(&cluster.nodes[node].features));
            admits && !excluded.contains(node) && layout.idle_cpus(node, &need) > 0
        };
        let feasible =
            NodeSet::of(cluster.nodes.len(), place.nodes.iter().copied().filter(|&node| fits(node)));
        need.feasible = feasible;
        need
    }
}
