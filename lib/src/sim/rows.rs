//! The engine's book: one line for each job that is in the system, reused once it has left.
//!
//! Jobs arrive in order of index, so those in the system lie between the oldest still there and the newest.
//! The lines form a ring over that stretch: a long log is simulated within the memory of its busiest days,
//! most of which stays in the processor's cache.

use super::schedule::Standing;
use crate::job::{Ending, JobIndex};
use crate::units::Seconds;

/// A job's line. The run time is the engine's secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub submit: i64,
    pub start: i64,
    /// What the predictor said last; corrections build on it.
    pub first: i64,
    pub predicted: i64,
    pub planned: i64,
    pub run: i64,
    pub procs: u32,
    /// How many had started before it, once it has.
    pub turn: u32,
    pub ending: Ending,
    /// Whether it has had more than one prediction.
    pub changed: bool,
    /// Since when its prediction has stood.
    pub since: i64,
    /// Neighbours in the queue, see [`super::queue`].
    pub before: u32,
    pub after: u32,
}

/// Not started yet.
pub(super) const WAITING: i64 = i64::MIN;

/// Ended: the line may be reused.
const GONE: i64 = i64::MIN + 1;

impl Row {
    /// Nobody's.
    pub const EMPTY: Row = Row {
        submit: 0,
        start: GONE,
        first: 0,
        predicted: 0,
        planned: 0,
        run: 0,
        procs: 0,
        turn: 0,
        ending: Ending::Unknown,
        changed: false,
        since: 0,
        before: 0,
        after: 0,
    };

    pub fn is_waiting(&self) -> bool {
        self.start == WAITING
    }

    pub fn planned_end(&self) -> i64 {
        self.start.saturating_add(self.planned)
    }

    /// Replaces its prediction at an instant, and adds to a sum how right the old one was for how long.
    pub fn predict(&mut self, now: i64, predicted: Seconds, planned: Seconds, sum: &mut Standing) {
        self.add(now, sum);
        (self.since, self.changed) = (now, true);
        (self.predicted, self.planned) = (predicted.0, planned.0);
    }

    fn add(&self, now: i64, sum: &mut Standing) {
        let stood = (now - self.since) as f64;
        let standing = Standing::of(Seconds(self.predicted), Seconds(self.run));
        sum.inaccuracy += standing.inaccuracy * stood;
        sum.accuracy += standing.accuracy * stood;
    }

    /// How right its predictions were from submission to its end, each weighted by how long it stood (Talby et
    /// al. 2005, equation 2), given the sum over those before the last.
    pub fn standing(&self, end: i64, mut sum: Standing) -> Standing {
        if end == self.submit {
            return Standing::of(Seconds(self.predicted), Seconds(self.run));
        }
        self.add(end, &mut sum);
        let lived = (end - self.submit) as f64;
        Standing { inaccuracy: sum.inaccuracy / lived, accuracy: sum.accuracy / lived }
    }

    /// The same job, running this long in all.
    pub fn assuming(&self, run: Seconds) -> Row {
        Row { run: run.0, ending: Ending::Unknown, ..*self }
    }
}

/// Lines by job index.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Job `i` is at `i` modulo the length, a power of two.
    ring: Vec<Row>,
    /// Nobody before this one is in the system.
    oldest: u32,
    /// How many have arrived.
    arrived: u32,
}

impl Rows {
    pub fn new() -> Rows {
        Rows { ring: vec![Row::EMPTY; 64], oldest: 0, arrived: 0 }
    }

    /// How many jobs have arrived so far.
    pub fn arrived(&self) -> JobIndex {
        JobIndex(self.arrived)
    }

    /// The line of a job that waits or runs; `None` if it has not arrived or has ended.
    pub fn present(&self, job: JobIndex) -> Option<&Row> {
        let line = (self.oldest..self.arrived).contains(&job.0).then(|| &self.ring[self.place(job)])?;
        (line.start != GONE).then_some(line)
    }

    /// Adds the next job's line.
    pub fn push(&mut self, row: Row) {
        if (self.arrived - self.oldest) as usize == self.ring.len() {
            self.grow();
        }
        let place = self.place(JobIndex(self.arrived));
        self.ring[place] = row;
        self.arrived += 1;
    }

    /// Gives the line of a job back that has ended.
    pub fn retire(&mut self, job: JobIndex) {
        self[job].start = GONE;
        while self.oldest < self.arrived && self[JobIndex(self.oldest)].start == GONE {
            self.oldest += 1;
        }
    }

    fn grow(&mut self) {
        let mut larger = vec![Row::EMPTY; self.ring.len() * 2];
        for job in self.oldest..self.arrived {
            larger[job as usize & (self.ring.len() * 2 - 1)] = self[JobIndex(job)];
        }
        self.ring = larger;
    }

    fn place(&self, job: JobIndex) -> usize {
        job.at() & (self.ring.len() - 1)
    }
}

impl std::ops::Index<JobIndex> for Rows {
    type Output = Row;

    fn index(&self, job: JobIndex) -> &Row {
        debug_assert!((self.oldest..self.arrived).contains(&job.0), "{job:?} is not in the system");
        &self.ring[self.place(job)]
    }
}

impl std::ops::IndexMut<JobIndex> for Rows {
    fn index_mut(&mut self, job: JobIndex) -> &mut Row {
        debug_assert!((self.oldest..self.arrived).contains(&job.0), "{job:?} is not in the system");
        let place = self.place(job);
        &mut self.ring[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(procs: u32) -> Row {
        Row { start: WAITING, procs, ..Row::EMPTY }
    }

    #[test]
    fn lines_are_found_by_job_however_long_somebody_stays() {
        let mut rows = Rows::new();
        for job in 0..1000 {
            rows.push(row(job));
            // Number 3 stays for ever, every other job leaves after 40 arrivals.
            if job >= 40 && job != 43 {
                rows.retire(JobIndex(job - 40));
            }
        }
        assert_eq!(rows[JobIndex(3)].procs, 3);
        assert!((960..1000).all(|job| rows[JobIndex(job)].procs == job));
        assert_eq!(rows.arrived(), JobIndex(1000));
    }

    #[test]
    fn a_ring_is_reused() {
        let mut rows = Rows::new();
        for job in 0..100_000 {
            rows.push(row(job));
            rows.retire(JobIndex(job));
        }
        assert_eq!(rows.ring.len(), 64);
    }
}
