//! How right predicted queue times would have been for past jobs.

use serde::Serialize;

use super::prospect::TimeRange;
use queuecast_core::units::Seconds;
use queuecast_wait::{Calibration, interval_score};

/// A predicted queue time and what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastAnswer {
    /// As predicted.
    pub queue: TimeRange,
    /// As it was.
    pub actual: Seconds,
    /// Baseline: the distribution of past waits.
    pub usual: Option<TimeRange>,
    /// Whether the baseline's range would have been shown, since it was the better one on the past known then.
    pub falls_back: bool,
}

impl PastAnswer {
    /// A predicted queue time, what became of it, and the past waits known when it was asked for.
    pub fn of(queue: TimeRange, actual: Seconds, calibration: Option<&Calibration>) -> PastAnswer {
        let waits =
            calibration.and_then(|known| TimeRange::of(known.lessons().iter().map(|lesson| lesson.wait)));
        let ranges = calibration.and_then(Calibration::compare_ranges);
        PastAnswer { queue, actual, usual: waits, falls_back: ranges.is_some_and(|ranges| ranges.is_worse()) }
    }

    /// The range that would have been shown.
    fn shown(&self) -> TimeRange {
        self.usual.filter(|_| self.falls_back).unwrap_or(self.queue)
    }
}

/// How right many of them were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrackRecord {
    /// How many.
    pub cases: usize,
    /// The share that lay within the range from one in ten to nine in ten, its ends included; 0.8 is what it should be,
    /// or more where many start at once for certain.
    pub inside: f64,
    /// The share that started before it.
    pub earlier: f64,
    /// The share that started after it.
    pub later: f64,
    /// Mean distance of the predicted median from the actual queue time, in seconds.
    pub mean_error: f64,
    /// Mean actual queue time: the mean error of the prediction "at once" for every job.
    pub mean_wait: f64,
    /// The share of jobs whose predicted median was nearer to the truth than "at once", of those where one was nearer.
    pub nearer: Option<f64>,
    /// How wide the ranges are.
    pub width: RangeWidth,
    /// Mean interval score of the ranges, in seconds: less is better ([`interval_score`]).
    pub score: f64,
    /// The ranges that would have been shown: those of the baseline where these were better on the past known then.
    pub shown: ShownRanges,
    /// The baseline: the distribution of past waits as the prediction for every job, if it is known for every case.
    pub usual: Option<WaitBaseline>,
}

/// How wide ranges are; narrow ones that hold as much are worth more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RangeWidth {
    /// Mean distance of their ends, in seconds.
    pub mean: f64,
    /// How many times longer their long ends are than their short ones.
    ///
    /// # Formula
    /// The geometric mean of `(p90 + 60 s) / (p10 + 60 s)`.
    pub factor: f64,
}

/// The ranges that would have been shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShownRanges {
    /// The share of cases with the range of the baseline.
    pub usual: f64,
    /// The share that lay within them.
    pub inside: f64,
    /// Their mean interval score, in seconds.
    pub score: f64,
}

/// How right the baseline was: the median and the range of the site's past waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WaitBaseline {
    /// The share that lay within its range.
    pub inside: f64,
    /// Mean distance of its median from the actual queue time, in seconds.
    pub mean_error: f64,
    /// How wide it is.
    pub width: RangeWidth,
    /// Its mean interval score, in seconds.
    pub score: f64,
}

/// The ends of a range; an unknown end is taken at the median.
fn ends(range: &TimeRange) -> (f64, f64) {
    (range.low.unwrap_or(range.median), range.high.unwrap_or(range.median))
}

fn score(range: &TimeRange, actual: f64) -> f64 {
    let (low, high) = ends(range);
    interval_score(low, high, actual)
}

impl RangeWidth {
    fn of<'a>(spreads: impl Iterator<Item = &'a TimeRange>) -> RangeWidth {
        let (mut count, mut mean, mut log) = (0.0_f64, 0.0, 0.0);
        for (low, high) in spreads.map(ends) {
            count += 1.0;
            mean += high - low;
            log += ((high + 60.0) / (low + 60.0)).ln();
        }
        RangeWidth { mean: mean / count, factor: (log / count).exp() }
    }
}

