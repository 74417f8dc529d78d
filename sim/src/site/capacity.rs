//! What a machine has free over time, and the starts that are held on it: what a planner asks before it starts a job.

use super::profile::Profile;
use super::rows::Rows;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};

/// What a machine has free over time, beside the jobs that run and the starts that are held for others.
///
/// A planner asks, then holds or starts: [`hold`](Capacity::hold) and [`start`](Capacity::start) of a job take the room that the last
/// question about it has found.
pub trait Capacity {
    /// When at the earliest a waiting job that runs for `length` could start beside what is held, in a part of the machine for which
    /// fewer than `depth` later starts are held.
    fn earliest(&mut self, job: JobIndex, length: Seconds, depth: usize) -> Earliest;

    /// An earlier start than the one held for a job, which does not count.
    fn earlier(&mut self, job: JobIndex, length: Seconds, held: Time) -> Option<Time>;

    /// Whether a job could start then beside what is held for others; of a job that [`earliest`](Capacity::earliest) has been asked
    /// about, in the parts of the machine that were not looked at.
    fn fits(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool;

    /// Holds a start; `false` if the job may not start any more.
    fn hold(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool;

    /// Where a job stands among those for which the last plan held the same start; equal: as in the queue.
    fn rank_of_kept(&self, _job: JobIndex) -> u64 {
        0
    }

    /// The start held for a job is held no more.
    fn give_back(&mut self, job: JobIndex, at: Time, length: Seconds);

    /// Starts a job now.
    fn start(&mut self, job: JobIndex, length: Seconds) -> Started;
}

/// When a job could start, and what that means for those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earliest {
    /// When; `None` if it cannot where it was looked for.
    pub start: Option<Time>,
    /// What becomes of it if it does not start now.
    pub otherwise: Otherwise,
}

/// What becomes of a job that does not start in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// It waits for its next turn.
    Waits,
    /// It may still start beside the starts that are held.
    MayPass,
    /// It can never run on what is in service, and nothing passes it.
    Blocks,
}

/// What came of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// The job runs.
    Runs,
    /// The job may not start: a limit of the site keeps it back.
    KeptBack,
    /// What was held for the job is not free.
    NoRoom,
}

/// A machine that is a number of processors.
pub(super) struct Processors<'a> {
    now: Time,
    rows: &'a Rows,
    free: Profile,
    /// How many later starts are held.
    later: usize,
    /// Jobs for which a start now is held.
    held_now: Vec<JobIndex>,
}

impl<'a> Processors<'a> {
    /// With these processors free over time.
    pub fn of(now: Time, rows: &'a Rows, free: Profile) -> Processors<'a> {
        Processors { now, rows, free, later: 0, held_now: Vec::new() }
    }

    fn procs(&self, job: JobIndex) -> Procs {
        Procs(self.rows[job].procs)
    }
}

impl Capacity for Processors<'_> {
    fn earliest(&mut self, job: JobIndex, length: Seconds, depth: usize) -> Earliest {
        if self.later >= depth {
            return Earliest { start: None, otherwise: Otherwise::MayPass };
        }
        let start = self.free.earliest(self.now, self.procs(job), length);
        // A job larger than what is in service can never start.
        let otherwise = if start.is_some() { Otherwise::Waits } else { Otherwise::Blocks };
        Earliest { start, otherwise }
    }

    fn earlier(&mut self, job: JobIndex, length: Seconds, held: Time) -> Option<Time> {
        let earliest = self.free.earliest_without(self.now, self.procs(job), length, Some(held));
        earliest.filter(|&earliest| earliest < held)
    }

    fn fits(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool {
        self.free.fits(at, self.procs(job), length)
    }

    fn hold(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool {
        self.free.take(at, self.procs(job), length);
        match at > self.now {
            true => self.later += 1,
            false => self.held_now.push(job),
        }
        true
    }

    fn give_back(&mut self, job: JobIndex, at: Time, length: Seconds) {
        self.free.give(at, self.procs(job), length);
    }

    fn start(&mut self, job: JobIndex, length: Seconds) -> Started {
        if !self.held_now.contains(&job) {
            self.free.take(self.now, self.procs(job), length);
        }
        Started::Runs
    }
}
