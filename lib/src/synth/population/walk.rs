//! The walk over the arrivals: at each one, somebody's sitting goes on or another begins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use statrs::distribution::{ContinuousCDF, Normal};

use super::people::People;
use super::{Lanes, Population};
use crate::portrait::Sittings;
use crate::seed::Seed;
use crate::workload::Workload;

/// Whose turn an arrival is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub sitting: u32,
    pub application: u32,
}

/// A sitting that has not ended.
struct Sitting {
    user: u32,
    /// What it is about, and what comes next.
    subject: u32,
    application: u32,
    /// Jobs to come.
    left: u32,
    /// When the last one came.
    last: i64,
    /// How late the next one may come.
    until: i64,
}

/// The sittings whose next job belongs in one lane.
#[derive(Default)]
struct Lane {
    /// Whose next job is not due yet, by when it is.
    thinking: BinaryHeap<Reverse<(i64, u32)>>,
    /// Whose next job is due, the latest last: who is kept waiting is kept waiting longer, so that most are not.
    due: Vec<u32>,
}

struct Walk<'a> {
    population: &'a Population,
    people: &'a People,
    sittings: Vec<Sitting>,
    /// For each lane, the sittings whose next job belongs there.
    lanes: Vec<Lane>,
    /// Planned sittings that have not begun.
    waiting: Vec<u32>,
    /// The present part of the workload.
    period: u32,
    /// What each user's last sitting was about, and when they were seen last.
    ran: Vec<Option<u32>>,
    seen: Vec<i64>,
    /// Jobs that sittings were to have when a pause ended them; later ones get them.
    owed: u32,
    lengths: Lengths,
    rng: ChaCha8Rng,
}

/// How likely somebody submits sooner than meant when nobody is due, rather than somebody else sitting down. Arrivals
/// come in bursts, and a burst is mostly one person's.
const HASTE: f64 = 0.5;

/// How many sittings' jobs may be owed before people become patient.
const OWED: f64 = 20.0;

/// How many people are considered for a sitting.
const CONSIDERED: usize = 12;

/// Everybody's turns, one for each arrival.
pub(super) fn walk(
    population: &Population,
    workload: &Workload,
    lanes: &Lanes,
    people: &People,
    seed: Seed,
) -> Vec<Turn> {
    let mut walk = Walk {
        population,
        people,
        sittings: Vec::new(),
        lanes: (0..lanes.sizes.len()).map(|_| Lane::default()).collect(),
        waiting: Vec::new(),
        period: 0,
        ran: vec![None; people.count()],
        seen: vec![i64::MIN; people.count()],
        owed: 0,
        lengths: Lengths::of(population),
        rng: seed.stream("population/walk"),
    };
    let slots = workload.jobs().iter().zip(&lanes.of_slot).enumerate();
    slots
        .map(|(slot, (job, &lane))| {
            if slot % people.period == 0 {
                walk.period = (slot / people.period) as u32;
                walk.waiting.extend(&people.planned[slot / people.period]);
            }
            walk.step(job.submit.0, lane)
        })
        .collect()
}

