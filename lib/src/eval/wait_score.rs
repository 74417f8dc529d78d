//! Walk-forward evaluation of wait predictors on the recorded schedule of a log: each job is predicted when it is submitted,
//! and learned from when it has started. Jobs that were withdrawn are in the queue until they leave it, and are not predicted.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::{EvalError, Watch};
use crate::distribution::Distribution;
use crate::forecast::WaitMethod;
use crate::job::{JobIndex, What};
use crate::parallel;
use crate::site::Replay;
use crate::stats;
use crate::units::{Seconds, Time};
use crate::wait::features::{FeatureTracker, Features};
use crate::wait::{Arrival, NamedClasses, WAIT_CLASSES, WaitForecast, class_of, probabilities};
use crate::workload::Workload;

/// Which jobs are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitWindow {
    /// The first, counted from 1 in order of submission. Those before it are only learned from.
    pub from: usize,
    /// How many at most.
    pub jobs: usize,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
}

impl WaitWindow {
    /// The first job that Kumar & Vadhiyar 2014 predict.
    pub const FROM: usize = 10_001;
}

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
    /// Mean of `|predicted − actual wait| / (actual wait + requested time)`.
    pub response_error: f64,
    /// Mean square of `log10 (predicted wait + 60 s) − log10 (actual wait + 60 s)`.
    pub log10_mse: f64,
    /// Of waits above ten minutes, those predicted within a factor of two; `None` of none.
    pub within_factor_two: Option<f64>,
    /// Mean pinball loss at three levels.
    pub pinball: BTreeMap<&'static str, f64>,
    /// Mean interval score of the range from the 10 % to the 90 % quantile.
    ///
    /// # Formula
    /// `high − low + 10 · (low − wait)⁺ + 10 · (wait − high)⁺`
    pub interval_score_80: f64,
    /// Waits inside that range.
    pub coverage_80: f64,
    /// Its mean width.
    pub mean_width_80: f64,
    /// Coverage month by month.
    pub months: Vec<MonthScore>,
    /// Of the waits of each class, from 1 to 6, those whose predicted class is theirs; classes without waits are left out.
    pub recall: BTreeMap<usize, f64>,
    /// How long predicting and learning took, where a clock was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// The coverage of one month.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MonthScore {
    /// `1996-10`; of a log that does not say when it begins, months of 30 days from 1 on.
    pub month: String,
    /// Jobs scored.
    pub jobs: usize,
    /// Waits inside the 80 % range, in percent.
    pub coverage_80: f64,
}

/// The recorded schedule that methods follow, with what is the same for all of them.
#[derive(Debug)]
pub struct WaitScorer<'a> {
    workload: &'a Workload,
    window: WaitWindow,
    /// Before its first step.
    replay: Replay<'a>,
    /// The jobs of the workload by their number at the site, where withdrawn jobs are counted too.
    index_of: Vec<Option<JobIndex>>,
    /// Of each job at its submission.
    features: Vec<Features>,
}

