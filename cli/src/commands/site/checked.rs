//! What is understood of a site.

use queuecast::cluster::RunClock;
use queuecast::slurm::{DifferingSetting, SiteReading, differing_settings};
use serde::Serialize;

/// What is understood of a site: the reading, with what follows from it.
#[derive(Debug, Serialize)]
pub struct CheckedSite {
    pub folder: String,
    #[serde(flatten)]
    pub reading: SiteReading,
    pub differing: Vec<DifferingSetting>,
    pub recording: Option<RecordingCounts>,
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
        let differing = differing_settings(&reading.cluster);
        let recording = reading.recording.as_ref().map(|run| RecordingCounts {
            submissions: run.submissions.len(),
            tasks: run.submissions.iter().map(|job| job.runs.len()).sum(),
            events: run.events.len(),
            outcomes: run.outcomes.len(),
            clock: run.clock,
        });
        CheckedSite { folder, reading, differing, recording }
    }
}
