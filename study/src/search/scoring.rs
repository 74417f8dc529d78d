//! Scores template sets and their baselines on a log, on all cores.

use std::ops::Range;

use serde::Serialize;

use super::error::SearchError;
use super::request::PredictedAt;
use super::search::{Method, Search};
use queuecast_core::job::Job;
use queuecast_core::parallel;
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Score, Scorer, WalkForward};
use queuecast_sim::predict::template::{GibbonsSettings, Lifetime, TemplateSet};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};

/// The fewest jobs that are searched on.
const FEWEST_JOBS: usize = 50;

/// The caller wants the search to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// The errors of one predictor, on each part of the jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictorScore {
    /// `found`, `greedy` (what the greedy part found), `mean` (of all jobs) or `baseline`.
    pub what: &'static str,
    /// Its spec.
    pub predictor: String,
    /// On the jobs that were searched on: all, unless some are held out; then those that had ended when the first of these is
    /// predicted.
    pub searched: Score,
    /// On those held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Score>,
    /// On both together, where some are held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<Score>,
}

/// A log that template sets are scored on.
#[derive(Debug)]
pub(super) struct Scoring<'a> {
    replay: WalkForward<'a>,
    scorer: Scorer<'a>,
    searched: usize,
    /// The jobs that have ended before the first one held out is predicted: the run times of the others are not known to the
    /// search.
    ended: Vec<bool>,
    /// Whether any are held out.
    divided: bool,
}

impl<'a> Scoring<'a> {
    /// The log in its recorded order, the last `holdout` of its jobs kept out of the search.
    pub(super) fn new(
        workload: &'a Workload,
        at: PredictedAt,
        holdout: Option<f64>,
    ) -> Result<Scoring<'a>, SearchError> {
        let too_few = |searched, jobs| SearchError::TooFewJobs { searched, jobs, needed: FEWEST_JOBS };
        let replay = match at {
            PredictedAt::Start => WalkForward::of(workload),
            PredictedAt::Submit => WalkForward::at_submission(workload),
        };
        let replay = replay.map_err(|error| match error {
            EvalError::NoWaits => SearchError::NoWaits,
            _ => too_few(workload.len(), workload.len()),
        })?;
        let jobs = replay.len();
        let held = holdout.map_or(0, |share| (share * jobs as f64).round() as usize);
        let searched = jobs.saturating_sub(held);
        if searched < FEWEST_JOBS || (holdout.is_some() && held == 0) {
            return Err(too_few(searched, jobs));
        }
        let scorer = Scorer::new(&replay);
        let ended = replay.ended_before(searched);
        Ok(Scoring { replay, scorer, searched, ended, divided: holdout.is_some() })
    }

    pub(super) fn workload(&self) -> &'a Workload {
        self.replay.workload()
    }

    pub(super) fn jobs(&self) -> &'a [Job] {
        self.workload().jobs()
    }

    /// How many jobs the search predicts.
    pub(super) fn searched(&self) -> usize {
        self.searched
    }

    /// How many are held out.
    pub(super) fn held_out(&self) -> usize {
        self.replay.len() - self.searched
    }

    /// The mean error of each set over the jobs that are searched on, in order.
    pub(super) fn errors(
        &self,
        sets: &[TemplateSet],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<f64>, Stopped> {
        parallel::try_map(
            sets,
            |set| {
                if stop() { Err(Stopped) } else { Ok(self.searched_score(set).mean_error) }
            },
        )
    }

    /// How right a set is about the jobs searched on.
    fn searched_score(&self, set: &TemplateSet) -> Score {
        self.scorer.score_ended(set, 0..self.searched, &self.ended)
    }

    /// The result of a search and its baselines.
    pub(super) fn results(&self, search: &Search) -> Vec<PredictorScore> {
        let mut sets: Vec<(&'static str, TemplateSet)> = Vec::new();
        sets.extend(search.best().map(|(templates, _)| ("found", templates)));
        if search.method() == Method::Genetic {
            let greedy = search.greedy_part().and_then(|greedy| greedy.best());
            sets.extend(greedy.map(|(_, step)| ("greedy", step.templates.clone())));
        }
        sets.push(("mean", TemplateSet(vec![Default::default()])));
        let mut scores = parallel::map(&sets, |(what, set)| {
            let predictor = PredictorSpec::Template(set.clone()).to_string();
            self.on_parts(what, predictor, self.searched_score(set), |part| self.scorer.score(set, part))
        });
        scores.extend(parallel::map(&self.baselines(), |spec| self.baseline(spec)));
        scores
    }

    fn on_parts(
        &self,
        what: &'static str,
        predictor: String,
        searched: Score,
        score: impl Fn(Range<usize>) -> Score,
    ) -> PredictorScore {
        let all = self.replay.len();
        let part = |part: Range<usize>| self.divided.then(|| score(part));
        let (held_out, all) = (part(self.searched..all), part(0..all));
        PredictorScore { what, predictor, searched, held_out, all }
    }

    /// Predictors without a search; those that use requested times, where there are any.
    fn baselines(&self) -> Vec<PredictorSpec> {
        let requests = self.jobs().iter().any(|job| job.shape.limit.is_some());
        let relative = [PredictorSpec::Requested, PredictorSpec::Gibbons(GibbonsSettings { relative: true })];
        let mut specs: Vec<PredictorSpec> = relative.into_iter().filter(|_| requests).collect();
        specs.push(PredictorSpec::Gibbons(GibbonsSettings { relative: false }));
        specs.extend([Lifetime::Median, Lifetime::Mean].map(PredictorSpec::Downey));
        specs
    }

    fn baseline(&self, spec: &PredictorSpec) -> PredictorScore {
        let runs = || self.workload().truths().iter().map(|truth| truth.run()).collect();
        let build = || spec.build(runs, DEFAULT_REQUEST);
        let searched = self.replay.score_ended(build().as_mut(), 0..self.searched);
        self.on_parts("baseline", spec.to_string(), searched, |part| {
            self.replay.score(build().as_mut(), part)
        })
    }
}
