//! Statistics of users' behaviour, to which a population is calibrated.

use queuecast_core::order;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use serde::Serialize;

use crate::characterization::UserSessions;
use queuecast_core::job::{Job, UserId};
use queuecast_core::stats::median;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;

/// Statistics of the users of a workload. Sessions are those of [`UserSessions::of`] with the default gap; jobs of unknown
/// users are left out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct UserStatistics {
    /// Jobs whose user is known.
    pub jobs: usize,
    /// Distinct users.
    pub users: usize,
    /// Sessions.
    pub sessions: usize,
    /// Jobs in a session, on average.
    pub jobs_per_session: f64,
    /// The share of sessions with one job only.
    pub single: f64,
    /// The median time between two arrivals of a session, in seconds.
    pub think: f64,
    /// The standard deviation of its logarithm.
    pub think_spread: f64,
    /// Distinct sizes of a user, on average.
    pub sizes_per_user: f64,
    /// Of the jobs that follow another in a session, the share with the same size.
    pub same_size: f64,
    /// Of the first jobs of a session, the share with the same size as the user's job before.
    pub same_size_again: f64,
    /// The standard deviation of the logarithm of run times around the mean of all jobs of the user and size.
    pub run_spread: f64,
    /// The run-time spread around the mean of all jobs of the session and size.
    pub session_run_spread: f64,
    /// The run-time spread around the mean of all jobs of the user.
    pub user_run_spread: f64,
    /// The median factor, as a logarithm, between the run times of jobs that follow each other in a session with the
    /// same size.
    pub run_change: f64,
    /// The run-time change between the first job of a session and the user's previous job.
    pub run_change_again: f64,
    /// Mean run-time difference between a user's consecutive jobs, divided by that between random jobs.
    pub repetition: f64,
    /// Mean difference between a run time and the mean of the user's last two jobs that have ended, if no job waits, divided by that
    /// between random jobs.
    pub history: f64,
    /// The share of all jobs that the most active tenth of the users submitted.
    pub busiest_tenth: f64,
    /// Arrivals from a user's first to last job, as a share of all; mean over the more active half of the users.
    pub presence: f64,
}

/// Sums for a standard deviation within groups.
struct Within<K>(HashMap<K, (f64, f64, f64)>);

impl<K: std::hash::Hash + Eq> Within<K> {
    fn new() -> Within<K> {
        Within(HashMap::new())
    }

    fn add(&mut self, key: K, value: f64) {
        let (count, mean, squares) = self.0.entry(key).or_default();
        *count += 1.0;
        let away = value - *mean;
        *mean += away / *count;
        *squares += away * (value - *mean);
    }

    fn deviation(&self) -> f64 {
        // Summed in a fixed order, since a map has none.
        let mut groups: Vec<(f64, f64)> =
            self.0.values().map(|&(count, _, squares)| (squares, count - 1.0)).collect();
        order::sort_by(&mut groups, |one, other| one.0.total_cmp(&other.0));
        let (squares, free) = groups.iter().fold((0.0, 0.0), |sum, group| (sum.0 + group.0, sum.1 + group.1));
        ratio(squares, free).sqrt()
    }
}

/// The last job of a user, and totals.
struct LastJob<'a> {
    last: &'a Job,
    run: f64,
    session: u32,
    jobs: usize,
    first: usize,
}

impl UserStatistics {
    /// The statistics of a workload; all zero if no user is known.
    pub fn of(workload: &Workload) -> UserStatistics {
        let sessions = UserSessions::of(workload, UserSessions::GAP);
        let mut seen: HashMap<UserId, LastJob<'_>> = HashMap::new();
        let mut in_session: HashMap<u32, usize> = HashMap::new();
        let (mut by_size, mut by_session, mut by_user) = (Within::new(), Within::new(), Within::new());
        let (mut thinks, mut changes, mut changes_again) = (Vec::new(), Vec::new(), Vec::new());
        let (mut same, mut again, mut returned, mut apart) = (0, 0, 0_usize, 0.0);
        for (place, (job, truth)) in workload.jobs().iter().zip(workload.truths()).enumerate() {
            let Some(user) = job.user else { continue };
            let session = sessions.of_job[place];
            let run = (truth.run().0.max(1) as f64).ln();
            *in_session.entry(session).or_default() += 1;
            by_size.add((user, job.shape.procs), run);
            by_session.add((session, job.shape.procs), run);
            by_user.add(user, run);
            let before = seen.get(&user);
            if let Some(before) = before {
                apart += (before.run.exp() - run.exp()).abs();
                let alike = before.last.shape.procs == job.shape.procs;
                if before.session == session {
                    thinks.push((job.submit - before.last.submit).0.max(1) as f64);
                    same += usize::from(alike);
                    if alike {
                        changes.push((run - before.run).abs());
                    }
                } else {
                    returned += 1;
                    again += usize::from(alike);
                    if alike {
                        changes_again.push((run - before.run).abs());
                    }
                }
            }
            let (jobs, first) = before.map_or((0, place), |before| (before.jobs, before.first));
            seen.insert(user, LastJob { last: job, run, session, jobs: jobs + 1, first });
        }
        let jobs: usize = in_session.values().sum();
        let single = in_session.values().filter(|&&jobs| jobs == 1).count();
        let (busiest_tenth, presence) = busiest(&seen, workload.len());
        let difference = difference(workload);
        UserStatistics {
            jobs,
            users: seen.len(),
            sessions: in_session.len(),
            jobs_per_session: ratio(jobs as f64, in_session.len() as f64),
            single: ratio(single as f64, in_session.len() as f64),
            think_spread: deviation(thinks.iter().map(|think| think.ln())),
            same_size: ratio(same as f64, thinks.len() as f64),
            think: median(&mut thinks),
            sizes_per_user: ratio(by_size.0.len() as f64, seen.len() as f64),
            same_size_again: ratio(again as f64, returned as f64),
            run_spread: by_size.deviation(),
            session_run_spread: by_session.deviation(),
            user_run_spread: by_user.deviation(),
            run_change: median(&mut changes),
            run_change_again: median(&mut changes_again),
            repetition: ratio(ratio(apart, (jobs - seen.len()) as f64), difference),
            history: ratio(history(workload), difference),
            busiest_tenth,
            presence,
        }
    }

