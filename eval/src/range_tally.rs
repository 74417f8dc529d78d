//! How good predicted distributions were: pinball losses, the range from the 10 % to the 90 % quantile, and calibration.

use queuecast_core::order;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::predictions::{SaidTime, TimeRank};
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_wait::interval_score;

/// The levels of the pinball losses.
const LEVELS: [&str; 3] = ["0.1", "0.5", "0.9"];

/// How many levels calibration is judged at: 5 %, 10 % and so on up to 95 %.
const CALIBRATION_LEVELS: usize = 19;

fn calibration_level(place: usize) -> f64 {
    (place + 1) as f64 / (CALIBRATION_LEVELS + 1) as f64
}

/// The coverage of one month.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MonthScore {
    /// `1996-10`; of a log that does not say when it begins, months of 30 days from 1 on.
    pub month: String,
    /// Jobs scored.
    pub jobs: usize,
    /// Times inside the 80 % range, in percent; `None` where a method gives no ranges.
    pub coverage_80: Option<f64>,
}

/// How often a time was not above a predicted quantile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationPoint {
    /// Of the quantile, 0 to 1.
    pub level: f64,
    /// The share of times at or below it, 0 to 1. A time to which the forecast gives a probability of its own, such as a
    /// wait of zero, counts in part: as far as the level exceeds the probability of all shorter times, relative to its own.
    pub observed: f64,
}

/// What one forecast adds.
#[derive(Debug, Clone, Copy)]
pub(super) struct RangeOutcome {
    /// At three levels.
    pub pinball: [f64; LEVELS.len()],
    pub interval_score: f64,
    pub inside: bool,
}

/// Sums over the forecasts of one method.
#[derive(Debug, Default)]
pub(super) struct RangeTally {
    jobs: usize,
    pinball: [f64; LEVELS.len()],
    interval: f64,
    width: f64,
    covered: usize,
    /// Jobs, and those inside.
    months: BTreeMap<String, (usize, usize)>,
    calibration: [f64; CALIBRATION_LEVELS],
}

impl RangeTally {
    /// What was said, the time that came, and where that lies in what was said.
    pub(super) fn add(
        &mut self,
        said: &SaidTime,
        rank: TimeRank,
        actual: f64,
        month: String,
    ) -> RangeOutcome {
        self.jobs += 1;
        let (p10, p90) = (said.p10(), said.p90());
        let losses = [(p10, 0.1), (said.median(), 0.5), (p90, 0.9)]
            .map(|(quantile, level)| pinball(actual, quantile, level));
        for (sum, loss) in self.pinball.iter_mut().zip(losses) {
            *sum += loss;
        }
        let outcome = RangeOutcome {
            pinball: losses,
            interval_score: interval_score(p10, p90.max(p10), actual),
            inside: said.low <= actual && actual <= said.high,
        };
        self.width += said.high - said.low;
        self.interval += outcome.interval_score;
        self.covered += usize::from(outcome.inside);
        let month = self.months.entry(month).or_default();
        (month.0, month.1) = (month.0 + 1, month.1 + usize::from(outcome.inside));
        let TimeRank { shorter, up_to } = rank;
        for (place, sum) in self.calibration.iter_mut().enumerate() {
            let level = calibration_level(place);
            *sum += if up_to <= level {
                1.0
            } else if shorter >= level {
                0.0
            } else {
                (level - shorter) / (up_to - shorter)
            };
        }
        outcome
    }

    pub(super) fn pinball(&self) -> BTreeMap<&'static str, f64> {
        order::map_of(LEVELS.into_iter().zip(self.pinball).map(|(name, sum)| (name, sum / self.count())))
    }

    pub(super) fn interval_score(&self) -> f64 {
        self.interval / self.count()
    }

    pub(super) fn coverage(&self) -> f64 {
        100.0 * self.covered as f64 / self.count()
    }

    pub(super) fn width(&self) -> f64 {
        self.width / self.count()
    }

    pub(super) fn calibration(&self) -> Vec<CalibrationPoint> {
        let points = self.calibration.iter().enumerate();
        points
            .map(|(place, sum)| CalibrationPoint {
                level: calibration_level(place),
                observed: sum / self.count(),
            })
            .collect()
    }

    /// The probability integral transform: the share of times in each tenth of their predicted distributions, in percent. Times
    /// with a probability of their own count in part in each tenth that they span.
    pub(super) fn tenths(&self) -> Vec<f64> {
        let upto = |tenth: usize| match tenth {
            0 => 0.0,
            10 => self.count(),
            // The levels are 5 % apart: the 10 % level has place 1, the 20 % level place 3.
            _ => self.calibration[2 * tenth - 1],
        };
        (1..=10).map(|tenth| 100.0 * (upto(tenth) - upto(tenth - 1)) / self.count()).collect()
    }

    /// Months in the order of time: numbers are not sorted as text is.
    pub(super) fn months(&self) -> Vec<MonthScore> {
        let month = |(month, &(jobs, covered)): (&String, &(usize, usize))| MonthScore {
            month: month.clone(),
            jobs,
            coverage_80: Some(100.0 * covered as f64 / jobs.max(1) as f64),
        };
        let mut months: Vec<MonthScore> = self.months.iter().map(month).collect();
        order::sort_by_key(&mut months, |month| (month.month.len(), month.month.clone()));
        months
    }

    fn count(&self) -> f64 {
        self.jobs.max(1) as f64
    }
}

