//! What is said about a method that predicts waits, and the sums behind it.

use std::collections::BTreeMap;

use queuecast_core::order;
use serde::Serialize;

use super::bootstrap::{MethodDifferences, RatioMeasure, ScoreIntervals, WeeklySums};
use super::predictions::{SaidWait, TimeRank};
use super::range_tally::{CalibrationPoint, MonthScore, RangeTally};
use queuecast_core::stats;
use queuecast_core::units::{Seconds, Time};
use queuecast_wait::{WAIT_CLASSES, class_of};

/// How right a method was. Shares are percentages, times are seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitScore {
    /// The method.
    pub method: String,
    /// Jobs scored.
    pub jobs: usize,
    /// The class of the predicted wait is the class of the wait.
    pub one_class: f64,
    /// One of the two classes named is.
    pub two_class: f64,
    /// One of the three is.
    pub three_class: f64,
    /// What always naming the most frequent class of these jobs comes to.
    pub majority_class: f64,
    /// How much of what that leaves wrong is right: 100 is perfect, 0 as good as the most frequent class; `None` where that is
    /// always right.
    ///
    /// # Formula
    /// `100 · (one_class − majority_class) / (100 − majority_class)`
    pub one_class_skill: Option<f64>,
    /// Jobs that waited for more than an hour: all classes but the first.
    pub long_jobs: usize,
    /// The accuracy of one class among them; `None` of none.
    pub one_class_long: Option<f64>,
    /// Of two classes.
    pub two_class_long: Option<f64>,
    /// Of three classes.
    pub three_class_long: Option<f64>,
    /// Mean of `|median − actual wait| / (actual wait + requested time)`, of the predicted median, which is what users are shown.
    pub response_error: f64,
    /// The response error of the number that is expected to be least wrong by this measure, which users are shown too.
    pub response_point_error: f64,
    /// The response error of the method's own point, as Kumar & Vadhiyar 2014 measure it.
    pub own_point_error: f64,
    /// Mean square of `log10 (median + 60 s) − log10 (actual wait + 60 s)`.
    pub log10_mse: f64,
    /// Of waits above ten minutes, those whose predicted median is within a factor of two; `None` of none.
    pub within_factor_two: Option<f64>,
    /// Mean pinball loss at three levels.
    pub pinball: BTreeMap<&'static str, f64>,
    /// Mean interval score of the range from the 10 % to the 90 % quantile.
    ///
    /// # Formula
    /// `high − low + 10 · (low − wait)⁺ + 10 · (wait − high)⁺`
    pub interval_score_80: f64,
    /// How much less that is than the one of the method `past`; `None` where that was not scored or has none.
    ///
    /// # Formula
    /// `100 · (1 − interval_score_80 / interval_score_80 of past)`
    pub interval_skill: Option<f64>,
    /// Waits inside that range.
    pub coverage_80: f64,
    /// Its mean width.
    pub mean_width_80: f64,
    /// Coverage month by month.
    pub months: Vec<MonthScore>,
    /// Of the waits of each class, from 1 to 6, those whose predicted class is theirs; classes without waits are left out.
    pub recall: BTreeMap<usize, f64>,
    /// How many waits of each class (rows) were predicted to be in each class (columns).
    pub confusion: [[usize; WAIT_CLASSES]; WAIT_CLASSES],
    /// How often waits were not above their predicted quantiles.
    pub calibration: Vec<CalibrationPoint>,
    /// The share of waits in each tenth of their predicted distributions.
    pub tenths: Vec<f64>,
    /// Weeks that have a scored job.
    pub weeks: usize,
    /// 95 % confidence intervals of the main measures; none with fewer than two weeks.
    pub intervals: ScoreIntervals,
    /// Those of the difference from the first method; `None` for that one.
    pub differences: Option<MethodDifferences>,
    /// How long predicting and learning took, where a clock was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// The measures that have confidence intervals, in the order of [`WaitTally::add`].
pub(super) const MEASURES: [RatioMeasure; 16] = [
    RatioMeasure::percent("one_class"),
    RatioMeasure::percent("two_class"),
    RatioMeasure::percent("three_class"),
    RatioMeasure::percent("one_class_long"),
    RatioMeasure::percent("two_class_long"),
    RatioMeasure::percent("three_class_long"),
    RatioMeasure::percent("response_error"),
    RatioMeasure::percent("response_point_error"),
    RatioMeasure::percent("own_point_error"),
    RatioMeasure::mean("log10_mse"),
    RatioMeasure::percent("within_factor_two"),
    RatioMeasure::mean("pinball_0.1"),
    RatioMeasure::mean("pinball_0.5"),
    RatioMeasure::mean("pinball_0.9"),
    RatioMeasure::mean("interval_score_80"),
    RatioMeasure::percent("coverage_80"),
];

/// Waits above this count for the factor of two, in seconds.
const LONG: f64 = 600.0;

/// Added to waits before their logarithm is taken, in seconds.
const UNIT: f64 = 60.0;

