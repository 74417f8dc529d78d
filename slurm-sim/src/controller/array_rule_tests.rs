//! When tasks of an array gain age, as a recorded Slurm has it.

use super::Phases;
use super::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use super::job::StartedBy;
use super::state::Controller;
use super::tests::{cluster, job, simulated, start};
use crate::cluster::{Exclusivity, JobArray, PartitionIndex, PriorityKind};
use queuecast_core::units::{Micros, Seconds};

/// When the second task of an array starts, and a job that was submitted after it, on one node. The first task starts as soon as the
/// array is seen, and runs for five minutes.
fn starts(throttle: u32) -> (i64, i64) {
    let mut site = cluster(1);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.age = 100_000;
    site.settings.priority.max_age = Seconds(1000);
    let mut array = job(0, 0, 4, 10, 300);
    array.request.array = Some(JobArray { indices: vec![0, 1], throttle: Some(throttle) });
    let found = simulated(&site, vec![array, job(1, 50, 4, 10, 300)]);
    (start(&found[1]), start(&found[2]))
}

#[test]
fn tasks_one_at_a_time_gain_age_from_when_the_first_has_ended() {
    let (task, other) = starts(1);
    assert!(other < 320 && task >= 600, "{task} {other}");
    let (task, other) = starts(2);
    assert!(task < 320 && other >= 600, "control, two may run at one time: {task} {other}");
}

/// Nodes of 4 and 8 processors. Tasks of whole nodes that wait are as large as the one that has started.
#[test]
fn tasks_of_whole_nodes_are_as_large_as_the_last_that_started() {
    let mut site = cluster(2);
    (site.nodes[1].cpus, site.nodes[1].cores_per_socket) = (8, 8);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.job_size = 1000;
    let mut array = job(0, 0, 1, 10, 300);
    array.request.array = Some(JobArray { indices: vec![0, 1, 2], throttle: None });
    array.request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    let submissions = [array];
    let mut controller =
        Controller::new(&site, &submissions, Phases::from_start(Micros::of_seconds(-60), Seconds(30)));
    controller.submit(SubmissionHandle(0));
    let mut sizes = Vec::new();
    for (task, node) in [(0, 1), (1, 0)] {
        let need = controller.jobs[JobHandle(task)].partitions[PartitionChoice::FIRST].kept.need.clone();
        let shares = controller.pool.given_in_any_case(&[node], &need);
        let amounts = controller.limits.amounts(&shares, PartitionIndex(0));
        controller.start(JobHandle(task), PartitionChoice::FIRST, shares, amounts, StartedBy::Main);
        sizes.push(controller.jobs[JobHandle(2)].wait.size_cpus);
    }
    assert_eq!(sizes, [8, 4]);
}
