//! Confidence intervals of scores by a block bootstrap: whole weeks are drawn with replacement, since the jobs of one week
//! have much in common and do not count as independent.

use queuecast_core::order;
use std::collections::BTreeMap;

use rand::RngExt;
use serde::Serialize;

use queuecast_core::seed::Seed;
use queuecast_core::units::Time;

/// How often weeks are drawn.
pub const REPLICATES: usize = 1000;

/// What is left out on either side of an interval.
const TAIL: f64 = 0.025;

/// The confidence intervals of a method's measures, by name: the 2.5 % and the 97.5 % quantile.
pub type ScoreIntervals = BTreeMap<&'static str, [f64; 2]>;

/// What a method has more than another: 95 % confidence intervals. Where one holds zero, the two methods cannot be told apart by
/// that measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodDifferences {
    /// The other method.
    pub to: String,
    /// By measure.
    #[serde(flatten)]
    pub measures: ScoreIntervals,
}

/// A measure that is a ratio of two sums over jobs.
#[derive(Debug, Clone, Copy)]
pub struct RatioMeasure {
    /// Its name in results.
    pub name: &'static str,
    /// The ratio is multiplied by this: 100 for percentages.
    pub scale: f64,
}

impl RatioMeasure {
    /// A mean: a sum by a number.
    pub const fn mean(name: &'static str) -> RatioMeasure {
        RatioMeasure { name, scale: 1.0 }
    }

    /// A share, in percent.
    pub const fn percent(name: &'static str) -> RatioMeasure {
        RatioMeasure { name, scale: 100.0 }
    }
}

/// The two sums of each measure of one method, week by week. Weeks are counted from the beginning of the log; those without a
/// scored job are left out.
#[derive(Debug, Clone, Default)]
pub struct WeeklySums(BTreeMap<i64, Vec<(f64, f64)>>);

impl WeeklySums {
    /// Adds a job submitted at this instant: for each measure what it adds to the sum above and below.
    pub fn add(&mut self, submit: Time, sums: &[(f64, f64)]) {
        let week =
            self.0.entry(submit.0.div_euclid(7 * 86_400)).or_insert_with(|| vec![(0.0, 0.0); sums.len()]);
        for (total, sum) in week.iter_mut().zip(sums) {
            (total.0, total.1) = (total.0 + sum.0, total.1 + sum.1);
        }
    }

    /// How many weeks have a job.
    pub fn weeks(&self) -> usize {
        self.0.len()
    }
}

/// The measures of several methods in every replicate: all methods meet the same weeks, so that they can be compared.
#[derive(Debug)]
pub struct Resampled<'a> {
    measures: &'a [RatioMeasure],
    /// By method and measure; not a number where the sum below is zero.
    values: Vec<Vec<Vec<f64>>>,
}

