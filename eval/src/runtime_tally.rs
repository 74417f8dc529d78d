//! What is said about a method that predicts run times, and the sums behind it.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::bootstrap::{MethodDifferences, RatioMeasure, ScoreIntervals, WeeklySums};
use super::limit_tally::{LimitScore, LimitTally};
use super::predictions::{RanFor, SaidRun};
use super::range_tally::{CalibrationPoint, MonthScore, RangeTally};
use queuecast_core::units::{Seconds, Time};

/// How right a method was about run times. In JSON, the measures at submission also stand beside the method's name.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeScore {
    /// The method.
    pub method: String,
    /// Jobs scored.
    pub jobs: usize,
    /// Their mean run time in seconds.
    pub mean_run_time: f64,
    /// As each job was submitted.
    pub at_submission: RuntimeMeasures,
    /// As each job started.
    pub at_start: RuntimeMeasures,
    /// How long predicting and learning took, where a clock was given.
    pub seconds: Option<f64>,
}

impl Serialize for RuntimeScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct RuntimeScoreFields<'a> {
            method: &'a str,
            jobs: usize,
            mean_run_time: f64,
            #[serde(flatten)]
            main: &'a RuntimeMeasures,
            at_submission: &'a RuntimeMeasures,
            at_start: &'a RuntimeMeasures,
            #[serde(skip_serializing_if = "Option::is_none")]
            seconds: Option<f64>,
        }
        let RuntimeScore { method, jobs, mean_run_time, at_submission, at_start, seconds } = self;
        RuntimeScoreFields {
            method,
            jobs: *jobs,
            mean_run_time: *mean_run_time,
            main: at_submission,
            at_submission,
            at_start,
            seconds: *seconds,
        }
        .serialize(serializer)
    }
}

/// How right run times were that were predicted at one moment. Shares are percentages, times are seconds.
///
/// Points are compared with the run time as recorded. Quantiles are compared with it or the requested time, whichever is
/// shorter: systems that stop jobs at their limit take some seconds to do so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuntimeMeasures {
    /// Mean distance of the point from the run time.
    pub mean_absolute_error: f64,
    /// The mean absolute error as a percentage of the mean run time.
    pub percent_of_mean: f64,
    /// Of run times above zero, those predicted within a factor of two; `None` of none.
    pub within_factor_two: Option<f64>,
    /// Mean pinball loss at three levels. All quantiles of a point are the point.
    pub pinball: BTreeMap<&'static str, f64>,
    /// Jobs whose forecast was more than a point.
    pub ranges: usize,
    /// Mean interval score of the range from the 10 % to the 90 % quantile; `None`, as all that follow, of a method that gives
    /// points only. Where it gives a point for some jobs, that is a range of no width.
    pub interval_score_80: Option<f64>,
    /// Run times inside that range.
    pub coverage_80: Option<f64>,
    /// Its mean width.
    pub mean_width_80: Option<f64>,
    /// Coverage month by month.
    pub months: Vec<MonthScore>,
    /// How often run times were not above their predicted quantiles; empty of a method that gives points only.
    pub calibration: Vec<CalibrationPoint>,
    /// The share of run times in each tenth of their predicted distributions; empty of a method that gives points only.
    pub tenths: Vec<f64>,
    /// What shorter time limits at some accepted risks would have done, as advised at submission; empty of a method that gives
    /// points only.
    pub limits: Vec<LimitScore>,
    /// Weeks in which a scored job was submitted.
    pub weeks: usize,
    /// 95 % confidence intervals of the main measures; none with fewer than two weeks.
    pub intervals: ScoreIntervals,
    /// Those of the difference from the first method; `None` for that one.
    pub differences: Option<MethodDifferences>,
}

/// The measures that have confidence intervals, in the order of [`RuntimeTally::add`].
pub(super) const MEASURES: [RatioMeasure; 8] = [
    RatioMeasure::mean("mean_absolute_error"),
    RatioMeasure::percent("percent_of_mean"),
    RatioMeasure::percent("within_factor_two"),
    RatioMeasure::mean("pinball_0.1"),
    RatioMeasure::mean("pinball_0.5"),
    RatioMeasure::mean("pinball_0.9"),
    RatioMeasure::mean("interval_score_80"),
    RatioMeasure::percent("coverage_80"),
];

/// Those of them that points do not have.
pub(super) const OF_RANGES: [&str; 2] = ["interval_score_80", "coverage_80"];

/// What quantiles are compared with: the run time or the requested time, whichever is shorter.
pub(super) fn counted(run: Seconds, limit: Option<Seconds>) -> f64 {
    let run = run.max(Seconds::ZERO);
    limit.map_or(run, |limit| run.min(limit.max(Seconds::ZERO))).0 as f64
}

/// Sums behind [`RuntimeMeasures`].
#[derive(Debug, Default)]
pub(super) struct RuntimeTally {
    jobs: usize,
    error: u128,
    ran: u128,
    /// Run times above zero.
    positive: usize,
    within_two: usize,
    with_range: usize,
    ranges: RangeTally,
    limits: LimitTally,
    weeks: WeeklySums,
}

