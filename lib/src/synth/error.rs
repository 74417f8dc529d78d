//! Why a model cannot make a workload.

use crate::workload::WorkloadError;

/// Parameters that no workload can have.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum SynthError {
    /// A parameter outside its range.
    #[error("{field} = {value}: must be {expected}")]
    OutOfRange {
        /// Which parameter.
        field: &'static str,
        /// What it was.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// The parts do not make a workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}
