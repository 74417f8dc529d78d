//! The users of a population: when they are present, and which applications they run.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, Geometric};

use super::{Lanes, Population};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;

/// A user.
#[derive(Debug, Clone)]
pub(super) struct User {
    /// The user's applications are `first..after` of all.
    pub first: u32,
    pub after: u32,
    /// The hour of the day around which the user works.
    hour: u32,
    /// Probability of working on a weekend, relative to a weekday.
    weekend: f64,
    /// The periods in which the user is present: first, and first after.
    present: (u32, u32),
}

/// A program that a user runs repeatedly.
#[derive(Debug, Clone)]
pub(super) struct Application {
    pub user: u32,
    pub lane: u32,
    /// How often it is run, relative to the user's others.
    weight: f64,
    /// Quantile of its size among all jobs, 0 to 1.
    pub size: f64,
    /// Quantile of its run time among jobs of its size, 0 to 1.
    pub run: f64,
}

/// All users, the most active first.
pub(super) struct Users {
    users: Vec<User>,
    pub applications: Vec<Application>,
    /// For each period, the users who begin a session in it, once per session.
    pub planned: Vec<Vec<u32>>,
    /// Arrivals in a period.
    pub period: usize,
    /// For each lane, the users with applications in it, with cumulative numbers of sessions.
    by_lane: Vec<Vec<(u64, u32)>>,
    groups: u32,
    /// Seconds from Monday midnight to time zero.
    monday: i64,
}

/// Number of periods. Periods have equal numbers of arrivals, so that a long gap is no period.
const PERIODS: usize = 256;

/// Share of the sessions that are not planned, so that plans need not be cut at the end.
const SPARE: f64 = 0.03;

const DAY: i64 = 86_400;

impl Users {
    pub(super) fn of(population: &Population, workload: &Workload, lanes: &Lanes, seed: Seed) -> Users {
        let mut rng = seed.stream("population/people");
        let jobs = workload.len();
        let sessions = ((jobs as f64 / population.jobs_per_session) * (1.0 - SPARE)).ceil() as usize;
        let quotas = quotas(population, sessions.clamp(usize::from(jobs > 0), jobs));
        let period = jobs.div_ceil(PERIODS).max(1);
        // Time zero of a log without a date counts as a Monday. The Unix epoch was a Thursday.
        let monday = workload.epoch.map_or(0, |epoch| epoch.rem_euclid(7 * DAY) + 3 * DAY);
        let (planned, present) = plan(population, &quotas, jobs.div_ceil(period), &mut rng);
        let mut users = Users {
            users: Vec::with_capacity(quotas.len()),
            applications: Vec::new(),
            planned,
            period,
            by_lane: vec![Vec::new(); lanes.sizes.len()],
            groups: population.groups,
            monday,
        };
        for (user, &quota) in (0..).zip(&quotas) {
            let user = (user, quota, present[user as usize]);
            users.add(population, workload, lanes, user, quotas.len(), &mut rng);
        }
        users
    }

