//! Predicts the requested time.

use super::settings::PredictorSettings;
use super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use queuecast_core::job::{Event, Job};
use queuecast_core::spec::{Form, Settings, SpecError};
use queuecast_core::units::Seconds;

/// The default for jobs without a requested time: one day, which many sites use as their default limit.
pub const DEFAULT_REQUEST: Seconds = Seconds(24 * 3600);

/// Predicts the requested time: classic backfilling.
#[derive(Debug, Clone, Copy)]
pub struct Requested {
    /// The prediction for jobs without a requested time.
    pub default: Seconds,
}

impl Requested {
    /// The requested time of this job, or the default.
    pub fn of(&self, job: &Job) -> Seconds {
        job.shape.limit.unwrap_or(self.default)
    }
}

/// The spec `requested`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedTime;

impl PredictorSettings for RequestedTime {
    const FORMS: &'static [Form] = &[Form::new("requested", "the requested time")];

    fn read(_settings: &Settings<'_>) -> Result<RequestedTime, SpecError> {
        Ok(RequestedTime)
    }

    fn write(&self) -> String {
        "requested".to_owned()
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(Requested { default: default_request })
    }
}

impl RuntimePredictor for Requested {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(self.of(question.job))
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}
