//! What is understood of a site.

use serde::Serialize;

use super::differing::{DifferingSetting, differing_settings};
use super::notes::Unmodelled;
use super::site::SiteReading;
use super::unmodelled::left_out;
use queuecast_slurm_sim::cluster::{RecordedRun, RunClock};

/// What is understood of a site: the reading, with what follows from it.
#[derive(Debug, Serialize)]
pub struct CheckedSite {
    /// Where its texts come from.
    pub folder: String,
    /// What was read.
    #[serde(flatten)]
    pub reading: SiteReading,
    /// Settings that differ from Slurm's defaults.
    pub differing: Vec<DifferingSetting>,
    /// Of a recorded run or a list of submissions.
    pub recording: Option<RecordingCounts>,
}

/// How much a recorded run or a list of submissions has.
#[derive(Debug, Serialize)]
pub struct RecordingCounts {
    /// What was submitted.
    pub submissions: usize,
    /// With each task of an array.
    pub tasks: usize,
    /// Other events.
    pub events: usize,
    /// What became of jobs.
    pub outcomes: usize,
    /// The clock of its times.
    pub clock: RunClock,
}

impl CheckedSite {
    /// Of what was read from the texts of a folder.
    ///
    /// What is not modelled is all that a simulation of its recorded submissions would name, or one without submissions.
    pub fn of(folder: String, mut reading: SiteReading) -> CheckedSite {
        let none = RecordedRun::default();
        let named = left_out(&reading, reading.recording.as_ref().unwrap_or(&none));
        let known: Vec<String> = reading.not_modelled.iter().map(|one| one.name.clone()).collect();
        let others = named.into_iter().filter(|name| !known.contains(name));
        reading.not_modelled.extend(others.map(Unmodelled::nowhere));
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
