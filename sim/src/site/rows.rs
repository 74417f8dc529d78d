//! What is known of each job that waits or runs, one line each.

use serde::{Deserialize, Serialize};

use super::ring::Ring;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Procs, Seconds, Time};

/// One job in the system. How long it will run is not known here.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Row {
    pub submit: i64,
    pub start: i64,
    /// The predictor's last prediction; corrections build on it.
    pub first: i64,
    /// What is predicted now.
    pub predicted: i64,
    /// The run time that plans are made with.
    pub planned: i64,
    /// The run time not exceeded with the probability that the policy asks for; as planned where it asks for none.
    pub bound: i64,
    /// Processors it holds or asks for.
    pub procs: u32,
    /// How many jobs had started before it.
    pub turn: u32,
    /// Neighbours in the queue, see [`super::queue`].
    pub before: u32,
    pub after: u32,
}

/// Not started yet.
pub(crate) const WAITING: i64 = i64::MIN;

/// Ended or withdrawn: the line may be reused.
const GONE: i64 = i64::MIN + 1;

impl Row {
    const EMPTY: Row = Row {
        submit: 0,
        start: GONE,
        first: 0,
        predicted: 0,
        planned: 0,
        bound: 0,
        procs: 0,
        turn: 0,
        before: 0,
        after: 0,
    };

    pub fn waiting(submit: Time, procs: Procs, predicted: Seconds, planned: Seconds) -> Row {
        Row {
            submit: submit.0,
            start: WAITING,
            first: predicted.0,
            predicted: predicted.0,
            planned: planned.0,
            bound: planned.0,
            procs: procs.0,
            ..Row::EMPTY
        }
    }

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
}

/// Jobs in the system and their lines, by number.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rows {
    lines: Ring<Row>,
    jobs: Ring<Job>,
    /// No job before this one is in the system.
    oldest: JobIndex,
    /// How many have been submitted.
    submitted: JobIndex,
}

impl Rows {
    pub fn new() -> Rows {
        let none = Job::rigid(0, Time(0), Procs(0), None);
        let (oldest, submitted) = (JobIndex(0), JobIndex(0));
        Rows { lines: Ring::new(Row::EMPTY), jobs: Ring::new(none), oldest, submitted }
    }

    /// How many jobs have been submitted: the number of the next one.
    #[inline]
    pub fn submitted(&self) -> JobIndex {
        self.submitted
    }

    /// No job before this one is in the system.
    pub fn oldest(&self) -> JobIndex {
        self.oldest
    }

    /// The line of a job that waits or runs; `None` if it has not been submitted or has left.
    pub fn present(&self, job: JobIndex) -> Option<&Row> {
        let line = (self.oldest..self.submitted).contains(&job).then(|| &self.lines[job])?;
        (line.start != GONE).then_some(line)
    }

    /// A job of this number, in the system or the last one to have left its line.
    #[inline]
    pub fn job(&self, job: JobIndex) -> &Job {
        &self.jobs[job]
    }

    /// Adds a copy of a job as the next one.
    #[inline]
    pub fn push(&mut self, row: Row, job: &Job) {
        self.lines.push(self.oldest, self.submitted, row);
        let copy = self.jobs.slot(self.oldest, self.submitted);
        copy.clone_from(job);
        copy.index = self.submitted;
        self.submitted.0 += 1;
    }

    /// Gives the line of a job that has left back for reuse. The job can still be read until the next submission.
    #[inline]
    pub fn retire(&mut self, job: JobIndex) {
        self[job].start = GONE;
        while self.oldest < self.submitted && self.lines[self.oldest].start == GONE {
            self.oldest.0 += 1;
        }
    }
}

impl std::ops::Index<JobIndex> for Rows {
    type Output = Row;

    #[inline]
    fn index(&self, job: JobIndex) -> &Row {
        debug_assert!((self.oldest..self.submitted).contains(&job), "{job:?} is not in the system");
        &self.lines[job]
    }
}

impl std::ops::IndexMut<JobIndex> for Rows {
    #[inline]
    fn index_mut(&mut self, job: JobIndex) -> &mut Row {
        debug_assert!((self.oldest..self.submitted).contains(&job), "{job:?} is not in the system");
        &mut self.lines[job]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn push(rows: &mut Rows, procs: u32) {
        let job = Job::rigid(u64::from(procs), Time(0), Procs(procs), None);
        rows.push(Row::waiting(Time(0), Procs(procs), Seconds(1), Seconds(1)), &job);
    }

    #[test]
    fn only_jobs_in_the_system_are_present() {
        let mut rows = Rows::new();
        (0..3).for_each(|procs| push(&mut rows, procs));
        rows.retire(JobIndex(1));
        let present =
            |rows: &Rows| (0..5).map(|job| rows.present(JobIndex(job)).is_some()).collect::<Vec<_>>();
        assert_eq!(present(&rows), [true, false, true, false, false]);
        rows.retire(JobIndex(0));
        assert_eq!(present(&rows), [false, false, true, false, false]);
        // Lines are reused: 64 submissions later the same line is another job's.
        (3..67).for_each(|procs| push(&mut rows, procs));
        assert_eq!(rows.present(JobIndex(66)).map(|row| row.procs), Some(66));
        assert_eq!(rows.job(JobIndex(66)).shape.procs, Procs(66));
        assert!(rows.present(JobIndex(1)).is_none());
    }
}
