//! The seconds in which jobs of a recorded run started and ended, as the controller counted them.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::{JobNumber, JobOutcome, RecordedDecisions, RecordedRun};

/// Recorded seconds of all jobs.
pub struct RecordedSeconds<'c> {
    /// By submission and task, each with the processors given; of a preempted job, the last.
    starts: BTreeMap<(&'c str, Option<u32>), (i64, u32)>,
    /// All of them.
    ends: BTreeSet<(JobNumber, i64)>,
}

impl<'c> RecordedSeconds<'c> {
    pub fn of(run: &'c RecordedRun, recorded: &RecordedDecisions) -> RecordedSeconds<'c> {
        let start = |one: &'c JobOutcome| Some(((one.key.as_str(), one.task), (one.start?.0, one.cpus)));
        RecordedSeconds {
            starts: run.outcomes.iter().filter_map(start).collect(),
            ends: recorded.ends.iter().map(|one| (one.job, one.end.0)).collect(),
        }
    }

    /// When a job started, by the key of its submission and its task, and with how many processors.
    pub fn start(&self, key: &str, task: Option<u32>) -> Option<(i64, u32)> {
        self.starts.get(&(key, task)).copied()
    }

    /// The second in which a job ended that was logged to end in this one: the clock of whole seconds lags that of the log, so
    /// that it may be the one before.
    pub fn end(&self, job: JobNumber, logged: i64) -> i64 {
        let is_end = |second: i64| self.ends.contains(&(job, second));
        if is_end(logged - 1) && !is_end(logged) { logged - 1 } else { logged }
    }
}