impl TrackRecord {
    /// Of some cases; `None` of none. A range that is not known is taken to end at its median.
    pub fn of(cases: &[PastAnswer]) -> Option<TrackRecord> {
        let count = |is: &dyn Fn(&PastAnswer) -> bool| cases.iter().filter(|case| is(case)).count();
        let share = |is: &dyn Fn(&PastAnswer) -> bool| count(is) as f64 / cases.len() as f64;
        let mean = |of: &dyn Fn(&PastAnswer) -> f64| cases.iter().map(of).sum::<f64>() / cases.len() as f64;
        let actual = |case: &PastAnswer| case.actual.0 as f64;
        let error = |case: &PastAnswer| (case.queue.median - actual(case)).abs();
        let earlier = |case: &PastAnswer| actual(case) < ends(&case.queue).0;
        let later = |case: &PastAnswer| actual(case) > ends(&case.queue).1;
        let nearer = count(&|case| error(case) < actual(case));
        let differ = count(&|case| error(case) != actual(case));
        (!cases.is_empty()).then(|| TrackRecord {
            cases: cases.len(),
            inside: share(&|case| !earlier(case) && !later(case)),
            earlier: share(&earlier),
            later: share(&later),
            mean_error: mean(&error),
            mean_wait: mean(&actual),
            nearer: (differ > 0).then(|| nearer as f64 / differ as f64),
            width: RangeWidth::of(cases.iter().map(|case| &case.queue)),
            score: mean(&|case| score(&case.queue, actual(case))),
            shown: ShownRanges {
                usual: share(&|case| case.falls_back),
                inside: share(&|case| {
                    let (low, high) = ends(&case.shown());
                    (low..=high).contains(&actual(case))
                }),
                score: mean(&|case| score(&case.shown(), actual(case))),
            },
            usual: TrackRecord::usual(cases),
        })
    }

    fn usual(cases: &[PastAnswer]) -> Option<WaitBaseline> {
        let usual: Option<Vec<PastAnswer>> = cases
            .iter()
            .map(|case| {
                case.usual.map(|usual| PastAnswer { queue: usual, usual: None, falls_back: false, ..*case })
            })
            .collect();
        let record = TrackRecord::of(&usual?)?;
        Some(WaitBaseline {
            inside: record.inside,
            mean_error: record.mean_error,
            width: record.width,
            score: record.score,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_by_hand() {
        let case = |low: f64, median: f64, high: f64, actual: i64| PastAnswer {
            queue: TimeRange { low: Some(low), median, high: Some(high), mean: None },
            actual: Seconds(actual),
            usual: Some(TimeRange { low: None, median: 30.0, high: Some(90.0), mean: None }),
            falls_back: false,
        };
        // Inside at its end, later, earlier, inside and right; the last alike for both.
        let cases = [
            case(0.0, 50.0, 100.0, 100),
            case(0.0, 10.0, 20.0, 70),
            case(50.0, 90.0, 99.0, 40),
            case(0.0, 0.0, 0.0, 0),
        ];
        let record = TrackRecord::of(&cases).unwrap();
        assert_eq!((record.cases, record.inside, record.earlier, record.later), (4, 0.5, 0.25, 0.25));
        assert_eq!((record.mean_error, record.mean_wait), ((50.0 + 60.0 + 50.0) / 4.0, 210.0 / 4.0));
        assert_eq!(record.nearer, Some(2.0 / 3.0));
        assert_eq!(record.width.mean, (100.0 + 20.0 + 49.0) / 4.0);
        let factors: f64 = (160.0 / 60.0) * (80.0 / 60.0) * (159.0 / 110.0);
        assert!((record.width.factor - factors.powf(0.25)).abs() < 1e-9);
        // Always 30 s, up to 90 s.
        let usual = record.usual.unwrap();
        assert_eq!((usual.inside, usual.mean_error), (0.5, (70.0 + 40.0 + 10.0 + 30.0) / 4.0));
        assert_eq!(usual.width.mean, 60.0);
        // A miss costs ten times its distance: the second is 50 s after its range, the third 10 s before.
        assert_eq!(record.score, (100.0 + (20.0 + 500.0) + (49.0 + 100.0)) / 4.0);
        // From 30 to 90 s: the first 10 s after, the last 30 s before.
        assert_eq!(usual.score, (160.0 + 60.0 + 60.0 + 360.0) / 4.0);
        assert_eq!(record.shown, ShownRanges { usual: 0.0, inside: 0.5, score: record.score });
        let fallen = cases.map(|case| PastAnswer { falls_back: case.actual == Seconds(70), ..case });
        let shown = TrackRecord::of(&fallen).unwrap().shown;
        assert_eq!((shown.usual, shown.inside, shown.score), (0.25, 0.75, (100.0 + 60.0 + 149.0) / 4.0));
        assert_eq!(TrackRecord::of(&[PastAnswer { usual: None, ..cases[0] }, cases[1]]).unwrap().usual, None);
        assert_eq!(TrackRecord::of(&[]), None);
        assert_eq!(TrackRecord::of(&cases[3..]).unwrap().nearer, None);
    }
}
