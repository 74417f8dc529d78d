//! What a pass of the main scheduler changes of jobs that it does not start, as a recorded Slurm has it.

use super::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use super::placement::NodeSet;
use super::state::Controller;
use super::tests::{cluster, job, simulated, start};
use super::{Phases, simulate_cluster};
use crate::cluster::{
    Cluster, ClusterAction, ClusterEvent, Exclusivity, JobArray, JobOutcome, JobUpdate, NodeChange,
    NodeState, PartitionIndex, PriorityKind, RecordedRun, Sharing, SubmittedJob, TimeLimit,
};
use queuecast_core::units::{Micros, Seconds};

fn phases() -> Phases {
    Phases::from_start(Micros::of_seconds(-60), Seconds(30))
}

/// What becomes of these jobs if this is done at an instant.
fn with_event(
    site: &Cluster,
    submissions: Vec<SubmittedJob>,
    at: Micros,
    action: ClusterAction,
) -> Vec<JobOutcome> {
    let events = vec![ClusterEvent { at, action }];
    simulate_cluster(site, &RecordedRun { submissions, events, ..RecordedRun::default() }, phases())
}

/// A partition of the first node, and one of whole nodes that has the second.
fn shared_and_whole() -> Cluster {
    let mut site = cluster(2);
    let mut whole = site.partitions[0].clone();
    (whole.name, whole.is_default, whole.sharing) = ("whole".into(), false, Sharing::Exclusive);
    (site.partitions[0].nodes, whole.nodes) = (vec![0], vec![1]);
    site.partitions.push(whole);
    site
}

/// A job of both partitions has whole nodes once a pass has tried it in that of whole nodes. It is not tried there if too few of the
/// nodes are in service.
#[test]
fn a_job_is_not_tried_where_too_few_nodes_are_in_service() {
    let site = shared_and_whole();
    let in_partitions = |mut one: SubmittedJob, partitions: &[&str]| {
        one.request.partitions = partitions.iter().map(|&name| name.into()).collect();
        one
    };
    let jobs = || {
        vec![
            in_partitions(job(0, 0, 3, 10, 300), &["all"]),
            in_partitions(job(1, 0, 1, 20, 900), &["whole"]),
            in_partitions(job(2, 20, 2, 10, 60), &["all", "whole"]),
        ]
    };
    let change = NodeChange { nodes: vec![1], state: NodeState::Drained };
    let drained = with_event(&site, jobs(), Micros::of_seconds(10), ClusterAction::Nodes(change));
    assert!((300..360).contains(&start(&drained[2])) && drained[2].cpus == 2, "{drained:?}");
    let in_use = simulated(&site, jobs());
    assert!(start(&in_use[2]) >= 300 && in_use[2].cpus == 4, "control: {in_use:?}");
}

/// Nodes of 4 and 8 processors. A job of whole nodes counts those of the node that a pass finds for it, if a limit keeps it from starting
/// there; where none is found it keeps its size.
#[test]
fn the_size_of_a_job_at_a_limit_is_that_of_the_nodes_a_pass_finds() {
    let mut site = cluster(2);
    (site.nodes[1].cpus, site.nodes[1].cores_per_socket) = (8, 8);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.job_size = 1000;
    let mut one = job(0, 0, 1, 10, 60);
    one.request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    let submissions = [one];
    let mut controller = Controller::new(&site, &submissions, phases());
    controller.submit(SubmissionHandle(0));
    let at = controller.jobs[JobHandle(0)].partitions[PartitionChoice::FIRST].clone();
    assert_eq!(at.partition, PartitionIndex(0));
    let mut sizes = Vec::new();
    for held_back in [vec![0, 1], vec![0], vec![1], vec![0, 1]] {
        controller.size_in_pass(JobHandle(0), &at, &NodeSet::of(2, held_back));
        sizes.push(controller.jobs[JobHandle(0)].wait.size_cpus);
    }
    assert_eq!(sizes, [1, 8, 4, 4]);
}

