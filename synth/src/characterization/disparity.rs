//! Mass disparity (section 5): few estimates are used by most of the jobs.

use queuecast_core::order;
use serde::Serialize;

use super::owners::ModeUsers;
use super::{Modes, weeks};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// Mass disparity of the estimates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disparity {
    /// Jobs with an estimate: the paper's *N*.
    pub jobs: u64,
    /// Distinct estimates: the paper's *K*.
    pub values: usize,
    /// The longest estimate.
    pub longest: Seconds,
    /// The share of the jobs with the longest estimate.
    pub longest_share: f64,
    /// The share of the jobs that use one of the [`Disparity::HEAD`] most popular estimates.
    pub head_share: f64,
    /// See [`Modes::joint_ratio`].
    pub joint_ratio: f64,
    /// The fewest values that cover some shares of the jobs (Table 2).
    pub covering: Vec<Covering>,
    /// The share of the jobs whose estimate is a whole number of minutes.
    pub whole_minutes: f64,
    /// Weeks with a job that has an estimate.
    pub weeks: u64,
    /// Every estimate, the most popular first, ties by time.
    pub modes: Vec<Ranked>,
}

/// The fewest values that cover a share of the jobs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Covering {
    /// The share.
    pub share: f64,
    /// How many values.
    pub values: usize,
}

/// An estimate among the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ranked {
    /// Popularity rank, from 1.
    pub rank: usize,
    /// The estimate.
    pub time: Seconds,
    /// Time rank, from 1.
    pub time_rank: usize,
    /// Number of jobs with it.
    pub jobs: u64,
    /// The share of the jobs with it.
    pub share: f64,
    /// The share of the jobs with it or a more popular one.
    pub covered: f64,
    /// Weeks in which it was used (Figure 6).
    pub weeks: u64,
    /// Known users who used it; `None` where no user is known.
    pub users: Option<u32>,
}

impl Disparity {
    /// Number of estimates in the head of the distribution.
    pub const HEAD: usize = 20;

    /// The shares of Table 2.
    pub const SHARES: [f64; 8] = [0.10, 0.50, 0.75, 0.90, 0.95, 0.98, 0.99, 1.0];

    /// The disparity of a workload's estimates; `None` if it has none.
    pub fn of(workload: &Workload) -> Option<Disparity> {
        let modes = Modes::of(workload);
        Disparity::among(workload, &modes, ModeUsers::of(workload, &modes).as_ref())
    }

    /// The disparity, given modes and their users computed already.
    pub(super) fn among(workload: &Workload, modes: &Modes, askers: Option<&ModeUsers>) -> Option<Disparity> {
        let (longest, joint_ratio) = (modes.longest()?, modes.joint_ratio()?);
        let whole = modes.by_time().iter().filter(|mode| mode.time.0 % 60 == 0);
        let (used, weeks) = weeks_used(workload, modes);
        Some(Disparity {
            jobs: modes.jobs(),
            values: modes.len(),
            longest,
            longest_share: modes.share(longest),
            head_share: modes.head_share(Disparity::HEAD),
            joint_ratio,
            covering: Disparity::SHARES
                .map(|share| Covering { share, values: modes.covering(share) })
                .to_vec(),
            whole_minutes: whole.map(|mode| mode.jobs).sum::<u64>() as f64 / modes.jobs() as f64,
            weeks,
            modes: ranked(modes, &used, askers),
        })
    }

    /// The most popular estimates: all of them, or the first [`Disparity::HEAD`].
    pub fn head(&self) -> &[Ranked] {
        &self.modes[..self.modes.len().min(Disparity::HEAD)]
    }
}

/// The number of weeks in which each mode was used, shortest first, and in which any was.
fn weeks_used(workload: &Workload, modes: &Modes) -> (Vec<u64>, u64) {
    let mut used = vec![0; modes.len()];
    let mut last: Vec<Option<u64>> = vec![None; modes.len()];
    let (mut any, mut last_any) = (0, None);
    for (job, week) in workload.jobs().iter().zip(weeks::of_jobs(workload)) {
        let Some(place) = job.shape.limit.and_then(|limit| modes.place(limit)) else { continue };
        if last[place] != Some(week) {
            last[place] = Some(week);
            used[place] += 1;
        }
        if last_any != Some(week) {
            last_any = Some(week);
            any += 1;
        }
    }
    (used, any)
}

fn ranked(modes: &Modes, weeks: &[u64], askers: Option<&ModeUsers>) -> Vec<Ranked> {
    let mut places: Vec<usize> = (0..modes.len()).collect();
    order::sort_by_key(&mut places, |&place| std::cmp::Reverse(modes.by_time()[place].jobs));
    let all = modes.jobs() as f64;
    let mut covered = 0;
    let one = |(rank, place): (usize, usize)| {
        let mode = modes.by_time()[place];
        covered += mode.jobs;
        Ranked {
            rank,
            time: mode.time,
            time_rank: place + 1,
            jobs: mode.jobs,
            share: mode.jobs as f64 / all,
            covered: covered as f64 / all,
            weeks: weeks[place],
            users: askers.map(|askers| askers.users[place]),
        }
    };
    (1..).zip(places).map(one).collect()
}
