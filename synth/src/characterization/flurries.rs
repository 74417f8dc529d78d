//! Flurries: weeks dominated by the jobs of one user (Tsafrir & Feitelson 2006, "Instability in parallel job scheduling
//! simulation: the role of workload flurries").
//!
//! The paper finds flurries by inspection. Here a user's week is a flurry if the user submitted in it
//!
//! 1. at least as many jobs as all users together in a median week,
//! 2. at least half of the jobs of that week, and
//! 3. at least [`Flurries::SURGE`] times as many as in the user's own median week, which excludes users who always
//!    dominate.
//!
//! Weeks count from the first submission; medians are over the weeks with submissions, nearest rank. Consecutive weeks
//! of one user are one flurry.

use queuecast_core::order;
use std::collections::HashMap;

use serde::Serialize;

use super::weeks;
use queuecast_core::job::UserId;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;

/// The flurries of a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flurries {
    /// Weeks with submissions.
    pub weeks: u64,
    /// Jobs of all users in a median week.
    pub median_week: u64,
    /// By first week, then by user.
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
    /// Its length in weeks.
    pub weeks: u64,
    /// The beginning of its first week.
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
struct UserWeek {
    user: UserId,
    /// The place of the week among the weeks with submissions.
    place: usize,
    jobs: u64,
}

impl Flurries {
    /// The factor by which a flurry exceeds the user's own median week.
    pub const SURGE: u64 = 3;

    /// The fewest weeks for a meaningful median.
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
            let filled: Vec<UserWeek> = filled.copied().collect();
            if filled.is_empty() {
                continue;
            }
            let usual = median(own.iter().map(|load| load.jobs).collect(), totals.len());
            let surges: Vec<UserWeek> =
                filled.into_iter().filter(|load| load.jobs >= Flurries::SURGE * usual).collect();
            let joined = surges.chunk_by(|a, b| totals[a.place].0 + 1 == totals[b.place].0);
            flurries.extend(joined.map(|run| flurry(run, &totals, median_week, workload)));
        }
        order::sort_by_key(&mut flurries, |flurry| (flurry.week, flurry.user));
        Some(Flurries { weeks: totals.len() as u64, median_week, flurries })
    }
}

/// The weeks with submissions and their numbers of jobs, and each user's jobs in each week, in no order.
fn loads(workload: &Workload) -> (Vec<(u64, u64)>, Vec<UserWeek>) {
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
            Some(UserWeek { place: there, jobs, .. }) if *there == place => *jobs += 1,
            _ => {
                open.insert(user, loads.len());
                loads.push(UserWeek { user, place, jobs: 1 });
            }
        }
    }
    (totals, loads)
}

/// The median (rank `⌈of/2⌉`) of `of` numbers: the given ones and zeros.
fn median(mut given: Vec<u64>, of: usize) -> u64 {
    given.sort_unstable();
    let zeros = of - given.len();
    let rank = of.div_ceil(2);
    if rank <= zeros { 0 } else { given[rank - zeros - 1] }
}

/// Consecutive weeks of one user as one flurry.
fn flurry(run: &[UserWeek], totals: &[(u64, u64)], median_week: u64, workload: &Workload) -> Flurry {
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
