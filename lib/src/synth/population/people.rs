//! Who there is, when they are about, and what they run.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Geometric};

use super::{Lanes, Population};
use crate::seed::Seed;
use crate::workload::Workload;

/// Somebody.
#[derive(Debug, Clone)]
pub(super) struct Person {
    /// Their applications are `first .. after` of all.
    pub first: u32,
    pub after: u32,
    /// The hour of the day around which they work.
    hour: u32,
    /// How likely they are to work on a weekend, relative to a weekday.
    weekend: f64,
    /// The periods in which they are about: from, and until before.
    present: (u32, u32),
}

/// Something that is run again and again.
#[derive(Debug, Clone)]
pub(super) struct Application {
    pub user: u32,
    pub lane: u32,
    /// How often it is run, relative to the user's others.
    weight: f64,
    /// Where its size lies among all, 0 to 1.
    pub size: f64,
    /// Where its run time lies among those of its size, 0 to 1.
    pub run: f64,
}

/// Everybody, the busiest first.
pub(super) struct People {
    persons: Vec<Person>,
    pub applications: Vec<Application>,
    /// In each period, who begins a sitting, once for each sitting.
    pub planned: Vec<Vec<u32>>,
    /// Slots in a period.
    pub period: usize,
    /// Who has applications in each lane, each with the sittings of everybody up to them.
    residents: Vec<Vec<(u64, u32)>>,
    groups: u32,
    /// Seconds from Monday midnight to time zero.
    monday: i64,
}

/// Periods are parts of a workload with equally many arrivals, so that one long gap does not make many of them.
const PERIODS: usize = 256;

/// Sittings that are not planned: they go to whoever is about, so that plans need not be cut short at the end.
const SPARE: f64 = 0.03;

const DAY: i64 = 86_400;

impl People {
    pub(super) fn of(population: &Population, workload: &Workload, lanes: &Lanes, seed: Seed) -> People {
        let mut rng = seed.stream("population/people");
        let jobs = workload.len();
        let sittings = ((jobs as f64 / population.jobs_per_sitting) * (1.0 - SPARE)).ceil() as usize;
        let quotas = quotas(population, sittings.clamp(usize::from(jobs > 0), jobs));
        let period = jobs.div_ceil(PERIODS).max(1);
        // Time zero of a log without a date counts as a Monday. The Unix epoch was a Thursday.
        let monday = workload.epoch.map_or(0, |epoch| epoch.rem_euclid(7 * DAY) + 3 * DAY);
        let (planned, present) = plan(population, &quotas, jobs.div_ceil(period), &mut rng);
        let mut people = People {
            persons: Vec::with_capacity(quotas.len()),
            applications: Vec::new(),
            planned,
            period,
            residents: vec![Vec::new(); lanes.sizes.len()],
            groups: population.groups,
            monday,
        };
        for (user, &quota) in (0..).zip(&quotas) {
            let person = (user, quota, present[user as usize]);
            people.add(population, workload, lanes, person, quotas.len(), &mut rng);
        }
        people
    }

