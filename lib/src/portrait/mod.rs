//! What a workload is like: the times people ask for, how accurate they are, in what sittings they work.
//!
//! Knows jobs and workloads; refuses to know where they come from and what a scheduler does with them. It is
//! what a log is described by, what a model is calibrated to, and what both are compared by.
//!
//! Sections and figures named here are those of Tsafrir, Etsion & Feitelson 2005, "Modeling user runtime
//! estimates".

mod accuracy;
mod disparity;
mod flurries;
mod growth;
mod habits;
mod modes;
mod owners;
mod sittings;
mod weeks;

pub use accuracy::{Accuracy, AccuracyBin, RunBin};
pub use disparity::{Covering, Disparity, Ranked};
pub use flurries::{Flurries, Flurry};
pub use growth::{Growth, GrowthPoint};
pub use habits::{Repeats, SittingHabits};
pub use modes::{Mode, Modes};
pub use owners::{Owner, Owners};
pub use sittings::Sittings;

use serde::Serialize;

use crate::units::Seconds;
use crate::workload::Workload;

/// Everything that is said of a workload here. What cannot be known of it is `None`, never zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Portrait {
    /// Jobs looked at.
    pub jobs: u64,
    /// Jobs that ask for a time.
    pub with_estimate: u64,
    /// Jobs whose user is known.
    pub with_user: u64,
    /// Weeks from the first submission to the last, begun ones counted.
    pub weeks: u64,
    /// Run times at 0, 1, … 100 % of the jobs (nearest rank): the run-time curve of Figure 3. The curve of the
    /// estimates is in the modes of `estimates`.
    pub run_percentiles: Vec<Seconds>,
    /// How few times are asked for by how many jobs; `None` without estimates.
    pub estimates: Option<Disparity>,
    /// How the number of different estimates grows; `None` without estimates.
    pub growth: Option<Growth>,
    /// Who asks for times that nobody else asks for; `None` without estimates or users.
    pub owners: Option<Owners>,
    /// How much of the time asked for is used; `None` without estimates.
    pub accuracy: Option<Accuracy>,
    /// What people do in one go; `None` without users.
    pub sittings: Option<SittingHabits>,
    /// Weeks that one user filled; `None` without users, or in too few weeks to know what is usual.
    pub flurries: Option<Flurries>,
}

impl Portrait {
    /// Looks at a workload.
    pub fn of(workload: &Workload) -> Portrait {
        let modes = Modes::of(workload);
        let askers = owners::Askers::of(workload, &modes);
        let count = |known: fn(&crate::job::Job) -> bool| {
            workload.jobs().iter().filter(|job| known(job)).count() as u64
        };
        Portrait {
            jobs: workload.len() as u64,
            with_estimate: count(|job| job.shape.limit.is_some()),
            with_user: count(|job| job.user.is_some()),
            weeks: weeks::span(workload),
            run_percentiles: run_percentiles(workload),
            estimates: Disparity::among(workload, &modes, askers.as_ref()),
            growth: Growth::among(workload, &modes),
            owners: askers.as_ref().map(|askers| Owners::among(workload, &modes, askers)),
            accuracy: Accuracy::of(workload),
            sittings: SittingHabits::of(workload, Sittings::GAP),
            flurries: Flurries::of(workload),
        }
    }
}

/// # Formula
/// the `p`-th of `n` sorted values is the one at rank `⌈p·n/100⌉`, the 0-th the first
fn run_percentiles(workload: &Workload) -> Vec<Seconds> {
    let mut runs: Vec<Seconds> = workload.truths().iter().map(|truth| truth.run()).collect();
    runs.sort_unstable();
    if runs.is_empty() {
        return runs;
    }
    (0..=100).map(|percent: usize| runs[(percent * runs.len()).div_ceil(100).max(1) - 1]).collect()
}

#[cfg(test)]
mod tests;
