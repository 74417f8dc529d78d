//! Forecasts of starts corrected by how wrong earlier ones were.

use queuecast_core::distribution::{CORRECTED_LEVELS as LEVELS, Distribution, LevelQuantiles};
use queuecast_core::order;
use serde::{Deserialize, Serialize};

/// How many of the last forecasts count.
const WINDOW: usize = 200;

/// Seconds added to a wait before its logarithm is taken: a shorter one is that for the scheduler's next pass or cycle.
const OFFSET: f64 = 10.0;

/// Errors that are assumed beside those known, in logarithms and ascending: of a normal distribution with a standard deviation of a
/// factor of two, in ten parts of the same chance, the middle of each. Ten outcomes are about the fewest with an end on each side
/// of an 80 % range (of `n`, the least lies below the one to come with a chance of `n / (n + 1)`), so from there on more is
/// known than assumed.
const ASSUMED: [f64; 10] = [-1.140, -0.718, -0.468, -0.267, -0.087, 0.087, 0.267, 0.468, 0.718, 1.140];

/// What is left of the assumed errors if nothing waits and the job starts at once: they are within the 3 s or so between two passes
/// of the main scheduler.
const ASSUMED_IF_CLEAR: f64 = 0.23;

/// A job that certainly starts within this many seconds starts at once.
const AT_ONCE: f64 = 10.0;

/// How long a job waited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::forecast) enum KnownStart {
    /// It started after this many seconds.
    After(f64),
    /// It has waited this many seconds and has not started (censored).
    Later(f64),
}

/// A forecast as it was simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::forecast) struct SimulatedStart {
    /// Seconds from the submission to the start.
    quantiles: LevelQuantiles,
    /// No job waited, and it was certain to start at once.
    is_clear: bool,
}

impl SimulatedStart {
    /// Of a job that is submitted while `waiting` jobs wait.
    pub fn of(quantiles: LevelQuantiles, waiting: usize) -> SimulatedStart {
        let is_clear = waiting == 0 && quantiles.iter().all(|&wait| wait < AT_ONCE);
        SimulatedStart { quantiles, is_clear }
    }
}

/// How wrong forecasts were, by what is known at an instant.
///
/// Errors are differences of `ln(wait + 10 s)` to the simulated quantile, one for each level. The quantile at level `p` is moved by
/// the `p`-quantile of its errors, among which are [`ASSUMED`] and, at the far end, that of the job to come: with few outcomes
/// a range is as wide as the assumed errors, with `n` the rank is `p (n + 1)`, as in conformal prediction. A job that still waits has an error
/// greater than by now (product-limit estimate): leaving it out would let starts look sooner than they are while a queue
/// grows, and where most wait, what is assumed decides. Jobs that start at once while none waits are corrected by
/// each other only: they say nothing about a queue, nor a queue about them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::forecast) struct StartRecord {
    /// By how much each quantile is moved.
    queued: LevelQuantiles,
    clear: LevelQuantiles,
}

impl StartRecord {
    /// From the outcomes of forecasts, the last one first; those beyond the window are not asked for.
    pub fn of(outcomes: impl Iterator<Item = (SimulatedStart, KnownStart)> + Clone) -> StartRecord {
        let all: Vec<_> = outcomes.clone().take(WINDOW).collect();
        let clear: Vec<_> = outcomes.filter(|(said, _)| said.is_clear).take(WINDOW).collect();
        StartRecord { queued: shifts(&all, 1.0), clear: shifts(&clear, ASSUMED_IF_CLEAR) }
    }

    /// These corrections, each by half.
    pub fn halved(self) -> StartRecord {
        StartRecord { queued: self.queued.map(|by| by / 2.0), clear: self.clear.map(|by| by / 2.0) }
    }

