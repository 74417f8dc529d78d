//! The distribution of a length of time.

use std::sync::Arc;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::quantiles::{self, Knot};
use super::{LONGEST, LogUniform};
use crate::units::Seconds;

/// How many times its age a job can reach that is older than any should be.
const OUTLIVED: f64 = 4.0;

/// A wait of fewer seconds is that for the scheduler's next cycle.
const NEXT_CYCLE: f64 = 10.0;

/// No clock is asked beyond.
const FARTHEST: f64 = 3.0 * LONGEST;

/// A length of time that is not certain, in seconds; possibly given that it exceeds a time that has passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    shape: Family,
    /// It exceeds this: the time that has passed.
    elapsed: f64,
    /// The probability of having exceeded it, of shapes that describe the whole time.
    alive: f64,
    /// It is not longer than this, where there is a mass.
    limit: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Family {
    Point(f64),
    /// A point in an interval: linear from the low end to the point and on to the high end, half of `1 − level` at either end.
    Interval {
        low: f64,
        point: f64,
        high: f64,
        level: f64,
    },
    /// Points of the quantile function in order.
    Quantiles(Arc<[Knot]>),
    /// Observed values in ascending order, each times `unit`; those before the place `from` are excluded.
    Observed {
        values: Arc<[f64]>,
        unit: f64,
        from: usize,
    },
    /// Uniform in the logarithm, from the logarithm `from` to `to`; `share` is 1 / (to − from), `end` the longest.
    LogUniform {
        from: f64,
        to: f64,
        share: f64,
        end: f64,
    },
}

/// Where a time is expected with some confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The shortest time in it.
    pub low: Seconds,
    /// The longest time in it.
    pub high: Seconds,
    /// The probability that the time lies in it.
    pub level: f64,
}

impl Interval {
    /// Whether a time lies in it; its ends do.
    pub fn contains(&self, length: Seconds) -> bool {
        (self.low..=self.high).contains(&length)
    }
}

/// The probability of exceeding a time, and how it changes there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survival {
    /// The probability.
    pub amount: f64,
    /// How fast it falls, per second.
    pub fall: f64,
    /// How fast the fall slackens.
    pub slack: f64,
}

impl Survival {
    fn flat(amount: f64) -> Survival {
        Survival { amount, fall: 0.0, slack: 0.0 }
    }
}

impl Distribution {
    fn of(shape: Family) -> Distribution {
        Distribution { shape, elapsed: 0.0, alive: 1.0, limit: f64::INFINITY }
    }

    /// Certain.
    pub fn point(length: f64) -> Distribution {
        Distribution::of(Family::Point(length))
    }

    /// A point within an interval that holds with probability `level`: linear from the low end to the point and on to the high
    /// end, with half of what is left at either end.
    pub fn interval(low: f64, point: f64, high: f64, level: f64) -> Distribution {
        Distribution::of(Family::Interval { low, point, high, level })
    }

    /// Points (probability, time) of the quantile function, linear between them; outside, the first and the last time. `None`
    /// unless there is one and both probabilities and times never fall.
    pub fn quantiles(knots: &[(f64, f64)]) -> Option<Distribution> {
        let sound = |knot: &Knot| (0.0..=1.0).contains(&knot.0) && knot.1.is_finite();
        let ordered = knots.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (!knots.is_empty() && knots.iter().all(sound) && ordered)
            .then(|| Distribution::of(Family::Quantiles(knots.into())))
    }

    /// Observed values in ascending order, each times `unit`. `None` of none.
    pub fn observed(values: Arc<[f64]>, unit: f64) -> Option<Distribution> {
        debug_assert!(values.is_sorted());
        (!values.is_empty()).then(|| Distribution::of(Family::Observed { values, unit, from: 0 }))
    }

    /// Uniform in the logarithm.
    pub fn log_uniform(law: LogUniform) -> Distribution {
        let (from, to) = law.logs();
        Distribution::of(Family::LogUniform { from, to, share: 1.0 / (to - from), end: to.exp() })
    }

    /// With the mass of all longer times at a limit: a job that is stopped there.
    #[must_use]
    pub fn capped(mut self, limit: f64) -> Distribution {
        self.limit = self.limit.min(limit);
        self
    }

    /// The distribution given that the time exceeds `elapsed`, which is not less than what was given before.
    ///
    /// A time as long as the longest possible or longer has outlived the distribution; it is then taken to be uniform in the
    /// logarithm up to four times what has passed, which gives even odds to last as long again, as running processes do
    /// (Harchol-Balter & Downey 1996).
    #[must_use]
    pub fn given(&self, elapsed: f64) -> Distribution {
        let elapsed = if elapsed.is_nan() { 0.0 } else { elapsed.clamp(0.0, LONGEST) };
        let mut given = Distribution { elapsed, ..self.clone() };
        match &mut given.shape {
            Family::LogUniform { from, to, share, end } => {
                let log = elapsed.ln();
                if log >= *to || elapsed >= *end {
                    return Distribution::outlived(elapsed);
                }
                *from = log.max(*from);
                *share = 1.0 / (*to - *from);
            }
            Family::Observed { values, unit, from } => {
                let age = elapsed;
                *from = values.partition_point(|value| value * *unit <= age).max(*from);
                if *from == values.len() {
                    return Distribution::outlived(elapsed);
                }
            }
            _ => {
                given.alive = given.at_first(elapsed).amount;
                if given.alive <= 0.0 {
                    return Distribution::outlived(elapsed);
                }
            }
        }
        if elapsed >= self.limit { Distribution::outlived(elapsed) } else { given }
    }

