//! Policies without timers on nodes with parts, worked by hand.

use super::SiteRules;
use crate::cluster::{
    AdvanceReservation, Allowed, Cluster, ClusterAction, ClusterEvent, ClusterPartition, GenericResource,
    GresRequest, JobArray, JobOutcome, MemoryRequest, NodeChange, NodeState, RecordedRun, SubmittedJob,
    TaskRun, classes_of,
};
use crate::controller::simulate_by_rules;
use crate::controller::tests::{cluster, job};
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_sim::predict::Requested;
use queuecast_sim::sim::{Backfill, Options};

const FCFS: &str = "fcfs";
const EASY: &str = "easy";
const SHORTEST: &str = "sjbf";
const CONSERVATIVE: &str = "conservative";

fn outcomes(cluster: &Cluster, run: &RecordedRun, policy: &str) -> Vec<JobOutcome> {
    let mut policy = policy.parse::<Backfill>().unwrap().build_plain();
    let mut predictor = Requested { default: Seconds(60) };
    let rules = SiteRules {
        policy: policy.as_mut(),
        predictor: &mut predictor,
        options: Options::default(),
        plans_at_limits: true,
    };
    let found = simulate_by_rules(cluster, run, rules).unwrap();
    found.jobs.into_iter().map(|one| one.outcome).collect()
}

fn starts(cluster: &Cluster, submissions: &[SubmittedJob], policy: &str) -> Vec<i64> {
    let run = RecordedRun { submissions: submissions.to_vec(), ..RecordedRun::default() };
    outcomes(cluster, &run, policy).iter().map(|one| one.start.map_or(-1, |start| start.0)).collect()
}

/// Two nodes of 4 processors and 8,000 MB in one partition; a third with two GPUs besides in another.
fn two_partitions() -> Cluster {
    let mut cluster = cluster(3);
    cluster.nodes[2].gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 2 }];
    cluster.classes = classes_of(&cluster.nodes);
    cluster.partitions[0].nodes = vec![0, 1];
    cluster.partitions.push(ClusterPartition {
        name: "gpu".into(),
        nodes: vec![2],
        ..ClusterPartition::default()
    });
    cluster
}

/// One task in the partition with GPUs.
fn with_gpus(key: usize, gpus: u64, minutes: i64, run: i64) -> SubmittedJob {
    let mut job = job(key, key as i64, 1, minutes, run);
    job.request.partitions = vec!["gpu".into()];
    if gpus > 0 {
        job.request.gres.per_node = vec![GresRequest { name: "gpu".into(), kind: None, count: gpus }];
    }
    job
}

/// A job of one task with this memory in MB, in the other partition.
fn with_memory(key: usize, mb: u64, minutes: i64, run: i64) -> SubmittedJob {
    let mut job = job(key, key as i64, 1, minutes, run);
    job.request.memory = Some(MemoryRequest::PerNode(mb));
    job
}

#[test]
fn what_is_short_decides_be_it_gpus_or_memory() {
    let jobs = [
        // One GPU until 600.
        with_gpus(0, 1, 10, 600),
        // Both: waits until 600, and is over at 660.
        with_gpus(1, 2, 10, 60),
        // The free one, and ends in time.
        with_gpus(2, 1, 5, 300),
        // It would not end in time: it waits until 660.
        with_gpus(3, 1, 20, 60),
        // No GPU: it is in no other job's way, however long it is.
        with_gpus(4, 0, 60, 60),
        // 6,000 MB on each node of the other partition, until 605 and, earlier than its limit, until 306.
        with_memory(5, 6_000, 10, 600),
        with_memory(6, 6_000, 10, 300),
        // As much again: it waits for the second of these.
        with_memory(7, 6_000, 10, 60),
        // 2,000 MB are left beside each of these.
        with_memory(8, 2_000, 60, 1_000),
        // 3,000 MB are not, until the job that came at 306 ends.
        with_memory(9, 3_000, 10, 60),
    ];
    let cluster = two_partitions();
    let backfilled = [0, 600, 2, 660, 4, 5, 6, 306, 8, 366];
    for rules in [EASY, SHORTEST, CONSERVATIVE] {
        assert_eq!(starts(&cluster, &jobs, rules), backfilled, "{rules}");
    }
    // No job passes the first that waits in its partition; the other partition does not matter.
    assert_eq!(starts(&cluster, &jobs, FCFS), [0, 600, 660, 660, 660, 5, 6, 306, 306, 366]);
}

