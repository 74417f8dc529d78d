//! Weeks of a workload, counted from its first submission.

use queuecast_core::units::Time;
use queuecast_core::workload::Workload;

/// Seconds of a week.
const WEEK: i64 = 7 * 24 * 3600;

/// The week, from 0, of each job, in the order of the jobs: ascending.
pub(super) fn of_jobs(workload: &Workload) -> impl Iterator<Item = u64> + '_ {
    let begins = workload.begins().unwrap_or_default();
    workload.jobs().iter().map(move |job| week(begins, job.submit))
}

/// The number of weeks from the first submission to the last, rounded up.
pub(super) fn span(workload: &Workload) -> u64 {
    of_jobs(workload).last().map_or(0, |last| last + 1)
}

/// When a week begins.
pub(super) fn begins(workload: &Workload, week: u64) -> Time {
    let first = workload.begins().unwrap_or_default();
    Time(first.0.saturating_add(WEEK.saturating_mul(i64::try_from(week).unwrap_or(i64::MAX))))
}

fn week(begins: Time, submit: Time) -> u64 {
    (submit - begins).0.max(0).unsigned_abs() / WEEK.unsigned_abs()
}
