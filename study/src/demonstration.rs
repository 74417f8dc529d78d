//! Policies and predictors compared on jobs that were made up.

use serde::Serialize;

use crate::{ComparedTrace, Comparison, Experiment, Sweep, SweepResults};
use queuecast_core::workload::Workload;
use queuecast_eval::Window;
use queuecast_sim::predict::{PredictorLabels, PredictorSpec, Ruh, Statistic};
use queuecast_sim::sim::{Backfill, Likely};
use queuecast_synth::synth::Habits;
use queuecast_trace::WorkloadFacts;

/// Policies and predictors compared on jobs that were made up.
#[derive(Debug, Serialize)]
pub struct Demonstration {
    /// The model that drew the jobs.
    pub model: Habits,
    /// Its seed.
    pub seed: u64,
    /// The simulations.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// For text only: the file that the jobs were written to, as a shell reads it.
    #[serde(skip)]
    pub saved: Option<String>,
    /// For text only: the command as it was started.
    #[serde(skip)]
    pub program: String,
}

/// What the words in the table mean.
const NOTES: [&str; 8] = [
    "fcfs: first come, first served: no job overtakes another",
    "easy: a job may overtake others (it is backfilled) if that does not delay the first in the queue",
    "sjbf: easy, which tries the jobs that are predicted to be shortest first",
    "likely: the shortest expected first; a job may overtake the first in the queue if it is likely to end in time; jobs that have waited for four days come first",
    "bounded slowdown: wait plus run time, divided by the run time, which counts as ten seconds at least; 1 is no wait",
    "requested: plans with what users ask for; recent:2: with the mean of the user's last two run times; mixture: with distributions learned from past jobs",
    "perfect: with the actual run times, known only to a simulation",
    "better information usually lowers the bounded slowdown; it is no guarantee for the mean wait \
     (see docs/guides/comparing.md)",
];

impl Demonstration {
    /// The simulations that are compared. FCFS plans without predictions, so it is simulated once; EASY and SJBF with each predictor that
    /// gives a number; backfilling on distributions with the predictor that gives them.
    pub fn sweep() -> Sweep {
        let recent = PredictorSpec::Recent(Ruh::capped(2, Statistic::Mean));
        let mut experiments = vec![Experiment::new(Backfill::fcfs(), PredictorSpec::Requested)];
        for policy in [Backfill::easy(), Backfill::sjbf()] {
            for predictor in [PredictorSpec::Requested, recent.clone(), PredictorSpec::Perfect] {
                experiments.push(Experiment::new(policy.clone(), predictor));
            }
        }
        let mixture = PredictorSpec::Mixture(Default::default());
        experiments.push(Experiment::new(Backfill::likely(Likely::default()), mixture));
        Sweep::grid(1, &experiments).with_fairness()
    }

    /// Of what the simulations of a workload that the model drew with this seed gave.
    pub fn of(model: Habits, seed: u64, workload: &Workload, results: SweepResults) -> Demonstration {
        let source = format!("made up with seed {seed} at offered load {}", model.load);
        let facts = WorkloadFacts::of(workload, &source);
        let traces = vec![ComparedTrace { facts, cleaning: None, notes: NOTES.map(str::to_owned).to_vec() }];
        let (window, labels) = (Window::All, PredictorLabels::default());
        let comparison = Comparison { window, traces, results, timings: false, labels };
        Demonstration { model, seed, comparison, saved: None, program: "queuecast".to_owned() }
    }

    /// What a reader of the made-up trace must know.
    pub fn trace_note(model: &Habits, seed: u64) -> String {
        let Habits { jobs, procs, load, .. } = model;
        format!(
            "made up by queuecast {} demo --jobs {jobs} --procs {procs} --load {load} --seed {seed}; these jobs were never run",
            env!("CARGO_PKG_VERSION")
        )
    }
}
