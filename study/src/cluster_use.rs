//! What of a cluster was in use over time.

use queuecast_core::order;
use std::collections::BTreeSet;

use serde::Serialize;

use queuecast_core::job_state::JobState;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::{Cluster, ClusterAction, NodeState, RecordedRun};
use queuecast_slurm_sim::controller::{HeldCpus, HeldParts, SimulatedRun};

/// What of a resource was in use.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResourceUse {
    /// `cpu`, `mem` (in MB), `gres/gpu`, `gres/gpu:a100`.
    pub name: String,
    /// How much nodes of partitions have that are in service at the begin or later.
    pub available: f64,
    /// How much was in use on average.
    pub mean: f64,
    /// The mean as a share of what is available; `None` if there is none, or no time passed.
    pub utilization: Option<f64>,
}

/// Processors that were not in use, as shares of all over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CpuIdleness {
    /// Idle processors while at least one job that could have started waited; `None` if none ever waited.
    pub while_waiting: Option<f64>,
    /// Idle processors of nodes of which others are in use: what is left over by jobs that share nodes.
    pub on_partly_used_nodes: Option<f64>,
}

/// The nodes of partitions that are in service at the begin or come into service.
fn in_service(cluster: &Cluster, run: &RecordedRun) -> BTreeSet<usize> {
    let mut up: BTreeSet<usize> =
        (0..cluster.nodes.len()).filter(|&node| cluster.nodes[node].state == NodeState::Up).collect();
    for event in &run.events {
        if let ClusterAction::Nodes(change) = &event.action
            && change.state == NodeState::Up
        {
            up.extend(&change.nodes);
        }
    }
    let partitions = cluster.partitions.iter();
    partitions.flat_map(|one| &one.nodes).copied().filter(|node| up.contains(node)).collect()
}

/// What was in use between two instants.
pub(super) fn cluster_use(
    cluster: &Cluster,
    run: &RecordedRun,
    simulated: &SimulatedRun,
    (begin, end): (Time, Time),
) -> (Vec<ResourceUse>, CpuIdleness) {
    let nodes = in_service(cluster, run);
    let span = (end - begin).0;
    let mut sums = vec![0_i128; 2 + simulated.gres.len()];
    for job in &simulated.jobs {
        let Some(start) = job.outcome.start else { continue };
        let seconds = i128::from((job.outcome.end.unwrap_or(end) - start).0.max(0));
        for alike in job.parts.amounts() {
            let seconds = seconds * i128::from(alike.nodes);
            sums[0] += seconds * i128::from(alike.cpus);
            sums[1] += seconds * i128::from(alike.memory_mb);
            for &(resource, count) in alike.gres {
                sums[2 + resource.0] += seconds * i128::from(count);
            }
        }
    }
    let all = nodes.iter().map(|&node| &cluster.nodes[node]);
    let mut available = vec![
        ("cpu".to_owned(), all.clone().map(|node| f64::from(node.cpus)).sum()),
        ("mem".to_owned(), all.clone().map(|node| node.memory_mb as f64).sum()),
    ];
    for name in &simulated.gres {
        let bare = name.strip_prefix("gres/").unwrap_or(name);
        let (bare, kind) = bare.split_once(':').map_or((bare, None), |(bare, kind)| (bare, Some(kind)));
        available.push((name.clone(), all.clone().map(|node| node.gres_count(bare, kind) as f64).sum()));
    }
    let types = told_types(&simulated.gres, &available, &mut sums);
    let resources = available.into_iter().zip(sums).zip(types).filter(|one| one.1).map(|one| one.0);
    let resources = resources
        .map(|((name, available), sum)| {
            let mean = if span > 0 { sum as f64 / span as f64 } else { 0.0 };
            let utilization = (available > 0.0 && span > 0).then(|| mean / available);
            ResourceUse { name, available, mean, utilization }
        })
        .collect();
    let cpus: i64 = nodes.iter().map(|&node| i64::from(cluster.nodes[node].cpus)).sum();
    (resources, idleness(cluster, simulated, cpus, (begin, end)))
}

/// Which resources are told. A job that asks for no type has units of some type, but which is not known: where there is one type alone, all
/// are of it; else types are told only if every job asked for one.
fn told_types(names: &[String], available: &[(String, f64)], sums: &mut [i128]) -> Vec<bool> {
    let mut told = vec![true; sums.len()];
    for (bare, name) in (2..).zip(names).filter(|one| !one.1.contains(':')) {
        let is_type = |at: &usize| names[at - 2].split_once(':').is_some_and(|(of, _)| of == name);
        let types: Vec<usize> = (2..sums.len()).filter(is_type).collect();
        match types[..] {
            [only] if available[only].1 == available[bare].1 => sums[only] = sums[bare],
            _ if types.iter().map(|&one| sums[one]).sum::<i128>() == sums[bare] => {}
            _ => types.iter().for_each(|&one| told[one] = false),
        }
    }
    told
}

/// Something that changes which processors are idle, or how many jobs wait.
#[derive(Clone, Copy)]
enum UseChange<'a> {
    Ends(&'a HeldParts),
    Starts(&'a HeldParts),
    Waits,
    WaitsNoMore,
}

fn idleness(
    cluster: &Cluster,
    simulated: &SimulatedRun,
    cpus: i64,
    (begin, end): (Time, Time),
) -> CpuIdleness {
    let mut changes: Vec<(i64, UseChange<'_>)> = Vec::with_capacity(4 * simulated.jobs.len());
    for job in &simulated.jobs {
        let outcome = &job.outcome;
        if let Some(start) = outcome.start {
            changes.push((start.0, UseChange::Starts(&job.parts)));
            changes.push((outcome.end.unwrap_or(end).0, UseChange::Ends(&job.parts)));
        }
        // A job that never started and still waits is taken to wait until the end.
        let is_waiting = outcome.start.is_some() || outcome.state == JobState::Pending;
        if let Some(eligible) = outcome.eligible.filter(|_| is_waiting) {
            changes.push((eligible.0, UseChange::Waits));
            changes.push((outcome.start.unwrap_or(end).0.max(eligible.0), UseChange::WaitsNoMore));
        }
    }
    // At one instant all changes are made before time passes, so that their order does not matter.
    order::sort_by_key(&mut changes, |change| change.0);
    let (mut held, mut waiting) = (HeldCpus::none(cluster), 0_i64);
    let (mut idle_sum, mut waiting_time, mut partly_sum) = (0_i128, 0_i128, 0_i128);
    let mut now = begin.0;
    for (at, change) in changes {
        let passed = i128::from(at.clamp(now, end.0.max(now)) - now);
        if waiting > 0 {
            idle_sum += passed * i128::from((cpus - held.busy()).max(0));
            waiting_time += passed;
        }
        partly_sum += passed * i128::from(held.partly_idle());
        now = at.clamp(now, end.0.max(now));
        match change {
            UseChange::Starts(parts) => held.take(parts),
            UseChange::Ends(parts) => held.give_back(parts),
            UseChange::Waits => waiting += 1,
            UseChange::WaitsNoMore => waiting -= 1,
        }
    }
    let share =
        |sum: i128, time: i128| (time > 0 && cpus > 0).then(|| sum as f64 / (time as f64 * cpus as f64));
    CpuIdleness {
        while_waiting: share(idle_sum, waiting_time),
        on_partly_used_nodes: share(partly_sum, i128::from((end - begin).0)),
    }
}
