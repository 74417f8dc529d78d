//! A table with one entry for each job in the system, reused as jobs leave.
//!
//! Jobs are numbered in order of submission, so those in the system lie between the oldest that is still there and the
//! newest. The entries form a ring over that range: a long log is simulated within the memory of its busiest days, most of
//! which stays in the processor's cache.

use serde::{Deserialize, Serialize};

use queuecast_core::job::JobIndex;

/// Entries by job number. The caller knows which numbers are in use.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ring<T> {
    /// Job `i` is at `i` modulo the length, a power of two.
    items: Vec<T>,
}

impl<T: Clone> Ring<T> {
    /// A ring of 64 such entries.
    pub fn new(empty: T) -> Ring<T> {
        Ring { items: vec![empty; 64] }
    }

    /// Sets the entry of the next job. Entries of jobs before `oldest` are given up.
    #[inline]
    pub fn push(&mut self, oldest: JobIndex, next: JobIndex, item: T) {
        *self.slot(oldest, next) = item;
    }

    /// The entry of the next job, to be overwritten.
    #[inline]
    pub fn slot(&mut self, oldest: JobIndex, next: JobIndex) -> &mut T {
        if (next.0 - oldest.0) as usize >= self.items.len() {
            self.grow(oldest, next);
        }
        &mut self[next]
    }

    #[cold]
    fn grow(&mut self, oldest: JobIndex, next: JobIndex) {
        let mut larger = self.items.clone();
        larger.extend_from_slice(&self.items);
        let mask = larger.len() - 1;
        for job in (oldest.0..next.0).map(JobIndex) {
            larger[job.at() & mask] = self[job].clone();
        }
        self.items = larger;
    }
}

impl<T> std::ops::Index<JobIndex> for Ring<T> {
    type Output = T;

    #[inline]
    fn index(&self, job: JobIndex) -> &T {
        &self.items[job.at() & (self.items.len() - 1)]
    }
}

impl<T> std::ops::IndexMut<JobIndex> for Ring<T> {
    #[inline]
    fn index_mut(&mut self, job: JobIndex) -> &mut T {
        let place = job.at() & (self.items.len() - 1);
        &mut self.items[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_however_long_one_job_stays() {
        let mut ring = Ring::new(0);
        for job in 0..1000 {
            // Job 3 stays; every other job leaves after 40 submissions.
            ring.push(JobIndex(job.min(3)), JobIndex(job), job);
        }
        assert_eq!(ring[JobIndex(3)], 3);
        assert!((960..1000).all(|job| ring[JobIndex(job)] == job));
    }

    #[test]
    fn memory_is_reused() {
        let mut ring = Ring::new(0);
        (0..100_000).for_each(|job| ring.push(JobIndex(job), JobIndex(job), job));
        assert_eq!(ring.items.len(), 64);
    }
}