    /// One more person, with applications.
    fn add(
        &mut self,
        population: &Population,
        workload: &Workload,
        lanes: &Lanes,
        (user, quota, present): (u32, u32, (u32, u32)),
        everybody: usize,
        rng: &mut ChaCha8Rng,
    ) {
        let first = self.applications.len() as u32;
        let any_lane = |rng: &mut ChaCha8Rng| lanes.of_slot[rng.random_range(0..lanes.of_slot.len())];
        let (lane, size, run) = (any_lane(rng), rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
        let jobs = f64::from(quota) * population.jobs_per_sitting;
        for nth in 0..applications(population, jobs, rng) {
            let mut kin = || nth == 0 || rng.random_bool(population.kinship);
            let (same_size, same_run, same_lane) = (kin(), kin(), kin() || kin());
            let size = if same_size { size } else { rng.random_range(0.0..1.0) };
            // Of the same kind, not quite the same.
            let run = if same_run {
                mirrored(run + rng.random_range(-0.05..0.05))
            } else {
                rng.random_range(0.0..1.0)
            };
            let lane = if same_lane { lane } else { any_lane(rng) };
            // Most of what somebody runs is one thing.
            let weight = 1.0 / f64::from(nth + 1).powf(1.5);
            self.applications.push(Application { user, lane, weight, size, run });
        }
        // Every queue has somebody who uses it now and then.
        for lane in (user as usize..lanes.sizes.len()).step_by(everybody) {
            let (size, run) = (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
            self.applications.push(Application { user, lane: lane as u32, weight: 0.02, size, run });
        }
        let after = self.applications.len() as u32;
        let mut used: Vec<u32> =
            self.applications[first as usize..].iter().map(|application| application.lane).collect();
        used.sort_unstable();
        used.dedup();
        for lane in used {
            let residents = &mut self.residents[lane as usize];
            let before = residents.last().map_or(0, |last| last.0);
            residents.push((before + u64::from(quota), user));
        }
        // Somebody's hours are those of some arrival, so that nobody waits for hours at which nothing arrives.
        let (hour, _) = self.clock(workload.jobs()[rng.random_range(0..workload.len())].submit.0);
        let weekend = rng.random_range(0.05..1.0_f64);
        self.persons.push(Person { first, after, hour, weekend, present });
    }

    pub(super) fn count(&self) -> usize {
        self.persons.len()
    }

    /// Users of neighbouring ranks are in different groups.
    pub(super) fn group(&self, user: u32) -> u32 {
        user % self.groups
    }

    /// Whether this is one of the user's hours, by a throw.
    pub(super) fn is_about(&self, user: u32, at: i64, rng: &mut ChaCha8Rng) -> bool {
        let person = &self.persons[user as usize];
        let (hour, day) = self.clock(at);
        let away = hour.abs_diff(person.hour);
        // Full hours around theirs, hardly any at the other end of the day.
        let by_hour = match away.min(24 - away) {
            0..=3 => 1.0,
            4..=6 => 0.5,
            _ => 0.15,
        };
        rng.random_bool(if day >= 5 { by_hour * person.weekend } else { by_hour })
    }

    /// Whether the user is about in this period.
    pub(super) fn is_present(&self, user: u32, period: u32) -> bool {
        let (from, until) = self.persons[user as usize].present;
        (from..until).contains(&period)
    }

    /// Somebody with an application in this lane; who holds more sittings more often.
    pub(super) fn resident(&self, lane: u32, rng: &mut ChaCha8Rng) -> u32 {
        let residents = &self.residents[lane as usize];
        let Some(&(all, last)) = residents.last() else { return 0 };
        let drawn = rng.random_range(0..all.max(1));
        residents.get(residents.partition_point(|&(until, _)| until <= drawn)).map_or(last, |&(_, user)| user)
    }

    /// An application of the user in this lane, by how often they are run, and not `but`. None if there is no such.
    pub(super) fn pick(&self, user: u32, lane: u32, but: Option<u32>, rng: &mut ChaCha8Rng) -> Option<u32> {
        let person = &self.persons[user as usize];
        let suits = |&number: &u32| Some(number) != but && self.applications[number as usize].lane == lane;
        let weight = |number: u32| self.applications[number as usize].weight;
        let mut suited = (person.first..person.after).filter(suits);
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

/// Back into 0 to 1.
fn mirrored(place: f64) -> f64 {
    if place < 0.0 {
        -place
    } else if place > 1.0 {
        2.0 - place
    } else {
        place
    }
}

/// How many applications somebody with so many jobs has.
fn applications(population: &Population, jobs: f64, rng: &mut ChaCha8Rng) -> u32 {
    // Fails only outside 0 to 1, and a mean of at least one keeps it inside.
    let Ok(more) = Geometric::new(1.0 / population.applications) else { return 1 };
    // Nobody has many applications and runs each once.
    let most = (jobs / 2.0).ceil().clamp(1.0, 1000.0) as u64;
    more.sample(rng).saturating_add(1).min(most) as u32
}

/// How many sittings each person holds, at least one each, the busiest first; fewer people if there are fewer sittings.
fn quotas(population: &Population, sittings: usize) -> Vec<u32> {
    let people = (population.users as usize).min(sittings);
    let weight = |rank: usize| ((rank + 1) as f64 + population.plateau).powf(-population.activity);
    let total: f64 = (0..people).map(weight).sum();
    let (mut before, mut given) = (0.0, 0);
    let more = (sittings - people) as f64;
    let quota = |rank: usize| {
        before += weight(rank) / total;
        let until = (more * before).round() as u64;
        let quota = until.saturating_sub(given);
        given = given.max(until);
        1 + quota.min(u64::from(u32::MAX - 1)) as u32
    };
    (0..people).map(quota).collect()
}

/// In which period who begins a sitting, and in which periods each is about. People come and go: each is about for a
/// stretch of periods, put where there are fewest sittings so far.
fn plan(
    population: &Population,
    quotas: &[u32],
    periods: usize,
    rng: &mut ChaCha8Rng,
) -> (Vec<Vec<u32>>, Vec<(u32, u32)>) {
    let mut present = Vec::with_capacity(quotas.len());
    let mut planned = vec![Vec::new(); periods];
    for (user, &quota) in (0..).zip(quotas) {
        // Who submits little is not about for long.
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
