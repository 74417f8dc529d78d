//! Why something cannot be evaluated.

use queuecast_core::spec::SpecError;
use queuecast_core::workload::WorkloadError;
use queuecast_sim::sim::SimError;

/// What was asked for does not exist, or the schedule is not one of the workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvalError {
    /// There is no schedule: the simulation failed.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// A spec that cannot be parsed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A workload that cannot be changed as asked.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Sites that make no grid, or a simulation of one that failed.
    #[error(transparent)]
    Grid(#[from] queuecast_forecast::broker::GridError),
    /// A workload could not be made.
    #[error(transparent)]
    Synth(#[from] queuecast_synth::synth::SynthError),
    /// A schedule of other jobs.
    #[error("the workload has {jobs} jobs but the schedule places {placements}: they do not belong together")]
    OtherJobs {
        /// In the workload.
        jobs: usize,
        /// In the schedule.
        placements: usize,
    },
    /// A sweep has a simulation of a workload that was not given.
    #[error("the sweep has a simulation of workload {place}, but there are {workloads} workloads")]
    UnknownWorkload {
        /// The place of the workload, from 0.
        place: usize,
        /// The number of workloads given.
        workloads: usize,
    },
    /// A placement that no machine could have made.
    #[error("job {id} (number {index} in arrival order) {what}")]
    ImpossiblePlacement {
        /// The log's number.
        id: u64,
        /// Its place in arrival order.
        index: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A window that cannot be cut.
    #[error("window: {field} = {value}: {expected}")]
    ImpossibleWindow {
        /// Which part of the window.
        field: &'static str,
        /// What it was.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Jobs cannot be predicted at their start where starts are not recorded.
    #[error(
        "the log does not record how long jobs waited, so it is unknown when they started: predict at submission"
    )]
    NoWaits,
    /// Nothing can be learned from so short a log.
    #[error("the log has {jobs} jobs, at least {needed} are needed to predict one from others")]
    TooFewJobs {
        /// In the log.
        jobs: usize,
        /// To predict one from the others.
        needed: usize,
    },
    /// An unknown metric.
    #[error("no metric is called \"{name}\"; the metrics are {known}")]
    UnknownMetric {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
}
