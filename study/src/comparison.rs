//! Experiments on traces side by side, and on traces with shaken arrivals.

use serde::{Serialize, Serializer};

use crate::{Experiment, ShakenResult, Shaking, SimulationResult, Sweep, SweepResults};
use queuecast_eval::{Fairness, Summary, Window};
use queuecast_sim::predict::PredictorLabels;
use queuecast_trace::{CleaningReport, WorkloadFacts};

/// What is compared: every experiment on every trace.
#[derive(Debug, Clone)]
pub struct ComparisonQuestion {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Which jobs are counted.
    pub window: Window,
    /// How arrivals are shaken, if they are.
    pub shaking: Option<Shaking>,
    /// What predictors are called in text.
    pub labels: PredictorLabels,
}

impl ComparisonQuestion {
    /// The simulations it takes on this many traces.
    pub fn sweep(&self, traces: usize) -> Sweep {
        match self.shaking {
            Some(shaking) => shaking.sweep(traces, &self.experiments, self.window),
            None => Sweep::grid(traces, &self.experiments).over(self.window).with_fairness(),
        }
    }

    /// The answer, out of what the simulations gave; without timings, so that the same question has the same answer.
    pub fn answer(self, traces: Vec<ComparedTrace>, results: SweepResults) -> ComparisonAnswer {
        let ComparisonQuestion { experiments, window, shaking, labels } = self;
        match shaking {
            Some(shaking) => {
                let results = shaking.results(traces.len(), &experiments, &results);
                let version = env!("CARGO_PKG_VERSION");
                ComparisonAnswer::Shaken(ShakenTraces { version, window, shaking, traces, results, labels })
            }
            None => ComparisonAnswer::Once(Comparison { window, traces, results, timings: false, labels }),
        }
    }
}

/// Simulations side by side, each once or over several seeds.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ComparisonAnswer {
    /// As the traces are.
    Once(Comparison),
    /// With shaken arrivals.
    Shaken(ShakenTraces),
}

/// Every experiment on every trace.
#[derive(Debug)]
pub struct Comparison {
    /// Which jobs are counted.
    pub window: Window,
    /// The workloads, in the order of the sweep.
    pub traces: Vec<ComparedTrace>,
    /// What came out.
    pub results: SweepResults,
    /// Whether programs are told how long simulations took.
    pub timings: bool,
    /// What predictors are called in text.
    pub labels: PredictorLabels,
}

/// One of the workloads.
#[derive(Debug, Serialize)]
pub struct ComparedTrace {
    /// Where it comes from.
    #[serde(flatten)]
    pub facts: WorkloadFacts,
    /// What became of the trace's records; `None` for a generated workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaning: Option<CleaningReport>,
    /// Notes below its table.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A result as programs read it.
#[derive(Debug, Serialize)]
pub struct ComparisonRow<'a> {
    /// Its trace.
    pub trace: &'a str,
    /// The result.
    #[serde(skip)]
    pub result: &'a SimulationResult,
    /// What was simulated.
    pub experiment: &'a Experiment,
    /// Every metric over the counted jobs.
    #[serde(flatten)]
    pub summary: &'a Summary,
    /// Starts compared with first come, first served.
    pub fairness: Option<&'a Fairness>,
    /// How long it took, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulate_seconds: Option<f64>,
}

impl Comparison {
    /// One row per trace and experiment.
    pub fn rows(&self) -> Vec<ComparisonRow<'_>> {
        let rows = self.results.asked().map(|result| ComparisonRow {
            trace: &self.traces[result.simulation.workload].facts.source,
            experiment: &result.simulation.experiment,
            summary: &result.summary,
            fairness: result.fairness.as_ref(),
            simulate_seconds: result.simulate_seconds.filter(|_| self.timings),
            result,
        });
        rows.collect()
    }

    /// The results of the trace at this place.
    pub fn results_of(&self, at: usize) -> Vec<&SimulationResult> {
        self.results.asked().filter(|result| result.simulation.workload == at).collect()
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WrittenComparison<'a> {
            version: &'static str,
            window: Window,
            traces: &'a [ComparedTrace],
            results: Vec<ComparisonRow<'a>>,
        }
        let version = env!("CARGO_PKG_VERSION");
        WrittenComparison { version, window: self.window, traces: &self.traces, results: self.rows() }
            .serialize(serializer)
    }
}

/// Every experiment on every trace, over all seeds.
#[derive(Debug, Serialize)]
pub struct ShakenTraces {
    /// Of queuecast.
    pub version: &'static str,
    /// Which jobs are counted.
    pub window: Window,
    /// How arrivals are shaken.
    pub shaking: Shaking,
    /// The workloads, in the order of the sweep.
    pub traces: Vec<ComparedTrace>,
    /// What came out.
    pub results: Vec<ShakenResult>,
    /// What predictors are called in text.
    #[serde(skip)]
    pub labels: PredictorLabels,
}
