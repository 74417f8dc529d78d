//! Newcomers beside simulated schedules, by hand and beside simulations with them.

use rand::RngExt;

use super::super::moment::run_on_prepared;
use super::super::tests::cluster;
use super::*;
use crate::cluster::{Cluster, JobRequest, JobStanding, PartitionIndex};
use queuecast_core::seed::Seed;

fn submission(key: &str, submit: i64, tasks: u32, limit: i64) -> SubmittedJob {
    SubmittedJob {
        key: key.into(),
        id: None,
        submit: Micros::of_seconds(submit),
        user: "u".into(),
        request: JobRequest {
            tasks: Some(tasks),
            time_limit: Some(crate::cluster::TimeLimit::Of(Seconds(limit))),
            ..JobRequest::default()
        }
        .into(),
        runs: Vec::new(),
        not_modelled: Vec::new(),
    }
}

/// A moment at second 100 with jobs that have run since second 10, each on the node of its number, and jobs that wait.
fn moment(running: &[SubmittedJob], waiting: &[SubmittedJob]) -> ClusterMoment {
    let runs = (0..running.len()).map(|job| JobStanding {
        submission: job,
        task: None,
        state: StandingState::Running {
            start: Time(10),
            nodes: vec![job],
            partition: Some(PartitionIndex(0)),
        },
    });
    let waits = (0..waiting.len()).map(|job| JobStanding {
        submission: running.len() + job,
        task: None,
        state: StandingState::Waiting { eligible: Some(waiting[job].submit.second()) },
    });
    ClusterMoment {
        now: Micros::of_seconds(100),
        submissions: running.iter().chain(waiting).cloned().collect(),
        standings: runs.chain(waits).collect(),
        ..ClusterMoment::default()
    }
}

/// When the last of some submissions starts, in seconds from the moment: simulated with the others, and beside a simulation of these.
fn starts(cluster: &Cluster, moment: &ClusterMoment, new: &SubmittedJob, runs: &[i64]) -> [Option<i64>; 2] {
    let prepared = PreparedCluster::of(cluster);
    let mut submissions = moment.submissions.clone();
    submissions.push(new.clone());
    let runs: Vec<Option<Seconds>> = runs.iter().map(|&run| Some(Seconds(run))).collect();
    let phases = Phases::running_on(moment.now, [500_000, 10_000_000, 100_000_000].map(Micros));
    let last = moment.submissions.len();
    let future = AssumedFuture { submissions: &submissions, runs: &runs, phases, since: [0; 3] };
    let with = run_on_prepared(&prepared, moment, &future, &[last])[0].map(|at| at.0 - 100);
    let future = AssumedFuture { submissions: &submissions[..last], runs: &runs[..last], ..future };
    let all: Vec<usize> = (0..last).collect();
    let (_, schedule) = schedule_on_prepared(&prepared, moment, &future, &all);
    let newcomer = PlacedNewcomer::of(&prepared, moment, &submissions).unwrap();
    [with, newcomer.start_beside(&schedule, runs[last])]
}

#[test]
fn a_newcomer_starts_behind_those_ahead_of_it_and_in_gaps() {
    let one = cluster(1);
    // Three of four processors are taken until second 310, and a job that wants four waits.
    let running = [submission("a", 0, 3, 600)];
    let waiting = [submission("b", 50, 4, 600)];
    let moment = moment(&running, &waiting);
    let beside =
        |tasks: u32, run: i64| starts(&one, &moment, &submission("new", 100, tasks, 600), &[300, 60, run])[1];
    // It fits beside what runs until the one ahead of it starts.
    assert_eq!(beside(1, 100), Some(0));
    // It would be in its way; then it comes after both.
    let after = beside(1, 400).unwrap();
    assert!((270..=280).contains(&after), "{after}");
    assert!((270..=280).contains(&beside(4, 10).unwrap()));
    let mut submissions = moment.submissions.clone();
    submissions.push(submission("new", 100, 1, 600));
    let placed = |submissions: &[SubmittedJob]| {
        let newcomer = PlacedNewcomer::of(&PreparedCluster::of(&one), &moment, submissions)?;
        newcomer.no_sooner(Seconds(500)).start_beside(&SimulatedSchedule::default(), None)
    };
    assert_eq!(placed(&submissions), Some(500), "it begins later");
    // A job that more than nodes decides about is not placed.
    submissions[2].request.terms.hold = true;
    assert_eq!(placed(&submissions), None);
}

/// Most jobs that are placed beside a simulation start as in one with them, give or take a cycle of the backfiller.
#[test]
fn beside_a_simulation_is_nearly_as_in_it() {
    let cluster = cluster(4);
    let mut random = Seed(3).stream("newcomers");
    let (mut near, mut cases, mut sum) = (0, 0, [0, 0]);
    for _ in 0..60 {
        let mut runs = Vec::new();
        let mut job = |key: String, submit: i64, most: u32| {
            let (run, times) = (random.random_range(30..600), random.random_range(1..=4));
            runs.push(run);
            submission(&key, submit, random.random_range(1..=most), run * times + 60)
        };
        let running: Vec<SubmittedJob> = (0..4).map(|number| job(format!("r{number}"), number, 4)).collect();
        let waiting: Vec<SubmittedJob> =
            (0..12).map(|number| job(format!("w{number}"), 20 + number, 8)).collect();
        let new = job("new".into(), 100, 8);
        runs[..4].iter_mut().for_each(|run| *run += 90);
        let moment = moment(&running, &waiting);
        let [with, beside] = starts(&cluster, &moment, &new, &runs).map(Option::unwrap);
        cases += 1;
        near += usize::from((with - beside).abs() <= 35);
        sum[0] += with;
        sum[1] += beside;
    }
    // Simulated with it, the newcomer changes what the backfiller does with the others: no more than these are alike, and neither late nor early.
    assert!(near * 5 >= cases * 3, "{near} of {cases}, {sum:?}");
    assert!((sum[0] - sum[1]).abs() * 10 < sum[0], "{sum:?}");
}
