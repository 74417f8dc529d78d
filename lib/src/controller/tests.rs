//! Small clusters simulated, worked by hand, and properties of random ones.

use rand::RngExt;

use super::{Phases, simulate_cluster};
use crate::cluster::{
    Cluster, ClusterNode, ClusterPartition, ClusterSettings, JobArray, JobOutcome, JobRequest, MemoryAmount,
    PriorityKind, RecordedRun, SubmittedJob, TaskRun, TimeLimit, classes_of,
};
use crate::seed::Seed;
use crate::units::{Seconds, Time};

/// Nodes of four processors and 8,000 MB in one partition, in the order of submission.
fn cluster(nodes: usize) -> Cluster {
    let nodes: Vec<ClusterNode> = (0..nodes)
        .map(|number| ClusterNode {
            name: format!("n{number:02}"),
            cpus: 4,
            cores_per_socket: 4,
            memory_mb: 8_000,
            ..ClusterNode::default()
        })
        .collect();
    let partition = ClusterPartition {
        name: "all".into(),
        nodes: (0..nodes.len()).collect(),
        is_default: true,
        ..ClusterPartition::default()
    };
    let mut settings = ClusterSettings::default();
    settings.priority.kind = PriorityKind::Basic;
    settings.default_memory = Some(MemoryAmount::PerCpu(1_000));
    Cluster {
        classes: classes_of(&nodes),
        nodes,
        partitions: vec![partition],
        settings,
        ..Cluster::default()
    }
}

/// Submitted at a second after the begin, for so many tasks, minutes of limit and seconds of run.
fn job(key: usize, submit: i64, tasks: u32, minutes: i64, run: i64) -> SubmittedJob {
    SubmittedJob {
        key: format!("j{key}"),
        id: None,
        submit: Time(submit),
        submit_ms: submit * 1000,
        user: format!("u{}", key % 3),
        request: JobRequest {
            tasks: Some(tasks),
            time_limit: Some(TimeLimit::Of(Seconds(60 * minutes))),
            ..JobRequest::default()
        },
        runs: vec![TaskRun::For(Seconds(run))],
        not_modelled: Vec::new(),
    }
}

fn simulated(cluster: &Cluster, submissions: Vec<SubmittedJob>) -> Vec<JobOutcome> {
    let run = RecordedRun { submissions, ..RecordedRun::default() };
    simulate_cluster(cluster, &run, Phases::from_start(-60_000_000, 30))
}

fn start(outcome: &JobOutcome) -> i64 {
    outcome.start.map_or(-1, |start| start.0)
}

#[test]
fn a_short_job_is_backfilled_and_a_long_one_is_not() {
    // Two nodes. The first job has one of them for ten minutes; the second needs both, and waits. Of the jobs after it the one
    // that ends in time starts on the free node, the other waits for the second job.
    let jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 8, 10, 60), job(2, 10, 4, 20, 60), job(3, 12, 4, 5, 60)];
    let outcomes = simulated(&cluster(2), jobs);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[0] <= 3 && (590..=600).contains(&starts[1]), "{starts:?}");
    assert!(starts[2] >= starts[1] + 60, "it would delay the second: {starts:?}");
    assert!(starts[3] < 60 && outcomes[3].backfilled == Some(true), "{starts:?}");
    assert_eq!(outcomes[3].nodes, ["n01"]);
    // Control: without backfilling it waits too.
    let mut without = cluster(2);
    without.settings.backfill = None;
    let jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 8, 10, 60), job(3, 12, 4, 5, 60)];
    assert!(start(&simulated(&without, jobs)[2]) > 590);
}

#[test]
fn jobs_share_nodes_until_processors_or_memory_are_gone() {
    let mut large = job(1, 1, 1, 10, 300);
    large.request.memory = Some(crate::cluster::MemoryRequest::PerNode(7_000));
    // One processor each: the second takes the memory that is left, the third finds none.
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 1, 10, 300), large, job(2, 2, 1, 10, 300)]);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[0] < 10 && starts[1] < 10 && starts[2] > 250, "{starts:?}");
}

