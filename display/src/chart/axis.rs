//! An axis: what it measures, where its ticks stand, and what they say.

use queuecast_core::{duration, number};

/// What an axis counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Plain numbers.
    #[default]
    Number,
    /// Seconds, shown in human units.
    Duration,
    /// Shares of one, shown in per cent.
    Share,
}

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Axis {
    /// What is measured along it.
    pub name: String,
    /// In what.
    pub measure: Measure,
    /// Whether equal distances are equal factors. Values below one stand at its foot.
    pub log: bool,
}

/// Round steps of time.
const TIME_STEPS: [f64; 23] = [
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    1_200.0,
    1_800.0,
    3_600.0,
    7_200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    DAY,
    2.0 * DAY,
    4.0 * DAY,
    7.0 * DAY,
    14.0 * DAY,
    28.0 * DAY,
];
/// Where the ticks of a logarithmic time axis stand.
const TIME_DECADES: [f64; 9] =
    [1.0, 10.0, 60.0, 600.0, 3_600.0, 36_000.0, 864_000.0, 8_640_000.0, 86_400_000.0];
const DAY: f64 = 86_400.0;

impl Axis {
    /// An axis with equal steps.
    pub fn new(name: impl Into<String>, measure: Measure) -> Axis {
        Axis { name: name.into(), measure, log: false }
    }

    /// The same axis with equal factors.
    #[must_use]
    pub fn log(mut self) -> Axis {
        self.log = true;
        self
    }

    /// Where a value stands between `low` (0) and `high` (1).
    pub(crate) fn place(&self, value: f64, low: f64, high: f64) -> f64 {
        let along = |value: f64| if self.log { value.max(1.0).log10() } else { value };
        let (value, low, high) = (along(value), along(low), along(high));
        if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Round values from `low` to `high`, at most `count` of them (on a log axis, all that there are).
    pub(crate) fn ticks(&self, low: f64, high: f64, count: usize) -> Vec<f64> {
        if self.log {
            return self.decades(low.max(1.0), high);
        }
        let step = self.step((high - low) / count.max(1) as f64);
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        let steps = last - first;
        // Ranges beyond what a float can count have no round ticks.
        if !(0.0..=1e3).contains(&steps) {
            return Vec::new();
        }
        (0..=steps as u32).map(|place| (first + f64::from(place)) * step).collect()
    }

    fn decades(&self, low: f64, high: f64) -> Vec<f64> {
        let within = |tick: &f64| (low..=high).contains(tick);
        if self.measure == Measure::Duration {
            return TIME_DECADES.into_iter().filter(within).collect();
        }
        (0..=18).map(|power| 10_f64.powi(power)).filter(within).collect()
    }

    /// The smallest round step that is not below `least`.
    pub(super) fn step(&self, least: f64) -> f64 {
        if !(least > 0.0 && least.is_finite()) {
            return 1.0;
        }
        if self.measure == Measure::Duration {
            if let Some(step) = TIME_STEPS.into_iter().find(|&step| step >= least) {
                return step;
            }
            return DAY * round_up(least / DAY);
        }
        round_up(least)
    }

    /// A round top for values up to `high`, so that half of it is round too.
    pub(super) fn top(&self, high: f64) -> f64 {
        let half = high / 2.0;
        if self.measure == Measure::Duration || !(half > 0.0 && half.is_finite()) {
            return 2.0 * self.step(half);
        }
        2.0 * round_to(half, &[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0])
    }

    /// Edges of a logarithmic axis around these values: a tick below, something round above.
    pub(super) fn factors(&self, low: f64, high: f64) -> (f64, f64) {
        let below = self.decades(1.0, low.max(1.0)).last().copied().unwrap_or(1.0);
        let above = self.step(high.max(1.0));
        let above = if above.is_finite() { above } else { high };
        (below, if above > below { above } else { 10.0 * below })
    }

    /// What a tick says. `step` is the distance to the next, which decides the decimals.
    pub(crate) fn label(&self, value: f64, step: f64) -> String {
        let decimals =
            |step: f64| if step >= 1.0 { 0 } else { (-step.log10()).ceil().clamp(0.0, 9.0) as usize };
        match self.measure {
            Measure::Number => number::decimal(value, decimals(step)),
            Measure::Share => format!("{}%", number::decimal(value * 100.0, decimals(step * 100.0))),
            Measure::Duration if value == 0.0 => "0".to_owned(),
            Measure::Duration => duration::about(value),
        }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_up(least: f64) -> f64 {
    round_to(least, &[1.0, 2.0, 5.0])
}

/// The smallest of these digits times a power of ten that is not below `least`.
fn round_to(least: f64, digits: &[f64]) -> f64 {
    let power = 10_f64.powi(least.log10().floor() as i32);
    // The slack keeps a value that is round but for its last bit from being rounded to the next digit.
    digits.iter().copied().find(|digit| digit * power >= least * (1.0 - 1e-9)).unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_in_their_unit() {
        let number = Axis::new("", Measure::Number);
        assert_eq!([0.7, 1.0, 3.2, 51.0].map(|least| number.step(least)), [1.0, 1.0, 5.0, 100.0]);
        let time = Axis::new("", Measure::Duration);
        assert_eq!([45.0, 4_000.0, 100_000.0].map(|least| time.step(least)), [60.0, 7_200.0, 172_800.0]);
        assert_eq!(time.step(30.0 * DAY), 50.0 * DAY);
        assert_eq!(number.step(f64::NAN), 1.0);
        assert_eq!([63.0, 100.0, 101.0].map(|high| number.top(high)), [80.0, 100.0, 120.0]);
    }

    #[test]
    fn ticks_stay_within_and_say_what_they_are() {
        let share = Axis::new("", Measure::Share);
        assert_eq!(share.ticks(0.0, 1.0, 4).len(), 3);
        assert_eq!(share.label(0.5, 0.5), "50%");
        let time = Axis::new("", Measure::Duration);
        assert_eq!(time.ticks(0.0, 7_000.0, 4), [0.0, 1_800.0, 3_600.0, 5_400.0]);
        assert_eq!(time.label(5_400.0, 1_800.0), "1 h 30 min");
        assert_eq!(time.clone().log().ticks(0.0, 4_000.0, 4), [1.0, 10.0, 60.0, 600.0, 3_600.0]);
        assert_eq!(Axis::new("", Measure::Number).label(0.25, 0.05), "0.25");
    }

    #[test]
    fn a_log_axis_ends_with_something_round() {
        let time = Axis::new("", Measure::Duration).log();
        assert_eq!(time.factors(75.0, 40_000.0), (60.0, 43_200.0));
        let number = Axis::new("", Measure::Number).log();
        assert_eq!(number.factors(0.0, 420.0), (1.0, 500.0));
        assert_eq!(number.factors(100.0, 100.0), (100.0, 1_000.0));
        assert_eq!(number.factors(-5.0, 0.5), (1.0, 10.0));
    }

    #[test]
    fn a_log_axis_puts_small_values_at_its_foot() {
        let axis = Axis::new("", Measure::Number).log();
        assert_eq!(axis.place(0.0, 0.0, 100.0), 0.0);
        assert_eq!(axis.place(10.0, 0.0, 100.0), 0.5);
        assert_eq!(Axis::default().place(3.0, 3.0, 3.0), 0.0);
    }
}
