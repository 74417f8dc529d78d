//! Walk-forward evaluation of wait predictors on the recorded schedule of a log: each job is predicted when it is submitted,
//! and learned from when it has started. Jobs that were withdrawn are in the queue until they leave it; they are predicted, and not scored.

use std::ops::Range;

use super::bootstrap::Resampled;
use super::predictions::{SaidWait, TimeRank, WaitPrediction};
use super::range_tally::month_of;
use super::wait_tally::{MEASURES, WaitScore, WaitTally};
use super::{EvalError, Watch};
use queuecast_core::job::JobIndex;
use queuecast_core::parallel;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{RecordedArrivals, WaitMethod, wait_predictor};
use queuecast_wait::WaitPredictor;

/// Which jobs are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitWindow {
    /// The first, counted from 1 in order of submission among the jobs that started. Those before it are only learned from.
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
        self.follow_each(methods, watch, false).0
    }

    /// The scores, with what each method said of each job beside what happened, in the order of submission.
    pub fn score_each(
        &self,
        methods: &[WaitMethod],
        watch: Watch<'_>,
    ) -> (Vec<WaitScore>, Vec<Vec<WaitPrediction>>) {
        self.follow_each(methods, watch, true)
    }

    /// What any predictor says of each job, beside what happened, in the order of submission. It is told of all arrivals.
    pub fn predictions(&self, predictor: &mut dyn WaitPredictor) -> Vec<WaitPrediction> {
        let mut kept = Vec::new();
        self.follow(predictor, 0, &|_| {}, Some(&mut kept));
        kept
    }

    fn follow_each(
        &self,
        methods: &[WaitMethod],
        watch: Watch<'_>,
        is_kept: bool,
    ) -> (Vec<WaitScore>, Vec<Vec<WaitPrediction>>) {
        let first = self.numbers().start;
        let scored = parallel::map(methods, |method| {
            let begun = watch.clock.map(|clock| clock());
            let mut predictor = wait_predictor(method, self.window.default_request);
            let mut kept = Vec::new();
            let noted = first.saturating_sub(method.remembered());
            let tally = self.follow(&mut *predictor, noted, watch.done, is_kept.then_some(&mut kept));
            let mut score = tally.score(method.to_string());
            score.seconds = begun.zip(watch.clock).map(|(begun, clock)| clock() - begun);
            (score, tally, kept)
        });
        let weeks: Vec<_> = scored.iter().map(|(_, tally, _)| tally.weeks()).collect();
        let resampled = Resampled::of(&MEASURES, &weeks);
        let (mut scores, mut predictions) = (Vec::new(), Vec::new());
        for (score, _, kept) in scored {
            scores.push(score);
            predictions.push(kept);
        }
        let first = scores.first().map(|score: &WaitScore| score.method.clone()).unwrap_or_default();
        let past = scores.iter().find(|score| score.method == "past").map(|past| past.interval_score_80);
        for (place, score) in scores.iter_mut().enumerate() {
            score.intervals = resampled.intervals(place);
            score.differences = resampled.beside_first(place, &first);
            score.interval_skill =
                past.filter(|&past| past > 0.0).map(|past| 100.0 * (1.0 - score.interval_score_80 / past));
        }
        (scores, predictions)
    }

    /// The numbers of the arrivals from the first job of the window up to the job that follows it, jobs that never started among
    /// them.
    fn numbers(&self) -> Range<usize> {
        let number = |index: usize| self.arrivals.number(JobIndex(u32::try_from(index).ok()?));
        let number = |index: usize| number(index).map_or(self.arrivals.len(), |number| number.at());
        let first = self.window.from.max(1) - 1;
        number(first)..number(first.saturating_add(self.window.jobs))
    }

    /// Predicts and learns in the order of the log. The predictor is told of arrivals from the job of number `noted` on.
    fn follow(
        &self,
        predictor: &mut dyn WaitPredictor,
        noted: usize,
        done: &(dyn Fn(usize) + Sync),
        mut kept: Option<&mut Vec<WaitPrediction>>,
    ) -> WaitTally {
        let workload = self.arrivals.workload();
        let mut following = self.arrivals.follow(noted);
        let mut tally = WaitTally::default();
        for number in self.numbers() {
            let number = JobIndex(number as u32);
            let (arrival, outcome) = (self.arrivals.arrival(number), self.arrivals.outcome(number));
            following.before(number, predictor);
            let job = arrival.job;
            let forecast = predictor.predict(&arrival, following.site().view(job.submit));
            let request = job.shape.limit.unwrap_or(self.window.default_request);
            let said = SaidWait::of(&forecast, request);
            let month = month_of(workload, job.submit);
            let ranked = outcome.wait().map(|wait| (wait, TimeRank::of(&forecast.wait, wait.0 as f64)));
            if let Some(kept) = &mut kept {
                let (job, month, rank) = (job.clone(), month.clone(), ranked.map(|(_, rank)| rank));
                kept.push(WaitPrediction { job, month, said, outcome, rank });
            }
            // A job whose start is not known is not scored.
            if let Some(ranked) = ranked {
                tally.add(&said, ranked, request, job.submit, month);
                done(1);
            }
        }
        tally
    }
}
