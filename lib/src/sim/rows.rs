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

    /// When it outlives its prediction, or its plan if a factor makes that shorter.
    pub fn deadline(&self) -> i64 {
        self.start.saturating_add(self.predicted.min(self.planned))
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
        if self.since == self.submit {
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

    /// A line and what its earlier predictions add up to.
    struct Kept {
        row: Row,
        sum: Standing,
    }

    impl Kept {
        fn predict(&mut self, now: i64, predicted: Seconds, planned: Seconds) {
            self.row.predict(now, predicted, planned, &mut self.sum);
        }

        fn standing(&self, end: i64) -> Standing {
            self.row.standing(end, self.sum)
        }
    }

    /// A job submitted at 100 that will run for 60.
    fn predicted(predicted: i64) -> Kept {
        let row = Row { submit: 100, since: 100, run: 60, predicted, planned: predicted, ..row(1) };
        Kept { row, sum: Standing::default() }
    }

    #[test]
    fn one_prediction_is_as_right_as_it_is() {
        for (length, inaccuracy, accuracy) in [(60, 0.0, 1.0), (90, 30.0, 60.0 / 90.0), (15, 45.0, 0.25)] {
            // However long it waits.
            for end in [160, 1000] {
                assert_eq!(predicted(length).standing(end), Standing { inaccuracy, accuracy });
            }
        }
    }

    #[test]
    fn several_predictions_count_by_how_long_they_stood() {
        let mut row = predicted(15);
        // 15 s from 100 to 120: 45 off, a quarter right.
        row.predict(120, Seconds(120), Seconds(240));
        // 120 s from 120 to 150: 60 off, half right. That plans are longer is no matter.
        row.predict(150, Seconds(60), Seconds(60));
        // 60 s from 150 to 200: right.
        let Standing { inaccuracy, accuracy } = row.standing(200);
        assert_eq!(inaccuracy, (45.0 * 20.0 + 60.0 * 30.0) / 100.0);
        assert_eq!(accuracy, (0.25 * 20.0 + 0.5 * 30.0 + 1.0 * 50.0) / 100.0);
    }

    #[test]
    fn what_stood_for_no_time_does_not_count() {
        let mut row = predicted(15);
        row.predict(100, Seconds(90), Seconds(90));
        assert_eq!(row.standing(400), predicted(90).standing(400));
        row.predict(130, Seconds(1), Seconds(1));
        row.predict(130, Seconds(60), Seconds(60));
        let Standing { inaccuracy, accuracy } = row.standing(200);
        assert_eq!((inaccuracy, accuracy), (30.0 * 30.0 / 100.0, (30.0 * 60.0 / 90.0 + 70.0) / 100.0));
        // Nor does it divide by nothing: a job of no length that never waited.
        let mut instant = predicted(5);
        instant.row.run = 0;
        assert_eq!(instant.standing(100), Standing { inaccuracy: 5.0, accuracy: 0.0 });
        instant.predict(100, Seconds(2), Seconds(2));
        assert_eq!(instant.standing(100), Standing { inaccuracy: 2.0, accuracy: 0.0 });
    }

    #[test]
    fn only_those_in_the_system_are_present() {
        let mut rows = Rows::new();
        (0..3).for_each(|job| rows.push(row(job)));
        rows.retire(JobIndex(1));
        let present =
            |rows: &Rows| (0..5).map(|job| rows.present(JobIndex(job)).is_some()).collect::<Vec<_>>();
        assert_eq!(present(&rows), [true, false, true, false, false]);
        rows.retire(JobIndex(0));
        assert_eq!(present(&rows), [false, false, true, false, false]);
        // Lines are reused: 64 later the same one is another's.
        (3..67).for_each(|job| rows.push(row(job)));
        assert_eq!(rows.present(JobIndex(66)).map(|row| row.procs), Some(66));
        assert!(rows.present(JobIndex(1)).is_none());
    }
}
