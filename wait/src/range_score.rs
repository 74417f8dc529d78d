//! How good a range is: narrow, and seldom missed.

use serde::Serialize;

use super::Calibration;
use queuecast_core::stats::{self, Percentiles};
use queuecast_core::units::Seconds;

/// The share of waits that a range from the 10th to the 90th percentile leaves out.
const OUTSIDE: f64 = 0.2;

/// The fewest past jobs on which two kinds of ranges are compared.
const FEWEST: usize = 30;

/// The interval score of a range from the 10th to the 90th percentile, in seconds: less is better.
///
/// # Formula
/// `(high − low) + 2 / 0.2 · d`, where `d` is how far the actual value lies outside (Gneiting & Raftery 2007, equation 43).
pub fn interval_score(low: f64, high: f64, actual: f64) -> f64 {
    let missed = (low - actual).max(actual - high).max(0.0);
    (high - low) + 2.0 / OUTSIDE * missed
}

/// The ranges of corrected waits beside the range of past waits, on a site's own past.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RangeComparison {
    /// Past jobs compared.
    pub cases: usize,
    /// Mean interval score of the corrected ranges, in seconds.
    pub score: f64,
    /// Mean interval score of the ranges of the waits known before each job, in seconds.
    pub usual_score: f64,
}

impl RangeComparison {
    /// Whether the range of past waits is the better one.
    pub fn is_worse(&self) -> bool {
        self.score > self.usual_score
    }
}

fn ends(waits: &[Seconds]) -> Option<(f64, f64)> {
    let found = Percentiles::of(waits.iter().map(|wait| wait.0).collect())?;
    Some((found.p10 as f64, found.p90 as f64))
}

impl Calibration {
    /// The waits it knows, ascending.
    pub fn past_waits(&self) -> Vec<Seconds> {
        let mut waits: Vec<Seconds> = self.lessons().iter().map(|lesson| lesson.wait).collect();
        waits.sort_unstable();
        waits
    }

    /// How the ranges of its answers compare with the range of past waits: each lesson is asked about with the lessons that
    /// were known when its job was submitted. `None` if fewer than 30 can be asked about.
    pub fn compare_ranges(&self) -> Option<RangeComparison> {
        let scores = self.lessons().iter().filter_map(|lesson| {
            let known = Calibration::before(self.lessons(), lesson.started - lesson.wait, usize::MAX)?;
            let actual = lesson.wait.0 as f64;
            let score = |waits: &[Seconds]| ends(waits).map(|(low, high)| interval_score(low, high, actual));
            score(&known.answer(&lesson.question)).zip(score(&known.past_waits()))
        });
        let scores: Vec<(f64, f64)> = scores.collect();
        (scores.len() >= FEWEST).then(|| RangeComparison {
            cases: scores.len(),
            score: stats::mean(scores.iter().map(|one| one.0)),
            usual_score: stats::mean(scores.iter().map(|one| one.1)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lesson, WaitQuestion};
    use queuecast_core::units::{Procs, Time};

    #[test]
    fn a_miss_costs_ten_times_its_distance() {
        assert_eq!(interval_score(10.0, 30.0, 10.0), 20.0);
        assert_eq!(interval_score(10.0, 30.0, 30.0), 20.0);
        assert_eq!(interval_score(10.0, 30.0, 8.0), 40.0);
        assert_eq!(interval_score(10.0, 30.0, 33.0), 50.0);
    }

    /// A lesson every day: predicted and actual wait.
    fn lessons(waits: impl Iterator<Item = (i64, i64)>) -> Vec<Lesson> {
        let lesson = |(day, (predicted, wait)): (i64, (i64, i64))| Lesson {
            question: WaitQuestion::new([Seconds(predicted)].into_iter(), Procs(4), Seconds(3600)),
            wait: Seconds(wait),
            started: Time(86_400 * day + wait),
        };
        (0..).zip(waits).map(lesson).collect()
    }

    #[test]
    fn ranges_are_compared_on_what_was_known_before() {
        let compared =
            |waits: Vec<(i64, i64)>| Calibration::of(lessons(waits.into_iter())).unwrap().compare_ranges();
        // Predictions that come true are narrower than all waits together.
        let right =
            compared((0..100).map(|day| (day * 37 % 60 * 100, day * 37 % 60 * 100)).collect()).unwrap();
        assert!(right.cases == 70 && right.score < right.usual_score / 2.0 && !right.is_worse(), "{right:?}");
        // All are predicted alike, and the answer comes from the earliest of those alike, which did not wait; later ones did.
        let wrong = compared((0..200).map(|day| (5, if day < 100 { 0 } else { 5000 })).collect()).unwrap();
        assert!(wrong.cases == 170 && wrong.is_worse(), "{wrong:?}");
        assert_eq!(compared((0..50).map(|_| (5, 5)).collect()), None, "20 could be asked about");
        let same = compared((0..80).map(|_| (5, 5)).collect()).unwrap();
        assert!(same.score == same.usual_score && !same.is_worse());
    }
}
