//! Which job arrives when: the jobs of a workload sorted by kind and dealt out to applications.
//!
//! Sorted by size and run time, neighbours are alike; so each application gets a stretch of neighbours, as long as the
//! number of its turns, and each of its sittings a part of that stretch. Noise on the run times before sorting says how
//! much alike.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::people::People;
use super::walk::Turn;
use super::{Lanes, Population};
use crate::seed::Seed;
use crate::workload::Workload;

/// Sorts by class of size, then by noisy run time; ties by place.
type Key = (u64, u32);

/// The jobs of one lane.
struct Pool<'a> {
    workload: &'a Workload,
    population: &'a Population,
    /// Places of its jobs in the workload, smallest jobs first.
    places: Vec<u32>,
    /// Where each size begins in `places`, and their end.
    classes: Vec<u32>,
    /// Runs up to this long are short enough for a failure, and how likely they are one.
    short: (i64, f64),
}

/// For each slot, the place of the job that arrives there.
pub(super) fn deal(
    population: &Population,
    workload: &Workload,
    lanes: &Lanes,
    people: &People,
    turns: &[Turn],
    seed: Seed,
) -> Vec<u32> {
    let mut rng = seed.stream("population/pool");
    let slots = Slots::of(people, turns);
    let mut dealt = vec![0; turns.len()];
    for lane in 0..lanes.sizes.len() as u32 {
        let pool = Pool::of(population, workload, lanes, lane);
        let (keys, loose) = pool.keys(&mut rng);
        let mut rest = keys.as_slice();
        for application in pool.order(people, &slots, lane) {
            let own = slots.of_application(application);
            let (stretch, others) = rest.split_at(own.len().min(rest.len()));
            rest = others;
            let jobs = pool.by_sitting(stretch, &loose, &mut rng);
            for (slot, place) in by_sitting(own, turns, &mut rng).into_iter().zip(jobs) {
                dealt[slot as usize] = place;
            }
        }
    }
    dealt
}

/// The slots of each application, in order of arrival.
struct Slots {
    slots: Vec<u32>,
    /// Where each application's begin, and their end.
    first: Vec<u32>,
}

impl Slots {
    fn of(people: &People, turns: &[Turn]) -> Slots {
        let mut first = vec![0; people.applications.len() + 1];
        for turn in turns {
            first[turn.application as usize + 1] += 1;
        }
        for application in 1..first.len() {
            first[application] += first[application - 1];
        }
        let mut next = first.clone();
        let mut slots = vec![0; turns.len()];
        for (slot, turn) in (0..).zip(turns) {
            let place = &mut next[turn.application as usize];
            slots[*place as usize] = slot;
            *place += 1;
        }
        Slots { slots, first }
    }

    fn of_application(&self, application: u32) -> &[u32] {
        let application = application as usize;
        &self.slots[self.first[application] as usize..self.first[application + 1] as usize]
    }
}

/// The slots of one application, those of one sitting together, both in random order.
fn by_sitting(slots: &[u32], turns: &[Turn], rng: &mut ChaCha8Rng) -> Vec<u32> {
    let salt: u64 = rng.random();
    let mut mixed: Vec<(u64, u32, u32)> = slots
        .iter()
        .map(|&slot| {
            // A bijection: no two sittings share a number.
            let sitting = u64::from(turns[slot as usize].sitting);
            (
                sitting.wrapping_add(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32),
                rng.random(),
                slot,
            )
        })
        .collect();
    mixed.sort_unstable();
    mixed.into_iter().map(|(_, _, slot)| slot).collect()
}

