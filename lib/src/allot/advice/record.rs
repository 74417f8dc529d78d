//! How right predicted queue times would have been, had they been asked for before.

use serde::Serialize;

use super::calibration::{Calibration, Lesson};
use super::outcome::Spread;
use crate::units::Seconds;

/// A predicted queue time and what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// As predicted.
    pub queue: Spread,
    /// As it was.
    pub actual: Seconds,
    /// What whoever knows nothing but past waits would have said: theirs, whatever is asked.
    pub usual: Option<Spread>,
}

impl Case {
    /// A predicted queue time, what became of it, and the past waits known when it was asked for.
    pub fn of(queue: Spread, actual: Seconds, calibration: Option<&Calibration>) -> Case {
        let waits = calibration.and_then(|known| Spread::of(known.lessons().iter().map(Lesson::wait)));
        Case { queue, actual, usual: waits }
    }
}

/// How right many of them were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Record {
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
    /// Mean actual queue time: the mean error of whoever says "at once" of every job.
    pub mean_wait: f64,
    /// The share of jobs whose predicted median was nearer to the truth than "at once", of those where one was nearer.
    pub nearer: Option<f64>,
    /// How wide the ranges are.
    pub width: Width,
    /// How right, and how wide, whoever says the same of every job would have been, by past waits alone; if these are known
    /// for every case.
    pub usual: Option<Usual>,
}

/// How wide ranges are; narrow ones that hold as much are worth more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Width {
    /// Mean distance of their ends, in seconds.
    pub mean: f64,
    /// How many times longer their long ends are than their short ones.
    ///
    /// # Formula
    /// The geometric mean of `(p90 + 60 s) / (p10 + 60 s)`.
    pub factor: f64,
}

/// The trivial answer: the median and the range of the site's past waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Usual {
    /// The share that lay within its range.
    pub inside: f64,
    /// Mean distance of its median from the actual queue time, in seconds.
    pub mean_error: f64,
    /// How wide it is.
    pub width: Width,
}

/// Where a range begins and ends; one that is not known at its median.
fn ends(spread: &Spread) -> (f64, f64) {
    (spread.p10.unwrap_or(spread.median), spread.p90.unwrap_or(spread.median))
}

impl Width {
    fn of<'a>(spreads: impl Iterator<Item = &'a Spread>) -> Width {
        let (mut count, mut mean, mut log) = (0.0_f64, 0.0, 0.0);
        for (low, high) in spreads.map(ends) {
            count += 1.0;
            mean += high - low;
            log += ((high + 60.0) / (low + 60.0)).ln();
        }
        Width { mean: mean / count, factor: (log / count).exp() }
    }
}

impl Record {
    /// Of some cases; `None` of none. A range that is not known is taken to end at its median.
    pub fn of(cases: &[Case]) -> Option<Record> {
        let count = |is: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| is(case)).count();
        let share = |is: &dyn Fn(&Case) -> bool| count(is) as f64 / cases.len() as f64;
        let mean = |of: &dyn Fn(&Case) -> f64| cases.iter().map(of).sum::<f64>() / cases.len() as f64;
        let actual = |case: &Case| case.actual.0 as f64;
        let error = |case: &Case| (case.queue.median - actual(case)).abs();
        let earlier = |case: &Case| actual(case) < ends(&case.queue).0;
        let later = |case: &Case| actual(case) > ends(&case.queue).1;
        let nearer = count(&|case| error(case) < actual(case));
        let differ = count(&|case| error(case) != actual(case));
        (!cases.is_empty()).then(|| Record {
            cases: cases.len(),
            inside: share(&|case| !earlier(case) && !later(case)),
            earlier: share(&earlier),
            later: share(&later),
            mean_error: mean(&error),
            mean_wait: mean(&actual),
            nearer: (differ > 0).then(|| nearer as f64 / differ as f64),
            width: Width::of(cases.iter().map(|case| &case.queue)),
            usual: Record::usual(cases),
        })
    }

    fn usual(cases: &[Case]) -> Option<Usual> {
        let usual: Option<Vec<Case>> = cases
            .iter()
            .map(|case| case.usual.map(|usual| Case { queue: usual, usual: None, ..*case }))
            .collect();
        let record = Record::of(&usual?)?;
        Some(Usual { inside: record.inside, mean_error: record.mean_error, width: record.width })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_by_hand() {
        let case = |low: f64, median: f64, high: f64, actual: i64| Case {
            queue: Spread { p10: Some(low), median, p90: Some(high), mean: None },
            actual: Seconds(actual),
            usual: Some(Spread { p10: None, median: 30.0, p90: Some(90.0), mean: None }),
        };
        // Inside at its end, later, earlier, inside and right; the last alike for both.
        let cases = [
            case(0.0, 50.0, 100.0, 100),
            case(0.0, 10.0, 20.0, 70),
            case(50.0, 90.0, 99.0, 40),
            case(0.0, 0.0, 0.0, 0),
        ];
        let record = Record::of(&cases).unwrap();
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
        assert_eq!(Record::of(&[Case { usual: None, ..cases[0] }, cases[1]]).unwrap().usual, None);
        assert_eq!(Record::of(&[]), None);
        assert_eq!(Record::of(&cases[3..]).unwrap().nearer, None);
    }
}
