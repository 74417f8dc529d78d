//! Flurries: weeks that one user filled (Tsafrir & Feitelson 2006, "Instability in parallel job scheduling
//! simulation: the role of workload flurries").
//!
//! There, flurries are found by eye. Here a user's week is one if the user submitted in it
//!
//! 1. at least as many jobs as all users together submit in a median week,
//! 2. at least half of the jobs of that week, and
//! 3. at least [`Flurries::SURGE`] times as many as in the user's own median week, so that somebody who always
//!    fills the machine is no surge.
//!
//! Weeks count from the first submission; medians are over the weeks in which anybody submitted anything, nearest
//! rank. A median does not move with what it is meant to find, unless more than half of the weeks are flurries.
//! Consecutive weeks of one user are one flurry.

use std::collections::HashMap;

use serde::Serialize;

use super::weeks;
use crate::job::UserId;
use crate::units::Time;
use crate::workload::Workload;

/// The flurries of a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flurries {
    /// Weeks in which anybody submitted anything.
    pub weeks: u64,
    /// Jobs of all users in a median week.
    pub median_week: u64,
    /// In order of their first weeks, then of users.
    pub flurries: Vec<Flurry>,
}

/// One user's flurry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flurry {
    /// The log's number of the user.
    pub user: u32,
    /// The user's name, where the log has names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its first week, from 0.
    pub week: u64,
    /// How many weeks it lasts.
    pub weeks: u64,
    /// When its first week begins; counted like submissions.
    pub begins: Time,
    /// The user's jobs in it.
    pub jobs: u64,
    /// Their share of the jobs of these weeks.
    pub share: f64,
    /// The user's jobs per week over those of all users in a median week.
    pub times_median: f64,
}

/// A user's jobs in a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Load {
    user: UserId,
    /// The place of the week among those in which anybody submitted.
    place: usize,
    jobs: u64,
}

impl Flurries {
    /// By how much a flurry exceeds the user's own median week.
    pub const SURGE: u64 = 3;

    /// In fewer weeks nobody knows what is usual.
    pub const FEWEST_WEEKS: usize = 4;

    /// The flurries of a workload; `None` if no user is known, or if jobs arrive in fewer than
    /// [`Flurries::FEWEST_WEEKS`] weeks.
    pub fn of(workload: &Workload) -> Option<Flurries> {
        let (totals, mut loads) = loads(workload);
        if loads.is_empty() || totals.len() < Flurries::FEWEST_WEEKS {
            return None;
        }
        loads.sort_unstable();
        let median_week = median(totals.iter().map(|&(_, jobs)| jobs).collect(), totals.len());
        let mut flurries: Vec<Flurry> = Vec::new();
        for own in loads.chunk_by(|a, b| a.user == b.user) {
            let filled =
                own.iter().filter(|load| load.jobs >= median_week && 2 * load.jobs >= totals[load.place].1);
            let filled: Vec<Load> = filled.copied().collect();
            if filled.is_empty() {
                continue;
            }
            let usual = median(own.iter().map(|load| load.jobs).collect(), totals.len());
            let surges: Vec<Load> =
                filled.into_iter().filter(|load| load.jobs >= Flurries::SURGE * usual).collect();
            let joined = surges.chunk_by(|a, b| totals[a.place].0 + 1 == totals[b.place].0);
            flurries.extend(joined.map(|run| flurry(run, &totals, median_week, workload)));
        }
        flurries.sort_by_key(|flurry| (flurry.week, flurry.user));
        Some(Flurries { weeks: totals.len() as u64, median_week, flurries })
    }
}

/// The weeks in which anybody submitted with the jobs of all users, and each user's jobs in each, in no order.
fn loads(workload: &Workload) -> (Vec<(u64, u64)>, Vec<Load>) {
    let mut totals: Vec<(u64, u64)> = Vec::new();
    let mut loads = Vec::new();
    let mut open: HashMap<UserId, usize> = HashMap::new();
    for (job, week) in workload.jobs().iter().zip(weeks::of_jobs(workload)) {
        match totals.last_mut() {
            Some((last, jobs)) if *last == week => *jobs += 1,
            _ => totals.push((week, 1)),
        }
        let Some(user) = job.user else { continue };
        let place = totals.len() - 1;
        let at = *open.entry(user).or_insert(usize::MAX);
        match loads.get_mut(at) {
            Some(Load { place: there, jobs, .. }) if *there == place => *jobs += 1,
            _ => {
                open.insert(user, loads.len());
                loads.push(Load { user, place, jobs: 1 });
            }
        }
    }
    (totals, loads)
}

/// The median of `of` numbers, the ones given and zeros for the rest: the one at rank `⌈of/2⌉`.
fn median(mut given: Vec<u64>, of: usize) -> u64 {
    given.sort_unstable();
    let zeros = of - given.len();
    let rank = of.div_ceil(2);
    if rank <= zeros { 0 } else { given[rank - zeros - 1] }
}

/// Consecutive weeks of one user as one flurry.
fn flurry(run: &[Load], totals: &[(u64, u64)], median_week: u64, workload: &Workload) -> Flurry {
    let jobs: u64 = run.iter().map(|load| load.jobs).sum();
    let all: u64 = run.iter().map(|load| totals[load.place].1).sum();
    let (week, user) = (totals[run[0].place].0, run[0].user.number());
    Flurry {
        user,
        name: workload.names.users.get(&user).cloned(),
        week,
        weeks: run.len() as u64,
        begins: weeks::begins(workload, week),
        jobs,
        share: jobs as f64 / all as f64,
        times_median: jobs as f64 / run.len() as f64 / median_week as f64,
    }
}
