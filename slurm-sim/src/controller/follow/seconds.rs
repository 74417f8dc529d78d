//! The seconds in which jobs of a recorded run started and ended, as the controller counted them.

use std::collections::BTreeMap;

use super::follower::RecordingFollower;
use crate::cluster::RecordedRun;
use crate::controller::handles::JobHandle;
use queuecast_core::units::Micros;

/// A job of a recorded run: the key of its submission, and its task.
type RecordedName<'c> = (&'c str, Option<u32>);

/// Recorded seconds of all jobs. Of a preempted job there are several.
pub struct RecordedSeconds<'c> {
    starts: BTreeMap<RecordedName<'c>, i64>,
    ends: BTreeMap<RecordedName<'c>, Vec<i64>>,
}

impl<'c> RecordedSeconds<'c> {
    pub fn of(run: &'c RecordedRun) -> RecordedSeconds<'c> {
        let mut seconds = RecordedSeconds { starts: BTreeMap::new(), ends: BTreeMap::new() };
        for one in &run.outcomes {
            let name = (one.key.as_str(), one.task);
            if let Some(start) = one.start {
                seconds.starts.insert(name, start.0);
            }
            if let Some(end) = one.end.filter(|_| one.start.is_some()) {
                seconds.ends.entry(name).or_default().push(end.0);
            }
        }
        seconds
    }
}

/// The last instant of a second.
fn last_of(second: i64) -> Micros {
    Micros::of_seconds(second) + Micros::SECOND - Micros(1)
}

impl RecordingFollower<'_> {
    fn recorded_name(&self, job: JobHandle) -> RecordedName<'_> {
        (self.controller.jobs.submission(job).key.as_str(), self.controller.jobs[job].task)
    }

    /// A job starts in its recorded second, which may be one off the logged one.
    pub fn set_clock_to_start(&mut self, job: JobHandle) {
        let now = self.controller.second();
        let Some(&start) = self.seconds.starts.get(&self.recorded_name(job)) else { return };
        if start != now && (start - now).abs() <= 1 {
            let at = if start < now { last_of(start) } else { Micros::of_seconds(start) };
            self.controller.clock.set(at);
        }
    }

    /// The second in which a job ended that was logged to end in this one: the clock of whole seconds lags that of the log, so
    /// that it may be the one before.
    pub fn second_of_end(&self, job: JobHandle, logged: i64) -> i64 {
        let ends = self.seconds.ends.get(&self.recorded_name(job));
        if ends.is_some_and(|ends| ends.contains(&(logged - 1)) && !ends.contains(&logged)) {
            logged - 1
        } else {
            logged
        }
    }

    /// A job ends in its recorded second.
    pub fn set_clock_to_end(&mut self, job: JobHandle) {
        let now = self.controller.second();
        let end = self.second_of_end(job, now);
        if end < now {
            self.controller.clock.set(last_of(end));
        }
    }
}
