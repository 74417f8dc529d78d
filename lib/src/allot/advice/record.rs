//! How right predicted queue times would have been, had they been asked for before.

use serde::Serialize;

use super::outcome::Spread;
use crate::units::Seconds;

/// A predicted queue time and what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// As predicted.
    pub queue: Spread,
    /// As it was.
    pub actual: Seconds,
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
}

impl Record {
    /// Of some cases; `None` of none. A range that is not known is taken to end at its median.
    pub fn of(cases: &[Case]) -> Option<Record> {
        let count = |is: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| is(case)).count();
        let share = |is: &dyn Fn(&Case) -> bool| count(is) as f64 / cases.len() as f64;
        let mean = |of: &dyn Fn(&Case) -> f64| cases.iter().map(of).sum::<f64>() / cases.len() as f64;
        let actual = |case: &Case| case.actual.0 as f64;
        let error = |case: &Case| (case.queue.median - actual(case)).abs();
        let earlier = |case: &Case| actual(case) < case.queue.p10.unwrap_or(case.queue.median);
        let later = |case: &Case| actual(case) > case.queue.p90.unwrap_or(case.queue.median);
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
        })
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
        assert_eq!(Record::of(&[]), None);
        assert_eq!(Record::of(&cases[3..]).unwrap().nearer, None);
    }
}
