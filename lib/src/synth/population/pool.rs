//! Which job arrives when: the jobs of a workload sorted by kind and dealt out to applications.
//!
//! Sorted by size and run time, neighbours are alike; so each application gets a stretch of neighbours, as long as the
//! number of its turns, and each of its sittings a part of that stretch. Noise on the run times before sorting says how
//! much alike.

use std::f32::consts::FRAC_1_SQRT_2;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::people::People;
use super::walk::Turn;
use super::{Lanes, Population};
use crate::seed::Seed;
use crate::workload::Workload;

/// Class of size (16 bits), noisy run time (16), place of the job in the workload (32): it sorts by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    fn new(class: u64, noisy: u64, place: u32) -> Key {
        Key(class.min(0xffff) << 48 | noisy << 32 | u64::from(place))
    }

    fn class(self) -> u64 {
        self.0 >> 48
    }

    fn place(self) -> u32 {
        self.0 as u32
    }
}

/// The jobs of one lane.
struct Pool<'a> {
    population: &'a Population,
    /// Places of its jobs in the workload, smallest jobs first.
    places: Vec<u32>,
    /// Where each size begins in `places`, and their end.
    classes: Vec<u32>,
    /// The processors of each size.
    sizes: Vec<u32>,
    /// The logarithm of the run time at each place of the workload.
    logs: &'a [f32],
    /// Runs up to this long are short enough for a failure, and how likely they are one.
    short: (f32, f64),
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
    let logs: Vec<f32> = workload.truths().iter().map(|truth| (truth.run().0.max(1) as f32).ln()).collect();
    let mut loose = vec![false; turns.len()];
    let mut dealt = vec![0; turns.len()];
    for lane in 0..lanes.sizes.len() as u32 {
        let pool = Pool::of(population, workload, &logs, lanes, lane);
        let keys = pool.keys(&mut loose, &mut rng);
        let mut rest = keys.as_slice();
        for application in pool.order(people, &slots, lane) {
            let own = slots.of_application(application);
            let (stretch, others) = rest.split_at(own.len().min(rest.len()));
            rest = others;
            let jobs = pool.by_sitting(stretch, &loose, &mut rng);
            for (slot, place) in by_sitting(own, turns, population.wandering, &mut rng).into_iter().zip(jobs)
            {
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

/// The slots of one application, those of one sitting together in random order, the sittings roughly in order of time
/// or against it, from any one on: what somebody runs changes slowly, into any direction.
fn by_sitting(slots: &[u32], turns: &[Turn], wandering: f64, rng: &mut ChaCha8Rng) -> Vec<u32> {
    // Multiplying by an odd number is a bijection: no two slots become the same number.
    const ODD: u32 = 0x9e37_79b1;
    const BACK: u32 = inverse(ODD);
    let salt: u32 = rng.random();
    let mix = |number: u32| (number ^ salt).wrapping_mul(ODD).rotate_left(16).wrapping_mul(ODD);
    let unmix = |mixed: u32| mixed.wrapping_mul(BACK).rotate_right(16).wrapping_mul(BACK) ^ salt;
    let sitting = |slot: u32| turns[slot as usize].sitting;
    let mut mixed: Vec<u64> = Vec::with_capacity(slots.len());
    let first: f64 = rng.random_range(0.0..1.0);
    let step = if rng.random() { 1.0 } else { -1.0 } / slots.len() as f64;
    for block in slots.chunk_by(|&one, &other| sitting(one) == sitting(other)) {
        let noise: f64 = StandardNormal.sample(rng);
        let place = (first + step * mixed.len() as f64 + wandering * noise).rem_euclid(1.0);
        let place = (place * f64::from(u32::MAX)) as u64;
        mixed.extend(block.iter().map(|&slot| place << 32 | u64::from(mix(slot))));
    }
    mixed.sort_unstable();
    mixed.into_iter().map(|mixed| unmix(mixed as u32)).collect()
}

/// What an odd number is multiplied by to give one, in 32 bits.
const fn inverse(odd: u32) -> u32 {
    // Newton's iteration: each step doubles the bits that are right, from three on.
    let (mut inverse, mut step) = (odd, 0);
    while step < 4 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

impl<'a> Pool<'a> {
    fn of(
        population: &'a Population,
        workload: &'a Workload,
        logs: &'a [f32],
        lanes: &Lanes,
        lane: u32,
    ) -> Pool<'a> {
        let of_lane = (0..).zip(&lanes.of_slot).filter(|&(_, &of_slot)| of_slot == lane);
        let size = |place: u32| u64::from(workload.jobs()[place as usize].shape.procs.0);
        let mut sized: Vec<u64> = Vec::with_capacity(lanes.sizes[lane as usize] as usize);
        sized.extend(of_lane.map(|(place, _)| size(place) << 32 | u64::from(place)));
        sized.sort_unstable();
        let (mut classes, mut sizes) = (vec![0], Vec::new());
        for of_size in sized.chunk_by(|one, other| one >> 32 == other >> 32) {
            classes.push(classes[classes.len() - 1] + of_size.len() as u32);
            sizes.push((of_size[0] >> 32) as u32);
        }
        let places: Vec<u32> = sized.into_iter().map(|sized| sized as u32).collect();
        let mut runs: Vec<f32> = places.iter().map(|&place| logs[place as usize]).collect();
        let short = shortest(&mut runs, population.failures);
        Pool { population, places, classes, sizes, logs, short }
    }

    /// Every job with the key it is sorted by, sorted; marks jobs that are sorted by the run time or size of another.
    fn keys(&self, loose: &mut [bool], rng: &mut ChaCha8Rng) -> Vec<Key> {
        let mut keys = Vec::with_capacity(self.places.len());
        for (class, bounds) in (0_u64..).zip(self.classes.windows(2)) {
            for &place in &self.places[bounds[0] as usize..bounds[1] as usize] {
                let log = self.logs[place as usize];
                let failed = log <= self.short.0 && rng.random_bool(self.short.1);
                let resized = rng.random_bool(self.population.resizing);
                loose[place as usize] = failed || resized;
                let like =
                    if failed { self.places[rng.random_range(bounds[0]..bounds[1]) as usize] } else { place };
                let class = if resized { self.another(class, rng) } else { class };
                keys.push(Key::new(class, self.noisy(like, self.population.spread, rng), place));
            }
        }
        keys.sort_unstable();
        keys
    }

    /// The class whose size is nearest to half or twice that of this one.
    fn another(&self, class: u64, rng: &mut ChaCha8Rng) -> u64 {
        let size = u64::from(self.sizes[class as usize]);
        let wanted = if rng.random() { 2 * size } else { size / 2 };
        let above = self.sizes.partition_point(|&size| u64::from(size) < wanted).min(self.sizes.len() - 1);
        let below = above.saturating_sub(1);
        let away = |class: usize| u64::from(self.sizes[class]).abs_diff(wanted);
        (if away(below) < away(above) { below } else { above }) as u64
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
        let spread = self.population.sitting_run_spread;
        let mut keys: Vec<Key> = stretch
            .iter()
            .map(|&key| {
                let odd = loose[key.place() as usize];
                let like = if odd { stretch[rng.random_range(0..stretch.len())] } else { key };
                Key::new(like.class(), self.noisy(like.place(), spread, rng), key.place())
            })
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(Key::place).collect()
    }

    /// The logarithm of a job's run time with noise on it, in thousandths above a negative number. Most noise is small
    /// and some is large, as in logs: it is double-exponential with this standard deviation. What runs for hours runs
    /// for much the same time again, so beyond half an hour noise fades.
    fn noisy(&self, place: u32, spread: f64, rng: &mut ChaCha8Rng) -> u64 {
        let drawn: u32 = rng.random();
        let sign = if drawn & 1 == 0 { FRAC_1_SQRT_2 } else { -FRAC_1_SQRT_2 };
        let noise = sign * ((drawn >> 8 | 1) as f32 / (1 << 24) as f32).ln();
        let log = self.logs[place as usize];
        let fading = (1.0 - (log - 7.5) / 4.0).clamp(0.1, 1.0);
        let noisy = log + spread as f32 * fading * noise;
        // A run time has a logarithm of at most 35; noise beyond what 16 bits hold is cut.
        ((noisy + 14.0) * 1024.0).clamp(0.0, 65_535.0) as u64
    }
}

/// The logarithm up to which twice as many jobs run as shall fail, and with what chance each of them does.
fn shortest(logs: &mut [f32], failures: f64) -> (f32, f64) {
    if logs.is_empty() || failures <= 0.0 {
        return (-1.0, 0.0);
    }
    let failing = failures * logs.len() as f64;
    let last = ((2.0 * failing).ceil() as usize).clamp(1, logs.len()) - 1;
    let longest = *logs.select_nth_unstable_by(last, f32::total_cmp).1;
    let short = logs.iter().filter(|&&log| log <= longest).count();
    (longest, (failing / short as f64).min(1.0))
}
