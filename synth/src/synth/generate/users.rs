//! The users of a generated workload.

use serde::{Deserialize, Serialize};

use super::{GenerateError, ParameterSetting, set};
use crate::synth::Population;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// The users to generate. What is not given is as in the log, if there is one, else as by [`Population::default`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UserSettings {
    /// How many users.
    pub users: Option<u32>,
    /// Jobs in a session, on average.
    pub jobs_per_session: Option<f64>,
    /// The median time between two submissions of a session.
    pub think: Option<Seconds>,
    /// Applications of a user, on average.
    pub applications: Option<f64>,
}

/// The name of the model in settings and parameters.
pub(super) const MODEL: &str = "population";

impl UserSettings {
    /// The model of users, with the settings whose names begin with `population.`.
    pub(super) fn population(
        &self,
        log: Option<&Workload>,
        settings: &[ParameterSetting],
    ) -> Result<Population, GenerateError> {
        let without_users = |log: &Workload| log.jobs().iter().all(|job| job.user.is_none());
        let mut population = match log {
            Some(log) if !(self.users.is_some() && without_users(log)) => {
                Population::like(log).map_err(GenerateError::log(MODEL))?
            }
            _ => Population::default(),
        };
        population.users = self.users.unwrap_or(population.users);
        population.jobs_per_session = self.jobs_per_session.unwrap_or(population.jobs_per_session);
        population.think = self.think.unwrap_or(population.think);
        population.applications = self.applications.unwrap_or(population.applications);
        set(MODEL, population, settings)
    }
}