impl<'a> Pool<'a> {
    fn of(population: &'a Population, workload: &'a Workload, lanes: &Lanes, lane: u32) -> Pool<'a> {
        let mut sized: Vec<(u32, u32)> = (0..)
            .zip(&lanes.of_slot)
            .filter(|&(_, &of_slot)| of_slot == lane)
            .map(|(place, _): (u32, _)| (workload.jobs()[place as usize].shape.procs.0, place))
            .collect();
        sized.sort_unstable();
        let mut classes = Vec::new();
        for (number, of_size) in (0..).zip(sized.chunk_by(|one, other| one.0 == other.0)) {
            classes.resize(number + 1, classes.last().copied().unwrap_or_default());
            classes.push(classes[number] + of_size.len() as u32);
        }
        let places: Vec<u32> = sized.into_iter().map(|(_, place)| place).collect();
        let mut runs: Vec<i64> =
            places.iter().map(|&place| workload.truths()[place as usize].run().0).collect();
        let short = shortest(&mut runs, population.failures);
        Pool { workload, population, places, classes, short }
    }

    fn run(&self, place: u32) -> i64 {
        self.workload.truths()[place as usize].run().0
    }

    /// Every job with the key it is sorted by, sorted; and whether a place in the workload is of a job that is sorted
    /// by the key of another.
    fn keys(&self, rng: &mut ChaCha8Rng) -> (Vec<Key>, Vec<bool>) {
        let mut loose = vec![false; if self.places.is_empty() { 0 } else { self.workload.len() }];
        let mut keys = Vec::with_capacity(self.places.len());
        for (class, bounds) in (0_u64..).zip(self.classes.windows(2)) {
            for &place in &self.places[bounds[0] as usize..bounds[1] as usize] {
                let run = self.run(place);
                let failed = run <= self.short.0 && rng.random_bool(self.short.1);
                let resized = rng.random_bool(self.population.resizing);
                loose[place as usize] = failed || resized;
                let like =
                    if failed { self.places[rng.random_range(bounds[0]..bounds[1]) as usize] } else { place };
                let class =
                    if resized { self.class(rng.random_range(0..self.places.len() as u32)) } else { class };
                keys.push((class << 32 | noisy(self.run(like), self.population.spread, rng), place));
            }
        }
        keys.sort_unstable();
        (keys, loose)
    }

    /// The class of the job at this place in `places`.
    fn class(&self, at: u32) -> u64 {
        self.classes.partition_point(|&first| first <= at) as u64 - 1
    }

    /// The applications with turns in this lane in the order in which they are dealt stretches.
    fn order(&self, people: &People, slots: &Slots, lane: u32) -> Vec<u32> {
        let of_lane = (0..).zip(&people.applications).filter(|(number, application)| {
            application.lane == lane && !slots.of_application(*number).is_empty()
        });
        let mut sized: Vec<(f64, u32)> =
            of_lane.map(|(number, application)| (application.size, number)).collect();
        sized.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut before = 0;
        let mut order: Vec<(u64, f64, u32)> = sized
            .into_iter()
            .map(|(_, number)| {
                let turns = slots.of_application(number).len() as u32;
                before += turns;
                let class = self.class(before - turns.div_ceil(2));
                (class, people.applications[number as usize].run, number)
            })
            .collect();
        order.sort_by(|one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        order.into_iter().map(|(_, _, number)| number).collect()
    }

    /// The jobs of one application, those together that are more alike than the others.
    fn by_sitting(&self, stretch: &[Key], loose: &[bool], rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut keys: Vec<Key> = stretch
            .iter()
            .map(|&(key, place)| {
                let like = if loose[place as usize] {
                    stretch[rng.random_range(0..stretch.len())]
                } else {
                    (key, place)
                };
                (like.0 >> 32 << 32 | noisy(self.run(like.1), self.population.sitting_run_spread, rng), place)
            })
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, place)| place).collect()
    }
}

/// The logarithm of a run time with noise on it, as a whole number. Most noise is small and some is large, as in logs:
/// a product of two normal numbers.
fn noisy(run: i64, spread: f64, rng: &mut ChaCha8Rng) -> u64 {
    let (one, other): (f64, f64) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
    let noisy = (run.max(1) as f64).ln() + spread * one * other;
    // Half-way up the 32 bits is 1 s; noise of more than a hundred is cut.
    ((noisy + 128.0).clamp(0.0, 255.9) * f64::from(1 << 24)).round() as u64
}

/// The run time up to which twice as many jobs are as shall fail, and with what chance each of them does.
fn shortest(runs: &mut [i64], failures: f64) -> (i64, f64) {
    if runs.is_empty() || failures <= 0.0 {
        return (-1, 0.0);
    }
    let failing = failures * runs.len() as f64;
    let last = ((2.0 * failing).ceil() as usize).clamp(1, runs.len()) - 1;
    let (_, &mut longest, _) = runs.select_nth_unstable(last);
    let short = runs.iter().filter(|&&run| run <= longest).count();
    (longest, (failing / short as f64).min(1.0))
}
