//! Jobs that are still to be submitted in a simulation.

use std::collections::VecDeque;

use super::options::LimitRule;
use super::secrets::Secret;
use crate::job::{Job, Truth};
use crate::workload::Workload;

/// The jobs of a workload that have not arrived yet, and others submitted into the simulation. At one instant, those of the
/// workload come first.
#[derive(Debug, Clone)]
pub(super) struct Arrivals<'w> {
    jobs: &'w [Job],
    truths: &'w [Truth],
    /// In order of submission.
    others: VecDeque<(Job, Truth)>,
}

impl<'w> Arrivals<'w> {
    pub fn of(workload: &'w Workload) -> Arrivals<'w> {
        Arrivals { jobs: workload.jobs(), truths: workload.truths(), others: VecDeque::new() }
    }

    pub fn none() -> Arrivals<'w> {
        Arrivals { jobs: &[], truths: &[], others: VecDeque::new() }
    }

    /// How many are to come.
    pub fn len(&self) -> usize {
        self.jobs.len() + self.others.len()
    }

    /// Adds a job, behind those of the same instant.
    pub fn push(&mut self, job: Job, truth: Truth) {
        let place = self.others.partition_point(|(other, _)| other.submit <= job.submit);
        self.others.insert(place, (job, truth));
    }

    /// When the next one is submitted; the end of time if none is to come.
    #[inline]
    pub fn next(&self) -> i64 {
        let next = self.jobs.first().map_or(i64::MAX, |job| job.submit.0);
        self.others.front().map_or(next, |(job, _)| next.min(job.submit.0))
    }

    /// Takes the next job that is submitted by `now`.
    #[inline]
    pub fn take(&mut self, now: i64, limit: LimitRule) -> Option<(Job, Secret)> {
        let next = self.next();
        if next > now {
            return None;
        }
        if let ([job, jobs @ ..], [truth, truths @ ..]) = (self.jobs, self.truths)
            && job.submit.0 == next
        {
            (self.jobs, self.truths) = (jobs, truths);
            return Some((job.clone(), Secret::of(job, truth, limit)));
        }
        let (job, truth) = self.others.pop_front()?;
        let secret = Secret::of(&job, &truth, limit);
        Some((job, secret))
    }
}