    /// The forecast corrected.
    pub fn corrected(&self, simulated: &SimulatedStart) -> Distribution {
        let shifts = if simulated.is_clear { &self.clear } else { &self.queued };
        let moved = |(&wait, by): (&f64, &f64)| ((log(wait) + by).exp() - OFFSET).max(0.0);
        let mut waits: Vec<f64> = simulated.quantiles.iter().zip(shifts).map(moved).collect();
        // Quantiles that have crossed are put in order.
        order::sort_floats(&mut waits);
        let knots: Vec<(f64, f64)> = LEVELS.into_iter().zip(waits).collect();
        Distribution::quantiles(&knots).unwrap_or(Distribution::point(simulated.quantiles[LEVELS.len() / 2]))
    }
}

fn log(wait: f64) -> f64 {
    (wait.max(0.0) + OFFSET).ln()
}

/// By how much quantiles are moved, in logarithms; the assumed errors are multiplied by `assumed`.
fn shifts(outcomes: &[(SimulatedStart, KnownStart)], assumed: f64) -> LevelQuantiles {
    std::array::from_fn(|place| {
        let level = LEVELS[place];
        let mut errors: Vec<(f64, bool)> = ASSUMED.iter().map(|error| (error * assumed, true)).collect();
        let of_next = if level < 0.5 { errors.first() } else { errors.last() };
        errors.extend(of_next.copied().filter(|_| level != 0.5));
        errors.extend(outcomes.iter().map(|(said, start)| match *start {
            KnownStart::After(wait) => (log(wait) - log(said.quantiles[place]), true),
            KnownStart::Later(wait) => (log(wait) - log(said.quantiles[place]), false),
        }));
        censored_quantile(errors, level)
    })
}

