//! What can go wrong in a simulation: a predictor that breaks its contract.

use crate::job::JobId;
use crate::units::{Seconds, Time};

/// Why a simulation stopped. Predictors are told what they owe by [`crate::predict::RuntimePredictor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A running job was predicted to have ended already.
    #[error(
        "the predictor {predictor} expects job {} to run for {predicted} s in all at instant {at}, when it has run for \
         {elapsed} s already: a prediction must exceed the time a job has run",
        job.0
    )]
    OutlivedPrediction {
        /// Whose prediction.
        predictor: String,
        /// Of which job.
        job: JobId,
        /// What it said.
        predicted: Seconds,
        /// How long the job has run.
        elapsed: Seconds,
        /// When it said so.
        at: Time,
    },
    /// A job that neither waits nor runs was predicted.
    #[error(
        "the predictor {predictor} revised job number {index} in arrival order at instant {at}, which neither waits nor runs: only jobs \
         in the system can be revised"
    )]
    AbsentJob {
        /// Whose prediction.
        predictor: String,
        /// The place in arrival order it named.
        index: u32,
        /// When.
        at: Time,
    },
}