impl Walk<'_> {
    fn step(&mut self, at: i64, lane: u32) -> Turn {
        let sitting = self.going_on(at, lane).unwrap_or_else(|| self.begin(at, lane));
        let state = &mut self.sittings[sitting as usize];
        let application = state.application;
        state.last = at;
        state.left -= 1;
        self.ran[state.user as usize] = Some(state.subject);
        self.seen[state.user as usize] = at;
        if state.left > 0 {
            let switch = self.rng.random_bool(self.population.switching);
            let lane = self.people.applications[application as usize].lane;
            let other = if switch {
                self.people.pick(state.user, lane, Some(application), &mut self.rng)
            } else {
                None
            };
            state.application = other.unwrap_or(application);
            // Who thinks long may come late.
            let due = self.think();
            let late = 60 + 2 * due;
            let state = &mut self.sittings[sitting as usize];
            state.until = at.saturating_add((due + late).min(Sittings::GAP.0));
            let due = at.saturating_add(due);
            self.lanes[lane as usize].thinking.push(Reverse((due, sitting)));
        }
        Turn { sitting, application }
    }

    /// The sitting of this lane that is due, or hastens.
    fn going_on(&mut self, at: i64, lane: u32) -> Option<u32> {
        let Lane { thinking, due } = &mut self.lanes[lane as usize];
        while let Some(&Reverse((_, sitting))) = thinking.peek().filter(|soonest| soonest.0.0 <= at) {
            thinking.pop();
            due.push(sitting);
        }
        // Where arrivals are too far apart for the times people think, people wait rather than never come back.
        let patient = f64::from(self.owed) > OWED * self.population.jobs_per_sitting;
        while let Some(sitting) = due.pop() {
            let state = &self.sittings[sitting as usize];
            if at <= if patient { state.last.saturating_add(Sittings::GAP.0) } else { state.until } {
                return Some(sitting);
            }
            // Too late: whoever comes now, it is another sitting.
            self.owed = self.owed.saturating_add(state.left);
        }
        // Nobody who still thinks was seen more than a gap ago.
        if thinking.is_empty() || !self.rng.random_bool(HASTE) {
            return None;
        }
        thinking.pop().map(|Reverse((_, sitting))| sitting)
    }

    fn begin(&mut self, at: i64, lane: u32) -> u32 {
        let (user, application) = self.newcomer(at, lane);
        let drawn = self.lengths.draw(&mut self.rng);
        // Who has one thing to do has one thing to do; the others get what others did not come to.
        let more = if drawn > 1 { self.owed.min(4 * drawn) } else { 0 };
        self.owed -= more;
        self.sittings.push(Sitting {
            user,
            subject: application,
            application,
            left: drawn.saturating_add(more),
            last: at,
            until: at,
        });
        self.sittings.len() as u32 - 1
    }

    /// Who sits down, and to what: of those who plan to, somebody whose hour it is and who is not sitting already.
    fn newcomer(&mut self, at: i64, lane: u32) -> (u32, u32) {
        let mut second = None;
        for _ in 0..CONSIDERED.min(self.waiting.len()) {
            let place = self.rng.random_range(0..self.waiting.len());
            let user = self.waiting[place];
            let rested = self.seen[user as usize] < at.saturating_sub(Sittings::GAP.0);
            if rested && self.people.is_about(user, at, &mut self.rng) {
                if let Some(application) = self.opening(user, lane) {
                    self.waiting.swap_remove(place);
                    return (user, application);
                }
            } else if second.is_none() || rested {
                second = Some((place, user));
            }
        }
        if let Some((place, user)) = second
            && let Some(application) = self.opening(user, lane)
        {
            self.waiting.swap_remove(place);
            return (user, application);
        }
        let user = self.resident(at, lane);
        (user, self.opening(user, lane).unwrap_or_default())
    }

    /// Somebody who uses this lane, if possible one who is about these days and not sitting already.
    fn resident(&mut self, at: i64, lane: u32) -> u32 {
        let mut user = 0;
        for _ in 0..CONSIDERED {
            user = self.people.resident(lane, &mut self.rng);
            let rested = self.seen[user as usize] < at.saturating_sub(Sittings::GAP.0);
            if rested && self.people.is_present(user, self.period) {
                break;
            }
        }
        user
    }

    /// What a user begins with in this lane.
    fn opening(&mut self, user: u32, lane: u32) -> Option<u32> {
        let last =
            self.ran[user as usize].filter(|&last| self.people.applications[last as usize].lane == lane);
        if last.is_some() && self.rng.random_bool(self.population.resuming) {
            return last;
        }
        self.people.pick(user, lane, None, &mut self.rng)
    }

    /// Seconds until a sitting's next job.
    fn think(&mut self) -> i64 {
        let normal: f64 = StandardNormal.sample(&mut self.rng);
        let think = self.population.think.0 as f64 * (self.population.think_spread * normal).exp();
        think.round().clamp(0.0, Sittings::GAP.0 as f64) as i64
    }
}

/// How many jobs sittings have: a log-normal number, at least one, rounded up or down so that the mean stays.
struct Lengths {
    middle: f64,
    spread: f64,
}

/// A sitting has no more jobs than this.
const MOST: f64 = 10_000.0;

impl Lengths {
    /// With the mean that was asked for.
    ///
    /// # Formula
    /// `E max(1, X) = Φ(−m/s) + exp(m + s²/2) · Φ(m/s + s)` for `ln X` normal with mean m and deviation s
    fn of(population: &Population) -> Lengths {
        let spread = population.sitting_spread.max(1e-3);
        let normal = Normal::standard();
        let mean = |middle: f64| {
            let above = normal.cdf(middle / spread + spread);
            normal.cdf(-middle / spread) + (middle + spread * spread / 2.0).exp() * above
        };
        let (mut low, mut high) = (-20.0, MOST.ln());
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if mean(middle) < population.jobs_per_sitting {
                low = middle;
            } else {
                high = middle;
            }
        }
        Lengths { middle: low, spread }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> u32 {
        let normal: f64 = StandardNormal.sample(rng);
        let jobs = (self.middle + self.spread * normal).exp() + rng.random_range(0.0..1.0);
        jobs.floor().clamp(1.0, MOST) as u32
    }
}
