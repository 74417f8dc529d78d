//! When tasks of an array gain age, as a recorded Slurm has it.

use super::tests::{cluster, job, simulated, start};
use crate::cluster::{JobArray, PriorityKind};
use queuecast_core::units::Seconds;

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
