//! One simulation of Figure 16 as data, and what comes of it.

use serde::Serialize;

use super::{Model, Subject};
use crate::eval::{EvalError, Evaluation, Experiment};
use crate::predict::PredictorSpec;
use crate::seed::Seed;
use crate::sim::Backfill;
use crate::synth::{Shaken, Variant};
use crate::units::Seconds;
use crate::workload::Workload;

/// EASY on one log with the estimates of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trial {
    /// Which of the subjects.
    pub subject: usize,
    /// Where the estimates come from.
    pub model: Model,
    /// Decides what is random about them.
    pub seed: u64,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
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

impl Trial {
    /// Every trial of the figure: those without chance once, the others once for each seed. Trials of one log are
    /// together.
    pub fn all(subjects: usize, seeds: u64) -> Vec<Trial> {
        let of = |subject| {
            Model::ALL.into_iter().flat_map(move |model| {
                (1..=if model.is_random() { seeds } else { 1 }).map(move |seed| Trial {
                    subject,
                    model,
                    seed,
                })
            })
        };
        (0..subjects).flat_map(of).collect()
    }

    /// Simulates it. `desk` is any copy of the subject's workload, whose estimates are overwritten: so a thread needs
    /// one copy for all its trials of a log.
    pub fn run(&self, subject: &Subject, desk: &mut Workload) -> Result<Outcome, EvalError> {
        if self.model == Model::Shaken {
            let shaken = Some(Shaken { by: SHAKEN_BY, seed: self.seed });
            return simulated(&Variant { shaken, ..Variant::default() }.of(&subject.workload)?);
        }
        let estimates = match self.model.estimates(subject, Seed(self.seed)) {
            Ok(estimates) => estimates,
            Err(error) => return Ok(Outcome::Impossible(error.to_string())),
        };
        desk.replace_limits(estimates.into_iter().map(Some));
        simulated(desk)
    }
}

/// How far arrivals are shaken.
const SHAKEN_BY: Seconds = Seconds(30);

fn simulated(workload: &Workload) -> Result<Outcome, EvalError> {
    let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(workload)?;
    let evaluation = Evaluation::of(workload, &schedule)?;
    let mut waits = 0i128;
    // In the order of the jobs, which is always the same.
    let mut slowdowns = 0.0;
    for place in 0..workload.len() {
        let measured = evaluation.measured(place);
        waits += i128::from(measured.wait().0);
        slowdowns += measured.bounded_slowdown();
    }
    let jobs = workload.len().max(1) as f64;
    Ok(Outcome::Performed(Performance { wait: waits as f64 / jobs, slowdown: slowdowns / jobs }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_chance_in_it_is_tried_once() {
        let trials = Trial::all(4, 100);
        assert_eq!(trials.len(), 4 * (12 * 100 + 3));
        assert!(trials.is_sorted_by_key(|trial| trial.subject));
        let original = |trial: &&Trial| trial.model == Model::Original;
        assert_eq!(trials.iter().filter(original).count(), 4);
    }
}
