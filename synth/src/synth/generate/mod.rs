//! Workflows that make a workload: plain settings in, the workload and a record of what was done out.
//!
//! [`lublin`] and [`downey`] draw jobs from a model, give them users and sessions, and give them requested times;
//! [`habits`] draws all of that at once. [`estimates`], [`rescale`], [`resample`] and [`shake`] change a log. Every
//! call is a function of its settings, the log and the seed.

mod changed;
mod error;
mod generated;
mod job_model;
mod jobs;
mod log;
mod parameter;
mod requested;
mod requested_spec;
mod users;

pub use changed::{EstimateSettings, ResampleSettings, estimates, resample, rescale, shake};
pub use error::GenerateError;
pub use generated::{Description, Generated, GenerationStep, HEAD, LoadLimit, RequestedTimesSource, Warning};
pub use job_model::{DowneyChoices, JobModel, LublinChoices, ModelSettings, Observed};
pub use jobs::{JobSettings, STEPS, downey, from_model, habits, lublin};
pub use log::NamedLog;
pub use parameter::{Parameter, ParameterSetting, check_settings, listed, set};
pub use requested::{MOST_MODES, ModelledTimes, PairingKind, RequestedTimes};
pub use users::UserSettings;
