//! What a request needs in a partition.

use super::layout::NodeLayout;
use super::need::{GresIndex, MemoryNeed, Need, NeedGres, NeedNodes, NeedPlacing};
use super::node_order::NodeOrder;
use super::node_set::NodeSet;
use crate::cluster::{
    Cluster, ClusterPartition, Exclusivity, GresRequest, JobRequest, MemoryAmount, MemoryRequest,
    PartitionIndex, Sharing, gpu_contradiction,
};

/// Bounds on the nodes of a job beside those that it asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeBounds {
    /// The smallest `MinNodes` of its partitions.
    pub fewest: u32,
    /// The most that its partition and its limits allow.
    pub most: Option<u32>,
    /// Whether nodes are given whole because another of its partitions is `OverSubscribe=EXCLUSIVE`, and it was tried there.
    pub are_whole: bool,
}

impl Need {
    /// Of a request in a partition; which nodes are feasible is not found yet.
    pub fn of(
        request: &JobRequest,
        bounds: NodeBounds,
        partition: PartitionIndex,
        layout: &NodeLayout,
        cluster: &Cluster,
    ) -> Need {
        let config: &ClusterPartition = &cluster[partition];
        let mut cpus_per_task = request.cpus_per_task.unwrap_or(1).max(1);
        // Processors for each GPU: a task has those of its GPUs.
        let gpus = |all: &[GresRequest]| {
            all.iter().filter(|one| one.name == "gpu").fold(0_u64, |sum, one| sum.saturating_add(one.count))
        };
        let asks = [&request.gres.per_node, &request.gres.per_job, &request.gres.per_task];
        let has_gpus = asks.into_iter().any(|asked| gpus(asked) > 0);
        let by_default = config.per_gpu.cpus.or(cluster.settings.jobs.per_gpu.cpus);
        let cpus_per_gpu = request.gres.cpus_per_gpu.or(by_default).filter(|_| has_gpus).unwrap_or(0);
        let of_task = gpus(&request.gres.per_task).saturating_mul(u64::from(cpus_per_gpu));
        let asked_per_task = cpus_per_task;
        cpus_per_task = cpus_per_task.max(u32::try_from(of_task).unwrap_or(u32::MAX));
        let counted_per_task =
            if request.gres.cpus_per_gpu.is_some() { cpus_per_task } else { asked_per_task };
        // Of a core, as many threads as its tasks have processors.
        let of_core = request.tasks_on.tasks_per_core.map(|tasks| tasks.saturating_mul(asked_per_task));
        let tasks_per_node =
            request.tasks_per_node.or_else(|| tasks_by_gres(&request.gres.per_node, request)).unwrap_or(0);
        // The nodes that it names, unless it asks for more.
        let named = u32::try_from(request.wishes.node_list.len()).unwrap_or(u32::MAX);
        // GPUs of the job and of each node tell on how many nodes it runs.
        let by_gres = request.gres.per_job.iter().find_map(|whole| quotient(whole, &request.gres.per_node));
        let (min_nodes, max_nodes) = match (request.min_nodes, request.max_nodes) {
            (None, None) => (by_gres, by_gres),
            asked => asked,
        };
        let asked_nodes = min_nodes.unwrap_or(1).max(1).max(named).max(bounds.fewest);
        // A job that asks for a range of nodes and says nothing of tasks has one task.
        let is_range = max_nodes.is_some_and(|most| most > asked_nodes) && tasks_per_node == 0;
        let tasks = match request.tasks.or_else(|| tasks_by_gres(&request.gres.per_job, request)) {
            Some(tasks) => tasks.max(1),
            None if is_range => 1,
            None => asked_nodes.saturating_mul(tasks_per_node.max(1)),
        };
        let counted = |per_task: u32| {
            let cpus = tasks.saturating_mul(per_task);
            if is_range && request.tasks.is_none() { cpus } else { cpus.max(asked_nodes) }
        };
        let cpus = counted(cpus_per_task);
        // Tasks and nodes that only its GPUs tell do not count.
        let is_of_gpus = (request.tasks, request.tasks_per_node) == (None, None)
            && (tasks_per_node > 0 || request.min_nodes.is_none() && by_gres.is_some());
        let asked_cpus = if is_of_gpus {
            request.min_nodes.unwrap_or(1).saturating_mul(counted_per_task)
        } else {
            counted(counted_per_task)
        };
        let fewest =
            if tasks_per_node > 0 { asked_nodes.max(tasks.div_ceil(tasks_per_node)) } else { asked_nodes };
        let most = match (min_nodes, max_nodes) {
            // Of a range, no more nodes than it has tasks; select/linear does not count these. Before 24.11 those that are asked for
            // by node count as the tasks of the fewest nodes.
            (_, Some(most)) => {
                let is_older = cluster.version.is_none_or(|version| version < (24, 11));
                let by_node = request.tasks_per_node.filter(|_| is_older).map(|_| tasks);
                let counted = request.tasks.or(by_node).filter(|_| !layout.is_linear);
                most.min(counted.unwrap_or(u32::MAX)).max(fewest)
            }
            (Some(_), None) => min_nodes.unwrap_or(1).max(fewest),
            // GPUs of a job may be those of more nodes than it has tasks.
            (None, None) => {
                tasks.max(fewest).max(u32::try_from(gpus(&request.gres.per_job)).unwrap_or(u32::MAX))
            }
        };
        // A request beyond a limit is not cut to the limit: the limit keeps it waiting.
        let most = bounds.most.filter(|&allowed| allowed >= fewest).map_or(most, |allowed| most.min(allowed));
        let names_nodes = min_nodes.or(max_nodes).is_some();
        let is_spread = request.wishes.spread && request.tasks.is_some();
        let wants_most = (names_nodes || is_spread) && !request.wishes.use_min_nodes;
        let wanted_nodes = if wants_most { most } else { fewest };
        // Memory for each GPU is the default of jobs with GPUs where there is such a default. Without any default it is all of a node.
        let per_gpu = config.per_gpu.memory_mb.or(cluster.settings.jobs.per_gpu.memory_mb);
        let by_default = match config.default_memory.or(cluster.settings.jobs.default_memory) {
            Some(MemoryAmount::PerCpu(mb)) => MemoryNeed::PerCpu(mb),
            Some(MemoryAmount::PerNode(mb)) => MemoryNeed::PerNode(mb),
            None => MemoryNeed::AllOfNode,
        };
        let asked = |memory: Option<MemoryRequest>| match memory {
            Some(MemoryRequest::PerNode(0)) => MemoryNeed::AllOfNode,
            Some(MemoryRequest::PerNode(mb)) => MemoryNeed::PerNode(mb),
            Some(MemoryRequest::PerCpu(mb)) => MemoryNeed::PerCpu(mb),
            Some(MemoryRequest::PerGpu(mb)) => MemoryNeed::PerGpu(mb),
            None => by_default,
        };
        let is_given = cluster.settings.select.memory;
        let counted_memory = if is_given { asked(request.memory) } else { MemoryNeed::PerCpu(0) };
        let memory = asked(request.memory.or(per_gpu.filter(|_| has_gpus).map(MemoryRequest::PerGpu)));
        let memory = if is_given { memory } else { MemoryNeed::PerCpu(0) };
        let all_gres = [&request.gres.per_node, &request.gres.per_job, &request.gres.per_task];
        let is_unknown = |one: &&GresRequest| one.count > 0 && layout.gres(one).is_none();
        let is_impossible = all_gres.into_iter().flatten().any(|one| is_unknown(&one))
            || gpu_contradiction(request).is_some();
        let mut gres_per_node: Vec<(GresIndex, u64)> =
            request.gres.per_node.iter().filter_map(|one| Some((layout.gres(one)?, one.count))).collect();
        if tasks_per_node > 0 || asked_nodes == 1 && most == 1 {
            let per = u64::from(if tasks_per_node > 0 { tasks_per_node } else { tasks });
            for one in &request.gres.per_task {
                let Some(resource) = layout.gres(one) else { continue };
                let of_tasks = one.count.saturating_mul(per);
                // Where it says for nodes too how many, these are those of its tasks.
                match gres_per_node.iter_mut().find(|known| known.0 == resource) {
                    Some((_, count)) => *count = of_tasks.max(*count),
                    None => gres_per_node.push((resource, of_tasks)),
                }
            }
        }
        let all_of_job: Vec<(GresIndex, u64)> =
            request.gres.per_job.iter().filter_map(|one| Some((layout.gres(one)?, one.count))).collect();
        // What its tasks or nodes have is what the job has.
        let is_of_parts = |&(resource, _): &(GresIndex, u64)| {
            let mut parts = request.gres.per_task.iter().chain(&request.gres.per_node);
            parts.any(|each| each.count > 0 && layout.gres(each) == Some(resource))
        };
        let gres_per_job: Vec<(GresIndex, u64)> =
            all_of_job.iter().copied().filter(|one| !is_of_parts(one)).collect();
        // Without a number of tasks per node, a node has as many tasks as it has resources for.
        let mut gres_per_task: Vec<(GresIndex, u64)> = Vec::new();
        if gres_per_node.is_empty() {
            let asked = request.gres.per_task.iter().filter(|one| one.count > 0);
            gres_per_task.extend(asked.filter_map(|one| Some((layout.gres(one)?, one.count))));
        }
        let is_exclusive = matches!(request.wishes.exclusivity, Some(Exclusivity::Exclusive))
            || config.sharing == Sharing::Exclusive
            || bounds.are_whole
            || layout.whole_nodes;
        let names = |names: &[String]| {
            NodeSet::of(cluster.nodes.len(), names.iter().filter_map(|name| cluster.node(name)))
        };
        let required = names(&request.wishes.node_list);
        let has_gres = !(gres_per_node.is_empty() && gres_per_job.is_empty() && gres_per_task.is_empty());
        let is_plain = required.is_empty() && !has_gres;
        let gpus = |gres: &[(GresIndex, u64)]| gres.iter().copied().find(|one| layout.is_gpu(one.0));
        Need {
            nodes: (fewest, most),
            is_of_one_node: max_nodes.or(min_nodes) == Some(1),
            wanted_nodes,
            asked_nodes,
            tasks,
            cpus_per_task,
            cpus,
            asked_cpus,
            cap: layout.caps.get(partition.0).copied().flatten(),
            threads: if request.tasks_on.one_thread_per_core || of_core == Some(1) {
                1
            } else {
                request.tasks_on.threads_per_core.filter(|most| *most > 0).unwrap_or(u32::MAX)
            },
            tasks_per_node,
            tasks_by_node: tasks_per_node > 0 && request.tasks.is_none(),
            least_cpus_per_node: request.tasks_on.min_cpus_per_node.unwrap_or(0),
            memory,
            counted_memory,
            gres: NeedGres {
                on_one_node: request.tasks == Some(1)
                    && (fewest, min_nodes, max_nodes) == (1, None, None)
                    && gpus(&gres_per_job).is_some(),
                gpus_per_node: gpus(&gres_per_node),
                gpus_of_job: gpus(&all_of_job),
                gpus_per_task: gpus(&gres_per_task),
                per_node: gres_per_node,
                per_job: gres_per_job,
                per_task: gres_per_task,
                cpus_per_gpu,
                is_impossible,
            },
            is_exclusive,
            placing: NeedPlacing {
                apart: layout.apart.job(partition, request),
                order: NodeOrder::of(request, config, &cluster.settings, (cpus, wanted_nodes)),
            },
            is_plain,
            on: NeedNodes { required, ..NeedNodes::default() },
        }
    }

