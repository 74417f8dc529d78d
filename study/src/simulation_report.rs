//! One experiment on one workload, evaluated.

use serde::Serialize;

use crate::Experiment;
use queuecast_core::workload::Workload;
use queuecast_eval::{
    Breakdown, Dimension, EvalError, Evaluation, Fairness, QueueSeries, QueueSummary, Summary, Window,
};
use queuecast_sim::sim::Schedule;

/// What is measured of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measurement {
    /// Which jobs are counted.
    pub window: Window,
    /// Also by user, queue and so on.
    pub by: Option<Dimension>,
}

/// The metrics of one simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationReport {
    /// Every metric over the counted jobs.
    #[serde(flatten)]
    pub summary: Summary,
    /// Which jobs are counted.
    pub window: Window,
    /// Starts compared with first come, first served.
    pub fairness: Fairness,
    /// The queue over the span of the counted jobs.
    pub queue: QueueSummary,
    /// How often the policy was asked to plan.
    pub plans: u64,
    /// By user, queue and so on, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Breakdown>,
    /// The queue over time, over all jobs.
    #[serde(skip)]
    pub series: QueueSeries,
}

impl Experiment {
    /// Simulates and measures in one call.
    pub fn simulate(
        &self,
        workload: &Workload,
        measurement: Measurement,
    ) -> Result<SimulationReport, EvalError> {
        let schedule = self.run(workload)?;
        self.measure(workload, &schedule, measurement)
    }

    /// Measures the schedule that this experiment gave. The reference of fairness is simulated with the same options.
    pub fn measure(
        &self,
        workload: &Workload,
        schedule: &Schedule,
        measurement: Measurement,
    ) -> Result<SimulationReport, EvalError> {
        let evaluation = Evaluation::of(workload, schedule)?;
        let fcfs = self.fcfs();
        // FCFS does not plan with predictions, so it is its own reference whatever its predictor.
        let reference = if self.policy == fcfs.policy { None } else { Some(fcfs.run(workload)?) };
        let selection = evaluation.over(&measurement.window)?;
        let series = evaluation.queue();
        Ok(SimulationReport {
            summary: selection.summary(),
            window: measurement.window,
            fairness: selection.fairness(reference.as_ref().unwrap_or(schedule))?,
            queue: selection.span().map_or_else(|| series.summary(), |span| series.summary_over(span)),
            plans: schedule.plans,
            groups: measurement.by.map(|dimension| selection.by(dimension)),
            series,
        })
    }
}
