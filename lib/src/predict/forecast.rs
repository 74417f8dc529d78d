//! What a predictor answers: a distribution with a point in it.

use crate::units::Seconds;

/// Where a run time is expected with some confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The shortest run time in it.
    pub low: Seconds,
    /// The longest run time in it.
    pub high: Seconds,
    per_mille: u16,
}

impl Interval {
    /// How probable it is said to be that the run time lies in it, from 0 to 1.
    pub fn level(&self) -> f64 {
        f64::from(self.per_mille) / 1000.0
    }

    /// Whether a run time lies in it; its ends do.
    pub fn contains(&self, length: Seconds) -> bool {
        (self.low..=self.high).contains(&length)
    }
}

/// A predicted run time. The point is what a scheduler plans with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    point: Seconds,
    interval: Option<Interval>,
}

/// No prediction is longer, so that sums stay within the clock.
const LONGEST: f64 = 1e15;

impl Forecast {
    /// The degenerate distribution: this long, no doubt expressed. Never below one second.
    pub fn exactly(length: Seconds) -> Forecast {
        Forecast { point: length.max(Seconds(1)), interval: None }
    }

    /// So many seconds, and as many to either side at this level of confidence. The point is rounded to whole
    /// seconds and never below one; the interval is widened to whole seconds and never below zero.
    pub fn around(point: f64, half_width: f64, level: f64) -> Forecast {
        let whole = |seconds: f64| Seconds(seconds.clamp(0.0, LONGEST) as i64);
        let interval = Interval {
            low: whole((point - half_width).floor()),
            high: whole((point + half_width).ceil()),
            per_mille: (level.clamp(0.0, 1.0) * 1000.0).round() as u16,
        };
        Forecast { point: whole(point.round()).max(Seconds(1)), interval: Some(interval) }
    }

    /// The one number to plan with.
    pub fn point(&self) -> Seconds {
        self.point
    }

    /// Where the run time is expected, if the predictor says so.
    pub fn interval(&self) -> Option<Interval> {
        self.interval
    }

    /// The length not exceeded with probability `p`. Within the interval it grows linearly, from its low end to
    /// the point and on to its high end; outside, nothing is known, and its ends are given.
    pub fn quantile(&self, p: f64) -> Seconds {
        let Some(interval) = self.interval else { return self.point };
        let tail = (1.0 - interval.level()) / 2.0;
        let (from, to, share) = if p < 0.5 {
            (interval.low.min(self.point), self.point, (p - tail) / (0.5 - tail))
        } else {
            (self.point, interval.high.max(self.point), (p - 0.5) / (0.5 - tail))
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        Seconds(from.0 + ((to - from).0 as f64 * share).round() as i64)
    }

    /// The probability that the job runs for less than `length`: [`Forecast::quantile`] the other way round.
    pub fn probability_before(&self, length: Seconds) -> f64 {
        let certain = if self.point < length { 1.0 } else { 0.0 };
        let Some(interval) = self.interval else { return certain };
        let (low, high) = (interval.low.min(self.point), interval.high.max(self.point));
        if length <= low || length > high {
            return certain;
        }
        let tail = (1.0 - interval.level()) / 2.0;
        let (from, to, start) =
            if length <= self.point { (low, self.point, tail) } else { (self.point, high, 0.5) };
        let width = (to - from).0.max(1) as f64;
        start + (0.5 - tail) * ((length - from).0 as f64 / width)
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
        assert_eq!(forecast.interval(), None);
    }

    #[test]
    fn an_interval_is_widened_to_whole_seconds_and_kept_at_or_above_zero() {
        let forecast = Forecast::around(100.4, 50.2, 0.9);
        let interval = forecast.interval().unwrap();
        assert_eq!(
            (forecast.point(), interval.low, interval.high),
            (Seconds(100), Seconds(50), Seconds(151))
        );
        assert_eq!(interval.level(), 0.9);
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
