//! Nodes with GPUs, and GPUs that a request says in two ways, as a recorded Slurm gives them.

use super::tests::{cluster, job, simulated};
use crate::cluster::{Cluster, GenericResource, GresRequest, JobOutcome, JobRequest, SubmittedJob};

fn gpus(count: u64) -> Vec<GresRequest> {
    vec![GresRequest { name: "gpu".into(), kind: None, count }]
}

/// Two nodes of four processors and four GPUs.
fn site() -> Cluster {
    let mut site = cluster(2);
    for node in &mut site.nodes {
        node.gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 4 }];
    }
    site
}

fn asking(key: usize, tasks: Option<u32>, change: impl Fn(&mut JobRequest)) -> SubmittedJob {
    let mut one = job(key, key as i64, 1, 10, 300);
    one.request.tasks = tasks;
    change(&mut one.request);
    one
}

fn where_and_cpus(outcomes: &[JobOutcome]) -> Vec<(String, u32)> {
    outcomes.iter().map(|one| (one.nodes.join(","), one.cpus)).collect()
}

#[test]
fn gpus_said_for_the_job_and_each_task_count_once() {
    let of_tasks = |key| {
        asking(key, Some(2), |one| {
            one.gres.per_job = gpus(2);
            one.gres.per_task = gpus(1);
        })
    };
    let whole = asking(2, None, |one| {
        one.gres.per_job = gpus(4);
        one.gres.per_task = gpus(1);
    });
    let outcomes = simulated(&site(), vec![of_tasks(0), of_tasks(1), whole]);
    let on = |node: &str, cpus: u32| (node.to_owned(), cpus);
    assert_eq!(where_and_cpus(&outcomes), [on("n00", 2), on("n00", 2), on("n01", 4)]);
}

#[test]
fn gpus_said_for_each_node_and_the_job_or_its_tasks_tell_on_how_many_nodes_it_runs() {
    let on_both = asking(0, None, |one| {
        one.gres.per_node = gpus(2);
        one.gres.per_job = gpus(4);
    });
    let on_one = asking(1, Some(2), |one| {
        one.gres.per_node = gpus(2);
        one.gres.per_task = gpus(1);
    });
    let outcomes = simulated(&site(), vec![on_both, on_one]);
    let on = |node: &str, cpus: u32| (node.to_owned(), cpus);
    assert_eq!(where_and_cpus(&outcomes), [on("n00,n01", 2), on("n00", 2)]);
}

/// The second node has fewer free processors. A job with a GPU has the first node, unless its GPU brings processors.
#[test]
fn of_nodes_that_suffice_a_job_with_gpus_has_the_first() {
    let filler = asking(0, Some(2), |one| one.wishes.node_list = vec!["n01".into()]);
    let node = |change: &dyn Fn(&mut JobRequest)| {
        let other = asking(1, Some(1), change);
        simulated(&site(), vec![filler.clone(), other])[1].nodes.join(",")
    };
    assert_eq!(node(&|one| one.gres.per_node = gpus(1)), "n00");
    let brings_processors = |one: &mut JobRequest| {
        one.gres.per_node = gpus(1);
        one.gres.cpus_per_gpu = Some(1);
    };
    assert_eq!(node(&brings_processors), "n01");
    assert_eq!(node(&|_| ()), "n01", "control: without GPUs the smallest that suffices");
}
