//! Why a workload could not be generated.

use crate::synth::SynthError;
use queuecast_core::units::Seconds;

/// Why a workload could not be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A model refuses its parameters.
    #[error("{model}: {error}")]
    Parameters {
        /// The model's name.
        model: &'static str,
        /// What it refuses.
        error: SynthError,
    },
    /// A model cannot be fitted to the log, or the log cannot be changed in this way.
    #[error("{model}: the log is unsuitable: {error}")]
    Log {
        /// The name of the model or of the change.
        model: &'static str,
        /// Why.
        error: SynthError,
    },
    /// The jobs cannot have these requested times.
    #[error("requested times: {0}")]
    RequestedTimes(SynthError),
    /// A setting names no parameter of its model.
    #[error("{name} = {value}: there is no such parameter")]
    UnknownParameter {
        /// The name in the setting.
        name: String,
        /// The value in the setting.
        value: String,
        /// The names of all parameters of the model.
        known: Vec<String>,
    },
    /// A setting belongs to a model that is not used.
    #[error("{name} = {value}: this model is not used here; used are {}", .used.join(", "))]
    UnusedModel {
        /// The name in the setting.
        name: String,
        /// The value in the setting.
        value: String,
        /// The models that are used.
        used: Vec<&'static str>,
    },
    /// A setting has a value of the wrong kind.
    #[error("{name} = {value}: {why}")]
    Setting {
        /// The name in the setting.
        name: String,
        /// The value in the setting.
        value: String,
        /// What was expected.
        why: String,
    },
    /// A load was asked for by stretching time, which would change the days of this model.
    #[error("load {load}: stretching time would change the days of the model; set {instead} instead")]
    DaysFixed {
        /// The load.
        load: f64,
        /// The parameter to set instead.
        instead: &'static str,
    },
    /// The longest requested time is shorter than a job's run time.
    #[error("the longest requested time, {longest} s, is shorter than the longest run, {run} s")]
    LongestTooShort {
        /// The longest requested time.
        longest: Seconds,
        /// The longest run time.
        run: Seconds,
    },
    /// The parameters of a model cannot be written as names and values.
    #[error("cannot list the parameters: {0}")]
    Unlistable(String),
}

impl GenerateError {
    /// Makes a [`GenerateError::Parameters`] of this model's errors.
    pub(super) fn parameters(model: &'static str) -> impl Fn(SynthError) -> GenerateError {
        move |error| GenerateError::Parameters { model, error }
    }

    /// Makes a [`GenerateError::Log`] of this model's errors.
    pub(super) fn log(model: &'static str) -> impl Fn(SynthError) -> GenerateError {
        move |error| GenerateError::Log { model, error }
    }
}
