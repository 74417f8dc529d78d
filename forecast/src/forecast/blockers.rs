//! What keeps a job from starting: its start simulated again without each other job in turn.

use super::closeness::TOLD_APART;
use super::pending::{PendingForecaster, SEED};
use super::starts::{QueueDraws, QueueOrder};
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::order;
use queuecast_core::units::Time;
use queuecast_sim::site::Site;

/// Simulations with and without a blocker.
const DRAWS: u32 = 200;

/// Single jobs that are left out in turn, at most, and groups of jobs.
const MOST_JOBS: usize = 40;
const MOST_GROUPS: usize = 20;

/// The job whose start is asked about.
#[derive(Debug, Clone, Copy)]
pub enum AskedStart<'a> {
    /// It would be submitted now.
    Newcomer(&'a Job),
    /// It waits.
    Waiting(JobIndex),
}

/// When the job starts without some others.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockerEffect {
    /// What is left out: one job, or one of the groups asked about.
    pub jobs: Vec<JobIndex>,
    /// The place of the group, if it is one.
    pub group: Option<usize>,
    /// The effect.
    pub effect: LeftOutEffect,
}

/// How much sooner a job starts without something, in simulations with the same random numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOutEffect {
    /// Seconds until its start without it: even odds; infinite if it never starts in most simulations.
    pub median: f64,
    /// How many seconds sooner that is than with it.
    pub gain: f64,
    /// The share of simulations in which it starts sooner.
    pub sooner: f64,
}

impl LeftOutEffect {
    /// Of starts with and without it, simulation by simulation, in seconds from now.
    pub(super) fn of(with: &[f64], without: &[f64]) -> LeftOutEffect {
        let sooner = with.iter().zip(without).filter(|(with, without)| without < with).count();
        let (before, median) = (median(with), median(without));
        let gain = if before.is_infinite() && median.is_infinite() { 0.0 } else { before - median };
        LeftOutEffect { median, gain, sooner: sooner as f64 / with.len().max(1) as f64 }
    }

    /// Whether it matters: without it the median start is sooner by more than a minute and more than a tenth of the wait, and the start
    /// is sooner in [`TOLD_APART`] of the simulations or more.
    pub fn matters(&self, wait: f64) -> bool {
        let is_much = self.gain > 60.0 && (self.gain.is_infinite() || self.gain > wait / 10.0);
        is_much && self.sooner >= TOLD_APART
    }
}

/// What keeps a job from starting.
#[derive(Debug, Clone, PartialEq)]
pub struct StartBlockers {
    /// Simulations of each case.
    pub draws: u32,
    /// Seconds until its start as the site is: even odds, as simulated; infinite if it never starts in most simulations.
    pub median: f64,
    /// Jobs that run, or wait before it.
    pub candidates: usize,
    /// Those left out in turn, the largest by processors times expected time, and then groups; the one that matters most first.
    pub effects: Vec<BlockerEffect>,
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    order::sort_floats(&mut times);
    times.get(times.len() / 2).copied().unwrap_or(f64::INFINITY)
}

impl PendingForecaster {
    /// Leaves out each job that runs or waits before the job asked about, one at a time, and each of these groups; `None` if the job does
    /// not wait. `done` is told of each.
    pub fn blockers(
        &self,
        (site, now): (&Site, Time),
        asked: AskedStart<'_>,
        order: QueueOrder,
        groups: &[Vec<JobIndex>],
        done: &(dyn Fn(usize) + Sync),
    ) -> Option<StartBlockers> {
        let newcomer = match asked {
            AskedStart::Newcomer(job) => Some(job),
            AskedStart::Waiting(_) => None,
        };
        let draws = self.learned().queue_draws(site.view(now), newcomer, order, (DRAWS, SEED));
        let target = match asked {
            AskedStart::Newcomer(_) => draws.waiting().len() - 1,
            AskedStart::Waiting(job) => draws.waiting().iter().position(|one| *one == job)?,
        };
        let seconds = |starts: Vec<Time>| -> Vec<f64> {
            let second = |start: Time| match start {
                Time::NEVER => f64::INFINITY,
                start => (start - now).0.max(0) as f64,
            };
            starts.into_iter().map(second).collect()
        };
        let with = seconds(draws.starts_without(&draws.left_out(&[]), target));
        let all = candidates(&draws, target);
        let singles = all.iter().take(MOST_JOBS).map(|one| (vec![one.1], None));
        let mut together: Vec<(f64, Vec<JobIndex>, usize)> = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            let weights: Vec<f64> =
                all.iter().filter(|one| group.contains(&one.1)).map(|one| one.0).collect();
            if weights.len() > 1 {
                let members = group.iter().filter(|job| all.iter().any(|one| one.1 == **job)).copied();
                together.push((weights.iter().sum(), members.collect(), place));
            }
        }
        order::sort_by(&mut together, |one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
        let together = together.into_iter().take(MOST_GROUPS).map(|(_, jobs, place)| (jobs, Some(place)));
        let mut effects: Vec<BlockerEffect> = singles
            .chain(together)
            .map(|(jobs, group)| {
                let without = seconds(draws.starts_without(&draws.left_out(&jobs), target));
                done(1);
                BlockerEffect { effect: LeftOutEffect::of(&with, &without), jobs, group }
            })
            .collect();
        // Stable: of equal effects the larger job first.
        order::sort_by(&mut effects, |one, other| other.effect.gain.total_cmp(&one.effect.gain));
        Some(StartBlockers { draws: DRAWS, median: median(&with), candidates: all.len(), effects })
    }

    /// How many cases are simulated at most.
    pub fn most_cases(groups: usize) -> usize {
        MOST_JOBS + groups.min(MOST_GROUPS)
    }
}

/// The jobs that run, and those that wait before a place of the queue, with processors times expected seconds, the largest first.
fn candidates(draws: &QueueDraws<'_>, target: usize) -> Vec<(f64, JobIndex)> {
    let weight = |(seconds, procs): (f64, u32)| seconds * f64::from(procs);
    let running = draws.expected_ends().into_iter().map(weight).zip(draws.running().iter().copied());
    let runs = draws.expected_runs();
    let before = draws.order().into_iter().take_while(|&place| place != target);
    let waiting = before.map(|place| (weight(runs[place]), draws.waiting()[place]));
    let mut all: Vec<(f64, JobIndex)> = running.chain(waiting).collect();
    order::sort_by(&mut all, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_much_sooner_and_mostly_so() {
        let with: Vec<f64> = (0..100).map(|number| 3600.0 + f64::from(number)).collect();
        let shifted = |by: f64| -> Vec<f64> { with.iter().map(|wait| wait - by).collect() };
        let matters = |without: &[f64]| LeftOutEffect::of(&with, without).matters(3650.0);
        assert!(matters(&shifted(1200.0)));
        assert!(!matters(&shifted(50.0)) && !matters(&shifted(300.0)), "a minute, and a tenth of the wait");
        // Much sooner in 55 of 100 simulations, which moves the median.
        let mut some = with.clone();
        some.iter_mut().take(55).for_each(|wait| *wait = 0.0);
        let effect = LeftOutEffect::of(&with, &some);
        assert!(effect.gain > 3000.0 && !effect.matters(3650.0), "{effect:?}");
        // It starts only without it.
        let never = [f64::INFINITY; 10];
        assert!(LeftOutEffect::of(&never, &[60.0; 10]).matters(f64::INFINITY));
        assert_eq!(LeftOutEffect::of(&never, &never).gain, 0.0);
    }
}
