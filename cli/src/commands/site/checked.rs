//! What is understood of a site.

use std::collections::BTreeMap;

use queuecast::cluster::{Cluster, RunClock};
use queuecast::slurm::{
    DifferingSetting, Misread, MissingText, SiteFileKind, SiteReading, Unmodelled, differing_settings,
};
use serde::Serialize;

/// What is understood of a site.
#[derive(Debug, Serialize)]
pub struct CheckedSite {
    pub folder: String,
    pub cluster: Cluster,
    pub differing: Vec<DifferingSetting>,
    pub recording: Option<RecordingCounts>,
    pub used: BTreeMap<String, SiteFileKind>,
    pub ignored: Vec<String>,
    pub missing: Vec<MissingText>,
    pub not_modelled: Vec<Unmodelled>,
    pub warnings: Vec<String>,
    pub misread: Vec<Misread>,
}

/// How much a recorded run or a list of submissions has.
#[derive(Debug, Serialize)]
pub struct RecordingCounts {
    pub submissions: usize,
    pub tasks: usize,
    pub events: usize,
    pub outcomes: usize,
    pub clock: RunClock,
}

impl CheckedSite {
    pub fn of(folder: String, reading: SiteReading) -> CheckedSite {
        let SiteReading { cluster, recording, used, ignored, missing, not_modelled, warnings, misread } =
            reading;
        let differing = differing_settings(&cluster.settings);
        let recording = recording.map(|run| RecordingCounts {
            submissions: run.submissions.len(),
            tasks: run.submissions.iter().map(|job| job.runs.len()).sum(),
            events: run.events.len(),
            outcomes: run.outcomes.len(),
            clock: run.clock,
        });
        CheckedSite {
            folder,
            cluster,
            differing,
            recording,
            used,
            ignored,
            missing,
            not_modelled,
            warnings,
            misread,
        }
    }
}