impl<'a> WaitScorer<'a> {
    /// Follows the recorded schedule.
    pub fn new(workload: &'a Workload, window: WaitWindow) -> Result<WaitScorer<'a>, EvalError> {
        let jobs = workload.len();
        if workload.starts.is_empty() && jobs > 0 {
            return Err(EvalError::NoWaits);
        }
        if jobs < window.from.max(1) {
            return Err(EvalError::TooFewJobs { jobs, needed: window.from.max(1) });
        }
        let replay = Replay::recorded(workload, window.default_request);
        let mut index_of = vec![None; replay.timeline().len()];
        for job in workload.jobs() {
            if let Some(number) = replay.timeline().number(job.index) {
                index_of[number.at()] = Some(job.index);
            }
        }
        let mut tracker = FeatureTracker::new(window.default_request);
        let mut features = Vec::with_capacity(jobs);
        let mut follower = replay.clone();
        for job in workload.jobs() {
            follower.advance_before(job.index, |event| tracker.observe(event));
            features.push(tracker.features(job, job.submit));
        }
        Ok(WaitScorer { workload, window, replay, index_of, features })
    }

    /// How many jobs are scored: those of the window whose start is known.
    pub fn jobs(&self) -> usize {
        let known = self.workload.starts.iter().skip(self.window.from.max(1) - 1).take(self.window.jobs);
        known.filter(|&&start| start != Time::NEVER).count()
    }

    /// Scores each method; `watch` is told of jobs that a method is done with, [`WaitScorer::jobs`] for each method.
    pub fn score(&self, methods: &[WaitMethod], watch: Watch<'_>) -> Vec<WaitScore> {
        parallel::map(methods, |method| {
            let begun = watch.clock.map(|clock| clock());
            let mut score = self.score_one(method, watch.done);
            score.seconds = begun.zip(watch.clock).map(|(begun, clock)| clock() - begun);
            score
        })
    }

    fn score_one(&self, method: &WaitMethod, done: &(dyn Fn(usize) + Sync)) -> WaitScore {
        let mut predictor = method.build(self.window.default_request);
        let mut replay = self.replay.clone();
        let mut tally = WaitTally::default();
        let first = self.window.from.max(1) - 1;
        let last = first.saturating_add(self.window.jobs).min(self.workload.len());
        for job in &self.workload.jobs()[..last] {
            replay.advance_before(job.index, |event| {
                predictor.observe(event);
                if let (What::Started(_), Some(started)) = (event.what, self.index_of[event.job.index.at()])
                    && let Some(wait) = self.wait(started)
                {
                    predictor.learn(&self.arrival(started), wait);
                }
            });
            if job.index.at() < first {
                continue;
            }
            // A job whose start the log does not know is not scored.
            if let Some(wait) = self.wait(job.index) {
                let forecast = predictor.predict(&self.arrival(job.index), replay.site().view(job.submit));
                let request = job.shape.limit.unwrap_or(self.window.default_request);
                tally.add(&forecast, wait, request, self.month(job.submit.0));
                done(1);
            }
        }
        tally.score(method.to_string())
    }

    fn arrival(&self, index: JobIndex) -> Arrival<'_> {
        let job = &self.workload.jobs()[index.at()];
        Arrival { job, at: job.submit, features: &self.features[index.at()] }
    }

    /// How long a job waited, where the log knows it.
    fn wait(&self, index: JobIndex) -> Option<Seconds> {
        let start = self.workload.starts[index.at()];
        (start != Time::NEVER).then(|| (start - self.workload.jobs()[index.at()].submit).max(Seconds::ZERO))
    }

    fn month(&self, submit: i64) -> String {
        let unix = self.workload.epoch.map(|epoch| epoch.saturating_add(submit));
        let calendar = unix.and_then(|unix| Timestamp::from_second(unix).ok());
        match calendar {
            Some(at) => at.strftime("%Y-%m").to_string(),
            None => (1 + submit.div_euclid(30 * 86_400)).to_string(),
        }
    }
}

/// The levels of the pinball losses, and their names.
const LEVELS: [(&str, f64); 3] = [("0.1", 0.1), ("0.5", 0.5), ("0.9", 0.9)];

/// Waits above this count for the factor of two, in seconds.
const LONG: f64 = 600.0;

/// Added to waits before their logarithm is taken, in seconds.
const UNIT: f64 = 60.0;

/// Sums behind a [`WaitScore`].
#[derive(Debug, Default)]
struct WaitTally {
    jobs: usize,
    named: [usize; 3],
    of_class: [usize; WAIT_CLASSES],
    recalled: [usize; WAIT_CLASSES],
    response: Vec<f64>,
    logs: Vec<f64>,
    long: usize,
    within_two: usize,
    pinball: [f64; LEVELS.len()],
    interval: f64,
    width: f64,
    covered: usize,
    months: BTreeMap<String, (usize, usize)>,
}

impl WaitTally {
    fn add(&mut self, forecast: &WaitForecast, wait: Seconds, request: Seconds, month: String) {
        let (wait, point) = (wait.0 as f64, forecast.point);
        self.jobs += 1;
        let class = class_of(wait);
        let named = NamedClasses::of(point, &probabilities(&forecast.wait));
        let hits = [named.one == class, named.names_two(class), named.names_three(class)];
        for (count, hit) in self.named.iter_mut().zip(hits) {
            *count += usize::from(hit);
        }
        self.of_class[class] += 1;
        self.recalled[class] += usize::from(named.one == class);
        let response = wait + request.0.max(0) as f64;
        if response > 0.0 {
            self.response.push((point - wait).abs() / response);
        }
        self.logs.push(((point + UNIT) / (wait + UNIT)).log10().powi(2));
        if wait > LONG {
            self.long += 1;
            self.within_two += usize::from(point >= wait / 2.0 && point <= wait * 2.0);
        }
        for (loss, (_, level)) in self.pinball.iter_mut().zip(LEVELS) {
            *loss += pinball(wait, forecast.wait.quantile(level), level);
        }
        let (low, high) = range(&forecast.wait);
        self.width += high - low;
        self.interval += high - low + 10.0 * ((low - wait).max(0.0) + (wait - high).max(0.0));
        let inside = low <= wait && wait <= high;
        self.covered += usize::from(inside);
        let month = self.months.entry(month).or_default();
        (month.0, month.1) = (month.0 + 1, month.1 + usize::from(inside));
    }

