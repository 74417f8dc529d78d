//! Walk-forward evaluation of wait predictors on the recorded schedule of a log: each job is predicted when it is submitted,
//! and learned from when it has started. Jobs that were withdrawn are in the queue until they leave it, and are not predicted.

use super::bootstrap::Resampled;
use super::range_tally::month_of;
use super::wait_tally::{MEASURES, WaitScore, WaitTally};
use super::{EvalError, Watch};
use crate::forecast::{RecordedArrivals, WaitMethod};
use crate::job::JobIndex;
use crate::parallel;
use crate::units::{Seconds, Time};
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
    arrivals: RecordedArrivals<'a>,
    window: WaitWindow,
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
        let arrivals = RecordedArrivals::new(workload, Time::NEVER, window.default_request);
        Ok(WaitScorer { arrivals, window })
    }

    /// How many jobs are scored: those of the window whose start is known.
    pub fn jobs(&self) -> usize {
        let starts = &self.arrivals.workload().starts;
        let known = starts.iter().skip(self.window.from.max(1) - 1).take(self.window.jobs);
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
        let workload = self.arrivals.workload();
        let first = self.window.from.max(1) - 1;
        let number =
            |index: usize| self.arrivals.number(JobIndex(index as u32)).map_or(0, |number| number.at());
        let mut following = self.arrivals.follow(number(first).saturating_sub(method.remembered()));
        let mut tally = WaitTally::default();
        let last = first.saturating_add(self.window.jobs).min(workload.len());
        for job in &workload.jobs()[first..last] {
            // A job whose start the log does not know is not scored.
            let Some(number) = self.arrivals.number(job.index) else { continue };
            let Some(wait) = self.arrivals.outcome(number).wait() else { continue };
            following.before(number, &mut *predictor);
            let arrival = self.arrivals.arrival(number);
            let forecast = predictor.predict(&arrival, following.site().view(job.submit));
            let request = job.shape.limit.unwrap_or(self.window.default_request);
            tally.add(&forecast, wait, request, job.submit, month_of(workload, job.submit));
            done(1);
        }
        tally
    }
}
