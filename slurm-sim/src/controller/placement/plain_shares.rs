//! What a job has of its nodes: the slow, plain version.

use super::in_use::{NodeShare, NodeUse};
use super::layout::NodeLayout;
use super::need::{GresIndex, MemoryNeed, Need};
use super::plain::{plain_gres, threads};

/// What a job has of each of its nodes: tasks one by one over the nodes in turn, as far as there are processors. A node gives no
/// more than is missing when it is chosen, less one core for each node that has to follow; where tasks are left, all it has.
pub fn shares(layout: &NodeLayout, load: &NodeUse, chosen: &[usize], need: &Need) -> Vec<NodeShare> {
    let per_task = need.cpus_per_task;
    let per_node = need.gres.per_node.iter().chain(&need.gres.per_task).find(|one| layout.is_gpu(one.0));
    let per_node = per_node.map_or(1, |one| one.1);
    let least = need.least_cpus_per_node.max(per_task * need.tasks_per_node.max(1));
    let least = least.max(need.gres.cpus_per_gpu * per_node as u32);
    let gpus = need.gres.per_node.iter().map(|one| (one.0, one.1 * u64::from(need.nodes.0)));
    let of_tasks = need.gres.per_task.iter().map(|one| (one.0, one.1 * u64::from(need.tasks)));
    let gpus = gpus.chain(need.gres.per_job.iter().copied()).chain(of_tasks);
    let gpus = gpus.filter(|one| layout.is_gpu(one.0));
    let for_gpus = gpus.map(|one| one.1).max().unwrap_or(0) * u64::from(need.gres.cpus_per_gpu);
    let mut missing = i64::from(need.cpus).max(for_gpus as i64);
    let mut limits = vec![0; layout.nodes.len()];
    for (before, &node) in chosen.iter().enumerate() {
        let after = i64::from(need.nodes.0) - before as i64 - 1;
        let at_once = threads(layout, node, need);
        let most = (missing - after.max(0) * i64::from(at_once)).max(i64::from(least));
        limits[node] = most.min(i64::from(load.usable(layout, node, need)));
        missing -= limits[node];
    }
    let mut nodes = chosen.to_vec();
    nodes.sort_unstable();
    let mut tasks = vec![0_u32; nodes.len()];
    let asked = if need.tasks_by_node { need.tasks_per_node * nodes.len() as u32 } else { need.tasks };
    let mut left = asked;
    let all: Vec<i64> = nodes.iter().map(|&node| i64::from(load.usable(layout, node, need))).collect();
    let limited: Vec<i64> = nodes.iter().map(|&node| limits[node]).collect();
    for processors in [limited, all] {
        if left > 0 {
            (tasks, left) = (vec![0; nodes.len()], asked);
        }
        loop {
            let mut given = false;
            for index in 0..nodes.len() {
                let fit = (processors[index] / i64::from(per_task)) as u32;
                let most = if need.tasks_per_node > 0 { fit.min(need.tasks_per_node) } else { fit };
                if left > 0 && tasks[index] < most {
                    (tasks[index], left, given) = (tasks[index] + 1, left - 1, true);
                }
            }
            if left == 0 || !given {
                break;
            }
        }
    }
    let mut gres_left: Vec<(GresIndex, u64)> = need.gres.per_job.clone();
    let mut shares = Vec::with_capacity(nodes.len());
    for (index, &node) in nodes.iter().enumerate() {
        let numbers = &layout.nodes[node];
        let mut gres: Vec<(GresIndex, u64)> = Vec::new();
        let mut add = |resource: GresIndex, count: u64| {
            for also in layout.gres_counts_for(resource) {
                gres.push((also, count));
            }
        };
        need.gres.per_node.iter().for_each(|&(resource, count)| add(resource, count));
        let of_tasks = u64::from(tasks[index].max(1));
        need.gres.per_task.iter().for_each(|&(resource, count)| add(resource, count * of_tasks));
        for (resource, left) in &mut gres_left {
            let free = plain_gres(layout, load, need, node, *resource, load.usable(layout, node, need));
            let taken = free.min(*left);
            *left -= taken;
            if taken > 0 {
                add(*resource, taken);
            }
        }
        let asked = need.gres.per_node.iter().chain(&need.gres.per_job).chain(&need.gres.per_task);
        let asked = asked
            .map(|one| one.0)
            .filter(|&resource| layout.is_gpu(resource))
            .take(1)
            .collect::<Vec<GresIndex>>();
        let gpus = gres.iter().filter(|one| asked.contains(&one.0)).map(|one| one.1).sum::<u64>();
        let cpus = if need.is_exclusive {
            numbers.cpus
        } else {
            let cpus = (tasks[index] * per_task).max(gpus as u32 * need.gres.cpus_per_gpu).max(1);
            if layout.gives_cores() {
                let cores = cpus.div_ceil(threads(layout, node, need));
                let (of_socket, free) = (numbers.cores_at_once, numbers.cpus - load.cpus(node));
                let mut sockets = vec![0; (free / numbers.threads / of_socket) as usize];
                // One core of each socket in turn; a node whose cores are not whole sockets gives the rest, too.
                for core in 0..cores as usize {
                    let count = sockets.len().max(1);
                    if let Some(socket) = sockets.get_mut(core % count) {
                        *socket += 1;
                    }
                }
                let held = sockets.iter().filter(|&&taken| taken > 0).count() as u32 * of_socket;
                if of_socket == 1 {
                    cores * numbers.threads
                } else {
                    (held.max(cores.next_multiple_of(of_socket)) * numbers.threads).min(free.max(cpus))
                }
            } else {
                cpus
            }
        };
        let memory = match need.memory {
            MemoryNeed::PerCpu(mb) => {
                let cores = cpus / if layout.gives_cores() { numbers.threads } else { 1 };
                (mb * u64::from(cores) * u64::from(threads(layout, node, need))).min(numbers.memory)
            }
            MemoryNeed::PerNode(mb) => mb,
            MemoryNeed::PerGpu(mb) => mb * gpus,
            MemoryNeed::AllOfNode => numbers.memory,
        };
        let cap = need.cap.map(|cap| cap.of);
        let held = layout.cpus_of_cores(node, cpus, need);
        shares.push(NodeShare { node, cpus, held, memory, gres, cap, apart: need.placing.apart });
    }
    shares
}
