//! Commands of `scontrol` that change a job.

use super::request_values::time_limit;
use queuecast_slurm_sim::cluster::{ClusterAction, JobUpdate};

/// What `hold`, `release`, `requeue` or `update JobId=` changes, if it is one of the changes that are followed. The job is named as the command
/// names it.
pub(super) fn job_change(words: &[String]) -> Option<ClusterAction> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (key, change) = match words[..] {
        [verb, job] if verb.eq_ignore_ascii_case("hold") => (job, JobUpdate::Held),
        [verb, job] if verb.eq_ignore_ascii_case("release") => (job, JobUpdate::Released),
        [verb, job] if verb.eq_ignore_ascii_case("requeue") => (job, JobUpdate::Requeued),
        [verb, job, set] if verb.eq_ignore_ascii_case("update") => {
            let (name, job) = job.split_once('=')?;
            let (what, value) = set.split_once('=')?;
            let change = match what.to_ascii_lowercase().as_str() {
                "nice" => JobUpdate::Nice(value.parse().ok()?),
                "timelimit" => JobUpdate::TimeLimit(time_limit(value)?),
                _ => return None,
            };
            name.eq_ignore_ascii_case("JobId").then_some((job, change))?
        }
        _ => return None,
    };
    let key = key.strip_prefix('@').unwrap_or(key).to_owned();
    Some(ClusterAction::Job { key, task: None, change })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_slurm_sim::cluster::TimeLimit;

    #[test]
    fn changes_that_are_followed_are_read() {
        let read = |text: &str| job_change(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let of = |change| Some(ClusterAction::Job { key: "12".into(), task: None, change });
        assert_eq!(read("hold 12"), of(JobUpdate::Held));
        assert_eq!(read("release 12"), of(JobUpdate::Released));
        assert_eq!(read("requeue 12"), of(JobUpdate::Requeued));
        assert_eq!(read("update JobId=12 Nice=-50"), of(JobUpdate::Nice(-50)));
        let limit = TimeLimit::Of(Seconds(29 * 60));
        assert_eq!(read("update jobid=12 TimeLimit=29"), of(JobUpdate::TimeLimit(limit)));
        // Others are named as not modelled.
        for other in ["update JobId=12 Partition=short", "update JobId=12 TimeLimit=+5", "requeuehold 12"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
