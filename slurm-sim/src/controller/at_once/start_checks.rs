//! Every answer about a start on shared nodes held to a plain one, which keeps nothing from one question to the next.

use std::cell::Cell;

use rand::RngExt;

use super::ahead::Future;
use super::plain_future;
use super::promise::{FirstStart, PartitionAsked};
use super::run::{SiteRules, run_answered};
use crate::cluster::{
    Cluster, ClusterAction, ClusterEvent, ClusterPartition, Exclusivity, GenericResource, GresRequest,
    JobArray, MemoryRequest, NodeChange, NodeState, RecordedRun, SubmittedJob, classes_of,
};
use crate::controller::Phases;
use crate::controller::state::Controller;
use crate::controller::tests::{cluster, job};
use queuecast_core::seed::Seed;
use queuecast_core::units::Micros;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Backfill, Options};

thread_local! {
    /// Questions with an answer now, with one later, and with none for now beside promises.
    static ANSWERS: Cell<[u64; 3]> = const { Cell::new([0; 3]) };
}

/// The answer, which must be the plain one.
fn checked(
    future: &Future<'_>,
    asked: PartitionAsked,
    without: Option<usize>,
    before: i64,
) -> Option<FirstStart> {
    let found = future.first_start(asked, without, before);
    let plain = plain_future::first_start(future, asked, without, before);
    let now = future.controller.second();
    assert_eq!(found, plain, "at {now}: {asked:?} before {before} beside {:?}", future.promises);
    let [at_once, later, refused] = ANSWERS.get();
    ANSWERS.set(match &found {
        Some(found) if found.start == now => [at_once + 1, later, refused],
        Some(_) => [at_once, later + 1, refused],
        None if before == now + 1 && !future.promises.is_empty() => [at_once, later, refused + 1],
        None => [at_once, later, refused],
    });
    found
}

/// A small site of shared nodes, some with GPUs, in partitions that overlap, and more jobs than it has room for, of few kinds, so that
/// many ask alike. Nodes go out of service and return.
fn random_case(seed: u64) -> (Cluster, RecordedRun) {
    let mut random = Seed(seed).stream("starts on shared nodes");
    let mut cluster = cluster(random.random_range(2..7));
    let count = cluster.nodes.len();
    for node in &mut cluster.nodes {
        if random.random_range(0..3) == 0 {
            node.cpus = 8;
        }
        if random.random_range(0..3) == 0 {
            node.gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 2 }];
        }
    }
    cluster.classes = classes_of(&cluster.nodes);
    cluster.partitions.push(ClusterPartition {
        name: "half".into(),
        nodes: (0..count.div_ceil(2)).collect(),
        ..ClusterPartition::default()
    });
    let (mut at, mut submissions) = (0, Vec::new());
    for key in 0..random.random_range(20..70) {
        at += random.random_range(0..90);
        let (minutes, run) = (random.random_range(1..5) * 5, random.random_range(0..1_800));
        let mut job = job(key, at, [1, 1, 2, 3, 4, 6, 8][random.random_range(0..7)], minutes, run);
        match random.random_range(0..8) {
            0 => job.request.wishes.exclusivity = Some(Exclusivity::Exclusive),
            1 => job.request.min_nodes = Some(random.random_range(1..3)),
            2 => job.request.memory = Some(MemoryRequest::PerNode([2_000, 6_000][random.random_range(0..2)])),
            3 => {
                job.request.gres.per_node = vec![GresRequest { name: "gpu".into(), kind: None, count: 1 }];
            }
            4 => job.request.array = Some(JobArray { indices: (0..4).collect(), throttle: None }),
            _ => {}
        }
        match random.random_range(0..5) {
            0 => job.request.partitions = vec!["half".into()],
            1 => job.request.partitions = vec!["half".into(), "all".into()],
            _ => {}
        }
        submissions.push(job);
    }
    let mut events = Vec::new();
    if seed.is_multiple_of(3) {
        let out = random.random_range(0..at.max(1));
        for (at, state) in [(out, NodeState::Drained), (out + 900, NodeState::Up)] {
            let action = ClusterAction::Nodes(NodeChange { nodes: vec![count - 1], state });
            events.push(ClusterEvent { at: Micros::of_seconds(at), action });
        }
    }
    (cluster, RecordedRun { submissions, events, ..RecordedRun::default() })
}

/// With a priority an arrival may change what is promised though nothing starts or ends.
const POLICIES: [&str; 6] = [
    "easy",
    "sjbf",
    "easy:depth=3",
    "conservative",
    "easy:priority=-requested",
    "sjbf:depth=2,priority=procs",
];

/// Planned ends that are kept, and those that are revised and corrected while nothing starts or ends.
const PREDICTORS: [&str; 3] = ["requested", "recent:2", "ruh:propagate"];

fn check(seeds: std::ops::Range<u64>) {
    ANSWERS.set([0; 3]);
    let cases = seeds.clone().count() as u64;
    for seed in seeds {
        let (cluster, run) = random_case(seed);
        let policy = POLICIES[seed as usize % POLICIES.len()];
        let predictor = PREDICTORS[seed as usize / POLICIES.len() % PREDICTORS.len()];
        let mut built = policy.parse::<Backfill>().unwrap().build_plain();
        let mut predicts = predictor.parse::<PredictorSpec>().unwrap().build(Vec::new, DEFAULT_REQUEST);
        let rules = SiteRules {
            policy: built.as_mut(),
            predictor: predicts.as_mut(),
            options: Options::default(),
            plans_at_limits: seed.is_multiple_of(2),
        };
        let first = run.submissions.iter().map(|one: &SubmittedJob| one.submit).min().unwrap();
        let controller = Controller::new(&cluster, &run.submissions, Phases::at_once(first));
        run_answered(controller, rules, &run.events, checked).unwrap();
    }
    // Control: there were questions of each kind.
    let answers = ANSWERS.get();
    assert!(answers.iter().all(|&count| count > 20 * cases), "{answers:?}");
}

/// Each policy with each predictor.
#[test]
fn every_start_is_that_of_a_question_without_memory() {
    check(0..(POLICIES.len() * PREDICTORS.len()) as u64);
}

#[test]
#[ignore = "takes a minute: scripts/test --thorough runs it"]
fn every_start_is_that_of_a_question_without_memory_in_more_cases() {
    check(18..500);
}