/// Sums behind a [`WaitScore`].
#[derive(Debug, Default)]
pub(super) struct WaitTally {
    jobs: usize,
    /// One, two and three classes.
    named: [usize; 3],
    /// One, two and three classes, of waits above the first class.
    named_long: [usize; 3],
    confusion: [[usize; WAIT_CLASSES]; WAIT_CLASSES],
    /// Response errors of the median, the response point and the method's own point.
    response: [Vec<f64>; 3],
    logs: Vec<f64>,
    long: usize,
    within_two: usize,
    ranges: RangeTally,
    weeks: WeeklySums,
}

impl WaitTally {
    /// What was said of a job that started, after how long it did, and where that lies in what was said.
    pub(super) fn add(
        &mut self,
        said: &SaidWait,
        (wait, rank): (Seconds, TimeRank),
        request: Seconds,
        submit: Time,
        month: String,
    ) {
        let wait = wait.0 as f64;
        self.jobs += 1;
        let class = class_of(wait);
        let named = said.named;
        let hits = [named.one == class, named.names_two(class), named.names_three(class)];
        for (place, &hit) in hits.iter().enumerate() {
            self.named[place] += usize::from(hit);
            self.named_long[place] += usize::from(hit && class > 0);
        }
        self.confusion[class][named.one] += 1;
        let response = Some(wait + request.0.max(0) as f64).filter(|&response| response > 0.0);
        let median = said.time.median();
        let errors = [median, said.response_point, said.time.point]
            .map(|answer| response.map(|response| (answer - wait).abs() / response));
        for (kept, error) in self.response.iter_mut().zip(errors) {
            kept.extend(error);
        }
        let log = ((median + UNIT) / (wait + UNIT)).log10().powi(2);
        self.logs.push(log);
        let within_two = median >= wait / 2.0 && median <= wait * 2.0;
        if wait > LONG {
            self.long += 1;
            self.within_two += usize::from(within_two);
        }
        let range = self.ranges.add(&said.time, rank, wait, month);
        let share = |hit: bool, counts: bool| (f64::from(hit && counts), f64::from(counts));
        let sum_of = |error: Option<f64>| error.map_or((0.0, 0.0), |error| (error, 1.0));
        let [one, two, three] = hits;
        let [low, middle, high] = range.pinball;
        let sums: [(f64, f64); MEASURES.len()] = [
            share(one, true),
            share(two, true),
            share(three, true),
            share(one, class > 0),
            share(two, class > 0),
            share(three, class > 0),
            sum_of(errors[0]),
            sum_of(errors[1]),
            sum_of(errors[2]),
            (log, 1.0),
            share(within_two, wait > LONG),
            (low, 1.0),
            (middle, 1.0),
            (high, 1.0),
            (range.interval_score, 1.0),
            share(range.inside, true),
        ];
        self.weeks.add(submit, &sums);
    }

    pub(super) fn weeks(&self) -> &WeeklySums {
        &self.weeks
    }

