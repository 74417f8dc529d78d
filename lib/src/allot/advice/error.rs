//! Why there is no advice.

use crate::sim::SimError;
use crate::wait::QueueTime;
use crate::workload::WorkloadError;

/// Why there is no advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// Jobs that are no workload, such as one larger than the machine.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A planner broke its contract.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A predictor for the head of the queue, and the job is not there.
    #[error(
        "{by} predicts for the head of the queue, and {ahead} {} ahead: leave it out, and the queue is simulated",
        if *ahead == 1 { "job waits" } else { "jobs wait" }
    )]
    JobsAhead {
        /// The predictor.
        by: QueueTime,
        /// Who waits.
        ahead: usize,
    },
    /// No size was offered, nothing was drawn, or nothing can be predicted of any size.
    #[error("nothing can be said of any of the sizes offered")]
    Nothing,
}
