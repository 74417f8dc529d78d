//! The seconds in which jobs of a recorded run started and ended, as the controller counted them.

use std::collections::{BTreeMap, BTreeSet};

use super::follower::RecordingFollower;
use crate::cluster::{JobNumber, JobOutcome, RecordedDecisions, RecordedRun};
use crate::controller::handles::JobHandle;
use queuecast_core::units::Micros;

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
}

/// The last instant of a second.
fn last_of(second: i64) -> Micros {
    Micros::of_seconds(second) + Micros::SECOND - Micros(1)
}

impl RecordingFollower<'_> {
    fn recorded_start(&self, job: JobHandle) -> Option<(i64, u32)> {
        let name = (self.controller.jobs.submission(job).key.as_str(), self.controller.jobs[job].task);
        self.seconds.starts.get(&name).copied()
    }

    /// How many processors a job was given that starts now, where that is told.
    pub fn cpus_of_start(&self, job: JobHandle) -> Option<u32> {
        let now = self.controller.second();
        self.recorded_start(job).filter(|&(start, cpus)| start == now && cpus > 0).map(|(_, cpus)| cpus)
    }

    /// A job starts in its recorded second, which may be one off the logged one.
    pub fn set_clock_to_start(&mut self, job: JobHandle) {
        let now = self.controller.second();
        let Some((start, _)) = self.recorded_start(job) else { return };
        if start != now && (start - now).abs() <= 1 {
            let at = if start < now { last_of(start) } else { Micros::of_seconds(start) };
            self.controller.clock.set(at);
        }
    }

    /// The second in which a job ended that was logged to end in this one: the clock of whole seconds lags that of the log, so
    /// that it may be the one before.
    pub fn second_of_end(&self, job: JobNumber, logged: i64) -> i64 {
        let is_end = |second: i64| self.seconds.ends.contains(&(job, second));
        if is_end(logged - 1) && !is_end(logged) { logged - 1 } else { logged }
    }

    /// A job ends in its recorded second.
    pub fn set_clock_to_end(&mut self, job: JobNumber) {
        let now = self.controller.second();
        let end = self.second_of_end(job, now);
        if end < now {
            self.controller.clock.set(last_of(end));
        }
    }
}