    /// All but what several methods are needed for.
    pub(super) fn score(&self, method: String) -> WaitScore {
        let percent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        let of_class: [usize; WAIT_CLASSES] = self.confusion.map(|row| row.iter().sum());
        let each = (0..WAIT_CLASSES).filter(|&class| of_class[class] > 0);
        let recall = each.map(|class| (class + 1, percent(self.confusion[class][class], of_class[class])));
        let majority_class = percent(of_class.iter().copied().max().unwrap_or(0), self.jobs);
        let one_class = percent(self.named[0], self.jobs);
        let long_jobs: usize = of_class[1..].iter().sum();
        let of_long = |place: usize| (long_jobs > 0).then(|| percent(self.named_long[place], long_jobs));
        let left = 100.0 - majority_class;
        let [response_error, response_point_error, own_point_error] =
            self.response.each_ref().map(|errors| 100.0 * stats::mean(errors.iter().copied()));
        WaitScore {
            method,
            jobs: self.jobs,
            one_class,
            two_class: percent(self.named[1], self.jobs),
            three_class: percent(self.named[2], self.jobs),
            majority_class,
            one_class_skill: (left > 0.0).then(|| 100.0 * (one_class - majority_class) / left),
            long_jobs,
            one_class_long: of_long(0),
            two_class_long: of_long(1),
            three_class_long: of_long(2),
            response_error,
            response_point_error,
            own_point_error,
            log10_mse: stats::mean(self.logs.iter().copied()),
            within_factor_two: (self.long > 0).then(|| percent(self.within_two, self.long)),
            pinball: self.ranges.pinball(),
            interval_score_80: self.ranges.interval_score(),
            interval_skill: None,
            coverage_80: self.ranges.coverage(),
            mean_width_80: self.ranges.width(),
            months: self.ranges.months(),
            recall: order::map_of(recall),
            confusion: self.confusion,
            calibration: self.ranges.calibration(),
            tenths: self.ranges.tenths(),
            weeks: self.weeks.weeks(),
            intervals: ScoreIntervals::new(),
            differences: None,
            seconds: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Distribution;
    use queuecast_wait::WaitForecast;

    fn forecast(low: f64, median: f64, high: f64) -> WaitForecast {
        let wait = Distribution::quantiles(&[(0.1, low), (0.5, median), (0.9, high)]).unwrap();
        WaitForecast::new(median, wait)
    }

    fn add(tally: &mut WaitTally, forecast: &WaitForecast, wait: i64, request: i64, at: i64, month: &str) {
        let rank = TimeRank::of(&forecast.wait, wait as f64);
        let said = SaidWait::of(forecast, Seconds(request));
        tally.add(&said, (Seconds(wait), rank), Seconds(request), Time(at), month.into());
    }

    /// Two jobs worked by hand: one inside its range, one that waits for longer.
    #[test]
    fn numbers_are_worked_by_hand() {
        let mut tally = WaitTally::default();
        // Predicted 100 to 300, waited 240 of a request of 760: |200 − 240| / 1000.
        add(&mut tally, &forecast(100.0, 200.0, 300.0), 240, 760, 0, "a");
        // Predicted 1000 to 3000 with 2000, waited 7200: the second class, the first was named.
        add(&mut tally, &forecast(1000.0, 2000.0, 3000.0), 7200, 800, 700_000, "b");
        let score = tally.score("test".into());
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        assert_eq!(
            (score.jobs, score.one_class, score.two_class, score.three_class),
            (2, 50.0, 100.0, 100.0)
        );
        assert_eq!((score.majority_class, score.one_class_skill), (50.0, Some(0.0)));
        let long = (score.one_class_long, score.two_class_long, score.three_class_long);
        assert_eq!((score.long_jobs, long), (1, (Some(0.0), Some(100.0), Some(100.0))));
        close(score.response_error, 100.0 * (40.0 / 1000.0 + 5200.0 / 8000.0) / 2.0);
        close(score.own_point_error, score.response_error);
        assert!(score.response_point_error > score.response_error, "both waits were longer than the medians");
        close(
            score.log10_mse,
            ((260.0_f64 / 300.0).log10().powi(2) + (2060.0_f64 / 7260.0).log10().powi(2)) / 2.0,
        );
        assert_eq!(score.within_factor_two, Some(0.0), "the first wait is too short to count");
        close(score.pinball["0.5"], (0.5 * 40.0 + 0.5 * 5200.0) / 2.0);
        close(score.pinball["0.9"], (0.1 * 60.0 + 0.9 * 4200.0) / 2.0);
        close(score.interval_score_80, (200.0 + 2000.0 + 10.0 * 4200.0) / 2.0);
        close(score.mean_width_80, 1100.0);
        assert_eq!(score.coverage_80, 50.0);
        assert_eq!(score.recall, BTreeMap::from([(1, 100.0), (2, 0.0)]));
        assert_eq!((score.confusion[0][0], score.confusion[1][0], score.confusion[0][1]), (1, 1, 0));
        assert_eq!(score.confusion.iter().flatten().sum::<usize>(), 2);
        let months: Vec<(&str, Option<f64>)> =
            score.months.iter().map(|month| (month.month.as_str(), month.coverage_80)).collect();
        assert_eq!(months, [("a", Some(100.0)), ("b", Some(0.0))]);
        assert_eq!(score.weeks, 2);
    }

    /// The sums of weeks come to the measures themselves: in one week, drawn as often as it is, both are the same.
    #[test]
    fn sums_of_weeks_come_to_the_scores() {
        use super::super::bootstrap::Resampled;
        let mut tally = WaitTally::default();
        for week in 0..3 {
            let at = week * 7 * 86_400;
            add(&mut tally, &forecast(100.0, 200.0, 300.0), 240, 760, at, "a");
            add(&mut tally, &forecast(1000.0, 2000.0, 9000.0), 7200, 800, at, "a");
            add(&mut tally, &forecast(0.0, 9000.0, 9000.0), 7200, 800, at, "a");
        }
        let score = tally.score("test".into());
        let intervals = Resampled::of(&MEASURES, &[tally.weeks()]).intervals(0);
        let all = [
            ("one_class", score.one_class),
            ("two_class", score.two_class),
            ("three_class", score.three_class),
            ("one_class_long", score.one_class_long.unwrap()),
            ("two_class_long", score.two_class_long.unwrap()),
            ("three_class_long", score.three_class_long.unwrap()),
            ("response_error", score.response_error),
            ("response_point_error", score.response_point_error),
            ("own_point_error", score.own_point_error),
            ("log10_mse", score.log10_mse),
            ("within_factor_two", score.within_factor_two.unwrap()),
            ("pinball_0.1", score.pinball["0.1"]),
            ("pinball_0.5", score.pinball["0.5"]),
            ("pinball_0.9", score.pinball["0.9"]),
            ("interval_score_80", score.interval_score_80),
            ("coverage_80", score.coverage_80),
        ];
        assert_eq!(intervals.len(), all.len());
        for (name, value) in all {
            for end in intervals[name] {
                assert!((end - value).abs() < 1e-9, "{name}: {end} {value}");
            }
        }
    }
}
