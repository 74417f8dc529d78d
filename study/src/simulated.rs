//! The answer of one simulation of a log.

use serde::Serialize;

use crate::{Experiment, Measurement};
use queuecast_eval::{Breakdown, EvalError, Fairness, QueueSeries, QueueSummary, Summary, Window};
use queuecast_sim::sim::Schedule;
use queuecast_trace::{CleaningReport, Log, WorkloadFacts};

/// How long a simulation took, on the caller's clock.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Timings {
    /// Reading, decompressing and cleaning the trace.
    pub read_seconds: f64,
    /// The simulation and nothing else.
    pub simulate_seconds: f64,
}

/// One simulation, with its metrics at the top level.
#[derive(Debug, Serialize)]
pub struct Simulated<'a> {
    /// Every metric over the counted jobs.
    #[serde(flatten)]
    pub summary: Summary,
    /// How long it took, where asked for.
    #[serde(flatten)]
    pub timings: Option<Timings>,
    /// Of queuecast.
    pub version: &'static str,
    /// What was simulated.
    pub experiment: &'a Experiment,
    /// Which jobs are counted.
    pub window: Window,
    /// What it was simulated with.
    pub workload: WorkloadFacts,
    /// What became of the trace's records.
    pub cleaning: &'a CleaningReport,
    /// Compared with first come, first served.
    pub fairness: Fairness,
    /// Over the span of the counted jobs.
    pub queue: QueueSummary,
    /// How often the policy was asked to plan.
    pub plans: u64,
    /// By user, queue and so on, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Breakdown>,
    /// For text only: what the predictor is called.
    #[serde(skip)]
    pub predictor: String,
    /// For text only: how long it took.
    #[serde(skip)]
    pub took: Timings,
    /// For text only: the log.
    #[serde(skip)]
    pub log: &'a Log,
    /// For the chart only: the queue over time.
    #[serde(skip)]
    pub series: QueueSeries,
}

impl<'a> Simulated<'a> {
    /// Measures the schedule that an experiment gave of a log, which is called `name`.
    pub fn measured(
        experiment: &'a Experiment,
        (name, log): (&str, &'a Log),
        schedule: &Schedule,
        measurement: Measurement,
        took: Timings,
    ) -> Result<Simulated<'a>, EvalError> {
        let report = experiment.measure(&log.workload, schedule, measurement)?;
        Ok(Simulated {
            summary: report.summary,
            timings: None,
            version: env!("CARGO_PKG_VERSION"),
            experiment,
            window: report.window,
            workload: log.facts(name),
            cleaning: &log.report,
            fairness: report.fairness,
            queue: report.queue,
            plans: report.plans,
            groups: report.groups,
            predictor: experiment.predictor.to_string(),
            took,
            log,
            series: report.series,
        })
    }
}
