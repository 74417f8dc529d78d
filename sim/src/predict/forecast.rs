//! What a predictor answers: a distribution with a point in it.

use serde::{Deserialize, Serialize};

use queuecast_core::distribution::{Distribution, Interval};
use queuecast_core::units::Seconds;

/// A predicted run time. The point is what a scheduler plans with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    point: Seconds,
    /// `None` where nothing but the point is known, which costs nothing to make or to drop.
    distribution: Option<Distribution>,
}

/// No prediction is longer, so that sums stay within the clock.
const LONGEST: f64 = 1e15;

impl Forecast {
    /// The degenerate distribution: this length, without a range. Never below one second.
    #[inline]
    pub fn exactly(length: Seconds) -> Forecast {
        Forecast { point: length.max(Seconds(1)), distribution: None }
    }

    /// A point and a half-width of its interval at this level of confidence, in seconds. The point is rounded to whole
    /// seconds and never below one; the interval is widened to whole seconds and never below zero.
    pub fn around(point: f64, half_width: f64, level: f64) -> Forecast {
        let whole = |seconds: f64| seconds.clamp(0.0, LONGEST) as i64 as f64;
        let (low, high) = (whole((point - half_width).floor()), whole((point + half_width).ceil()));
        let point = Seconds(whole(point.round()) as i64).max(Seconds(1));
        let distribution = Distribution::interval(low, point.0 as f64, high, level.clamp(0.0, 1.0));
        Forecast { point, distribution: Some(distribution) }
    }

    /// A point to plan with, and the distribution of the whole run time. The point is never below one second.
    pub fn new(point: Seconds, distribution: Distribution) -> Forecast {
        Forecast { point: point.max(Seconds(1)), distribution: Some(distribution) }
    }

    /// The one number to plan with.
    #[inline]
    pub fn point(&self) -> Seconds {
        self.point
    }

    /// The distribution of the whole run time.
    pub fn distribution(&self) -> Distribution {
        self.distribution.clone().unwrap_or_else(|| Distribution::point(self.point.0 as f64))
    }

    /// Whether more is known than the point.
    pub fn has_range(&self) -> bool {
        self.distribution.is_some()
    }

    /// Where the run time is expected, if the predictor gives an interval.
    pub fn interval(&self) -> Option<Interval> {
        self.distribution.as_ref().and_then(Distribution::as_interval)
    }

    /// The length not exceeded with probability `p`, in whole seconds.
    pub fn quantile(&self, p: f64) -> Seconds {
        self.distribution.as_ref().map_or(self.point, |known| Seconds(known.quantile(p).round() as i64))
    }

    /// The probability that the job runs for less than `length`.
    pub fn probability_before(&self, length: Seconds) -> f64 {
        let certain = if self.point < length { 1.0 } else { 0.0 };
        self.distribution.as_ref().map_or(certain, |known| known.probability_before(length.0 as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certain_forecast_is_a_step() {
        let forecast = Forecast::exactly(Seconds(100));
        assert_eq!(forecast.quantile(0.01), Seconds(100));
        assert_eq!(forecast.probability_before(Seconds(100)), 0.0);
        assert_eq!(forecast.probability_before(Seconds(101)), 1.0);
        assert_eq!(Forecast::exactly(Seconds(-5)).point(), Seconds(1));
        assert_eq!((forecast.interval(), forecast.has_range()), (None, false));
        assert!(Forecast::around(9.0, 3.0, 0.9).has_range());
    }

    #[test]
    fn an_interval_is_widened_to_whole_seconds_and_kept_at_or_above_zero() {
        let forecast = Forecast::around(100.4, 50.2, 0.9);
        let interval = forecast.interval().unwrap();
        assert_eq!(
            (forecast.point(), interval.low, interval.high),
            (Seconds(100), Seconds(50), Seconds(151))
        );
        assert_eq!(interval.level, 0.9);
        let held = [49, 50, 151, 152].map(|run| interval.contains(Seconds(run)));
        assert_eq!(held, [false, true, true, false]);
        let short = Forecast::around(-20.0, 30.0, 0.9);
        assert_eq!((short.point(), short.interval().unwrap().low), (Seconds(1), Seconds(0)));
        assert_eq!(Forecast::around(f64::NAN, f64::INFINITY, 0.9).point(), Seconds(1));
    }

    #[test]
    fn quantiles_are_linear_within_the_interval() {
        let forecast = Forecast::around(100.0, 40.0, 0.8);
        let at = |p: f64| forecast.quantile(p).0;
        assert_eq!([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0].map(at), [60, 60, 80, 100, 120, 140, 140]);
        let before = |length: i64| forecast.probability_before(Seconds(length));
        assert_eq!((before(60), before(141)), (0.0, 1.0));
        for (length, expected) in [(80, 0.3), (100, 0.5), (120, 0.7), (140, 0.9)] {
            assert!((before(length) - expected).abs() < 1e-12, "{length}: {}", before(length));
        }
    }
}