    fn outlived(elapsed: f64) -> Distribution {
        let elapsed = elapsed.clamp(1.0, LONGEST);
        let (from, to) = (elapsed.ln(), (OUTLIVED * elapsed).ln());
        let shape = Family::LogUniform { from, to, share: 1.0 / (to - from), end: OUTLIVED * elapsed };
        Distribution { elapsed, ..Distribution::of(shape) }
    }

    /// What has passed.
    pub fn elapsed(&self) -> f64 {
        self.elapsed
    }

    /// How many observed values it stands on, if on any.
    pub fn observations(&self) -> Option<usize> {
        match &self.shape {
            Family::Observed { values, from, .. } => Some(values.len() - from),
            _ => None,
        }
    }

    /// The probability that it is longer than `t`: 1 up to what has passed.
    pub fn survival(&self, t: f64) -> f64 {
        self.falling(t).amount
    }

    /// [`Distribution::survival`], and how fast it falls there.
    #[inline]
    pub fn falling(&self, t: f64) -> Survival {
        if t >= self.limit {
            return Survival::flat(0.0);
        }
        if t < self.elapsed || t.is_nan() {
            return Survival::flat(1.0);
        }
        match &self.shape {
            Family::LogUniform { from, to, share, end } => {
                if t >= *end {
                    return Survival::flat(0.0);
                }
                let log = t.ln();
                if log < *from {
                    return Survival::flat(1.0);
                }
                let each = 1.0 / t;
                let fall = share * each;
                Survival { amount: ((to - log) * share).clamp(0.0, 1.0), fall, slack: fall * each }
            }
            Family::Observed { values, unit, from } => {
                let beyond = &values[*from..];
                let gone = beyond.partition_point(|value| value * unit <= t);
                Survival::flat((beyond.len() - gone) as f64 / beyond.len() as f64)
            }
            _ => {
                let Survival { amount, fall, slack } = self.at_first(t);
                Survival { amount: amount / self.alive, fall: fall / self.alive, slack }
            }
        }
    }

    /// The probability of exceeding `t` before anything was known of what has passed.
    #[inline]
    fn at_first(&self, t: f64) -> Survival {
        match &self.shape {
            Family::Point(point) => Survival::flat(if t >= *point { 0.0 } else { 1.0 }),
            Family::Interval { .. } => {
                let Some([low, point, high, tail]) = self.corners() else { return Survival::flat(0.0) };
                if t >= high {
                    return Survival::flat(0.0);
                }
                if t < low {
                    return Survival::flat(1.0);
                }
                let before = t < point;
                let (from, to) = if before { (low, point) } else { (point, high) };
                let fall = (0.5 - tail) / (to - from);
                let start = if before { 1.0 - tail } else { 0.5 };
                Survival { amount: start - fall * (t - from), fall, slack: 0.0 }
            }
            Family::Quantiles(knots) => {
                let (amount, density) = quantiles::cdf(knots, t);
                Survival { amount: 1.0 - amount, fall: density, slack: 0.0 }
            }
            Family::Observed { .. } | Family::LogUniform { .. } => self.falling(t),
        }
    }

    /// The time not exceeded with probability `p`: the first at which [`Distribution::survival`] is at most one minus it, but
    /// for rounding; not below what has passed.
    pub fn quantile(&self, p: f64) -> f64 {
        let p = if p.is_nan() { 0.5 } else { p.clamp(0.0, 1.0) };
        let time = match &self.shape {
            Family::Point(point) => *point,
            Family::LogUniform { from, to, end, .. } => (from + p * (to - from)).exp().min(*end),
            Family::Observed { values, unit, from } => {
                let beyond = &values[*from..];
                let place = ((p * beyond.len() as f64) as usize).min(beyond.len() - 1);
                beyond[place] * unit
            }
            Family::Interval { .. } => self.reaching((1.0 - p) * self.alive),
            Family::Quantiles(knots) => quantiles::quantile(knots, 1.0 - (1.0 - p) * self.alive),
        };
        time.min(self.limit).clamp(self.elapsed, FARTHEST.max(self.elapsed))
    }

    /// The time after `change`, which keeps the order of times, at 99 quantiles one percent apart.
    pub fn mapped(&self, change: impl Fn(f64) -> f64) -> Distribution {
        let level = |place: i32| f64::from(place) / 100.0;
        let knots: Vec<(f64, f64)> =
            (1..100).map(|place| (level(place), change(self.quantile(level(place))))).collect();
        Distribution::quantiles(&knots).unwrap_or_else(|| self.clone())
    }