    /// Finds the nodes that could run it if they were idle.
    pub fn find_feasible(
        &mut self,
        request: &JobRequest,
        partition: PartitionIndex,
        layout: &NodeLayout,
        cluster: &Cluster,
    ) {
        let count = cluster.nodes.len();
        let excluded =
            NodeSet::of(count, request.wishes.exclude.iter().filter_map(|name| cluster.node(name)));
        let mut cpus: Option<Option<u32>> = None;
        let (mut feasible, mut considered) = (NodeSet::none(count), NodeSet::none(count));
        // At a submission select/linear asks for the memory of one processor only, so a job may wait that never starts.
        let mut accepted = match self.memory {
            MemoryNeed::PerCpu(mb) if layout.is_linear => {
                let on = NeedNodes { feasible: NodeSet::none(count), ..self.on.clone() };
                Some(Need { memory: MemoryNeed::PerNode(mb), on, ..self.clone() })
            }
            _ => None,
        };
        let mut without_gres = self.clone();
        let NeedGres { per_node, per_job, per_task, .. } = &mut without_gres.gres;
        [per_node, per_job, per_task].into_iter().for_each(Vec::clear);
        for &node in &cluster[partition].nodes {
            if node >= count {
                continue;
            }
            let admits = request
                .wishes
                .constraint
                .as_ref()
                .is_none_or(|one| one.admits(&cluster.nodes[node].features));
            if !admits || excluded.contains(node) {
                continue;
            }
            if let Some(need) = accepted.as_mut().filter(|need| layout.idle_cpus(node, need) > 0) {
                need.on.feasible.insert(node);
            }
            if layout.idle_cpus(node, &without_gres) > 0 {
                considered.insert(node);
            }
            let idle = layout.idle_cpus(node, self);
            if idle > 0 {
                feasible.insert(node);
                cpus = Some(cpus.map_or(Some(idle), |all| all.filter(|&same| same == idle)));
            }
        }
        (self.on.feasible, self.on.considered) = (feasible, considered);
        self.on.uniform_cpus = cpus.flatten();
        self.on.could_run = !self.gres.is_impossible && layout.could_run(accepted.as_ref().unwrap_or(self));
    }
}

/// How many tasks have what a job asks for: as many as it divides into what each task asks for.
fn tasks_by_gres(asked: &[GresRequest], request: &JobRequest) -> Option<u32> {
    asked.iter().find_map(|whole| quotient(whole, &request.gres.per_task))
}

/// How many parts of what is asked for of the same resource there are in an amount; none where it is not asked for.
fn quotient(whole: &GresRequest, parts: &[GresRequest]) -> Option<u32> {
    let is_same =
        |part: &&GresRequest| (&part.name, &part.kind) == (&whole.name, &whole.kind) && part.count > 0;
    let part = parts.iter().find(is_same)?;
    u32::try_from(whole.count / part.count).ok().filter(|&parts| parts > 0)
}
