//! The policies of the engine at sites: on nodes of one processor they start every job when the engine does.

use proptest::prelude::*;
use queuecast::cluster::{
    Cluster, ClusterAction, ClusterEvent, ClusterNode, ClusterPartition, JobRequest, NodeChange, NodeState,
    RecordedRun, SubmittedJob, TaskRun, TimeLimit, classes_of,
};
use queuecast::predict::PredictorSpec;
use queuecast::sim::Backfill;
use queuecast::study::{Experiment, SitePolicy};
use queuecast::units::{Micros, Seconds};

use crate::support;
use crate::support::jobs::{job, workload};
use queuecast::job_state::JobState;

const NODES: usize = 12;

const POLICIES: [&str; 8] = [
    "fcfs",
    "easy",
    "sjbf",
    "conservative",
    "easy:depth=3",
    "easy:order=largest",
    "sjbf:depth=2",
    "conservative:form=replan",
];

/// Submission, nodes, minutes of limit, seconds of run.
type Row = (i64, u32, i64, i64);

/// So many nodes of one processor in one partition.
fn cluster(nodes: usize) -> Cluster {
    let nodes: Vec<ClusterNode> = (0..nodes)
        .map(|number| ClusterNode { name: format!("n{number:02}"), cpus: 1, ..ClusterNode::default() })
        .collect();
    let partition = ClusterPartition {
        name: "all".into(),
        nodes: (0..nodes.len()).collect(),
        is_default: true,
        ..ClusterPartition::default()
    };
    Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() }
}

fn submitted(rows: &[Row]) -> Vec<SubmittedJob> {
    let job = |(key, &(submit, nodes, minutes, run)): (usize, &Row)| SubmittedJob {
        key: format!("j{key}"),
        id: None,
        submit: Micros::of_seconds(submit),
        user: format!("u{}", key % 3),
        request: JobRequest {
            min_nodes: Some(nodes),
            tasks: Some(nodes),
            time_limit: Some(TimeLimit::Of(Seconds(60 * minutes))),
            ..JobRequest::default()
        },
        runs: vec![TaskRun::For(Seconds(run))],
        not_modelled: Vec::new(),
    };
    rows.iter().enumerate().map(job).collect()
}

/// Starts at a site and by the engine.
fn starts(policy: &str, rows: &[Row]) -> [Vec<i64>; 2] {
    let policy: Backfill = policy.parse().unwrap();
    let draft = |&(submit, procs, minutes, run): &Row| job(procs, run).at(submit).limit(60 * minutes);
    let engine = Experiment::new(policy.clone(), PredictorSpec::Requested);
    let schedule = engine.run(&workload(NODES as u32, rows.iter().map(draft))).unwrap();
    let run = RecordedRun { submissions: submitted(rows), ..RecordedRun::default() };
    let found = SitePolicy::of(policy).unwrap().simulate(&cluster(NODES), &run);
    let at_site = found.jobs.iter().map(|one| one.outcome.start.map_or(-1, |start| start.0));
    [at_site.collect(), schedule.placements.iter().map(|one| one.start.0).collect()]
}

/// Many ties: limits are whole minutes, and half of the runs too.
fn rows(most: usize, gap: i64) -> impl Strategy<Value = Vec<Row>> {
    let run = prop_oneof![1_i64..700, (1_i64..12).prop_map(|minutes| 60 * minutes)];
    let one = (0..gap, prop_oneof![3 => 1_u32..4, 1 => 1..=NODES as u32], 1_i64..11, run);
    prop::collection::vec(one, 1..most).prop_map(|gaps| {
        let mut submit = 0;
        gaps.into_iter()
            .map(|(gap, nodes, minutes, run)| {
                submit += gap;
                (submit, nodes, minutes, run)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(support::cases(250))]

    #[test]
    fn nodes_of_one_processor_are_a_number_of_processors(rows in rows(60, 60), name in prop::sample::select(&POLICIES[..])) {
        let [at_site, by_engine] = starts(name, &rows);
        prop_assert_eq!(at_site, by_engine, "{}", name);
    }

    #[test]
    fn many_waiting_jobs_start_as_the_engine_has_them(rows in rows(80, 8), name in prop::sample::select(&POLICIES[..4])) {
        let [at_site, by_engine] = starts(name, &rows);
        prop_assert_eq!(at_site, by_engine, "{}", name);
    }

    /// Whatever fails, comes back or is impossible: every job is there once and none is lost.
    #[test]
    fn every_job_is_counted_once(
        rows in rows(30, 60),
        changes in prop::collection::vec((0_i64..2_000, 0..NODES, 0..3_u8), 0..12),
        name in prop::sample::select(&POLICIES[..]),
    ) {
        let mut submissions = submitted(&rows);
        for (place, one) in submissions.iter_mut().enumerate() {
            match place % 7 {
                // Larger than the machine, on a partition that is not there, held for ever.
                3 => one.request.min_nodes = Some(NODES as u32 + 1),
                4 => one.request.partitions = vec!["nowhere".into()],
                5 => one.request.terms.hold = true,
                _ => {}
            }
        }
        let mut events: Vec<ClusterEvent> = changes.iter().map(|&(at, node, state)| {
            let state = [NodeState::Up, NodeState::Down, NodeState::Drained][usize::from(state)];
            let action = ClusterAction::Nodes(NodeChange { nodes: vec![node], state });
            ClusterEvent { at: Micros::of_seconds(at), action }
        }).collect();
        events.sort_by_key(|event| event.at);
        let run = RecordedRun { submissions, events, ..RecordedRun::default() };
        let found = SitePolicy::of(name.parse().unwrap()).unwrap().simulate(&cluster(NODES), &run);
        prop_assert_eq!(found.jobs.len(), rows.len());
        for (place, one) in found.jobs.iter().enumerate() {
            let state = one.outcome.state;
            let expected: &[JobState] = match place % 7 {
                3 | 4 => &[JobState::Refused],
                5 => &[JobState::Pending],
                // Jobs on nodes that fail are cancelled, others wait for nodes that do not come back.
                _ => &[JobState::Completed, JobState::Timeout, JobState::Cancelled, JobState::Pending],
            };
            prop_assert!(expected.contains(&state), "{place} {state}");
            prop_assert_eq!(one.outcome.start.is_some(), ![JobState::Pending, JobState::Refused].contains(&state));
        }
        if changes.is_empty() {
            prop_assert!(found.jobs.iter().enumerate().all(|(place, one)| place % 7 == 5 || one.outcome.state != JobState::Pending));
        }
    }
}

#[test]
fn policies_that_need_more_are_refused() {
    for name in ["likely", "easy:priority=wait"] {
        let error = SitePolicy::of(name.parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("does not work at a site"), "{error}");
    }
    assert_eq!(SitePolicy::SLURM.to_string(), "slurm");
    assert_eq!(SitePolicy::of("easy:depth=3".parse().unwrap()).unwrap().to_string(), "easy:depth=3");
}