    /// Adds a user with applications.
    fn add(
        &mut self,
        population: &Population,
        workload: &Workload,
        lanes: &Lanes,
        (user, quota, present): (u32, u32, (u32, u32)),
        count: usize,
        rng: &mut ChaCha8Rng,
    ) {
        let first = self.applications.len() as u32;
        let any_lane = |rng: &mut ChaCha8Rng| lanes.of_slot[rng.random_range(0..lanes.of_slot.len())];
        let (lane, size, run) = (any_lane(rng), rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
        let jobs = f64::from(quota) * population.jobs_per_session;
        for nth in 0..applications(population, jobs, rng) {
            let mut kin = || nth == 0 || rng.random_bool(population.kinship);
            let (same_size, same_run, same_lane) = (kin(), kin(), kin() || kin());
            let size = if same_size { size } else { rng.random_range(0.0..1.0) };
            let run = if same_run {
                mirrored(run + rng.random_range(-0.05..0.05))
            } else {
                rng.random_range(0.0..1.0)
            };
            let lane = if same_lane { lane } else { any_lane(rng) };
            // Most jobs of a user are of one application.
            let weight = 1.0 / f64::from(nth + 1).powf(1.5);
            self.applications.push(Application { user, lane, weight, size, run });
        }
        // Every queue has a user.
        for lane in (user as usize..lanes.sizes.len()).step_by(count) {
            let (size, run) = (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
            self.applications.push(Application { user, lane: lane as u32, weight: 0.02, size, run });
        }
        let after = self.applications.len() as u32;
        let mut used: Vec<u32> =
            self.applications[first as usize..].iter().map(|application| application.lane).collect();
        used.sort_unstable();
        used.dedup();
        for lane in used {
            let users = &mut self.by_lane[lane as usize];
            let before = users.last().map_or(0, |last| last.0);
            users.push((before + u64::from(quota), user));
        }
        // The user's hour is that of a random arrival, so that it has arrivals.
        let (hour, _) = self.clock(workload.jobs()[rng.random_range(0..workload.len())].submit.0);
        let weekend = rng.random_range(0.05..1.0_f64);
        self.users.push(User { first, after, hour, weekend, present });
    }

    pub(super) fn count(&self) -> usize {
        self.users.len()
    }

    /// The group of a user.
    pub(super) fn group(&self, user: u32) -> u32 {
        user % self.groups
    }

    /// Draws whether the user works at this time.
    pub(super) fn is_about(&self, user: u32, at: i64, rng: &mut ChaCha8Rng) -> bool {
        let user = &self.users[user as usize];
        let (hour, day) = self.clock(at);
        let away = hour.abs_diff(user.hour);
        let by_hour = match away.min(24 - away) {
            0..=3 => 1.0,
            4..=6 => 0.5,
            _ => 0.15,
        };
        rng.random_bool(if day >= 5 { by_hour * user.weekend } else { by_hour })
    }

    /// Whether the user is present in this period.
    pub(super) fn is_present(&self, user: u32, period: u32) -> bool {
        let (from, until) = self.users[user as usize].present;
        (from..until).contains(&period)
    }

    /// Draws a user with an application in this lane, in proportion to the number of sessions.
    pub(super) fn draw(&self, lane: u32, rng: &mut ChaCha8Rng) -> u32 {
        let users = &self.by_lane[lane as usize];
        let Some(&(all, last)) = users.last() else { return 0 };
        let drawn = rng.random_range(0..all.max(1));
        users.get(users.partition_point(|&(until, _)| until <= drawn)).map_or(last, |&(_, user)| user)
    }

    /// Draws one of the user's applications in this lane, in proportion to their weights, except `but`; `None` if there is
    /// none.
    pub(super) fn pick(&self, user: u32, lane: u32, but: Option<u32>, rng: &mut ChaCha8Rng) -> Option<u32> {
        let user = &self.users[user as usize];
        let suits = |&number: &u32| Some(number) != but && self.applications[number as usize].lane == lane;
        let weight = |number: u32| self.applications[number as usize].weight;
        let mut suited = (user.first..user.after).filter(suits);
        let total: f64 = suited.clone().map(weight).sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = rng.random_range(0.0..total);
        let found = suited.clone().find(|&number| {
            left -= weight(number);
            left < 0.0
        });
        found.or_else(|| suited.next())
    }

    /// The hour of the day and the day of the week (0 is Monday).
    fn clock(&self, at: i64) -> (u32, u32) {
        let since = at.saturating_add(self.monday).rem_euclid(7 * DAY);
        ((since % DAY / 3600) as u32, (since / DAY) as u32)
    }
}

/// Reflects a number near the interval from 0 to 1 into it.
fn mirrored(place: f64) -> f64 {
    if place < 0.0 {
        -place
    } else if place > 1.0 {
        2.0 - place
    } else {
        place
    }
}

/// Draws the number of applications of a user with `jobs` jobs.
fn applications(population: &Population, jobs: f64, rng: &mut ChaCha8Rng) -> u32 {
    // Fails only outside 0 to 1, and a mean of at least one keeps it inside.
    let Ok(more) = Geometric::new(1.0 / population.applications) else { return 1 };
    // At least two jobs per application.
    let most = (jobs / 2.0).ceil().clamp(1.0, 1000.0) as u64;
    more.sample(rng).saturating_add(1).min(most) as u32
}

/// The number of sessions of each user, at least one, the most active first; fewer users if there are fewer sessions.
fn quotas(population: &Population, sessions: usize) -> Vec<u32> {
    let users = (population.users as usize).min(sessions);
    let weight = |rank: usize| ((rank + 1) as f64 + population.plateau).powf(-population.activity);
    let total: f64 = (0..users).map(weight).sum();
    let (mut before, mut given) = (0.0, 0);
    let more = (sessions - users) as f64;
    let quota = |rank: usize| {
        before += weight(rank) / total;
        let until = (more * before).round() as u64;
        let quota = until.saturating_sub(given);
        given = given.max(until);
        1 + quota.min(u64::from(u32::MAX - 1)) as u32
    };
    (0..users).map(quota).collect()
}

/// Plans the period of each session, and the periods in which each user is present. A user is present for consecutive
/// periods, placed where there are fewest sessions so far.
fn plan(
    population: &Population,
    quotas: &[u32],
    periods: usize,
    rng: &mut ChaCha8Rng,
) -> (Vec<Vec<u32>>, Vec<(u32, u32)>) {
    let mut present = Vec::with_capacity(quotas.len());
    let mut planned = vec![Vec::new(); periods];
    for (user, &quota) in (0..).zip(quotas) {
        // Users with few sessions are present for a short time.
        let share =
            population.presence * rng.random_range(0.4..1.6) * (1.0 - (-f64::from(quota) / 5.0).exp());
        let length = ((share * periods as f64).round() as usize)
            .clamp(1, periods)
            .min((quota as usize).saturating_mul(16));
        let mut best = (usize::MAX, 0);
        for candidate in 0..5 {
            let from = match candidate {
                0 => 0,
                1 => periods - length,
                _ => rng.random_range(0..=periods - length),
            };
            let filled = planned[from..from + length].iter().map(Vec::len).sum();
            best = best.min((filled, from));
        }
        let (_, from) = best;
        present.push((from as u32, (from + length) as u32));
        for _ in 0..quota {
            planned[rng.random_range(from..from + length)].push(user);
        }
    }
    (planned, present)
}
