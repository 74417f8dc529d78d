//! Predicts the actual run time. The only predictor that is built from run times.

use super::settings::PredictorSettings;
use super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use queuecast_core::job::Event;
use queuecast_core::spec::{Form, Settings, SpecError};
use queuecast_core::units::Seconds;

/// Predicts the actual run time of every job.
#[derive(Debug, Clone)]
pub struct Perfect {
    runs: Vec<Seconds>,
}

impl Perfect {
    /// From the run time of each job, in arrival order (cut at the limit where limits are enforced).
    pub fn new(runs: Vec<Seconds>) -> Perfect {
        Perfect { runs }
    }
}

/// The spec `perfect`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActualTime;

impl PredictorSettings for ActualTime {
    const FORMS: &'static [Form] = &[Form::new("perfect", "the actual run time")];

    fn read(_settings: &Settings<'_>) -> Result<ActualTime, SpecError> {
        Ok(ActualTime)
    }

    fn write(&self) -> String {
        "perfect".to_owned()
    }

    fn build(&self, runs: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(Perfect::new(runs()))
    }
}

impl RuntimePredictor for Perfect {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let known = self.runs.get(question.job.index.at()).copied();
        Forecast::exactly(known.or(question.job.shape.limit).unwrap_or(Seconds(1)))
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}
