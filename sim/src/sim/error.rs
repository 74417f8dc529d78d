//! What can go wrong in a simulation: a predictor or a policy that breaks its contract.

use queuecast_core::job::JobId;
use queuecast_core::units::{Seconds, Time};

/// Why a simulation stopped. The contracts are those of [`crate::predict::RuntimePredictor`] and [`super::Policy`].
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
    /// A job was started that does not wait.
    #[error(
        "the policy {policy} started {} at instant {at}, which does not wait: a policy starts waiting jobs only, each once",
        named(*job, *index)
    )]
    NotWaiting {
        /// The policy.
        policy: String,
        /// The job, if there is one of this number.
        job: Option<JobId>,
        /// The number in order of submission that the policy named.
        index: u32,
        /// When.
        at: Time,
    },
    /// A job was started for which there is no room on the nodes of a site.
    #[error(
        "the policy {policy} started job {} at instant {at}, which has no room on the nodes: a policy at a site asks the capacity of \
         its view",
        job.0
    )]
    NoRoom {
        /// The policy.
        policy: String,
        /// The job.
        job: JobId,
        /// When.
        at: Time,
    },
    /// A job was started on the nodes of a site and is not among the starts of the plan.
    #[error("the policy {policy} started job {} at instant {at} and did not name it among its starts", job.0)]
    Unnamed {
        /// The policy.
        policy: String,
        /// The job.
        job: JobId,
        /// When.
        at: Time,
    },
    /// A job was started on more processors than were free.
    #[error(
        "the policy {policy} started job {} on {procs} processors at instant {at}, when {free} were free",
        job.0
    )]
    TooFewFree {
        /// The policy.
        policy: String,
        /// The job.
        job: JobId,
        /// Processors it takes.
        procs: u32,
        /// Processors that were free.
        free: u32,
        /// When.
        at: Time,
    },
}

/// A job by the log's number, or by its place where there is no such job.
fn named(job: Option<JobId>, index: u32) -> String {
    job.map_or_else(|| format!("job number {index} in order of submission"), |job| format!("job {}", job.0))
}
