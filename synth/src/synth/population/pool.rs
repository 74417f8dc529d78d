//! Decides which job arrives when: the jobs are sorted by size and run time and dealt to applications.
//!
//! Neighbours in that order are similar. Each application gets a range of neighbours, and each of its sessions a part of
//! that range. Noise on the run times before sorting controls how similar they are.

use queuecast_core::order;
use std::f32::consts::FRAC_1_SQRT_2;

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::sessions::AssignedJob;
use super::users::Users;
use super::{Lanes, Population};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;

/// Sort key: size class (16 bits), noisy run time (16), place of the job in the workload (32).
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
    /// Places of the jobs in the workload, smallest jobs first.
    places: Vec<u32>,
    /// Where each size begins in `places`, and their end.
    classes: Vec<u32>,
    /// The processors of each size.
    sizes: Vec<u32>,
    /// The logarithm of the run time at each place of the workload.
    logs: &'a [f32],
    /// The logarithm of the longest run time of a failure, and the probability that a run up to it is one.
    short: (f32, f64),
}

/// For each arrival, the place of the job that arrives.
pub(super) fn deal(
    population: &Population,
    workload: &Workload,
    lanes: &Lanes,
    users: &Users,
    submissions: &[AssignedJob],
    seed: Seed,
) -> Vec<u32> {
    let mut rng = seed.stream("population/pool");
    let slots = Slots::of(users, submissions);
    let logs: Vec<f32> = workload.truths().iter().map(|truth| (truth.run().0.max(1) as f32).ln()).collect();
    let mut loose = vec![false; submissions.len()];
    let mut dealt = vec![0; submissions.len()];
    for lane in 0..lanes.sizes.len() as u32 {
        let pool = Pool::of(population, workload, &logs, lanes, lane);
        let keys = pool.keys(&mut loose, &mut rng);
        let mut rest = keys.as_slice();
        for application in pool.order(users, &slots, lane) {
            let own = slots.of_application(application);
            let (stretch, others) = rest.split_at(own.len().min(rest.len()));
            rest = others;
            let jobs = pool.by_session(stretch, &loose, &mut rng);
            for (slot, place) in
                by_session(own, submissions, population.wandering, &mut rng).into_iter().zip(jobs)
            {
                dealt[slot as usize] = place;
            }
        }
    }
    dealt
}

/// The arrivals (slots) of each application, in order.
struct Slots {
    slots: Vec<u32>,
    /// Where each application's slots begin, and the end.
    first: Vec<u32>,
}

impl Slots {
    fn of(users: &Users, submissions: &[AssignedJob]) -> Slots {
        let mut first = vec![0; users.applications.len() + 1];
        for submission in submissions {
            first[submission.application as usize + 1] += 1;
        }
        for application in 1..first.len() {
            first[application] += first[application - 1];
        }
        let mut next = first.clone();
        let mut slots = vec![0; submissions.len()];
        for (slot, submission) in (0..).zip(submissions) {
            let place = &mut next[submission.application as usize];
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

/// The slots of one application by session: sessions in rough order of time, forwards or backwards from a random start,
/// and slots within a session in random order.
fn by_session(slots: &[u32], submissions: &[AssignedJob], wandering: f64, rng: &mut ChaCha8Rng) -> Vec<u32> {
    // Multiplication by an odd number is a bijection.
    const ODD: u32 = 0x9e37_79b1;
    const BACK: u32 = inverse(ODD);
    let salt: u32 = rng.random();
    let mix = |number: u32| (number ^ salt).wrapping_mul(ODD).rotate_left(16).wrapping_mul(ODD);
    let unmix = |mixed: u32| mixed.wrapping_mul(BACK).rotate_right(16).wrapping_mul(BACK) ^ salt;
    let session = |slot: u32| submissions[slot as usize].session;
    let mut mixed: Vec<u64> = Vec::with_capacity(slots.len());
    let first: f64 = rng.random_range(0.0..1.0);
    let step = if rng.random() { 1.0 } else { -1.0 } / slots.len() as f64;
    for block in slots.chunk_by(|&one, &other| session(one) == session(other)) {
        let noise: f64 = StandardNormal.sample(rng);
        let place = (first + step * mixed.len() as f64 + wandering * noise).rem_euclid(1.0);
        let place = (place * f64::from(u32::MAX)) as u64;
        mixed.extend(block.iter().map(|&slot| place << 32 | u64::from(mix(slot))));
    }
    mixed.sort_unstable();
    mixed.into_iter().map(|mixed| unmix(mixed as u32)).collect()
}

/// The inverse of an odd number modulo 2³².
const fn inverse(odd: u32) -> u32 {
    // Newton's iteration doubles the correct bits, from three on.
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

    /// The sorted keys of all jobs; marks jobs that are sorted by another job's run time or size.
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

    /// The applications with submissions in this lane, in the order of their ranges.
    fn order(&self, users: &Users, slots: &Slots, lane: u32) -> Vec<u32> {
        let of_lane = (0..).zip(&users.applications).filter(|(number, application)| {
            application.lane == lane && !slots.of_application(*number).is_empty()
        });
        let mut sized: Vec<(f64, u32)> =
            of_lane.map(|(number, application)| (application.size, number)).collect();
        order::sort_by(&mut sized, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut before = 0;
        let mut order: Vec<(u64, f64, u32)> = sized
            .into_iter()
            .map(|(_, number)| {
                let submissions = slots.of_application(number).len() as u32;
                before += submissions;
                let class = self.class(before - submissions.div_ceil(2));
                (class, users.applications[number as usize].run, number)
            })
            .collect();
        order::sort_by(&mut order, |one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        order.into_iter().map(|(_, _, number)| number).collect()
    }

    /// The jobs of one application, similar ones together.
    fn by_session(&self, stretch: &[Key], loose: &[bool], rng: &mut ChaCha8Rng) -> Vec<u32> {
        let spread = self.population.session_run_spread;
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

    /// The logarithm of a job's run time plus noise, as a 16-bit number. The noise is double-exponential with this standard
    /// deviation; it is smaller for run times beyond half an hour, which vary less in logs.
    fn noisy(&self, place: u32, spread: f64, rng: &mut ChaCha8Rng) -> u64 {
        let drawn: u32 = rng.random();
        let sign = if drawn & 1 == 0 { FRAC_1_SQRT_2 } else { -FRAC_1_SQRT_2 };
        let noise = sign * ((drawn >> 8 | 1) as f32 / (1 << 24) as f32).ln();
        let log = self.logs[place as usize];
        let fading = (1.0 - (log - 7.5) / 4.0).clamp(0.1, 1.0);
        let noisy = log + spread as f32 * fading * noise;
        // The logarithm of a run time is at most 35; noise beyond 16 bits is cut.
        ((noisy + 14.0) * 1024.0).clamp(0.0, 65_535.0) as u64
    }
}

/// The logarithm up to which twice as many jobs run as fail, and the probability that each of them fails.
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
