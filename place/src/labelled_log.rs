//! A log by its name.

use std::sync::Arc;

use queuecast_forecast::forecast::{CampaignForecaster, Forecaster};
use queuecast_sim::site::Site;
use queuecast_trace::Log;

/// What was learned from a log by a moment, so that no question about that moment learns.
#[derive(Debug, Clone)]
pub struct LearnedLog {
    /// Of the start of a new job.
    pub forecaster: Forecaster,
    /// Of campaigns, once it has been learned; it may be of an earlier moment.
    pub campaigns: Option<Arc<CampaignForecaster>>,
    /// The site at that moment.
    pub site: Site,
}

/// A log and what to call it.
#[derive(Debug, Clone, Copy)]
pub struct LabelledLog<'a> {
    /// What to call it.
    pub name: &'a str,
    /// The log.
    pub log: &'a Log,
    /// What was learned from it by the moment that is asked about, if that is there.
    pub learned: Option<&'a LearnedLog>,
}
