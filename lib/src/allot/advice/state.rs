//! The machine and its queue at one moment, as far as anybody knows.

use super::history::Likeness;
use crate::job::{Job, Shape};
use crate::units::{Procs, Seconds};
use crate::wait::Holder;

/// A scheduler plans a job that has outlived the time it asked for to end this soon.
const OUTLIVED: Seconds = Seconds(60);

/// No draw is longer, so that sums stay within the clock.
const LONGEST: f64 = 1e12;

/// A job that runs or waits, and what is thought of how much longer it runs; of a waiting one, of its whole run time.
#[derive(Debug, Clone, PartialEq)]
pub struct Resident {
    /// The job, as its user asked for it.
    pub job: Job,
    /// How much longer it runs, as a formula.
    pub left: Holder,
    /// How much longer it runs, as others did; goes before the formula where draws are made.
    pub like: Option<Likeness>,
    /// It runs no longer than this from now: what is left of the time it asked for. `None` if it asked for none or has
    /// outlived it.
    pub limit: Option<Seconds>,
    /// What the scheduler plans with, from now.
    pub planned: Seconds,
}

impl Resident {
    /// A job of this age (zero for one that waits), with nobody like it. `default` stands in for a missing requested time when it is planned.
    pub fn new(job: &Job, age: Seconds, left: Holder, default: Seconds) -> Resident {
        let ahead = |whole: Seconds| Some(whole - age).filter(|&left| left > Seconds::ZERO);
        let limit = job.shape.limit.and_then(ahead);
        let planned =
            ahead(job.shape.limit.unwrap_or(default)).unwrap_or(OUTLIVED).min(Seconds(LONGEST as i64));
        Resident { job: job.clone(), left, like: None, limit, planned }
    }

    /// How much longer it runs, at this share (0 to 1) of what is thought possible: whole seconds, at least one. Of a
    /// formula, what lies beyond the limit is left out.
    pub fn draw(&self, share: f64) -> Seconds {
        if let Some(like) = &self.like {
            return Seconds(like.quantile(share).ceil().clamp(1.0, LONGEST) as i64);
        }
        let limit = self.limit.map_or(LONGEST, |limit| (limit.0 as f64).min(LONGEST));
        let within = 1.0 - self.left.survival(limit);
        let length = if within > 0.0 { self.left.quantile(share * within).min(limit) } else { limit };
        Seconds(length.ceil().max(1.0) as i64)
    }
}

/// Who runs and who waits.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    machine: Procs,
    running: Vec<Resident>,
    waiting: Vec<Resident>,
    /// Processors that were said to be held and cannot be.
    excess: Procs,
}

impl State {
    /// Running jobs in order of start, waiting ones in the order of the queue. No job may be larger than the machine.
    ///
    /// Logs have moments at which more is held than the machine has, mostly since an end was recorded late. Then the
    /// jobs that started first are taken to hold that much less.
    pub fn new(machine: Procs, mut running: Vec<Resident>, waiting: Vec<Resident>) -> State {
        let held: u64 = running.iter().map(|job| u64::from(job.job.shape.procs.0)).sum();
        let excess = held.saturating_sub(u64::from(machine.0));
        let mut over = excess;
        for resident in &mut running {
            let procs = resident.job.shape.procs;
            let less = over.min(u64::from(procs.0));
            over -= less;
            // What is taken off is no more than there is.
            let procs = Procs(procs.0 - less as u32);
            resident.job.shape = Shape { procs, ..resident.job.shape };
            resident.left = resident.left.on(procs);
        }
        running.retain(|resident| resident.job.shape.procs > Procs(0));
        let excess = Procs(u32::try_from(excess).unwrap_or(u32::MAX));
        State { machine, running, waiting, excess }
    }

    /// All processors.
    pub fn machine(&self) -> Procs {
        self.machine
    }

    /// Running jobs, in order of start.
    pub fn running(&self) -> &[Resident] {
        &self.running
    }

    /// Waiting jobs, in the order of the queue.
    pub fn waiting(&self) -> &[Resident] {
        &self.waiting
    }

    /// Processors that were said to be held beyond those the machine has.
    pub fn excess(&self) -> Procs {
        self.excess
    }

    /// Processors nobody holds.
    pub fn free(&self) -> Procs {
        let held: u32 = self.running.iter().map(|job| job.job.shape.procs.0).sum();
        Procs(self.machine.0.saturating_sub(held))
    }

    /// How many processors are free now and after each end, if running jobs end in the order they are most likely to:
    /// sizes worth a look, ascending, at most so many.
    pub fn levels(&self, most: usize) -> Vec<Procs> {
        let mut ends: Vec<(Seconds, Procs)> =
            self.running.iter().map(|job| (job.draw(0.5), job.job.shape.procs)).collect();
        ends.sort_unstable();
        let mut free = self.free();
        let mut levels = vec![free];
        for (_, procs) in ends {
            free = Procs(free.0.saturating_add(procs.0));
            levels.push(free);
        }
        levels.retain(|level| level.0 > 0);
        levels.truncate(most);
        levels
    }
}