impl<'a> Resampled<'a> {
    /// Draws as many weeks as there are, with replacement. The draws depend on the number of weeks only.
    pub fn of(measures: &'a [RatioMeasure], methods: &[&WeeklySums]) -> Resampled<'a> {
        let weeks: Vec<Vec<&Vec<(f64, f64)>>> =
            methods.iter().map(|sums| sums.0.values().collect()).collect();
        let count = weeks.iter().map(Vec::len).min().unwrap_or(0);
        let mut values = vec![vec![Vec::new(); measures.len()]; methods.len()];
        // The spread of one week is unknown.
        let replicates = if count < 2 { 0 } else { REPLICATES };
        let mut stream = Seed(0).stream("bootstrap over weeks");
        for _ in 0..replicates {
            let mut times = vec![0.0; count];
            for _ in 0..count {
                times[stream.random_range(0..count)] += 1.0;
            }
            for (of_method, weeks) in values.iter_mut().zip(&weeks) {
                for (place, (of_measure, measure)) in of_method.iter_mut().zip(measures).enumerate() {
                    let (mut above, mut below) = (0.0, 0.0);
                    for (times, week) in times.iter().zip(weeks) {
                        above += times * week[place].0;
                        below += times * week[place].1;
                    }
                    of_measure.push(if below > 0.0 { measure.scale * above / below } else { f64::NAN });
                }
            }
        }
        Resampled { measures, values }
    }

    /// The intervals of a method's measures; none with fewer than two weeks.
    pub fn intervals(&self, method: usize) -> ScoreIntervals {
        self.collect(|measure| self.values[method][measure].clone())
    }

    /// The intervals of what a method has more than another.
    pub fn differences(&self, method: usize, to: usize) -> ScoreIntervals {
        self.collect(|measure| {
            let pairs = self.values[method][measure].iter().zip(&self.values[to][measure]);
            pairs.map(|(one, other)| one - other).collect()
        })
    }

    /// The interval of the change from another method to this one in a measure, as a share of the other.
    pub fn relative(&self, measure: usize, method: usize, from: usize) -> Option<[f64; 2]> {
        let pairs = self.values[method][measure].iter().zip(&self.values[from][measure]);
        interval(pairs.map(|(one, other)| one / other - 1.0).collect())
    }

    /// Those of a method from the first one, which is called `first`; none of itself.
    pub fn beside_first(&self, method: usize, first: &str) -> Option<MethodDifferences> {
        let measures = || self.differences(method, 0);
        (method > 0).then(|| MethodDifferences { to: first.to_owned(), measures: measures() })
    }

    fn collect(&self, values: impl Fn(usize) -> Vec<f64>) -> ScoreIntervals {
        let named = self.measures.iter().enumerate();
        order::map_of(named.filter_map(|(place, measure)| Some((measure.name, interval(values(place))?))))
    }
}

/// The middle 95 % of these values (nearest rank); `None` of fewer than two. What is no number does not count.
fn interval(mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.retain(|value| value.is_finite());
    order::sort_floats(&mut values);
    let rank =
        |share: f64| values[((share * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1];
    (values.len() > 1).then(|| [rank(TAIL), rank(1.0 - TAIL)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MEASURES: [RatioMeasure; 2] = [RatioMeasure::percent("share"), RatioMeasure::mean("mean")];
    const WEEK: i64 = 7 * 86_400;

    /// A method by its jobs: week, hit or not, loss.
    fn sums(jobs: &[(i64, bool, f64)]) -> WeeklySums {
        let mut sums = WeeklySums::default();
        for &(week, hit, loss) in jobs {
            sums.add(Time(week * WEEK + 5), &[(f64::from(hit), 1.0), (loss, 1.0)]);
        }
        sums
    }

    #[test]
    fn identical_weeks_have_an_interval_of_no_width() {
        let jobs: Vec<_> = (0..40).map(|job| (job / 4, job % 4 == 0, 7.0)).collect();
        let method = sums(&jobs);
        assert_eq!(method.weeks(), 10);
        let intervals = Resampled::of(&MEASURES, &[&method]).intervals(0);
        assert_eq!(intervals, BTreeMap::from([("share", [25.0, 25.0]), ("mean", [7.0, 7.0])]));
    }

    #[test]
    fn a_method_better_in_every_week_is_told_apart() {
        // Weeks differ by far more than the methods do, and yet one is always ahead.
        let jobs = |ahead: f64| -> Vec<_> {
            (0..60).map(|job| (job / 3, true, f64::from(job as i32 % 7 * 1000) + ahead)).collect()
        };
        let (one, other) = (sums(&jobs(5.0)), sums(&jobs(0.0)));
        let resampled = Resampled::of(&MEASURES, &[&other, &one]);
        let [low, high] = resampled.differences(1, 0)["mean"];
        assert!((low - 5.0).abs() < 1e-6 && (high - 5.0).abs() < 1e-6, "{low} {high}");
        let [low, high] = resampled.intervals(0)["mean"];
        assert!(high - low > 100.0, "control: alone, they cannot be told apart");
        assert_eq!(resampled.differences(0, 0)["mean"], [0.0, 0.0]);
        // Better in one half of the weeks and worse in the other.
        let turns: Vec<_> = jobs(0.0)
            .into_iter()
            .map(|(week, hit, loss)| (week, hit, if week % 2 == 0 { loss + 9.0 } else { loss - 9.0 }))
            .collect();
        let [low, high] = Resampled::of(&MEASURES, &[&other, &sums(&turns)]).differences(1, 0)["mean"];
        assert!(low < 0.0 && high > 0.0, "{low} {high}");
    }

    #[test]
    fn one_week_has_no_interval_and_empty_sums_do_not_count() {
        assert!(
            Resampled::of(&MEASURES, &[&sums(&[(0, true, 1.0), (0, false, 2.0)])]).intervals(0).is_empty()
        );
        let mut method = WeeklySums::default();
        method.add(Time(0), &[(0.0, 0.0), (1.0, 1.0)]);
        method.add(Time(WEEK), &[(0.0, 0.0), (1.0, 1.0)]);
        assert_eq!(
            Resampled::of(&MEASURES, &[&method]).intervals(0),
            BTreeMap::from([("mean", [1.0, 1.0])]),
            "a share of nothing"
        );
    }

    proptest! {
        /// Against drawing the jobs of whole weeks one by one.
        #[test]
        fn sums_of_weeks_are_as_good_as_their_jobs(
            jobs in prop::collection::vec((0_i64..6, any::<bool>(), 0.0_f64..100.0), 2..40),
        ) {
            let method = sums(&jobs);
            let fast = Resampled::of(&MEASURES, &[&method]).intervals(0);
            let mut weeks: Vec<i64> = jobs.iter().map(|job| job.0).collect();
            weeks.sort_unstable();
            weeks.dedup();
            prop_assert_eq!(fast.is_empty(), weeks.len() < 2);
            let mut stream = Seed(0).stream("bootstrap over weeks");
            let (mut shares, mut means) = (Vec::new(), Vec::new());
            for _ in 0..if weeks.len() < 2 { 0 } else { REPLICATES } {
                let mut drawn = Vec::new();
                for _ in 0..weeks.len() {
                    let week = weeks[stream.random_range(0..weeks.len())];
                    drawn.extend(jobs.iter().filter(|job| job.0 == week));
                }
                let mean = |of: &dyn Fn(&(i64, bool, f64)) -> f64| {
                    drawn.iter().copied().map(of).sum::<f64>() / drawn.len() as f64
                };
                shares.push(100.0 * mean(&|job| f64::from(job.1)));
                means.push(mean(&|job| job.2));
            }
            for (name, values) in [("share", shares), ("mean", means)] {
                if let Some(slow) = interval(values) {
                    for (one, other) in fast[name].iter().zip(slow) {
                        prop_assert!((one - other).abs() < 1e-9, "{} {} {}", name, one, other);
                    }
                }
            }
        }
    }
}
