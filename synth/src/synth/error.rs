//! Errors of models.

use queuecast_core::workload::WorkloadError;

/// Why a model cannot generate a workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SynthError {
    /// A parameter outside its range.
    #[error("{field} = {value}: must be {expected}")]
    OutOfRange {
        /// Which parameter.
        field: &'static str,
        /// Its value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// Too few estimates are long enough for the jobs.
    #[error(
        "{short} of {jobs} jobs run longer than any estimate left for them (job {id} runs {run} s, the longest estimate is \
         {longest} s): raise the longest estimate, or the number of jobs that use the long ones"
    )]
    TooShort {
        /// At least this many jobs have no estimate.
        short: u64,
        /// Number of all jobs.
        jobs: u64,
        /// The number of the longest job.
        id: u64,
        /// Its run time.
        run: i64,
        /// The longest estimate.
        longest: i64,
    },
    /// Jobs run longer than the longest estimate.
    #[error(
        "{outlived} of {jobs} jobs run longer than the longest estimate, {longest} s (job {id} runs {run} s): raise the \
         longest estimate"
    )]
    Outlived {
        /// Number of such jobs.
        outlived: u64,
        /// Number of all jobs.
        jobs: u64,
        /// The number of the longest job.
        id: u64,
        /// Its run time.
        run: i64,
        /// The longest estimate.
        longest: i64,
    },
    /// The workload is unsuitable.
    #[error("{0}")]
    Unsuitable(String),
    /// The jobs do not make a workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// Fails unless the parameter is within its range; NaN is in none.
pub(super) fn within<T>(field: &'static str, value: T, least: T, most: T) -> Result<(), SynthError>
where
    T: PartialOrd + std::fmt::Display,
{
    if (&least..=&most).contains(&&value) {
        return Ok(());
    }
    Err(outside(field, value, &format!("between {least} and {most}")))
}

/// The error for a parameter out of its range.
pub(in crate::synth) fn outside(
    field: &'static str,
    value: impl std::fmt::Display,
    expected: &str,
) -> SynthError {
    SynthError::OutOfRange { field, value: value.to_string(), expected: expected.into() }
}
