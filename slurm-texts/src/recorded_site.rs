//! A site with what was submitted to it in a recorded run.

use std::collections::BTreeMap;

use super::notes::Misread;
use super::site::{SiteOptions, read_site};
use super::unmodelled::left_out;
use queuecast_slurm_sim::cluster::{Cluster, RecordedRun};

/// A site and a recorded run of it.
#[derive(Debug, Clone)]
pub struct RecordedSite {
    /// The site.
    pub cluster: Cluster,
    /// What was submitted and what became of it.
    pub recording: RecordedRun,
    /// What the site uses and the simulation leaves out.
    pub left_out: Vec<String>,
    /// Places that could not be read.
    pub misread: Vec<Misread>,
}

/// Why texts are no recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRecordedSite {
    /// They tell of no submission.
    #[error("no submissions are recorded there")]
    Submissions,
    /// They do not tell of nodes and partitions.
    #[error("no nodes or no partitions are known")]
    Machine,
}

/// Reads a recorded run and the site it was recorded at.
///
/// # Errors
/// If the texts tell of no submission, or of no machine.
pub fn read_recorded_site(
    texts: &BTreeMap<String, String>,
    options: &SiteOptions,
) -> Result<RecordedSite, NoRecordedSite> {
    let mut reading = read_site(texts, options);
    let recording = reading.recording.take().filter(|recording| !recording.submissions.is_empty());
    let recording = recording.ok_or(NoRecordedSite::Submissions)?;
    let left_out = left_out(&reading, &recording);
    let cluster = reading.cluster;
    if cluster.nodes.is_empty() || cluster.partitions.is_empty() {
        return Err(NoRecordedSite::Machine);
    }
    Ok(RecordedSite { cluster, recording, left_out, misread: reading.misread })
}