    /// The numbers of jobs of the users, largest first.
    pub(super) fn jobs_by_rank(workload: &Workload) -> Vec<usize> {
        let mut jobs: HashMap<UserId, usize> = HashMap::new();
        for user in workload.jobs().iter().filter_map(|job| job.user) {
            *jobs.entry(user).or_default() += 1;
        }
        let mut jobs: Vec<usize> = jobs.into_values().collect();
        jobs.sort_unstable_by(|one, other| other.cmp(one));
        jobs
    }
}

/// The job share of the most active tenth of the users, and the presence of the more active half.
fn busiest(seen: &HashMap<UserId, LastJob<'_>>, jobs: usize) -> (f64, f64) {
    let mut users: Vec<(usize, usize)> =
        seen.values().map(|user| (user.jobs, user.last.index.at() - user.first)).collect();
    users.sort_unstable_by(|one, other| other.cmp(one));
    let (tenth, half) = (users.len().div_ceil(10), users.len().div_ceil(2));
    let all: usize = users.iter().map(|user| user.0).sum();
    let busiest: usize = users[..tenth].iter().map(|user| user.0).sum();
    let about: usize = users[..half].iter().map(|user| user.1).sum();
    (ratio(busiest as f64, all as f64), ratio(about as f64, half as f64 * jobs as f64))
}

/// Mean difference between a run time and the mean of the user's last two that have ended.
fn history(workload: &Workload) -> f64 {
    let mut running: BinaryHeap<Reverse<(Time, u32)>> = BinaryHeap::new();
    let mut ended: HashMap<UserId, [Option<i64>; 2]> = HashMap::new();
    let (mut apart, mut jobs) = (0, 0_usize);
    for (job, truth) in workload.jobs().iter().zip(workload.truths()) {
        let Some(user) = job.user else { continue };
        while let Some(&Reverse((_, index))) = running.peek().filter(|next| next.0.0 <= job.submit) {
            running.pop();
            let last = workload.jobs()[index as usize].user.map(|user| ended.entry(user).or_default());
            if let Some(last) = last {
                *last = [last[1], Some(workload.truths()[index as usize].run().0)];
            }
        }
        if let Some(&[Some(one), Some(other)]) = ended.get(&user) {
            apart += (i128::from(one) + i128::from(other) - 2 * i128::from(truth.run().0)).abs();
            jobs += 1;
        }
        running.push(Reverse((job.submit + truth.run(), job.index.0)));
    }
    ratio(apart as f64 / 2.0, jobs as f64)
}

/// Mean run-time difference over all pairs of jobs.
///
/// # Formula
/// `2 / (n (n − 1)) · Σ (2 i − n + 1) x_i` over the run times in order, `i` from 0
fn difference(workload: &Workload) -> f64 {
    let known = workload.jobs().iter().zip(workload.truths()).filter(|(job, _)| job.user.is_some());
    let mut runs: Vec<i64> = known.map(|(_, truth)| truth.run().0.max(1)).collect();
    runs.sort_unstable();
    let jobs = runs.len() as f64;
    let sum: f64 =
        (0_u32..).zip(&runs).map(|(place, &run)| (2.0 * f64::from(place) - jobs + 1.0) * run as f64).sum();
    ratio(2.0 * sum, jobs * (jobs - 1.0))
}

fn ratio(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { 0.0 }
}

fn deviation(values: impl Iterator<Item = f64>) -> f64 {
    let mut one = Within::new();
    values.for_each(|value| one.add((), value));
    one.deviation()
}
