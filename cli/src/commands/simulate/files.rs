//! The files a simulation leaves: the schedule as CSV and as SWF, and the queue over time.

use std::path::{Path, PathBuf};

use queuecast::eval::Evaluation;
use queuecast::report::schedule;
use queuecast::report::swf::{self, Heading};
use queuecast::study::Experiment;
use queuecast::trace::LogFormat;

use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::output::PlannedFile;

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
}

impl Files {
    /// Plans every file that is asked for.
    pub fn plan(names: &FileNames, input: &Path) -> Result<Files, Failure> {
        let asked: Vec<&PathBuf> =
            [&names.schedule, &names.schedule_swf, &names.queue_series].into_iter().flatten().collect();
        for (place, path) in asked.iter().enumerate() {
            if asked[..place].contains(path) {
                let what = format!("{} is asked for twice", path.display());
                return Err(Failure::usage(what).hint("name a file of its own for each output"));
            }
        }
        let plan =
            |path: &Option<PathBuf>| path.as_deref().map(|path| PlannedFile::new(path, &[input])).transpose();
        Ok(Files {
            schedule: plan(&names.schedule)?,
            schedule_swf: plan(&names.schedule_swf)?,
            queue_series: plan(&names.queue_series)?,
        })
    }

    /// Writes them.
    pub fn write(
        self,
        trace: &Loaded,
        experiment: &Experiment,
        evaluation: &Evaluation<'_>,
    ) -> Result<(), Failure> {
        if let Some(planned) = self.schedule {
            let mut output = planned.begin()?;
            schedule::write_csv(&mut output, evaluation).map_err(|cause| output.failed(cause))?;
            output.commit()?;
        }
        if let Some(planned) = self.schedule_swf {
            let name = planned.name().to_owned();
            let header = (trace.log.format == LogFormat::Swf).then_some(&trace.log.header);
            let heading = Heading { header, notes: &notes(experiment) };
            swf::write(planned.begin()?, heading, evaluation.workload(), Some(evaluation.schedule()))
                .map_err(|cause| Failure::writing(&name, cause))?
                .commit()?;
        }
        if let Some(planned) = self.queue_series {
            let queue = evaluation.queue();
            let mut output = planned.begin()?;
            schedule::write_queue_csv(&mut output, &queue).map_err(|cause| output.failed(cause))?;
            output.commit()?;
        }
        Ok(())
    }
}

/// What a reader of the simulated trace must know.
fn notes(experiment: &Experiment) -> Vec<String> {
    let options = &experiment.options;
    vec![
        format!(
            "simulated by queuecast {}: waits and run times are those of the simulation, not recorded ones",
            env!("CARGO_PKG_VERSION")
        ),
        format!(
            "policy {}, predictor {}, correction {}, event order {}, limit {}, factor {}",
            experiment.policy,
            experiment.predictor,
            options.correction,
            options.event_order,
            options.limit,
            options.factor
        ),
    ]
}
