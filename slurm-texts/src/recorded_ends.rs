//! When jobs ended in a recorded run, out of `sacct`: of a job that ran several times, each end; and when jobs were cancelled by what the
//! recording does not have.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use super::values::digits;
use queuecast_core::job_state::JobState;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::{ClusterAction, ClusterEvent, JobNumber, JobOutcome, RecordedEnd};
use queuecast_trace::sacct::unix_second;

/// Reads the columns `JobID` and `End`; steps, and rows without an end, are left alone.
pub(super) fn recorded_ends(text: &str, zone: &TimeZone) -> Vec<RecordedEnd> {
    let read = |[job, end]: [&str; 2]| {
        Some(RecordedEnd { job: number(job)?, end: Time(unix_second(end, zone).flatten()?) })
    };
    cells(text, ["JobID", "End"]).filter_map(read).collect()
}

/// The numbers of jobs that a user or an administrator cancelled, as their state says; what Slurm cancels by itself names no user.
pub(super) fn cancelled_by_users(text: &str) -> BTreeSet<u64> {
    let read = |[job, state]: [&str; 2]| {
        state.strip_prefix("CANCELLED by ")?;
        digits(job.split('_').next()?)
    };
    cells(text, ["JobID", "State"]).filter_map(read).collect()
}

/// Two columns of each row of `sacct`, by their titles; no rows if one of these is missing.
fn cells<'t>(text: &'t str, titles: [&str; 2]) -> impl Iterator<Item = [&'t str; 2]> {
    let mut lines = text.lines();
    let known: Vec<&str> = lines.next().map_or(Vec::new(), |line| line.split('|').map(str::trim).collect());
    let [first, second] = titles.map(|name| known.iter().position(|title| title.eq_ignore_ascii_case(name)));
    lines.filter_map(move |line| {
        let cell = |place: Option<usize>| line.split('|').nth(place?).map(str::trim);
        Some([cell(first)?, cell(second)?])
    })
}

/// Adds the cancellations of jobs that never started which no call of the recording made: by hand, or by another program. `by_users` are the
/// jobs that users cancelled, by their keys.
pub(super) fn cancelled_otherwise(
    outcomes: &[JobOutcome],
    by_users: &BTreeSet<&str>,
    events: &mut Vec<ClusterEvent>,
) {
    let mut known: BTreeSet<(String, Option<u32>)> = BTreeSet::new();
    for event in events.iter() {
        if let ClusterAction::Cancel { key, task } = &event.action {
            known.insert((key.clone(), *task));
        }
    }
    let is_one = |one: &&JobOutcome| {
        one.state == JobState::Cancelled && one.start.is_none() && by_users.contains(one.key.as_str())
    };
    for one in outcomes.iter().filter(is_one) {
        let is_known = [one.task, None].into_iter().any(|task| known.contains(&(one.key.clone(), task)));
        if let Some(end) = one.end.filter(|_| !is_known) {
            let action = ClusterAction::Cancel { key: one.key.clone(), task: one.task };
            events.push(ClusterEvent { at: end.into(), action });
        }
    }
}

/// A job or one task of an array: `7` or `7_2`.
fn number(text: &str) -> Option<JobNumber> {
    match text.split_once('_') {
        None => Some(JobNumber { id: digits(text)?, task: None }),
        Some((id, task)) => Some(JobNumber { id: digits(id)?, task: Some(task.parse().ok()?) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slurm_cancels_by_itself_names_no_user() {
        let text = "JobID|JobName|State\n7|a|CANCELLED by 1000\n8|b|CANCELLED\n9_[3-4]|c|CANCELLED by 0\n\
                    10|d|COMPLETED\n7.batch|a|CANCELLED by 1\n";
        assert_eq!(cancelled_by_users(text), [7, 9].into());
        assert!(cancelled_by_users("JobID|End\n7|1000\n").is_empty(), "no such column");
    }

    #[test]
    fn every_run_of_a_job_has_an_end() {
        let text = "JobID|State|End\n7|PREEMPTED|1000\n7.batch|CANCELLED|1001\n7|COMPLETED|1200\n\
                    8_2|TIMEOUT|1100\n8_[3-4]|PENDING|Unknown\n9|RUNNING|Unknown\n";
        let found = recorded_ends(text, &TimeZone::UTC);
        let found: Vec<_> = found.iter().map(|one| (one.job.id, one.job.task, one.end.0)).collect();
        assert_eq!(found, [(7, None, 1000), (7, None, 1200), (8, Some(2), 1100)]);
        assert!(recorded_ends("JobID|State\n7|COMPLETED\n", &TimeZone::UTC).is_empty(), "no such column");
    }
}
