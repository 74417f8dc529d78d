//! How long will it run: predictors of run time, and what happens when one was too short.
//!
//! Knows jobs and events of any origin; refuses to know traces, schedulers, or waits.

mod constant;
mod correct;
mod criteria;
mod forecast;
mod history;
mod labels;
pub mod mixture;
mod oracle;
mod present;
mod recent;
mod requested;
mod sample;
mod scatter;
mod session;
mod settings;
mod spec;
mod statistic;
pub mod template;

pub use constant::Constant;
pub use correct::{Correction, Rule};
pub use criteria::{Criteria, Criterion};
pub use forecast::Forecast;
pub use history::{Learn, Newcomer};
pub use labels::PredictorLabels;
pub use oracle::Perfect;
pub use recent::{RecentUserHistory, Ruh};
pub use requested::{DEFAULT_REQUEST, Requested};
pub use scatter::Lookup;
pub use session::{Sbh, SessionHistory, SessionSearch};
pub use settings::{Needs, PredictorSettings};
pub use spec::PredictorSpec;
pub use statistic::Statistic;

use queuecast_core::job::{Event, Job, JobIndex};
use queuecast_core::units::Seconds;

/// How long will this job run, given what is known now?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The job asked about.
    pub job: &'a Job,
    /// How long it has been running; zero while it waits. (The simulator asks at arrival; what replaces an
    /// outlived prediction is a [`Correction`], unless the predictor revises it itself.)
    pub elapsed: Seconds,
}

/// A new prediction for a job that waits or runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// Which job.
    pub job: JobIndex,
    /// Its whole run time; more than it has run already.
    pub forecast: Forecast,
}

/// Learns from events and answers questions. It sees jobs, never their truth.
///
/// The standard interface of Talby et al. 2005, section 3.1: a prediction is given at arrival, and each of the
/// four events may change the predictions of any jobs that wait or run. The two constraints are kept by type
/// and by the engine: there is always a prediction, and it always exceeds the time a job has run.
pub trait RuntimePredictor: Send + Sync {
    /// The whole run time of the job, elapsed part included.
    fn estimate(&self, question: &Question<'_>) -> Forecast;

    /// Something happened; learn from it, and add what is now thought of other jobs in the system, or of this
    /// one. Nothing need be added: predictions stand until they are revised or outlived.
    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>);

    /// What to call it when it is at fault.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        path.rsplit("::").next().unwrap_or(path).to_owned()
    }
}

/// A run-time predictor that can be copied with what it has learned. Every predictor that can be cloned is one.
pub trait LearnedRuns: RuntimePredictor {
    /// A copy that learns on its own from now on.
    fn copied(&self) -> Box<dyn LearnedRuns>;
}

impl Clone for Box<dyn LearnedRuns> {
    fn clone(&self) -> Box<dyn LearnedRuns> {
        (**self).copied()
    }
}

impl<P: RuntimePredictor + Clone + 'static> LearnedRuns for P {
    fn copied(&self) -> Box<dyn LearnedRuns> {
        Box::new(self.clone())
    }
}
