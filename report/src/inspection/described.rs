//! What is known of one log.

use queuecast_synth::characterization::Characterization;
use queuecast_trace::{CleaningReport, Info, Inspected};
use serde::Serialize;

/// One log, described.
#[derive(Debug, Serialize)]
pub struct DescribedLog {
    pub(super) source: String,
    #[serde(flatten)]
    pub(super) info: Info,
    /// What was done to the records before the portrait was made; `None` if that left no jobs.
    pub(super) cleaning: Option<CleaningReport>,
    pub(super) portrait: Option<Characterization>,
    /// Whether all tables of the portrait are shown.
    #[serde(skip)]
    pub(super) in_full: bool,
}

impl DescribedLog {
    /// What was found in the log of this name; `in_full` with all tables of the portrait.
    pub fn new(source: String, inspected: Inspected, in_full: bool) -> DescribedLog {
        let Inspected { info, log } = inspected;
        let portrait = log.as_ref().map(|log| Characterization::of(&log.workload));
        DescribedLog { source, info, cleaning: log.map(|log| log.report), portrait, in_full }
    }
}

/// A user by name, or by number where the log has no names.
pub(super) fn user(number: u32, name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| format!("user {number}"))
}