#[test]
fn a_job_is_stopped_at_its_limit_and_one_that_fits_nowhere_is_refused() {
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 4, 1, 10_000), job(1, 1, 5, 1, 5)]);
    assert_eq!(outcomes[0].state, "TIMEOUT");
    let ran = outcomes[0].end.unwrap().0 - start(&outcomes[0]);
    assert!((60..=91).contains(&ran), "checked every 30 s: {ran}");
    assert_eq!((outcomes[1].state.as_str(), outcomes[1].start), ("REFUSED", None));
}

#[test]
fn arrays_run_no_more_tasks_than_they_say() {
    let mut array = job(0, 0, 1, 5, 100);
    array.request.array = Some(JobArray { indices: (0..8).collect(), throttle: Some(2) });
    let outcomes = simulated(&cluster(4), vec![array]);
    assert_eq!(outcomes.len(), 8);
    let running = |at: i64| {
        outcomes.iter().filter(|one| start(one) <= at && one.end.is_some_and(|end| end.0 > at)).count()
    };
    assert!((0..600).all(|at| running(at) <= 2), "two at a time");
    assert!(outcomes.iter().all(|one| one.state == "COMPLETED"));
}

/// Random jobs on a small cluster: every job once, no node ever holds more than it has, none starts before it is submitted.
#[test]
fn nothing_is_lost_and_nothing_is_given_twice() {
    for seed in 0..40 {
        let mut random = Seed(seed).stream("cluster");
        let cluster = cluster(random.random_range(1..6));
        let mut at = 0;
        let jobs: Vec<SubmittedJob> = (0..random.random_range(1..80))
            .map(|key| {
                at += random.random_range(0..60);
                let (minutes, run) = (random.random_range(1..30), random.random_range(0..2_000));
                let mut job = job(key, at, random.random_range(1..14), minutes, run);
                if random.random_range(0..4) == 0 {
                    job.request.exclusivity = Some(crate::cluster::Exclusivity::Exclusive);
                }
                if random.random_range(0..4) == 0 {
                    job.request.tasks_per_node = Some(random.random_range(1..5));
                }
                job
            })
            .collect();
        let outcomes = simulated(&cluster, jobs.clone());
        assert_eq!(outcomes.len(), jobs.len());
        for (job, outcome) in jobs.iter().zip(&outcomes) {
            assert_eq!(job.key, outcome.key);
            assert!(["COMPLETED", "TIMEOUT", "REFUSED"].contains(&outcome.state.as_str()), "{outcome:?}");
            assert!(outcome.start.is_none_or(|start| start >= job.submit));
        }
        let instants: Vec<i64> = outcomes.iter().filter(|one| one.start.is_some()).map(start).collect();
        for at in instants {
            let now = outcomes.iter().filter(|one| {
                one.start.is_some_and(|start| start.0 <= at) && one.end.is_some_and(|end| end.0 > at)
            });
            let cpus: u32 = now.map(|one| one.cpus).sum();
            assert!(cpus <= 4 * cluster.nodes.len() as u32, "seed {seed} at {at}: {cpus}");
        }
        assert_eq!(outcomes, simulated(&cluster, jobs), "the same every time");
    }
}

#[test]
fn a_partition_takes_what_it_allows() {
    let mut limited = cluster(2);
    limited.partitions[0].max_time = Some(Seconds(600));
    let outcomes = simulated(&limited, vec![job(0, 0, 1, 11, 5), job(1, 0, 1, 10, 5)]);
    assert_eq!((outcomes[0].state.as_str(), outcomes[1].state.as_str()), ("REFUSED", "COMPLETED"));
}

/// A job that is never stopped, and years between two jobs: neither takes long.
#[test]
fn nothing_goes_on_for_ever() {
    let mut endless = cluster(1);
    endless.settings.over_time_limit = None;
    let mut forever = job(0, 0, 4, 1, 0);
    forever.runs = vec![TaskRun::PastLimit];
    let outcomes = simulated(&endless, vec![forever, job(1, 1, 4, 1, 5)]);
    assert_eq!((outcomes[0].state.as_str(), outcomes[1].state.as_str()), ("RUNNING", "PENDING"));
    let century = 100 * 365 * 86_400;
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 1, 1, 5), job(1, century, 1, 1, 5)]);
    assert!(outcomes.iter().all(|one| one.state == "COMPLETED"), "{outcomes:?}");
    assert!((0..=4).contains(&(start(&outcomes[1]) - century)));
}