    /// The range that holds with this probability: between the quantiles that leave half of the rest on either side. Where the lower
    /// one is zero, nothing can lie below, and the range ends where the probability is reached.
    ///
    /// # Formula
    /// `tail = (1 − level) / 2`; from `Q(tail)` to `Q(1 − tail)`, and if `Q(tail) = 0`, from 0 to `Q(level)`
    pub fn range(&self, level: f64) -> (f64, f64) {
        self.range_from(level, f64::MIN_POSITIVE)
    }

    /// The range of a wait: as [`range`](Distribution::range), but from zero wherever it would begin before 10 s. Many jobs
    /// start in the scheduler's next cycle, and what is told of them are a few whole seconds, which a range that begins between
    /// two of them would leave out.
    pub fn wait_range(&self, level: f64) -> (f64, f64) {
        self.range_from(level, NEXT_CYCLE)
    }

    /// From zero if it would begin before `least`.
    fn range_from(&self, level: f64, least: f64) -> (f64, f64) {
        let level = if level.is_nan() { 1.0 } else { level.clamp(0.0, 1.0) };
        // As written: 0.1 for 0.8.
        let tail = ((1.0 - level) / 2.0 * 1e12).round() / 1e12;
        match self.quantile(tail) {
            low if low >= least => (low, self.quantile(1.0 - tail).max(low)),
            // What has passed has passed.
            _ => (self.elapsed, self.quantile(level).max(self.elapsed)),
        }
    }

    /// The time at which an interval's survival is `survival`.
    fn reaching(&self, survival: f64) -> f64 {
        let Some([low, point, high, tail]) = self.corners() else { return self.elapsed };
        let half = 0.5 - tail;
        let part = |below: f64| if half > 0.0 { (below / half).clamp(0.0, 1.0) } else { 0.0 };
        if survival >= 1.0 - tail {
            low
        } else if survival > 0.5 {
            low + part(1.0 - tail - survival) * (point - low)
        } else if survival > tail {
            point + part(0.5 - survival) * (high - point)
        } else {
            high
        }
    }

    /// Low end, point and high end of an interval in order, and the probability at either end.
    #[inline]
    fn corners(&self) -> Option<[f64; 4]> {
        let Family::Interval { low, point, high, level } = self.shape else { return None };
        Some([low.min(point), point, high.max(point), (1.0 - level) / 2.0])
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        let limit = self.limit;
        match &self.shape {
            Family::Point(point) => point.min(limit),
            Family::Observed { values, unit, from } => {
                crate::stats::mean(values[*from..].iter().map(|value| (value * unit).min(limit)))
            }
            Family::LogUniform { from, share, end, .. } => {
                // ∫ t · share/t dt up to the limit, and the limit for what lies beyond.
                let (start, stop) = (from.exp(), end.min(limit));
                let beyond = if stop < *end { ((end.ln() - stop.ln()) * share).clamp(0.0, 1.0) } else { 0.0 };
                share * (stop - start) + stop * beyond
            }
            Family::Interval { .. } => {
                let Some([low, point, high, tail]) = self.corners() else { return self.elapsed };
                quantiles::mean(&[(tail, low), (0.5, point), (1.0 - tail, high)], 1.0 - self.alive, limit)
            }
            Family::Quantiles(knots) => quantiles::mean(knots, 1.0 - self.alive, limit),
        }
    }

    /// A random time.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        self.quantile(rng.random::<f64>())
    }

    /// The longest possible time.
    pub fn longest(&self) -> f64 {
        let longest = match &self.shape {
            Family::Point(point) => *point,
            Family::Interval { high, point, .. } => high.max(*point),
            Family::Quantiles(knots) => knots.last().map_or(0.0, |knot| knot.1),
            Family::Observed { values, unit, .. } => values.last().map_or(0.0, |value| value * unit),
            Family::LogUniform { end, .. } => *end,
        };
        longest.min(self.limit)
    }

    /// The interval, of a distribution made by [`Distribution::interval`].
    pub fn as_interval(&self) -> Option<Interval> {
        let Family::Interval { low, high, level, .. } = self.shape else { return None };
        Some(Interval { low: Seconds(low as i64), high: Seconds(high as i64), level })
    }

    /// The probability of a time below `t`.
    pub fn probability_before(&self, t: f64) -> f64 {
        let at_or_before = 1.0 - self.survival(t);
        match self.corners() {
            // The masses at the ends of an interval are not before them.
            Some([low, ..]) if t <= low => 0.0,
            Some([_, point, high, tail]) if t == high && high > point => {
                (at_or_before - tail / self.alive).max(0.0)
            }
            None if self.shape == Family::Point(t) => 0.0,
            _ => at_or_before,
        }
    }
}

#[cfg(test)]
mod tests;
