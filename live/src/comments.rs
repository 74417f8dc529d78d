//! Forecasts as comments of waiting jobs (`AdminComment`), for `squeue` and accounting to show. Off unless asked for: it changes jobs.

use std::collections::HashSet;

use queuecast_core::units::Seconds;
use queuecast_trace::TimeZone;

use crate::collector::Ask;
use crate::declared::{MOST_COMMENTS, comment, commented_job};
use crate::forecasts::JobForecast;
use crate::notices::clock_range;
use crate::store::{ClusterNumber, Store, StoreError};

/// What became of the comments of one look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenComments {
    /// Jobs that have the comment now.
    pub written: usize,
    /// Jobs that had a comment, which they keep.
    pub kept: usize,
    /// Jobs that are left without one: there were too many at this look, or Slurm refused.
    pub left: usize,
    /// Why Slurm refused.
    pub failure: Option<String>,
}

impl WrittenComments {
    /// In words; empty if there is nothing.
    pub fn line(&self) -> String {
        let counts = [
            (self.written, "comments written"),
            (self.kept, "jobs keep the comment they had"),
            (self.left, "jobs left without a comment"),
        ];
        let said = counts.iter().filter(|one| one.0 > 0).map(|(count, what)| format!("{count} {what}"));
        said.chain(self.failure.clone()).collect::<Vec<_>>().join("; ")
    }
}

/// Those of these forecasts, not stored yet, that are the first of their jobs: each job is commented at most once, also by a collector
/// that was killed in between. Tasks of arrays and parts of heterogeneous jobs are left out: a comment would part them from the others.
///
/// # Errors
/// If the store cannot be read.
pub fn first_forecasts(
    store: &impl Store,
    cluster: ClusterNumber,
    forecasts: &[JobForecast],
) -> Result<Vec<JobForecast>, StoreError> {
    let known: HashSet<String> = store.open_forecasts(cluster)?.into_iter().map(|one| one.0).collect();
    let is_first =
        |one: &&JobForecast| !known.contains(&one.job) && name(one).bytes().all(|byte| byte.is_ascii_digit());
    Ok(forecasts.iter().filter(is_first).cloned().collect())
}

fn name(forecast: &JobForecast) -> &str {
    forecast.job.split(' ').next().unwrap_or_default()
}

/// Comments jobs that have no comment, a limited number of them; the first refusal ends it.
pub fn write_comments(slurm: &dyn Ask, forecasts: &[JobForecast], zone: &TimeZone) -> WrittenComments {
    let mut done = WrittenComments::default();
    for (place, forecast) in forecasts.iter().enumerate() {
        if place >= MOST_COMMENTS || done.failure.is_some() {
            done.left += 1;
            continue;
        }
        let job = name(forecast);
        let commented = match slurm.ask(&commented_job(job)) {
            Ok(text) => text.split_whitespace().any(|word| word.starts_with("AdminComment=")),
            // It has just ended.
            Err(why) if why.0.contains("Invalid job id") => {
                done.left += 1;
                continue;
            }
            Err(why) => {
                done.left += 1;
                done.failure = Some(format!("scontrol show job: {why}"));
                continue;
            }
        };
        if commented {
            done.kept += 1;
            continue;
        }
        match slurm.ask(&comment(job, &text(forecast, zone))) {
            Ok(_) => done.written += 1,
            Err(why) => {
                done.left += 1;
                done.failure = Some(format!("scontrol update: {why}"));
            }
        }
    }
    done
}

fn text(forecast: &JobForecast, zone: &TimeZone) -> String {
    let at = |seconds: f64| forecast.at + Seconds(seconds.clamp(0.0, 1e12).round() as i64);
    let likely = clock_range(at(forecast.said.low), at(forecast.said.high), forecast.at, zone);
    let now = clock_range(forecast.at, forecast.at, forecast.at, zone);
    format!("queuecast: starts {likely} (80 %), said {now}")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use queuecast_core::units::Time;

    use super::*;
    use crate::collector::AskFailed;
    use crate::declared::DeclaredCommand;
    use crate::forecasts::SaidSeconds;
    use crate::store::{SqlStore, StoreLocation};

    fn said(job: &str) -> JobForecast {
        JobForecast {
            job: format!("{job} 900"),
            at: Time(1_795_003_200),
            submit: Time(900),
            partition: "batch".to_owned(),
            procs: 4,
            ahead: 0,
            said: SaidSeconds { low: 600.0, median: 1_200.0, high: 1_800.0 },
            unwidened: None,
            slurm: None,
            past: None,
        }
    }

    /// Job 2 has a comment, job 3 is gone, and job 5 may not be changed.
    #[derive(Default)]
    struct Asked(RefCell<Vec<String>>);

    impl Ask for Asked {
        fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed> {
            let line = command.line();
            self.0.borrow_mut().push(line.clone());
            match line.as_str() {
                "scontrol -o show job 2" => Ok("JobId=2 AdminComment=site:x JobState=PENDING".to_owned()),
                "scontrol -o show job 3" => Err(AskFailed("Invalid job id".to_owned())),
                update if update.contains("JobId=5 ") => Err(AskFailed("Access denied".to_owned())),
                _ => Ok("JobId=1 JobState=PENDING".to_owned()),
            }
        }
    }

    #[test]
    fn a_job_is_commented_once_and_keeps_a_comment_it_has() {
        let slurm = Asked::default();
        let done = write_comments(&slurm, &["1", "2", "3", "4"].map(said), &TimeZone::UTC);
        assert_eq!((done.written, done.kept, done.left, &done.failure), (2, 1, 1, &None));
        let asked = slurm.0.borrow();
        let updates: Vec<&String> = asked.iter().filter(|line| line.starts_with("scontrol update")).collect();
        assert_eq!(
            updates[0],
            "scontrol update JobId=1 'AdminComment=queuecast: starts 12:10 to 12:30 today (80 %), said 12:00 today'"
        );
        assert_eq!(updates.len(), 2);
    }

    #[test]
    fn a_refusal_or_too_many_jobs_end_it_for_this_look() {
        let done = write_comments(&Asked::default(), &["4", "5", "6"].map(said), &TimeZone::UTC);
        assert_eq!((done.written, done.left), (1, 2));
        assert!(done.line().ends_with("scontrol update: Access denied"), "{}", done.line());
        let (slurm, many) = (Asked::default(), vec![said("7"); MOST_COMMENTS + 5]);
        let done = write_comments(&slurm, &many, &TimeZone::UTC);
        assert_eq!((done.written, done.left), (MOST_COMMENTS, 5));
        assert_eq!(slurm.0.borrow().len(), 2 * MOST_COMMENTS);
    }

    #[test]
    fn only_jobs_that_were_never_forecast_and_stand_alone_are_commented() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqlStore::open(&StoreLocation::File(folder.path().join("s"))).unwrap();
        let cluster = store.cluster("one").unwrap();
        let all = ["1", "2", "3_1", "4+0", "5"].map(said);
        store.add_forecasts(cluster, &all[..1]).unwrap();
        let first = first_forecasts(&store, cluster, &all).unwrap();
        assert_eq!(first.iter().map(name).collect::<Vec<_>>(), ["2", "5"]);
    }
}