/// What the month of an instant is called.
pub(super) fn month_of(workload: &Workload, at: Time) -> String {
    let unix = workload.epoch.map(|epoch| epoch.saturating_add(at.0));
    let calendar = unix.and_then(|unix| Timestamp::from_second(unix).ok());
    match calendar {
        Some(at) => at.strftime("%Y-%m").to_string(),
        None => (1 + at.0.div_euclid(30 * 86_400)).to_string(),
    }
}

/// The loss of a predicted quantile: `level · (x − q)` above it, `(1 − level) · (q − x)` below.
fn pinball(actual: f64, quantile: f64, level: f64) -> f64 {
    let above = actual - quantile;
    if above >= 0.0 { level * above } else { (level - 1.0) * above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Distribution;

    fn add(tally: &mut RangeTally, time: &Distribution, actual: f64) {
        let said = SaidTime::new(time, time.range(0.8), time.quantile(0.5));
        tally.add(&said, TimeRank::of(time, actual), actual, "1".into());
    }

    fn observed(tally: &RangeTally) -> Vec<f64> {
        tally.calibration().iter().map(|point| point.observed).collect()
    }

    #[test]
    fn losses_are_least_at_the_truth() {
        assert_eq!(pinball(5.0, 5.0, 0.9), 0.0);
        assert!(pinball(10.0, 5.0, 0.9) > pinball(5.0, 10.0, 0.9), "too low costs more at the 90 % quantile");
    }

    #[test]
    fn a_right_distribution_is_on_the_diagonal_with_all_its_ties() {
        // Half of the waits are zero, as is foreseen; the others are each of ten values.
        let values: Vec<f64> =
            (0..20).map(|place| if place < 10 { 0.0 } else { f64::from(place) * 100.0 }).collect();
        let forecast = Distribution::observed(values.as_slice().into(), 1.0).unwrap();
        let mut tally = RangeTally::default();
        for &value in &values {
            add(&mut tally, &forecast, value);
        }
        for point in tally.calibration() {
            assert!((point.level - point.observed).abs() < 1e-9, "{point:?}");
        }
        let levels: Vec<f64> = tally.calibration().iter().map(|point| point.level).collect();
        assert_eq!((levels.len(), levels[0], levels[18]), (19, 0.05, 0.95));
    }

    #[test]
    fn tenths_are_even_of_right_forecasts_only() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let forecast = Distribution::quantiles(&[(0.0, 0.0), (1.0, 1000.0)]).unwrap();
        let tenths = |scale: f64| {
            let mut tally = RangeTally::default();
            for value in &values {
                add(&mut tally, &forecast, scale * value + 0.5);
            }
            tally.tenths()
        };
        assert!(tenths(1.0).iter().all(|share| (share - 10.0).abs() < 1e-9), "{:?}", tenths(1.0));
        // Half as long as predicted: all are in the lower half.
        let short = tenths(0.5);
        assert!(short[..5].iter().all(|share| (share - 20.0).abs() < 0.2), "{short:?}");
        assert!(
            short[5..].iter().all(|share| share.abs() < 0.2)
                && (short.iter().sum::<f64>() - 100.0).abs() < 1e-9
        );
        // Certain and right: each counts in all tenths.
        let mut sure = RangeTally::default();
        add(&mut sure, &Distribution::point(5.0), 5.0);
        assert!(sure.tenths().iter().all(|share| (share - 10.0).abs() < 1e-9));
    }

    #[test]
    fn forecasts_that_are_too_short_lie_below_the_diagonal() {
        let mut tally = RangeTally::default();
        for wait in [0.0, 500.0] {
            add(&mut tally, &Distribution::point(0.0), wait);
        }
        // The first wait counts in part, the second is above all quantiles.
        for (place, observed) in observed(&tally).into_iter().enumerate() {
            assert!((observed - calibration_level(place) / 2.0).abs() < 1e-12);
        }
        let mut long = RangeTally::default();
        add(&mut long, &Distribution::point(100.0), 50.0);
        assert_eq!(observed(&long), [1.0; 19]);
    }
}
