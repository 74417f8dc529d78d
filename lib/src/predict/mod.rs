//! How long will it run: predictors of run time, and what happens when one was too short.
//!
//! Knows jobs and events, whoever made them; refuses to know traces, schedulers, or waits.

mod constant;
mod correct;
mod forecast;
mod oracle;
mod recent;
mod requested;
mod spec;

pub use constant::Constant;
pub use correct::Correction;
pub use forecast::Forecast;
pub use oracle::Perfect;
pub use recent::{Recent, Statistic};
pub use requested::{DEFAULT_REQUEST, Requested};
pub use spec::PredictorSpec;

use crate::job::{Event, Job};
use crate::units::Seconds;

/// How long will this job run, given what is known now?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The job asked about.
    pub job: &'a Job,
    /// How long it has been running; zero while it waits. (The simulator asks at arrival; what replaces an
    /// outlived prediction is a [`Correction`].)
    pub elapsed: Seconds,
}

/// Learns from events and answers questions. It sees jobs, never their truth.
pub trait RuntimePredictor: Send + Sync {
    /// The whole run time of the job, elapsed part included.
    fn estimate(&self, question: &Question<'_>) -> Forecast;

    /// Something happened; learn from it.
    fn observe(&mut self, event: &Event<'_>);
}