/// An array of which as many tasks run as may is no job of higher priority that ends the look of a submission: the array behind it is
/// eligible from the submission of the third on, and not from the next pass on.
#[test]
fn an_array_that_waits_for_its_tasks_ends_no_look() {
    let array = |key: usize, at: i64, priority: u32, throttle: Option<u32>| {
        let mut one = job(key, at, 2, 10, 300);
        one.request.array = Some(JobArray { indices: vec![0, 1, 2], throttle });
        one.request.terms.priority = Some(priority);
        one
    };
    let mut site = cluster(1);
    site.settings.priority.kind = PriorityKind::Multifactor;
    let eligible = |throttle: Option<u32>| {
        let mut last = job(2, 100, 4, 10, 300);
        last.request.terms.priority = Some(5);
        let mut jobs = vec![array(0, 0, 9, throttle), array(1, 100, 3, None), last];
        // No pass is in the rest of this second.
        jobs[1..].iter_mut().for_each(|one| one.submit = Micros::of_millis(100_900));
        simulated(&site, jobs)[3].eligible.unwrap().0
    };
    assert_eq!(eligible(Some(2)), 100);
    assert!(eligible(None) > 100, "control");
}

/// The first job is 90 seconds older than the second, and its nice value a little more than that. With the age of 260 seconds it is
/// before the second; at 241 seconds, when priorities are computed, it is not.
#[test]
fn a_priority_is_computed_again_when_the_limit_changes() {
    let mut site = cluster(1);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.age = 100_000;
    let jobs = || {
        let mut jobs = vec![job(0, 0, 4, 10, 300), job(1, 10, 4, 10, 60), job(2, 100, 4, 10, 60)];
        jobs[1].request.terms.nice = Some(17);
        jobs
    };
    let limit = |key: &str| ClusterAction::Job {
        key: key.into(),
        task: None,
        change: JobUpdate::TimeLimit(TimeLimit::Of(Seconds(540))),
    };
    let found = with_event(&site, jobs(), Micros::of_seconds(260), limit("j1"));
    assert!(start(&found[1]) < start(&found[2]), "{found:?}");
    let found = with_event(&site, jobs(), Micros::of_seconds(260), limit("j0"));
    assert!(start(&found[1]) > start(&found[2]), "control: {found:?}");
}

/// A job that is let go is eligible from the next look at the queue on.
#[test]
fn a_released_job_is_eligible_once_it_is_seen() {
    let mut jobs = vec![job(0, 0, 4, 10, 300), job(1, 10, 4, 10, 60)];
    jobs[1].request.terms.hold = true;
    let released = ClusterAction::Job { key: "j1".into(), task: None, change: JobUpdate::Released };
    let found = with_event(&cluster(1), jobs, Micros::of_millis(200_900), released);
    assert!((201..=204).contains(&found[1].eligible.unwrap().0), "{found:?}");
}

/// Nor is a job that ends the look whose node is out of service, or that depends on another.
#[test]
fn a_job_that_could_not_start_ends_no_look() {
    let mut site = cluster(2);
    site.settings.priority.kind = PriorityKind::Multifactor;
    let eligible = |state: NodeState| {
        let mut named = job(0, 10, 4, 10, 300);
        (named.request.wishes.node_list, named.request.terms.priority) = (vec!["n01".into()], Some(9));
        let mut array = job(1, 100, 8, 10, 300);
        array.request.array = Some(JobArray { indices: vec![0, 1], throttle: None });
        array.request.terms.priority = Some(3);
        let mut last = job(2, 100, 8, 10, 300);
        last.request.terms.priority = Some(5);
        let mut first = job(3, 0, 4, 10, 600);
        first.request.wishes.node_list = vec!["n01".into()];
        let mut jobs = vec![first, named, array, last];
        jobs[2..].iter_mut().for_each(|one| one.submit = Micros::of_millis(100_900));
        let change = NodeChange { nodes: vec![1], state };
        let found = with_event(&site, jobs, Micros::of_seconds(50), ClusterAction::Nodes(change));
        found[2].eligible.unwrap().0
    };
    assert_eq!(eligible(NodeState::Drained), 100);
    assert!(eligible(NodeState::Up) > 100, "control");
}
