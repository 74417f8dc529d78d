//! Why there is no advice.

use crate::allot::SizesError;
use queuecast_core::workload::WorkloadError;
use queuecast_sim::sim::SimError;
use queuecast_wait::QueueTime;

/// Why there is no advice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// Jobs that are no workload, such as one larger than the machine.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A planner broke its contract.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A formula for the head of the queue, and the job is not there.
    #[error(
        "{by} predicts for the head of the queue, and {ahead} {} ahead: leave it out, and the queue is simulated",
        if *ahead == 1 { "job waits" } else { "jobs wait" }
    )]
    JobsAhead {
        /// The predictor.
        by: QueueTime,
        /// Jobs that wait.
        ahead: usize,
    },
    /// Sizes that the job cannot be given.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// A formula, and an outlook that is none.
    #[error("{by} needs an outlook that is a formula, and shares is none: leave one of them out")]
    NoFormula {
        /// The formula.
        by: QueueTime,
    },
    /// A check of a formula.
    #[error("only simulated queues can be checked on past jobs, not a formula")]
    CheckedFormula,
    /// The perfect predictor on a live site.
    #[error("the future of a live site is not known: use another predictor than perfect")]
    PerfectLive,
    /// No size was offered, nothing was drawn, or nothing can be predicted of any size.
    #[error("nothing can be said of any of the sizes offered")]
    Nothing,
}
