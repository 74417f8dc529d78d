//! Why a model cannot make a workload.

use crate::workload::WorkloadError;

/// Parameters that no workload can have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// No estimate is left for a job that runs this long.
    #[error(
        "{short} of {jobs} jobs run longer than any estimate left for them (job {id} runs {run} s, the longest estimate is \
         {longest} s): raise the longest estimate, or the number of jobs that use the long ones"
    )]
    TooShort {
        /// How many jobs at least go without.
        short: u64,
        /// Of how many.
        jobs: u64,
        /// The number of the longest of them.
        id: u64,
        /// How long it runs.
        run: i64,
        /// The longest estimate there is.
        longest: i64,
    },
    /// Jobs run longer than the longest estimate.
    #[error(
        "{outlived} of {jobs} jobs run longer than the longest estimate, {longest} s (job {id} runs {run} s): raise the \
         longest estimate"
    )]
    Outlived {
        /// How many do.
        outlived: u64,
        /// Of how many.
        jobs: u64,
        /// The number of the longest of them.
        id: u64,
        /// How long it runs.
        run: i64,
        /// The longest estimate there is.
        longest: i64,
    },
    /// What is asked for cannot be made of this workload.
    #[error("{0}")]
    Unsuitable(String),
    /// The parts do not make a workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// A parameter must lie within its range; NaN lies in none.
pub(super) fn within<T>(field: &'static str, value: T, least: T, most: T) -> Result<(), SynthError>
where
    T: PartialOrd + std::fmt::Display,
{
    if (&least..=&most).contains(&&value) {
        return Ok(());
    }
    Err(outside(field, value, &format!("between {least} and {most}")))
}

/// What is said of a parameter that is not what it must be.
pub(in crate::synth) fn outside(
    field: &'static str,
    value: impl std::fmt::Display,
    expected: &str,
) -> SynthError {
    SynthError::OutOfRange { field, value: value.to_string(), expected: expected.into() }
}
