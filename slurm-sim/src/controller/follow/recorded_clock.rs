//! The clock put to the second in which a job of a recorded run started or ended.

use super::follower::RecordingFollower;
use crate::cluster::JobNumber;
use crate::controller::handles::JobHandle;
use queuecast_core::units::Micros;

/// The last instant of a second.
fn last_of(second: i64) -> Micros {
    Micros::of_seconds(second) + Micros::SECOND - Micros(1)
}

impl RecordingFollower<'_> {
    fn recorded_start(&self, job: JobHandle) -> Option<(i64, u32)> {
        self.seconds.start(&self.controller.jobs.submission(job).key, self.controller.jobs[job].task)
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

    /// A job ends in its recorded second.
    pub fn set_clock_to_end(&mut self, job: JobNumber) {
        let now = self.controller.second();
        let end = self.seconds.end(job, now);
        if end < now {
            self.controller.clock.set(last_of(end));
        }
    }
}
