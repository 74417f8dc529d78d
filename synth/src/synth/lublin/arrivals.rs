//! Arrivals: gaps are drawn for a constant rate, then stretched by the weights of the half-hours.

use chacha20::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};
use statrs::function::gamma::checked_gamma_lr;

use super::runs::{DRAWS, gamma};
use super::{GammaLaw, LublinArrivals};
use crate::synth::SynthError;
use queuecast_core::units::Time;

/// Half-hours in a day.
pub(super) const BUCKETS: usize = 48;

/// Seconds in a half-hour.
const BUCKET: i64 = 1800;

/// Weights and gaps are counted in thousandths of a second.
const TICKS: f64 = 1000.0;

/// The weights of the half-hours of a day, cumulated.
pub(super) struct Day {
    /// Ticks before each half-hour, and in the whole day.
    before: [i64; BUCKETS + 1],
}

impl Day {
    /// A day whose half-hours have these weights, 1 on average.
    pub(super) fn new(weights: [f64; BUCKETS]) -> Day {
        let mut before = [0; BUCKETS + 1];
        for (bucket, weight) in weights.into_iter().enumerate() {
            before[bucket + 1] = before[bucket] + (weight * BUCKET as f64 * TICKS).round() as i64;
        }
        Day { before }
    }

    /// The second at which `ticks` ticks have passed since midnight of the first day.
    ///
    /// # Formula
    /// `W⁻¹(ticks)`, `W` the integral of the weights, linear within each half-hour
    pub(super) fn moment(&self, ticks: i64) -> Time {
        let whole = self.before[BUCKETS].max(1);
        let (days, rest) = (ticks / whole, ticks % whole);
        let bucket = self.before.partition_point(|&before| before <= rest).clamp(1, BUCKETS) - 1;
        let length = (self.before[bucket + 1] - self.before[bucket]).max(1);
        Time(days * 86_400 + BUCKET * bucket as i64 + (rest - self.before[bucket]) * BUCKET / length)
    }

    /// The ticks passed by this second after midnight of the first day.
    pub(super) fn passed(&self, second: i64) -> i64 {
        let (days, rest) = (second.div_euclid(86_400), second.rem_euclid(86_400));
        let bucket = (rest / BUCKET) as usize;
        let length = self.before[bucket + 1] - self.before[bucket];
        days * self.before[BUCKETS] + self.before[bucket] + length * (rest % BUCKET) / BUCKET
    }
}

/// The half-hour with which a day of the model begins.
pub(super) const DAWN: u32 = 11;

/// The weight of each half-hour of the day, from midnight, 1 on average: the gamma's mass on it, the day running from
/// half-hour 11 to half-hour 59 of a clock that is `ahead` half-hours ahead.
pub(super) fn weights(day: GammaLaw, ahead: u32) -> [f64; BUCKETS] {
    // Fails only outside positive numbers, which are refused before.
    let until = |bucket: u32| checked_gamma_lr(day.shape, f64::from(bucket) / day.scale).unwrap_or(0.0);
    let mut weights = [0.0; BUCKETS];
    for bucket in DAWN..DAWN + BUCKETS as u32 {
        weights[(bucket as usize + BUCKETS - ahead as usize) % BUCKETS] = until(bucket + 1) - until(bucket);
    }
    let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
    if mean > 0.0 { weights.map(|weight| weight / mean) } else { [1.0; BUCKETS] }
}

pub(super) struct Arrivals {
    day: Day,
    gap: Gamma<f64>,
    longest: f64,
    /// Ticks passed so far.
    passed: i64,
    rng: ChaCha8Rng,
}

impl Arrivals {
    pub(super) fn new(law: &LublinArrivals, rng: ChaCha8Rng) -> Result<Arrivals, SynthError> {
        let all_hours = GammaLaw { shape: law.gap.shape * law.rush, ..law.gap };
        let gap = gamma("arrivals.gap", all_hours)?;
        let day = Day::new(weights(law.day, law.ahead));
        Ok(Arrivals { day, gap, longest: law.longest, passed: 0, rng })
    }

    pub(super) fn next(&mut self) -> Time {
        let drawn = (0..DRAWS).map(|_| self.gap.sample(&mut self.rng)).find(|&log| log <= self.longest);
        let gap = (drawn.unwrap_or(self.longest).exp() * TICKS).round() as i64;
        self.passed = self.passed.saturating_add(gap);
        self.day.moment(self.passed)
    }
}
