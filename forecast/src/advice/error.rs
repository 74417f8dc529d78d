//! Why there is no advice.

use crate::allot::SizesError;
use queuecast_core::asking::Refusal;
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

impl AdviceError {
    /// Why there is no advice, and what helps.
    pub fn refusal(self) -> Refusal {
        match self {
            AdviceError::Sim(error) => {
                Refusal::bug(error.to_string()).hint("this is a bug in the predictor; please report it")
            }
            AdviceError::Workload(_) => Refusal::bug(self.to_string()),
            AdviceError::JobsAhead { .. } | AdviceError::NoFormula { .. } => {
                Refusal::question(format!("--formula {self}"))
            }
            AdviceError::CheckedFormula => {
                Refusal::question("--check is for simulated queues: leave out --formula")
            }
            AdviceError::PerfectLive => Refusal::question(format!("--predictor perfect: {self}")),
            AdviceError::Sizes(SizesError::NoFit(why)) => Refusal::question(format!("--between: {why}")),
            AdviceError::Sizes(SizesError::Outside { .. } | SizesError::NoneViable { given: None, .. }) => {
                Refusal::question(self.to_string())
                    .hint("--procs says how large the machine is, where the log does not")
            }
            AdviceError::Sizes(_) => Refusal::question(self.to_string())
                .hint("--runs (or --lifetime and --parallelism), --sizes, --fewest and --most say which sizes it can have"),
            _ => Refusal::question(self.to_string())
                .hint("another --formula may say more; without it, the queue is simulated"),
        }
    }
}
