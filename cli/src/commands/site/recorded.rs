//! Recorded runs of a Slurm site, read from folders.

use std::collections::BTreeMap;
use std::path::Path;

use queuecast::cluster::{Cluster, RecordedRun};
use queuecast::slurm::{SiteOptions, read_site, unmodelled};
use queuecast::trace::TimeZone;

use crate::commands::site_texts::texts;
use crate::failure::Failure;
use crate::printer::Printer;

/// A recorded run.
pub struct ReadRun {
    /// Its texts by name.
    pub texts: BTreeMap<String, String>,
    /// The site.
    pub cluster: Cluster,
    /// What was submitted and what became of it.
    pub recording: RecordedRun,
    /// What the site uses and the simulation leaves out.
    pub left_out: Vec<String>,
}

/// Reads a recorded run; what could not be read of it is warned of.
pub fn read_run(folder: &Path, zone: &TimeZone, printer: &Printer) -> Result<ReadRun, Failure> {
    let name = folder.display().to_string();
    let texts = texts(folder, printer)?;
    let reading = read_site(&texts, &SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() });
    let Some(recording) = reading.recording.filter(|recording| !recording.submissions.is_empty()) else {
        return Err(Failure::input(format!("{name}: no submissions are recorded there"))
            .hint("expected jobs.csv, with the columns submit, user, account, run and args at least"));
    };
    if reading.cluster.nodes.is_empty() || reading.cluster.partitions.is_empty() {
        return Err(Failure::input(format!("{name}: no nodes or no partitions are known"))
            .hint("expected slurm.conf, or outputs of scontrol show node and partition"));
    }
    for misread in &reading.misread {
        printer.warning(&format!("{name}: {misread}"));
    }
    let mut left_out = unmodelled(&reading.cluster, &recording);
    left_out.extend(reading.not_modelled.iter().map(|one| one.name.clone()));
    Ok(ReadRun { texts, cluster: reading.cluster, recording, left_out })
}

/// The last part of a folder's name.
pub fn short(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}
