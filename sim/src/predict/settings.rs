//! The interface of a prediction method as data: its forms, its settings, and the predictor they build.

use super::LearnedRuns;
use queuecast_core::job::Job;
use queuecast_core::spec::{Form, Settings, SpecError};
use queuecast_core::units::Seconds;

/// The settings of one prediction method.
pub trait PredictorSettings: Sized {
    /// Its forms in a spec, usually one.
    const FORMS: &'static [Form];

    /// Reads the settings of one of its forms.
    fn read(settings: &Settings<'_>) -> Result<Self, SpecError>;

    /// The spec, as [`PredictorSettings::read`] reads it.
    fn write(&self) -> String;

    /// The facts about jobs it depends on.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Refuses settings that make no sense for these jobs.
    fn check(&self, _jobs: &[Job]) -> Result<(), SpecError> {
        Ok(())
    }

    /// The predictor. `runs` gives each job's run time, in arrival order; only a method that looks into the future
    /// calls it. `default_request` stands in for a missing requested time.
    fn build(&self, runs: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn LearnedRuns>;
}

/// Facts about jobs that a method depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// The user.
    pub user: bool,
    /// The executable.
    pub executable: bool,
}
