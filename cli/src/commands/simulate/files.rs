//! The files a simulation leaves: the schedule as CSV and as SWF, the queue over time, and what was submitted.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use queuecast_core::number::number_of;
use queuecast_eval::Evaluation;
use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;
use queuecast_process::printer::Printer;
use queuecast_report::schedule;
use queuecast_report::simulation::trace_notes;
use queuecast_report::swf::{self, Heading};
use queuecast_slurm_sim::cluster::{ClusterAction, ClusterEvent, JobOutcome};
use queuecast_slurm_texts::{WhatIf, write_submissions};
use queuecast_study::Experiment;

use crate::commands::loaded::Loaded;

/// Which files are asked for.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Results")]
pub struct FileNames {
    /// Write the start of every job and its reason as CSV; .gz and .zst compress it
    #[arg(long, value_name = "OUT.csv")]
    pub schedule: Option<PathBuf>,
    /// Write the schedule as a trace in the Standard Workload Format
    #[arg(long, value_name = "OUT.swf")]
    pub schedule_swf: Option<PathBuf>,
    /// Write waiting jobs and busy processors over time as CSV
    #[arg(long, value_name = "OUT.csv")]
    pub queue_series: Option<PathBuf>,
}

/// The files, planned and not yet there.
#[derive(Debug)]
pub struct Files {
    schedule: Option<PlannedFile>,
    schedule_swf: Option<PlannedFile>,
    queue_series: Option<PlannedFile>,
    submissions: Option<PlannedFile>,
}

impl Files {
    /// Plans every file that is asked for.
    pub fn plan(
        names: &FileNames,
        submissions: &Option<PathBuf>,
        inputs: &[&Path],
    ) -> Result<Files, Failure> {
        if submissions.is_some() && *submissions == names.schedule {
            return Err(Failure::usage("--submissions and --schedule name the same file")
                .hint("name a file of its own for each output"));
        }
        let plan =
            |path: &Option<PathBuf>| path.as_deref().map(|path| PlannedFile::new(path, inputs)).transpose();
        Ok(Files {
            schedule: plan(&names.schedule)?,
            schedule_swf: plan(&names.schedule_swf)?,
            queue_series: plan(&names.queue_series)?,
            submissions: plan(submissions)?,
        })
    }

    /// Writes those of the simulation of a log.
    pub fn write(
        self,
        trace: &Loaded,
        experiment: &Experiment,
        evaluation: &Evaluation<'_>,
    ) -> Result<(), Failure> {
        write(self.schedule, |out| schedule::write_csv(out, evaluation))?;
        write(self.schedule_swf, |out| {
            let header = (!trace.log.format.is_accounting()).then_some(&trace.log.header);
            let heading = Heading { header, notes: &trace_notes(experiment) };
            swf::write(out, heading, evaluation.workload(), Some(evaluation.schedule())).map(drop)
        })?;
        write(self.queue_series, |out| schedule::write_queue_csv(out, &evaluation.queue()))
    }

    /// Writes those of a simulation at a Slurm site. Events that a list of submissions does not have are told.
    pub fn write_at_site(
        self,
        what_if: &WhatIf,
        outcomes: &[JobOutcome],
        printer: &Printer,
    ) -> Result<(), Failure> {
        let WhatIf { run, .. } = what_if;
        let is_left = |event: &&ClusterEvent| !matches!(event.action, ClusterAction::Cancel { .. });
        let left = run.events.iter().filter(is_left).count();
        if self.submissions.is_some() && left > 0 {
            printer.warning(&format!(
                "a list of submissions has no changes of nodes, reservations or waiting jobs: {} left out",
                number_of(left, "event")
            ));
        }
        let list = || write_submissions(&run.submissions, &run.events);
        write(self.submissions, |out| out.write_all(list().as_bytes()))?;
        write(self.schedule, |out| schedule::write_outcomes_csv(out, outcomes))
    }
}

/// Writes a file, if it is asked for.
fn write(
    planned: Option<PlannedFile>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    planned.map_or(Ok(()), |planned| planned.write_by(content))
}
