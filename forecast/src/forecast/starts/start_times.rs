//! When every job that waits at a site starts, by many simulations.

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, JobId, JobIndex};
use queuecast_core::order;
use queuecast_core::units::{Procs, Time};

/// The start times of all jobs that wait at a site.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueStarts {
    /// When they were simulated.
    pub now: Time,
    /// How many simulations they come from.
    pub draws: u32,
    /// In the order of the queue; a newcomer is the last.
    pub jobs: Vec<QueuedStart>,
}

/// When one job starts.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedStart {
    /// Its number at the site.
    pub index: JobIndex,
    /// Its name.
    pub id: JobId,
    /// Processors it asks for.
    pub procs: Procs,
    /// Seconds from now until its start; `None` if it started in no simulation.
    pub wait: Option<Distribution>,
    /// The share of simulations in which it never started.
    pub never: f64,
}

impl QueuedStart {
    pub(super) fn of(job: &Job, now: Time, starts: impl Iterator<Item = Time>) -> QueuedStart {
        let (mut waits, mut all) = (Vec::new(), 0_usize);
        for start in starts {
            all += 1;
            waits.extend((start != Time::NEVER).then(|| (start - now).0.max(0) as f64));
        }
        order::sort_floats(&mut waits);
        QueuedStart {
            index: job.index,
            id: job.id,
            procs: job.shape.procs,
            never: 1.0 - waits.len() as f64 / all.max(1) as f64,
            wait: Distribution::observed(waits.into(), 1.0),
        }
    }
}
