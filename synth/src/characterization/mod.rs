//! Workload characterization: statistics of requested times, their accuracy, users' sessions, and flurries.
//!
//! Knows jobs and workloads, not traces, models or schedulers. Logs are described by these statistics, models are
//! calibrated to them, and both are compared by them.
//!
//! Sections and figures named here are those of Tsafrir, Etsion & Feitelson 2005, "Modeling user runtime
//! estimates".

mod accuracy;
mod disparity;
mod flurries;
mod growth;
mod modes;
mod owners;
mod session_statistics;
mod sessions;
mod weeks;

pub use accuracy::{Accuracy, AccuracyBin, RunBin};
pub use disparity::{Covering, Disparity, Ranked};
pub use flurries::{Flurries, Flurry};
pub use growth::{Growth, GrowthPoint};
pub use modes::{Mode, Modes};
pub use owners::{Owner, Owners};
pub use session_statistics::{Repeats, SessionStatistics};
pub use sessions::UserSessions;

use serde::Serialize;

use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// All statistics of a workload. What is unknown is `None`, never zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Characterization {
    /// Number of jobs.
    pub jobs: u64,
    /// Jobs with a requested time.
    pub with_estimate: u64,
    /// Jobs whose user is known.
    pub with_user: u64,
    /// Weeks from the first submission to the last, rounded up.
    pub weeks: u64,
    /// Run times at 0, 1, … 100 % of the jobs (nearest rank): the run-time curve of Figure 3. The curve of the
    /// estimates is in the modes of `estimates`.
    pub run_percentiles: Vec<Seconds>,
    /// Mass disparity of the estimates; `None` without estimates.
    pub estimates: Option<Disparity>,
    /// Growth of the number of distinct estimates; `None` without estimates.
    pub growth: Option<Growth>,
    /// Estimates used by a single user; `None` without estimates or users.
    pub owners: Option<Owners>,
    /// Accuracy of the estimates; `None` without estimates.
    pub accuracy: Option<Accuracy>,
    /// Users' sessions; `None` without users.
    pub sessions: Option<SessionStatistics>,
    /// Flurries; `None` without users or with too few weeks.
    pub flurries: Option<Flurries>,
}

impl Characterization {
    /// Characterizes a workload.
    pub fn of(workload: &Workload) -> Characterization {
        let modes = Modes::of(workload);
        let askers = owners::ModeUsers::of(workload, &modes);
        let count = |known: fn(&queuecast_core::job::Job) -> bool| {
            workload.jobs().iter().filter(|job| known(job)).count() as u64
        };
        Characterization {
            jobs: workload.len() as u64,
            with_estimate: count(|job| job.shape.limit.is_some()),
            with_user: count(|job| job.user.is_some()),
            weeks: weeks::span(workload),
            run_percentiles: run_percentiles(workload),
            estimates: Disparity::among(workload, &modes, askers.as_ref()),
            growth: Growth::among(workload, &modes),
            owners: askers.as_ref().map(|askers| Owners::among(workload, &modes, askers)),
            accuracy: Accuracy::of(workload),
            sessions: SessionStatistics::of(workload, UserSessions::GAP),
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