impl RuntimeTally {
    /// What was said of a job, how long it ran, and what it asked for. Limits count where any were advised.
    pub(super) fn add(
        &mut self,
        said: &SaidRun,
        ran: RanFor,
        limit: Option<Seconds>,
        submit: Time,
        month: String,
    ) {
        self.jobs += 1;
        let RanFor { run, rank } = ran;
        let (point, run) = (Seconds(said.time.point as i64), run.max(Seconds::ZERO));
        let error = point.0.abs_diff(run.0);
        self.error += u128::from(error);
        self.ran += u128::from(run.0.unsigned_abs());
        let (actual, point) = (run.0 as f64, said.time.point);
        let within = run > Seconds::ZERO && point >= actual / 2.0 && point <= actual * 2.0;
        self.positive += usize::from(run > Seconds::ZERO);
        self.within_two += usize::from(within);
        self.with_range += usize::from(said.is_range);
        let range = self.ranges.add(&said.time, rank, counted(run, limit), month);
        if let (Some(limits), Some(asked)) = (&said.limits, limit) {
            self.limits.add(limits, run, asked);
        }
        let [low, middle, high] = range.pinball;
        let sums: [(f64, f64); MEASURES.len()] = [
            (error as f64, 1.0),
            (error as f64, actual),
            (f64::from(within), f64::from(run > Seconds::ZERO)),
            (low, 1.0),
            (middle, 1.0),
            (high, 1.0),
            (range.interval_score, 1.0),
            (f64::from(range.inside), 1.0),
        ];
        self.weeks.add(submit, &sums);
    }

    pub(super) fn weeks(&self) -> &WeeklySums {
        &self.weeks
    }

    pub(super) fn jobs(&self) -> usize {
        self.jobs
    }

    pub(super) fn mean_run_time(&self) -> f64 {
        self.ran as f64 / self.jobs.max(1) as f64
    }

    /// All but what several methods are needed for.
    pub(super) fn measures(&self) -> RuntimeMeasures {
        let percent = |count: f64, of: f64| if of > 0.0 { 100.0 * count / of } else { 0.0 };
        let ranges = self.with_range > 0;
        let mut months = self.ranges.months();
        if !ranges {
            months.iter_mut().for_each(|month| month.coverage_80 = None);
        }
        RuntimeMeasures {
            mean_absolute_error: self.error as f64 / self.jobs.max(1) as f64,
            percent_of_mean: percent(self.error as f64, self.ran as f64),
            within_factor_two: (self.positive > 0)
                .then(|| percent(self.within_two as f64, self.positive as f64)),
            pinball: self.ranges.pinball(),
            ranges: self.with_range,
            interval_score_80: ranges.then(|| self.ranges.interval_score()),
            coverage_80: ranges.then(|| self.ranges.coverage()),
            mean_width_80: ranges.then(|| self.ranges.width()),
            months,
            calibration: if ranges { self.ranges.calibration() } else { Vec::new() },
            tenths: if ranges { self.ranges.tenths() } else { Vec::new() },
            limits: if ranges && self.limits.jobs() > 0 { self.limits.scores() } else { Vec::new() },
            weeks: self.weeks.weeks(),
            intervals: ScoreIntervals::new(),
            differences: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictions::TimeRank;
    use queuecast_sim::predict::Forecast;

    fn add(tally: &mut RuntimeTally, forecast: &Forecast, run: i64, limit: Option<i64>) {
        let (run, limit) = (Seconds(run), limit.map(Seconds));
        let rank = TimeRank::of(&forecast.distribution(), counted(run, limit));
        tally.add(&SaidRun::of(forecast), RanFor { run, rank }, limit, Time(0), "1".into());
    }

    #[test]
    fn numbers_are_worked_by_hand() {
        let mut tally = RuntimeTally::default();
        // 80 to 120 with a level of 80 %, ran 90.
        let forecast = Forecast::around(100.0, 20.0, 0.8);
        add(&mut tally, &forecast, 90, None);
        // Ran 300: thrice the point. Its limit of 110 is inside the range.
        add(&mut tally, &forecast, 300, Some(110));
        // Nothing is within a factor of two of zero, and so it does not count there.
        add(&mut tally, &Forecast::exactly(Seconds(60)), 0, None);
        let measures = tally.measures();
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        close(measures.mean_absolute_error, (10.0 + 200.0 + 60.0) / 3.0);
        close(measures.percent_of_mean, 100.0 * 270.0 / 390.0);
        assert_eq!((tally.jobs(), tally.mean_run_time()), (3, 130.0));
        assert_eq!((measures.within_factor_two, measures.ranges, measures.weeks), (Some(50.0), 2, 1));
        close(measures.pinball["0.5"], (0.5 * 10.0 + 0.5 * 10.0 + 0.5 * 60.0) / 3.0);
        close(measures.interval_score_80.unwrap(), (40.0 + 40.0 + 600.0) / 3.0);
        close(measures.coverage_80.unwrap(), 200.0 / 3.0);
        close(measures.mean_width_80.unwrap(), 80.0 / 3.0);
    }

    #[test]
    fn points_have_no_coverage() {
        let mut tally = RuntimeTally::default();
        add(&mut tally, &Forecast::exactly(Seconds(60)), 60, None);
        let measures = tally.measures();
        assert_eq!(
            (measures.coverage_80, measures.interval_score_80, measures.mean_width_80),
            (None, None, None)
        );
        assert_eq!((measures.within_factor_two, measures.calibration.len()), (Some(100.0), 0));
        assert_eq!(measures.months[0].coverage_80, None);
    }
}