    fn score(self, method: String) -> WaitScore {
        let jobs = self.jobs.max(1) as f64;
        let percent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        let each = (0..WAIT_CLASSES).filter(|&class| self.of_class[class] > 0);
        let recall = each.map(|class| (class + 1, percent(self.recalled[class], self.of_class[class])));
        // Months in the order of time: numbers are not sorted as text is.
        let mut months: Vec<MonthScore> = self
            .months
            .iter()
            .map(|(month, &(jobs, covered))| MonthScore {
                month: month.clone(),
                jobs,
                coverage_80: percent(covered, jobs),
            })
            .collect();
        months.sort_by_key(|month| (month.month.len(), month.month.clone()));
        WaitScore {
            method,
            jobs: self.jobs,
            one_class: percent(self.named[0], self.jobs),
            two_class: percent(self.named[1], self.jobs),
            three_class: percent(self.named[2], self.jobs),
            majority_class: percent(self.of_class.iter().copied().max().unwrap_or(0), self.jobs),
            response_error: 100.0 * stats::mean(self.response),
            log10_mse: stats::mean(self.logs),
            within_factor_two: (self.long > 0).then(|| percent(self.within_two, self.long)),
            pinball: LEVELS.iter().zip(self.pinball).map(|((name, _), sum)| (*name, sum / jobs)).collect(),
            interval_score_80: self.interval / jobs,
            coverage_80: percent(self.covered, self.jobs),
            mean_width_80: self.width / jobs,
            months,
            recall: recall.collect(),
            seconds: None,
        }
    }
}

fn range(wait: &Distribution) -> (f64, f64) {
    let low = wait.quantile(0.1);
    (low, wait.quantile(0.9).max(low))
}

/// The loss of a predicted quantile: `level · (x − q)` above it, `(1 − level) · (q − x)` below.
fn pinball(actual: f64, quantile: f64, level: f64) -> f64 {
    let above = actual - quantile;
    if above >= 0.0 { level * above } else { (level - 1.0) * above }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(low: f64, point: f64, high: f64) -> WaitForecast {
        let wait = Distribution::quantiles(&[(0.1, low), (0.5, point), (0.9, high)]).unwrap();
        WaitForecast { point, wait }
    }

    /// Two jobs worked by hand: one inside its range, one that waits for longer.
    #[test]
    fn numbers_are_worked_by_hand() {
        let mut tally = WaitTally::default();
        // Predicted 100 to 300, waited 240 of a request of 760: |200 − 240| / 1000.
        tally.add(&forecast(100.0, 200.0, 300.0), Seconds(240), Seconds(760), "a".into());
        // Predicted 1000 to 3000 with 2000, waited 7200: the second class, the first was named.
        tally.add(&forecast(1000.0, 2000.0, 3000.0), Seconds(7200), Seconds(800), "b".into());
        let score = tally.score("test".into());
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        assert_eq!(
            (score.jobs, score.one_class, score.two_class, score.three_class),
            (2, 50.0, 100.0, 100.0)
        );
        assert_eq!(score.majority_class, 50.0);
        close(score.response_error, 100.0 * (40.0 / 1000.0 + 5200.0 / 8000.0) / 2.0);
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
        let months: Vec<(&str, f64)> =
            score.months.iter().map(|month| (month.month.as_str(), month.coverage_80)).collect();
        assert_eq!(months, [("a", 100.0), ("b", 0.0)]);
    }

    #[test]
    fn losses_are_least_at_the_truth() {
        assert_eq!(pinball(5.0, 5.0, 0.9), 0.0);
        assert!(pinball(10.0, 5.0, 0.9) > pinball(5.0, 10.0, 0.9), "too low costs more at the 90 % quantile");
    }
}
