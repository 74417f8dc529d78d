//! What jobs are given of nodes, as a recorded Slurm has it.

use super::tests::{cluster, job, simulated, start};
use crate::cluster::{Cluster, MemoryAmount, MemoryRequest, SubmittedJob};

/// One task on one node.
fn on_a_node(key: usize, run: i64) -> SubmittedJob {
    let mut one = job(key, key as i64, 1, 10, run);
    (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
    one
}

/// Where memory is given and there is no default, a job that asks for none has all of a node: it starts on no node of which some is in use,
/// and leaves none.
#[test]
fn without_a_default_a_job_has_all_memory_of_a_node() {
    let mut site = cluster(1);
    (site.settings.select.memory, site.settings.jobs.default_memory) = (true, None);
    let with_some = |key: usize, run: i64| {
        let mut one = on_a_node(key, run);
        one.request.memory = Some(MemoryRequest::PerNode(100));
        one
    };
    let jobs = || vec![with_some(0, 100), with_some(1, 100), on_a_node(2, 300), with_some(3, 60)];
    let starts = |site: &Cluster| simulated(site, jobs()).iter().map(start).collect::<Vec<_>>();
    let found = starts(&site);
    assert!(found[1] < 10 && (100..200).contains(&found[2]) && found[3] >= found[2] + 300, "{found:?}");
    site.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(100));
    let found = starts(&site);
    assert!(found.iter().all(|&start| start < 10), "control: {found:?}");
}

/// `MaxCPUsPerNode=3` on a node of two threads a core: a job of one processor has a core, so a second one would have a fourth.
#[test]
fn the_processors_that_a_partition_has_of_a_node_are_those_of_whole_cores() {
    let mut site = cluster(1);
    (site.nodes[0].cpus, site.nodes[0].threads_per_core) = (8, 2);
    site.partitions[0].max_cpus_per_node = Some(3);
    let seconds = |site: &Cluster| -> Vec<i64> {
        let all = (0..3).map(|key| on_a_node(key, 300)).collect();
        simulated(site, all).iter().map(start).collect()
    };
    let found = seconds(&site);
    assert!(found[1] < 10 && found[2] >= 300, "{found:?}");
    site.partitions[0].max_cpus_per_node = Some(5);
    assert!(seconds(&site)[2] < 10, "control");
}
