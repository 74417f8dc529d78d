//! The waiting jobs in order of submission: a list linked through the jobs' lines, so that any job leaves in constant time.

use serde::{Deserialize, Serialize};

use super::rows::Rows;
use queuecast_core::job::JobIndex;

const NONE: u32 = u32::MAX;

/// Waiting jobs in order of submission. The links are in [`super::rows::Row`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Queue {
    first: u32,
    last: u32,
    len: usize,
}

impl Queue {
    pub fn new() -> Queue {
        Queue { first: NONE, last: NONE, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn first(&self) -> Option<JobIndex> {
        known(self.first)
    }

    /// The job behind a waiting one.
    pub fn after(job: JobIndex, rows: &Rows) -> Option<JobIndex> {
        known(rows[job].after)
    }

    /// Adds a job at the end.
    pub fn push(&mut self, job: JobIndex, rows: &mut Rows) {
        let row = &mut rows[job];
        (row.before, row.after) = (self.last, NONE);
        match known(self.last) {
            Some(last) => rows[last].after = job.0,
            None => self.first = job.0,
        }
        self.last = job.0;
        self.len += 1;
    }

    /// Takes a waiting job out.
    pub fn remove(&mut self, job: JobIndex, rows: &mut Rows) {
        let (before, after) = (rows[job].before, rows[job].after);
        match known(before) {
            Some(before) => rows[before].after = after,
            None => self.first = after,
        }
        match known(after) {
            Some(after) => rows[after].before = before,
            None => self.last = before,
        }
        self.len -= 1;
    }

    pub fn iter<'a>(&self, rows: &'a Rows) -> impl Iterator<Item = JobIndex> + use<'a> {
        std::iter::successors(self.first(), |&job| Queue::after(job, rows))
    }
}

fn known(job: u32) -> Option<JobIndex> {
    (job != NONE).then_some(JobIndex(job))
}

#[cfg(test)]
mod tests {
    use super::super::rows::Row;
    use super::*;
    use queuecast_core::job::Job;
    use queuecast_core::units::{Procs, Seconds, Time};

    #[test]
    fn keeps_submission_order_as_jobs_leave() {
        let (mut queue, mut rows) = (Queue::new(), Rows::new());
        for _ in 0..10 {
            let job = Job::rigid(0, Time(0), Procs(1), None);
            rows.push(Row::waiting(Time(0), Procs(1), Seconds(1), Seconds(1)), &job);
        }
        for job in [0, 1, 3, 4, 7] {
            queue.push(JobIndex(job), &mut rows);
        }
        for job in [3, 0, 7] {
            queue.remove(JobIndex(job), &mut rows);
        }
        queue.push(JobIndex(9), &mut rows);
        assert_eq!(queue.iter(&rows).map(|job| job.0).collect::<Vec<_>>(), [1, 4, 9]);
        assert_eq!((queue.first(), queue.len()), (Some(JobIndex(1)), 3));
    }
}
