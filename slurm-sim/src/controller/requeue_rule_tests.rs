//! What a job counts for that was requeued, as a recorded Slurm has it.

use super::tests::{cluster, job, start};
use super::{Phases, simulate_cluster};
use crate::cluster::{
    ClusterAction, ClusterEvent, Exclusivity, JobUpdate, PriorityKind, RecordedRun, TresWeights,
};
use queuecast_core::units::{Micros, Seconds};

/// When a job of one processor that was requeued starts, and another of two, which both have waited for the node of four. The first has
/// whole nodes, and ran for this time before.
fn starts(run: i64) -> (i64, i64) {
    let mut site = cluster(1);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.tres = TresWeights([("cpu".to_owned(), 1000.0)].into());
    let mut jobs = vec![job(0, 0, 1, 10, run), job(1, 90, 4, 10, 300), job(2, 100, 2, 10, 300)];
    jobs[0].request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    jobs[2].request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    let requeued = ClusterEvent {
        at: Micros::of_seconds(80),
        action: ClusterAction::Job { key: "j0".into(), task: None, change: JobUpdate::Requeued },
    };
    let run = RecordedRun { submissions: jobs, events: vec![requeued], ..RecordedRun::default() };
    let found = simulate_cluster(&site, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)));
    (start(&found[0]), start(&found[2]))
}

/// A job that had ended counts what it had, the processors of a whole node; one that was stopped counts what it asks for.
#[test]
fn a_job_requeued_after_its_end_counts_what_it_had() {
    let (requeued, other) = starts(30);
    assert!(requeued >= 390 && requeued < other, "{requeued} {other}");
    let (requeued, other) = starts(300);
    assert!(other >= 390 && other < requeued, "control: {requeued} {other}");
}
