//! Walk-forward evaluation of wait predictors on the recorded schedule of a log: each job is predicted when it is submitted,
//! and learned from when it has started. Jobs that were withdrawn are in the queue until they leave it, and are not predicted.

use super::bootstrap::Resampled;
use super::range_tally::month_of;
use super::wait_tally::{MEASURES, WaitScore, WaitTally};
use super::{EvalError, Watch};
use crate::forecast::WaitMethod;
use crate::job::{JobIndex, What};
use crate::parallel;
use crate::site::Replay;
use crate::units::{Seconds, Time};
use crate::wait::Arrival;
use crate::wait::features::{FeatureTracker, Features};
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
    /// Intervals and differences are those of a bootstrap over weeks, and the skill of ranges is that over the method `past`, if
    /// it is one of them.
    pub fn score(&self, methods: &[WaitMethod], watch: Watch<'_>) -> Vec<WaitScore> {
        let scored = parallel::map(methods, |method| {
            let begun = watch.clock.map(|clock| clock());
            let tally = self.follow(method, watch.done);
            let mut score = tally.score(method.to_string());
            score.seconds = begun.zip(watch.clock).map(|(begun, clock)| clock() - begun);
            (score, tally)
        });
        let weeks: Vec<_> = scored.iter().map(|(_, tally)| tally.weeks()).collect();
        let resampled = Resampled::of(&MEASURES, &weeks);
        let mut scores: Vec<WaitScore> = scored.iter().map(|(score, _)| score.clone()).collect();
        let first = scores.first().map(|score| score.method.clone()).unwrap_or_default();
        let past = scores.iter().find(|score| score.method == "past").map(|past| past.interval_score_80);
        for (place, score) in scores.iter_mut().enumerate() {
            score.intervals = resampled.intervals(place);
            score.differences = resampled.beside_first(place, &first);
            score.interval_skill =
                past.filter(|&past| past > 0.0).map(|past| 100.0 * (1.0 - score.interval_score_80 / past));
        }
        scores
    }

    /// Predicts and learns in the order of the log.
    fn follow(&self, method: &WaitMethod, done: &(dyn Fn(usize) + Sync)) -> WaitTally {
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
                tally.add(&forecast, wait, request, job.submit, month_of(self.workload, job.submit));
                done(1);
            }
        }
        tally
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
}
