//! One simulation of Figure 16 as data, and what comes of it.

use serde::Serialize;

use super::model::Model;
use super::subject::Subject;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Evaluation};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_study::Experiment;
use queuecast_synth::synth::{Shaken, Variant};

/// EASY on one log with the estimates of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EstimateTrial {
    /// Which of the subjects.
    pub subject: usize,
    /// Where the estimates come from.
    pub model: Model,
    /// Decides what is random about them.
    pub seed: u64,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialResult {
    /// It was simulated.
    Performed(Performance),
    /// The model gives no estimates that are long enough for all jobs: why.
    Impossible(String),
}

/// How well the jobs fared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Performance {
    /// Mean wait, in seconds.
    pub wait: f64,
    /// Mean bounded slowdown.
    pub slowdown: f64,
}

impl EstimateTrial {
    /// Every trial of the figure: those without chance once, the others once for each seed. Trials of one log are
    /// together.
    pub fn all(subjects: usize, seeds: u64) -> Vec<EstimateTrial> {
        let of = |subject| {
            Model::ALL.into_iter().flat_map(move |model| {
                (1..=if model.is_random() { seeds } else { 1 }).map(move |seed| EstimateTrial {
                    subject,
                    model,
                    seed,
                })
            })
        };
        (0..subjects).flat_map(of).collect()
    }

    /// Simulates it. `copy` is any copy of the subject's workload; its estimates are overwritten, so that one copy serves
    /// many trials.
    pub fn run(&self, subject: &Subject, copy: &mut Workload) -> Result<TrialResult, EvalError> {
        if self.model == Model::Shaken {
            let shaken = Some(Shaken { by: SHAKEN_BY, seed: self.seed });
            return simulated(&Variant { shaken, ..Variant::default() }.of(&subject.workload)?);
        }
        let estimates = match self.model.estimates(subject, Seed(self.seed)) {
            Ok(estimates) => estimates,
            Err(error) => return Ok(TrialResult::Impossible(error.to_string())),
        };
        copy.replace_limits(estimates.into_iter().map(Some));
        simulated(copy)
    }
}

/// How far arrivals are shaken.
const SHAKEN_BY: Seconds = Seconds(30);

fn simulated(workload: &Workload) -> Result<TrialResult, EvalError> {
    let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(workload)?;
    let evaluation = Evaluation::of(workload, &schedule)?;
    let mut waits = 0i128;
    // In the order of the jobs, which is always the same.
    let mut slowdowns = 0.0;
    for place in 0..workload.len() {
        let outcome = evaluation.measured(place).outcome();
        waits += i128::from(outcome.wait().0);
        slowdowns += outcome.bounded_slowdown();
    }
    let jobs = workload.len().max(1) as f64;
    Ok(TrialResult::Performed(Performance { wait: waits as f64 / jobs, slowdown: slowdowns / jobs }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_chance_in_it_is_tried_once() {
        let trials = EstimateTrial::all(4, 100);
        assert_eq!(trials.len(), 4 * (12 * 100 + 3));
        assert!(trials.is_sorted_by_key(|trial| trial.subject));
        let original = |trial: &&EstimateTrial| trial.model == Model::Original;
        assert_eq!(trials.iter().filter(original).count(), 4);
    }
}
