//! Predicts one length for all jobs.

use super::history::LONGEST_TIME;
use super::settings::PredictorSettings;
use super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use queuecast_core::job::Event;
use queuecast_core::spec::{Form, SettingKey, Settings, SpecError, Written};
use queuecast_core::units::Seconds;

/// Predicts one length for every job (Talby et al. 2005, section 4: CONSTANT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant(pub Seconds);

impl PredictorSettings for Constant {
    const FORMS: &'static [Form] = &[Form::new("constant", "the same for every job").with(
        ":SECONDS",
        &[SettingKey::new("seconds", "SECONDS").placed()],
        "constant:3600",
    )];

    fn read(settings: &Settings<'_>) -> Result<Constant, SpecError> {
        settings.required("seconds")?.seconds(LONGEST_TIME).map(Constant)
    }

    fn write(&self) -> String {
        Written::new("constant").value(self.0).to_string()
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(*self)
    }
}

impl RuntimePredictor for Constant {
    fn estimate(&self, _question: &Question<'_>) -> Forecast {
        Forecast::exactly(self.0)
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}