/// A quantile of values of which some are known to be greater only, by the product-limit estimate (Kaplan & Meier 1958); the
/// largest value where it is not reached.
fn censored_quantile(mut values: Vec<(f64, bool)>, level: f64) -> f64 {
    order::sort_by(&mut values, |one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    let mut above = 1.0;
    for (place, &(value, is_known)) in values.iter().enumerate() {
        if is_known {
            above *= 1.0 - 1.0 / (values.len() - place) as f64;
            if above <= 1.0 - level + 1e-12 {
                return value;
            }
        }
    }
    values.last().map_or(0.0, |last| last.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Conformal;

    fn said(low: f64, median: f64, high: f64) -> SimulatedStart {
        SimulatedStart::of(Conformal::quantiles(&Distribution::interval(low, median, high, 0.8)), 1)
    }

    fn range(record: &StartRecord, of: &SimulatedStart) -> [f64; 3] {
        let corrected = record.corrected(of);
        [0.1, 0.5, 0.9].map(|level| corrected.quantile(level))
    }

    /// A sequence without a pattern, from 0 to 1.
    fn shares(count: usize) -> impl Iterator<Item = f64> {
        let mut number = 1_u64;
        (0..count).map(move |_| {
            number = number * 48271 % 2_147_483_647;
            number as f64 / 2_147_483_647.0
        })
    }

    #[test]
    fn what_still_waits_counts_as_late_at_least() {
        let values: Vec<(f64, bool)> = (1..=9).map(|value| (f64::from(value), true)).collect();
        assert_eq!(censored_quantile(values.clone(), 0.5), 5.0);
        // The first four are known to be greater only: of those above, half are above 7.
        let cut: Vec<(f64, bool)> = values.iter().map(|&(value, _)| (value, value > 4.0)).collect();
        assert_eq!(censored_quantile(cut, 0.5), 7.0);
        assert_eq!(censored_quantile(vec![(3.0, false), (8.0, false)], 0.5), 8.0, "none is known");

        let forecast = said(80.0, 100.0, 120.0);
        let none = StartRecord::of(std::iter::empty());
        // Fifty that have waited ten times as long as was forecast, and one more that has started.
        let waits = std::iter::repeat_n((forecast, KnownStart::Later(1000.0)), 50);
        let late = StartRecord::of(std::iter::once((forecast, KnownStart::After(1200.0))).chain(waits));
        // The assumed errors are a sixth of all, so the low end stays within them.
        let [low, median, high] = range(&late, &forecast);
        assert!(low < 200.0 && median >= 900.0 && high >= 1000.0, "{late:?}");
        // With nothing known the high end is moved by the largest assumed error: 130 s times e^1.14, less the offset.
        let alone = range(&none, &forecast)[2];
        assert!((alone - 396.5).abs() < 1.0, "control: {alone}, {none:?}");
        // Jobs that have waited for less than was forecast tell nothing.
        let early = std::iter::repeat_n((forecast, KnownStart::Later(1.0)), 50);
        assert_eq!(range(&StartRecord::of(early), &forecast), range(&none, &forecast));
    }

    #[test]
    fn with_no_outcome_a_range_is_as_wide_as_assumed() {
        let none = StartRecord::of(std::iter::empty());
        let [low, median, high] = range(&none, &said(990.0, 990.0, 990.0));
        assert!((900.0..1200.0).contains(&median), "{median}");
        assert!(low < 500.0 && high > 2000.0 && high < 3200.0, "{low} to {high}");
        // Free nodes and no queue: seconds, not more.
        let clear = SimulatedStart::of([2.0; LEVELS.len()], 0);
        let [low, _, high] = range(&none, &clear);
        assert!(low < 1.0 && high < 8.0, "{low} to {high}");
        // Where others wait, it may be one of those that are passed.
        let [_, _, queued] = range(&none, &SimulatedStart::of([2.0; LEVELS.len()], 1));
        assert!(queued > high, "{queued}");
        // Unless it was otherwise.
        let late = std::iter::repeat_n((clear, KnownStart::After(100.0)), 50);
        assert!(range(&StartRecord::of(late), &clear)[1] > 90.0);
        // A queue says nothing about that.
        let queue = std::iter::repeat_n((said(5.0, 10.0, 20.0), KnownStart::After(1000.0)), 50);
        assert_eq!(range(&StartRecord::of(queue), &clear)[2], high);
    }

    #[test]
    fn half_of_a_correction_is_its_root() {
        let late = std::iter::repeat_n((said(90.0, 90.0, 90.0), KnownStart::After(9990.0)), 100);
        let record = StartRecord::of(late);
        let [whole, half] =
            [&record, &record.clone().halved()].map(|one| range(one, &said(90.0, 90.0, 90.0))[1]);
        // A hundred times as late: ten times.
        assert!((whole - 9990.0).abs() < 1.0 && (half - 990.0).abs() < 1.0, "{whole}, {half}");
    }

    /// Forecasts of a tenth of the spread that waits have, too short by half, or right: eight in ten come to be inside. From the first
    /// on, and with 15 outcomes as with 200.
    #[test]
    fn ranges_that_are_too_narrow_come_to_hold() {
        for (name, times, spread) in [("too narrow", 1.0, 10.0), ("too short", 2.0, 3.0), ("right", 1.0, 1.0)]
        {
            for count in [40, 1000] {
                let (mut inside, mut raw_inside, mut judged) = (0, 0, 0);
                let mut outcomes = Vec::new();
                for (place, share) in shares(2 * count).step_by(2).enumerate() {
                    let middle = 100.0 + 900.0 * (place * 37 % 100) as f64 / 100.0;
                    let forecast = said(0.9 * middle, middle, 1.1 * middle);
                    // Uniform in the logarithm: one in ten beyond each end of a forecast that is right.
                    let wait = times * middle * (0.25 * spread * (share - 0.5)).exp();
                    let [low, _, high] = range(&StartRecord::of(outcomes.iter().rev().copied()), &forecast);
                    judged += 1;
                    inside += i32::from(low <= wait && wait <= high);
                    raw_inside += i32::from(0.9 * middle <= wait && wait <= 1.1 * middle);
                    outcomes.push((forecast, KnownStart::After(wait)));
                }
                let (share, raw) = (100 * inside / judged, 100 * raw_inside / judged);
                let most = if count < 100 { 100 } else { 86 };
                assert!((72..=most).contains(&share), "{name}, {count}: {share} %");
                assert!(spread == 1.0 || raw < 40, "control: {name}, {count}: {raw} %");
            }
        }
    }
}
