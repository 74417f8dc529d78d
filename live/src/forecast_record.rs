//! Forecasts of the jobs of a played log, and what of them has happened.

use std::collections::HashSet;

use queuecast_core::units::Time;
use queuecast_trace::PastSpan;

use crate::forecasts::JudgedForecast;
use crate::scorecard::Scorecard;

/// What was forecast of the jobs of a played log, and what of it has happened at a look.
#[derive(Debug)]
pub struct ForecastRecord {
    pub(crate) name: String,
    pub(crate) at: Time,
    pub(crate) judged: Vec<JudgedForecast>,
    /// The jobs that wait then.
    pub(crate) waiting: HashSet<String>,
}

impl ForecastRecord {
    /// How right that was which was forecast in a time.
    pub fn scorecard(&self, span: PastSpan) -> Scorecard {
        Scorecard::of((self.name.clone(), self.name.clone()), (span, self.at), &self.judged, &self.waiting)
    }
}
