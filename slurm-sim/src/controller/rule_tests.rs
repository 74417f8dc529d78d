//! Rules that recordings of a real Slurm showed, each on a cluster of a few nodes.

use super::tests::{cluster, job, simulated, start};
use crate::cluster::{JobOutcome, SubmittedJob};

/// Without a number of tasks altogether, every node of a range has the tasks that the job asks for on each.
#[test]
fn tasks_per_node_are_those_of_every_node_of_a_range() {
    let on_range = |tasks: Option<u32>| {
        let mut one = job(0, 0, 1, 10, 300);
        one.request.tasks = tasks;
        (one.request.min_nodes, one.request.max_nodes) = (Some(2), Some(4));
        one.request.tasks_per_node = Some(3);
        one
    };
    // One processor is left on each of the four nodes: a job of two processors on a node waits, one of one does not.
    let narrow = |key: usize, tasks: u32| {
        let mut one = job(key, key as i64, tasks, 5, 60);
        (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
        one
    };
    let found = |tasks: Option<u32>| -> Vec<JobOutcome> {
        simulated(&cluster(4), vec![on_range(tasks), narrow(1, 2), narrow(2, 1)])
    };
    let outcomes = found(None);
    assert_eq!((outcomes[0].nodes.len(), outcomes[0].cpus), (4, 12));
    assert!(start(&outcomes[1]) > 250 && start(&outcomes[2]) < 60, "{outcomes:?}");
    // Control: six tasks are six, wherever they are.
    let outcomes = found(Some(6));
    assert_eq!((outcomes[0].nodes.len(), outcomes[0].cpus), (4, 6));
    assert!(start(&outcomes[1]) < 60, "{outcomes:?}");
}

/// The size of such a job in its priority is that of the nodes planned for it, once there are some.
#[test]
fn a_range_of_nodes_is_as_large_as_planned() {
    use crate::cluster::PriorityKind;
    let mut sized = cluster(4);
    sized.settings.priority.kind = PriorityKind::Multifactor;
    sized.settings.priority.weights.job_size = 1_000;
    sized.settings.priority.calc_period = queuecast_core::units::Seconds(30);
    // All nodes are busy. The range is 8 of 16 processors at its submission and 16 once it is planned on all four nodes, which
    // makes it larger than the third job, of 12 processors on three nodes.
    let of_nodes = |key: usize, fewest: u32, most: u32| {
        let mut one = job(key, key as i64, 1, 10, 60);
        one.request.tasks = None;
        (one.request.min_nodes, one.request.max_nodes) = (Some(fewest), Some(most));
        one.request.tasks_per_node = Some(4);
        one
    };
    let first = |most: u32| {
        let jobs: Vec<SubmittedJob> = vec![job(0, 0, 16, 10, 300), of_nodes(1, 2, most), of_nodes(2, 3, 3)];
        let outcomes = simulated(&sized, jobs);
        start(&outcomes[1]) < start(&outcomes[2])
    };
    assert!(first(4) && !first(2));
}
