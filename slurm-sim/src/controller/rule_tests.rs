//! Rules that recordings of a real Slurm showed, each on a cluster of a few nodes.

use super::tests::{cluster, job, logged, number, planned, simulated, start, started};
use super::{Phases, decisions};
use crate::cluster::{
    AdvanceReservation, Allowed, Cluster, JobOutcome, LoggedAction, PriorityKind, RecordedRun,
    ReservationFlags, SubmittedJob, Tres,
};
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};

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
    let mut sized = cluster(4);
    sized.settings.priority.kind = PriorityKind::Multifactor;
    sized.settings.priority.weights.job_size = 1_000;
    sized.settings.priority.calc_period = Seconds(30);
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

/// Nodes that are reserved for the users `u0` to `u2`, whose jobs these are.
fn reserved(nodes: Vec<usize>, from: i64, to: i64) -> AdvanceReservation {
    AdvanceReservation {
        name: "course".into(),
        start: Time(from),
        end: Time(to),
        nodes,
        users: Allowed::Only((0..3).map(|number| format!("u{number}")).collect()),
        accounts: Allowed::All,
        partition: None,
        cores: None,
        licenses: Tres::default(),
        flags: ReservationFlags::default(),
    }
}

/// A job in a reservation starts though its limit is past the end; it is stopped at the first check of limits after the end.
#[test]
fn a_job_is_stopped_after_its_reservation() {
    let mut inside = job(0, 0, 4, 60, 3_000);
    inside.request.terms.reservations = vec!["course".into()];
    let mut site = cluster(1);
    site.reservations = vec![reserved(vec![0], 0, 600)];
    let jobs = || vec![inside.clone(), job(1, 10, 4, 5, 60)];
    let stopped = |cluster: &Cluster| {
        let outcomes = simulated(cluster, jobs());
        assert!(start(&outcomes[0]) < 10, "{outcomes:?}");
        (outcomes[0].state, outcomes[0].end.unwrap().0, start(&outcomes[1]))
    };
    let (state, end, next) = stopped(&site);
    assert_eq!(state, JobState::Timeout);
    assert!((601..=631).contains(&end) && (end..end + 60).contains(&next), "{end} {next}");
    // With ResvOverRun it goes on for as long, and in a reservation that is FLEX to its end.
    site.settings.jobs.resv_over_run = Some(Seconds(600));
    assert!((1_201..=1_231).contains(&stopped(&site).1));
    site.reservations[0].flags.flexible = true;
    assert_eq!(stopped(&site).0, JobState::Completed);
}

/// Backfilling plans a job of a reservation beyond the end of the reservation, and keeps nodes for it.
#[test]
fn jobs_of_a_reservation_are_planned_beyond_its_end() {
    // The node is busy with a job of the reservation for longer than that lasts. The others are planned behind it.
    let recorded = logged(vec![
        (0, LoggedAction::Submitted(number(10))),
        (3, LoggedAction::Pass { full: true }),
        (3, started(10, &[0], false)),
        (5, LoggedAction::Submitted(number(11))),
        (6, LoggedAction::Submitted(number(12))),
        (30, LoggedAction::Cycle),
        (30, planned(11, &[0], 1_203, 1_800)),
        (30, planned(12, &[0], 1_800, 2_400)),
    ]);
    let mut jobs = vec![job(0, 0, 4, 20, 1_190), job(1, 5, 4, 10, 60), job(2, 6, 4, 10, 60)];
    for (id, one) in (10..).zip(&mut jobs) {
        (one.id, one.request.terms.reservations) = (Some(id), vec!["course".into()]);
    }
    let mut site = cluster(1);
    site.reservations = vec![reserved(vec![0], 0, 600)];
    let run = RecordedRun { submissions: jobs, ..RecordedRun::default() };
    let found = decisions(&site, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)), &recorded);
    assert!(found.misses.is_empty(), "{:?}", found.misses);
}
