//! The policies of the engine at sites: on nodes of one processor they start every job when the engine does.

use proptest::prelude::*;
use queuecast_core::units::{Micros, Procs, Seconds};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::{Backfill, EventOrder, LimitRule, Options, Policy, Reason, Start, Started, View};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterAction, ClusterEvent, ClusterNode, ClusterPartition, JobRequest, NodeChange, NodeState,
    RecordedRun, SubmittedJob, TaskRun, TimeLimit, classes_of,
};
use queuecast_study::{CustomPolicy, Experiment, SitePolicy};

use crate::support;
use crate::support::jobs::{job, workload};
use queuecast_core::job_state::JobState;

const NODES: usize = 12;

const POLICIES: [&str; 15] = [
    "fcfs",
    "easy",
    "sjbf",
    "conservative",
    "easy:depth=3",
    "easy:order=largest",
    "sjbf:depth=2",
    "conservative:form=replan",
    "likely",
    "likely:confidence=0.9,ageing=1m,patience=10m",
    "easy:priority=wait * procs",
    "easy:priority=-predicted",
    "sjbf:depth=2,priority=max(wait, 60) / requested",
    "easy:depth=2,order=smallest",
    "fcfs:priority=-area",
];

/// Requested times come first: the others learn, are outlived and corrected.
const PREDICTORS: [&str; 4] = ["requested", "recent:2", "perfect", "ruh"];

/// Submission, nodes, minutes of limit, seconds of run.
type Row = (i64, u32, i64, i64);

/// `nodes` nodes of one processor in one partition.
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
        }
        .into(),
        runs: vec![TaskRun::For(Seconds(run))],
        not_modelled: Vec::new(),
    };
    rows.iter().enumerate().map(job).collect()
}

/// Starts at a site and by the engine.
fn starts(policy: &str, predictor: &str, rows: &[Row]) -> [Vec<i64>; 2] {
    let draft = |(key, &(submit, procs, minutes, run)): (usize, &Row)| {
        job(procs, run).at(submit).limit(60 * minutes).user(key as u32 % 3)
    };
    let mut experiment = Experiment::new(policy.parse().unwrap(), predictor.parse().unwrap());
    experiment.options.correction = "requested".parse().unwrap();
    let schedule = experiment.run(&workload(NODES as u32, rows.iter().enumerate().map(draft))).unwrap();
    let run = RecordedRun { submissions: submitted(rows), ..RecordedRun::default() };
    let found = SitePolicy::by(experiment).unwrap().simulate(&cluster(NODES), &run).unwrap();
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
    fn nodes_of_one_processor_are_a_number_of_processors(
        rows in rows(60, 60),
        name in prop::sample::select(&POLICIES[..]),
        predictor in prop::sample::select(&PREDICTORS[..]),
    ) {
        let [at_site, by_engine] = starts(name, predictor, &rows);
        prop_assert_eq!(at_site, by_engine, "{} {}", name, predictor);
    }

    #[test]
    fn many_waiting_jobs_start_as_the_engine_has_them(rows in rows(80, 8), name in prop::sample::select(&POLICIES[..4])) {
        let [at_site, by_engine] = starts(name, "requested", &rows);
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
        let found = SitePolicy::of(name.parse::<Backfill>().unwrap()).simulate(&cluster(NODES), &run).unwrap();
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

/// First come, first served, without a thought for anything but the head of the queue.
#[derive(Clone)]
struct HeadOnly {
    /// Whether it asks for room or counts processors.
    asks: bool,
}

impl Policy for HeadOnly {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let (mut capacity, mut free) = (view.capacity(), view.free());
        for job in view.waiting() {
            let procs = job.job.shape.procs;
            let has_room = match self.asks {
                true => {
                    capacity.earliest(job.index, job.planned, 1).start == Some(view.now())
                        && capacity.start(job.index, job.planned) == Started::Runs
                }
                false => procs <= free,
            };
            if !has_room {
                return;
            }
            free = Procs(free.0 - procs.0.min(free.0));
            starts.push(Start::preferred(job.index, Reason::Reserved));
        }
    }
}

#[test]
fn a_policy_of_ones_own_plans_on_nodes() {
    // Two nodes of four processors: three of each are taken, and a job that wants two of one node waits.
    let mut nodes = cluster(2);
    nodes.nodes.iter_mut().for_each(|node| (node.cpus, node.cores_per_socket) = (4, 4));
    nodes.classes = classes_of(&nodes.nodes);
    // Else each job would have all memory of its node.
    nodes.settings.select.memory = false;
    let mut submissions = submitted(&[(0, 1, 10, 300), (0, 1, 10, 400), (1, 1, 10, 60), (2, 1, 10, 60)]);
    for (job, tasks) in submissions.iter_mut().zip([3, 3, 2, 1]) {
        (job.request.tasks, job.request.max_nodes) = (Some(tasks), Some(1));
    }
    let run = RecordedRun { submissions, ..RecordedRun::default() };
    let own = |asks: bool| SitePolicy::of(CustomPolicy::new("own", move || HeadOnly { asks }));
    let starts = |policy: SitePolicy| -> Vec<i64> {
        let found = policy.simulate(&nodes, &run).unwrap();
        found.jobs.iter().map(|one| one.outcome.start.unwrap().0).collect()
    };
    assert_eq!(starts(own(true)), [0, 0, 300, 300]);
    assert_eq!(starts(SitePolicy::of(Backfill::fcfs())), [0, 0, 300, 300]);
    assert_eq!(starts(SitePolicy::of(Backfill::easy())), [0, 0, 300, 2], "control: others differ");
    let error = own(false).simulate(&nodes, &run).unwrap_err().to_string();
    assert!(error.contains("HeadOnly") && error.contains("no room on the nodes"), "{error}");
}

#[test]
fn what_has_no_meaning_at_a_site_is_refused() {
    let by = |change: fn(&mut Options)| {
        let mut experiment = Experiment::new(Backfill::easy(), PredictorSpec::Requested);
        change(&mut experiment.options);
        SitePolicy::by(experiment)
    };
    let error = by(|options| options.event_order = EventOrder::Pyss).unwrap_err().to_string();
    assert!(error.contains("before a plan"), "{error}");
    let error = by(|options| options.limit = LimitRule::Ignore).unwrap_err().to_string();
    assert!(error.contains("stopped at their limits"), "{error}");
    assert_eq!(SitePolicy::SLURM.to_string(), "slurm");
    assert_eq!(by(|_| ()).unwrap().to_string(), "easy");
    let learned = Experiment::new("easy:depth=3".parse().unwrap(), "recent:2".parse().unwrap());
    assert_eq!(SitePolicy::by(learned).unwrap().to_string(), "easy:depth=3 recent:2 increments");
}
