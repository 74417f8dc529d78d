//! What is due when: a heap of instants, first come first among those due at the same one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use queuecast_core::job::JobIndex;

/// Jobs by the instant at which something is due for them.
#[derive(Debug, Clone)]
pub(super) struct Agenda {
    // One number holds the instant, the ticket and the job, in this order: one comparison instead of three.
    heap: BinaryHeap<Reverse<u128>>,
    /// The first instant in the heap.
    next: i64,
    tickets: u32,
}

impl Agenda {
    pub fn new() -> Agenda {
        Agenda { heap: BinaryHeap::new(), next: i64::MAX, tickets: 0 }
    }

    /// The first instant at which something is due; the end of time if nothing is.
    #[inline]
    pub fn next(&self) -> i64 {
        self.next
    }

    pub fn add(&mut self, at: i64, job: JobIndex) {
        self.tickets = self.tickets.wrapping_add(1);
        let entry = ordered(at) << 64 | u128::from(self.tickets) << 32 | u128::from(job.0);
        self.heap.push(Reverse(entry));
        self.next = self.next.min(at);
    }

    /// Takes out the first job for which something is due by `now`.
    #[inline]
    pub fn take(&mut self, now: i64) -> Option<JobIndex> {
        if self.next > now {
            return None;
        }
        let Reverse(entry) = self.heap.pop()?;
        self.next = self.heap.peek().map_or(i64::MAX, |Reverse(first)| instant(*first));
        Some(JobIndex(entry as u32))
    }
}

/// Instants as unsigned numbers in the same order.
fn ordered(at: i64) -> u128 {
    u128::from(at as u64 ^ 1 << 63)
}

fn instant(entry: u128) -> i64 {
    ((entry >> 64) as u64 ^ 1 << 63) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_instant_then_first_come_first() {
        let mut agenda = Agenda::new();
        for (at, job) in [(5, 0), (-3, 1), (5, 2), (0, 3), (i64::MAX - 1, 4), (-3, 5), (5, 1)] {
            agenda.add(at, JobIndex(job));
        }
        assert_eq!(agenda.next(), -3);
        assert_eq!(agenda.take(-4), None);
        let taken: Vec<u32> = std::iter::from_fn(|| agenda.take(5)).map(|job| job.0).collect();
        assert_eq!(taken, [1, 5, 3, 0, 2, 1]);
        assert_eq!(agenda.next(), i64::MAX - 1);
        assert_eq!(agenda.take(i64::MAX), Some(JobIndex(4)));
        assert_eq!((agenda.next(), agenda.take(i64::MAX)), (i64::MAX, None));
    }
}