#[test]
fn policies_differ_in_whom_they_promise_what() {
    // Four processors. The second job waits for all of them until 600. Behind it one processor for 5 minutes could start in time: the
    // third has a longer limit than the fourth, and only one of them fits.
    let one = |last: i64| {
        [job(0, 0, 3, 10, 600), job(1, 1, 4, 10, 60), job(2, 2, 1, 8, 60), job(3, 2, 1, last, 60)]
    };
    let cluster = cluster(1);
    assert_eq!(starts(&cluster, &one(5), EASY), [0, 600, 2, 62]);
    assert_eq!(starts(&cluster, &one(5), SHORTEST), [0, 600, 62, 2]);
    assert_eq!(starts(&cluster, &one(8), SHORTEST), [0, 600, 2, 62], "control: of equal ones the first");
    // Every job is promised a start: the fourth would delay the third, which EASY does not care about.
    let jobs = [job(0, 0, 3, 10, 600), job(1, 1, 2, 10, 600), job(2, 2, 3, 10, 60), job(3, 3, 1, 60, 60)];
    assert_eq!(starts(&cluster, &jobs, CONSERVATIVE), [0, 600, 1200, 3]);
    let jobs = [job(0, 0, 3, 10, 600), job(1, 1, 2, 10, 600), job(2, 2, 4, 10, 60), job(3, 3, 1, 60, 60)];
    assert_eq!(starts(&cluster, &jobs, CONSERVATIVE), [0, 600, 1200, 1260]);
    assert_eq!(starts(&cluster, &jobs, EASY), [0, 600, 1200, 3]);
}

#[test]
fn a_promise_gets_other_nodes_rather_than_keep_a_job_waiting() {
    // Of four nodes the first two are free from 10 on. At 20 a job is promised three at 601, the first ones. One of the free
    // ones is not needed then, since the last will be free too; the other is.
    let whole = |key: usize, submit: i64, nodes: u32, minutes: i64, run: i64| {
        let mut job = job(key, submit, 4 * nodes, minutes, run);
        job.request.min_nodes = Some(nodes);
        job
    };
    let jobs = [
        whole(0, 0, 2, 10, 10),
        whole(1, 1, 2, 10, 600),
        whole(2, 20, 3, 10, 60),
        whole(3, 21, 1, 60, 60),
        whole(4, 22, 1, 60, 60),
    ];
    assert_eq!(starts(&cluster(4), &jobs, EASY), [0, 1, 601, 21, 81]);
}

#[test]
fn jobs_are_stopped_at_their_limits() {
    let mut never_ends = job(0, 0, 4, 2, 0);
    never_ends.runs = vec![TaskRun::PastLimit];
    let run = RecordedRun { submissions: vec![never_ends, job(1, 1, 4, 2, 60)], ..RecordedRun::default() };
    let found = outcomes(&cluster(1), &run, EASY);
    assert_eq!((found[0].state, found[0].end), (JobState::Timeout, Some(Time(120))));
    assert_eq!((found[1].start, found[1].end), (Some(Time(120)), Some(Time(180))));
}

#[test]
fn arrays_reservations_and_nodes_out_of_service_are_the_controllers() {
    for rules in [FCFS, EASY, CONSERVATIVE] {
        let mut array = job(0, 0, 1, 5, 100);
        array.request.array = Some(JobArray { indices: (0..5).collect(), throttle: Some(2) });
        assert_eq!(starts(&cluster(1), &[array], rules), [0, 0, 100, 100, 200]);
        // A reservation of others from 300 to 900 leaves room for five minutes at once, or for more at its end.
        let mut reserved = cluster(1);
        reserved.reservations = vec![AdvanceReservation {
            name: "r".into(),
            start: Time(300),
            end: Time(900),
            nodes: vec![0],
            users: Allowed::Only(vec!["root".into()]),
            accounts: Allowed::All,
            partition: None,
            cores: None,
            licenses: Default::default(),
            flags: Default::default(),
        }];
        assert_eq!(starts(&reserved, &[job(0, 0, 1, 5, 60), job(1, 1, 1, 10, 60)], rules), [0, 900]);
        // Of two nodes one is drained until 500: a job for both is promised nothing, and others go on.
        let change = |at: i64, state: NodeState| ClusterEvent {
            at: Micros::of_seconds(at),
            action: ClusterAction::Nodes(NodeChange { nodes: vec![1], state }),
        };
        let run = RecordedRun {
            submissions: vec![job(0, 1, 8, 5, 60), job(1, 2, 4, 5, 100), job(2, 3, 99, 5, 60)],
            events: vec![change(0, NodeState::Drained), change(500, NodeState::Up)],
            ..RecordedRun::default()
        };
        let found = outcomes(&cluster(2), &run, rules);
        assert_eq!([found[0].start, found[1].start], [Some(Time(500)), Some(Time(2))], "{rules}");
        assert_eq!(found[2].state, JobState::Refused);
        // Control: with both nodes the first goes first.
        let run = RecordedRun { events: Vec::new(), ..run };
        assert_eq!(outcomes(&cluster(2), &run, rules)[0].start, Some(Time(1)));
    }
}
