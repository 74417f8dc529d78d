//! Scores template sets on a log, on all cores; and what they are compared with.

use std::ops::Range;

use queuecast::eval::search::{Method, Search};
use queuecast::eval::{EvalError, Score, Scorer, WalkForward};
use queuecast::job::Job;
use queuecast::predict::template::{GibbonsSettings, Lifetime, TemplateSet};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::When;
use super::interrupt::Interrupt;
use crate::commands::loaded::{Loaded, number_of};
use crate::failure::Failure;

/// Fewer jobs say nothing about anybody's habits.
pub const FEWEST: usize = 50;

/// Somebody wants the search to stop.
#[derive(Debug, PartialEq, Eq)]
pub struct Interrupted;

/// A log that template sets are scored on.
#[derive(Debug)]
pub struct Scoring<'a> {
    replay: WalkForward<'a>,
    scorer: Scorer<'a>,
    searched: usize,
    /// Whether any are held out.
    divided: bool,
}

/// How right one predictor is.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// What it is to the search.
    pub what: &'static str,
    /// As `--predictor` reads it.
    pub predictor: String,
    /// On the jobs that were searched on: all, unless some are held out.
    pub searched: Score,
    /// On those held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Score>,
    /// On both together, where some are held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<Score>,
}

impl<'a> Scoring<'a> {
    /// The log as it happened, the last `holdout` of its jobs kept out of the search.
    pub fn new(trace: &'a Loaded, when: When, holdout: Option<f64>) -> Result<Scoring<'a>, Failure> {
        let workload = &trace.log.workload;
        let replay = match when {
            When::Start => WalkForward::of(workload),
            When::Submit => WalkForward::at_submission(workload),
        };
        let replay = replay.map_err(|error| refused(&trace.name, &error))?;
        let jobs = replay.len();
        let held = holdout.map_or(0, |share| (share * jobs as f64).round() as usize);
        let searched = jobs.saturating_sub(held);
        if searched < FEWEST || (holdout.is_some() && held == 0) {
            return Err(too_few(&trace.name, searched, jobs));
        }
        let scorer = Scorer::new(&replay);
        Ok(Scoring { replay, scorer, searched, divided: holdout.is_some() })
    }

    /// All jobs of the log.
    pub fn jobs(&self) -> &'a [Job] {
        self.replay.workload().jobs()
    }

    /// How many jobs the search predicts.
    pub fn searched(&self) -> usize {
        self.searched
    }

    /// How many are held out.
    pub fn held_out(&self) -> usize {
        self.replay.len() - self.searched
    }

    /// On each part of the jobs.
    fn judged(&self, what: &'static str, predictor: String, score: impl Fn(Range<usize>) -> Score) -> Judged {
        let all = self.replay.len();
        let part = |part: Range<usize>| self.divided.then(|| score(part));
        let (held_out, all) = (part(self.searched..all), part(0..all));
        Judged { what, predictor, searched: score(0..self.searched), held_out, all }
    }

    /// The mean error of each set over the jobs that are searched on, in order, on all threads of the pool.
    pub fn errors(&self, sets: &[TemplateSet], interrupt: &Interrupt) -> Result<Vec<f64>, Interrupted> {
        let one = |set: &TemplateSet| {
            let wanted = !interrupt.is_asked();
            wanted.then(|| self.scorer.score(set, 0..self.searched).mean_error)
        };
        sets.par_iter().map(one).collect::<Option<Vec<f64>>>().ok_or(Interrupted)
    }

    /// What was found, beside simpler predictors.
    pub fn results(&self, search: &Search) -> Vec<Judged> {
        let mut sets: Vec<(&'static str, TemplateSet)> = Vec::new();
        sets.extend(search.best().map(|(templates, _)| ("found", templates)));
        if search.method() == Method::Genetic {
            let greedy = search.greedy_part().and_then(|greedy| greedy.best());
            sets.extend(greedy.map(|(_, step)| ("greedy", step.templates.clone())));
        }
        sets.push(("mean", TemplateSet(vec![Default::default()])));
        let mut judged: Vec<Judged> = sets.par_iter().map(|(what, set)| self.judge_set(what, set)).collect();
        judged.par_extend(self.baselines().par_iter().map(|spec| self.judge("baseline", spec)));
        judged
    }

    /// What template sets are compared with; what goes by requested times, where there are any.
    fn baselines(&self) -> Vec<PredictorSpec> {
        let requests = self.jobs().iter().any(|job| job.shape.limit.is_some());
        let relative = [PredictorSpec::Requested, PredictorSpec::Gibbons(GibbonsSettings { relative: true })];
        let mut specs: Vec<PredictorSpec> = relative.into_iter().filter(|_| requests).collect();
        specs.push(PredictorSpec::Gibbons(GibbonsSettings { relative: false }));
        specs.extend([Lifetime::Median, Lifetime::Mean].map(PredictorSpec::Downey));
        specs
    }

    fn judge_set(&self, what: &'static str, set: &TemplateSet) -> Judged {
        let predictor = PredictorSpec::Template(set.clone()).to_string();
        self.judged(what, predictor, |part| self.scorer.score(set, part))
    }

    fn judge(&self, what: &'static str, spec: &PredictorSpec) -> Judged {
        let runs = || self.replay.workload().truths().iter().map(|truth| truth.run()).collect();
        self.judged(what, spec.to_string(), |part| {
            self.replay.score(spec.build(runs, DEFAULT_REQUEST).as_mut(), part)
        })
    }
}

fn refused(name: &str, error: &EvalError) -> Failure {
    match error {
        EvalError::TooFewJobs { jobs, .. } => too_few(name, *jobs, *jobs),
        EvalError::NoWaits => Failure::input(format!(
            "{name} does not record how long jobs waited, so nobody knows when they started"
        ))
        .hint("--replay submit predicts jobs as they are submitted, and needs no waits"),
        error => Failure::unexpected(format!("{name}: {error}")),
    }
}

fn too_few(name: &str, searched: usize, jobs: usize) -> Failure {
    let of = if searched < jobs { format!(" of {jobs}") } else { String::new() };
    Failure::input(format!(
        "{name}: {}{of} to search on, but at least {FEWEST} are needed, and one more where some are held out",
        number_of(searched, "job")
    ))
    .hint("search on a longer log, or hold out less of it; queuecast trace info shows what is in it")
}
