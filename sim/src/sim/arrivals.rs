//! Jobs that are still to be submitted in a simulation.

use std::borrow::Cow;
use std::collections::VecDeque;

use queuecast_core::job::{Job, Truth};
use queuecast_core::workload::Workload;

/// The jobs of a workload that have not arrived yet, and others submitted into the simulation. At one instant, those of the
/// workload come first.
#[derive(Debug, Clone)]
pub(super) struct UpcomingJobs<'w> {
    jobs: &'w [Job],
    truths: &'w [Truth],
    /// In order of submission.
    others: VecDeque<(Job, Truth)>,
    /// When the next one is submitted; the end of time if none is to come.
    next: i64,
}

impl<'w> UpcomingJobs<'w> {
    pub fn of(workload: &'w Workload) -> UpcomingJobs<'w> {
        UpcomingJobs::new(workload.jobs(), workload.truths())
    }

    pub fn none() -> UpcomingJobs<'w> {
        UpcomingJobs::new(&[], &[])
    }

    fn new(jobs: &'w [Job], truths: &'w [Truth]) -> UpcomingJobs<'w> {
        let mut arrivals = UpcomingJobs { jobs, truths, others: VecDeque::new(), next: i64::MAX };
        arrivals.look();
        arrivals
    }

    /// How many are to come.
    pub fn len(&self) -> usize {
        self.jobs.len() + self.others.len()
    }

    /// Adds a job, behind those of the same instant.
    pub fn push(&mut self, job: Job, truth: Truth) {
        let place = self.others.partition_point(|(other, _)| other.submit <= job.submit);
        self.others.insert(place, (job, truth));
        self.look();
    }

    /// When the next one is submitted; the end of time if none is to come.
    #[inline]
    pub fn next(&self) -> i64 {
        self.next
    }

    #[inline]
    fn look(&mut self) {
        let next = self.jobs.first().map_or(i64::MAX, |job| job.submit.0);
        self.next = self.others.front().map_or(next, |(job, _)| next.min(job.submit.0));
    }

    /// Takes the next job.
    #[inline]
    pub fn take(&mut self) -> Option<(Cow<'w, Job>, Cow<'w, Truth>)> {
        let taken = match (self.jobs, self.truths) {
            ([job, jobs @ ..], [truth, truths @ ..]) if job.submit.0 == self.next => {
                (self.jobs, self.truths) = (jobs, truths);
                Some((Cow::Borrowed(job), Cow::Borrowed(truth)))
            }
            _ => self.others.pop_front().map(|(job, truth)| (Cow::Owned(job), Cow::Owned(truth))),
        };
        self.look();
        taken
    }
}
