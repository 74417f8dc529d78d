//! The waiting jobs in arrival order: a linked list through one table, so that any job leaves in constant
//! time.

use crate::job::JobIndex;

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
}

/// Waiting jobs, first come first.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    links: Vec<Link>,
    first: u32,
    last: u32,
    len: usize,
}

impl Queue {
    pub fn new() -> Queue {
        Queue { links: Vec::new(), first: NONE, last: NONE, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn first(&self) -> Option<JobIndex> {
        known(self.first)
    }

    pub fn after(&self, job: JobIndex) -> Option<JobIndex> {
        known(self.links[job.at()].after)
    }

    /// Adds a job at the end. Jobs come in order of index.
    pub fn push(&mut self, job: JobIndex) {
        let unused = Link { before: NONE, after: NONE };
        self.links.resize(job.at(), unused);
        self.links.push(Link { before: self.last, after: NONE });
        match known(self.last) {
            Some(last) => self.links[last.at()].after = job.0,
            None => self.first = job.0,
        }
        self.last = job.0;
        self.len += 1;
    }

    /// Takes a waiting job out.
    pub fn remove(&mut self, job: JobIndex) {
        let Link { before, after } = self.links[job.at()];
        match known(before) {
            Some(before) => self.links[before.at()].after = after,
            None => self.first = after,
        }
        match known(after) {
            Some(after) => self.links[after.at()].before = before,
            None => self.last = before,
        }
        self.len -= 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = JobIndex> + '_ {
        std::iter::successors(self.first(), |&job| self.after(job))
    }
}

fn known(job: u32) -> Option<JobIndex> {
    (job != NONE).then_some(JobIndex(job))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_arrival_order_whoever_leaves() {
        let mut queue = Queue::new();
        for job in [0, 1, 3, 4, 7] {
            queue.push(JobIndex(job));
        }
        queue.remove(JobIndex(3));
        queue.remove(JobIndex(0));
        queue.remove(JobIndex(7));
        queue.push(JobIndex(9));
        assert_eq!(queue.iter().map(|job| job.0).collect::<Vec<_>>(), [1, 4, 9]);
        assert_eq!((queue.first(), queue.len()), (Some(JobIndex(1)), 3));
    }
}
