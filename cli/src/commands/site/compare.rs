//! `queuecast site compare`: recorded runs of a Slurm site beside their simulation, and beside each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_slurm_sim::cluster::RecordedDecisions;
use queuecast_slurm_texts::{RecordedSite, read_decisions};
use queuecast_study::{ComparedRun, ComparedRuns};
use queuecast_trace::TimeZone;

use super::recorded::{read_run, short};
use crate::spec;

/// Simulate what was submitted in recorded runs of a Slurm site, and say how far starts differ from the recorded ones
///
/// A run is a folder with the site's configuration (as for site check) and what was submitted, with what became of it: jobs.csv, and where there are any submitted.tsv, meta.json (when the controller was started) and sched.log. Each run is simulated under its own configuration and at the phase of its own timers; runs of the same submissions are also compared with each other, since two real runs differ too.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders of recorded runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Also put the simulation into the recorded state at each recorded decision, and say how many it decides alike
    ///
    /// Decisions are in slurmctld.log and sched.log of a run (backfilling plans, starts, stops at time limits, logged with DebugFlags=Backfill), and in snapshots of sprio.
    #[arg(long)]
    pub decisions: bool,
    /// Time zone of local times in the files
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone, help_heading = "Reading")]
    pub time_zone: TimeZone,
}

/// Reads, simulates and compares.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let mut runs = Vec::new();
    let progress = Progress::new(printer, "simulating runs", arguments.runs.len());
    for folder in &arguments.runs {
        let (texts, site) = read_run(folder, &arguments.time_zone, printer)?;
        let decided = arguments.decisions.then(|| decided(folder, &texts, &site, arguments, printer));
        runs.push(ComparedRun::of(&short(folder), site, decided.flatten().as_ref()));
        progress.advance_by(1);
    }
    drop(progress);
    printer.answer(&ComparedRuns::of(runs, arguments.decisions))
}

/// The decisions of a run, if any are recorded.
fn decided(
    folder: &Path,
    texts: &BTreeMap<String, String>,
    site: &RecordedSite,
    arguments: &Arguments,
    printer: &Printer,
) -> Option<RecordedDecisions> {
    let name = folder.display();
    let found = read_decisions(texts, &site.cluster, &site.recording.clock, &arguments.time_zone);
    for misread in &found.misread {
        printer.warning(&format!("{name}: {misread}"));
    }
    if found.decisions.is_empty() {
        printer.warning(&format!(
            "{name}: no decisions are recorded there; expected slurmctld.log, sched.log or snapshots of sprio"
        ));
        return None;
    }
    Some(found.decisions)
}
