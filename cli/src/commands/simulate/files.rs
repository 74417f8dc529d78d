//! The files a simulation leaves: the schedule as CSV and as SWF, and the queue over time.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use queuecast::eval::{Evaluation, Experiment, QueueSeries};
use queuecast::report::swf::{self, Heading};
use queuecast::report::table::csv_field;
use queuecast::sim::{Backfilled, Reason};
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
            write_schedule(&mut output, evaluation).map_err(|cause| output.failed(cause))?;
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
            write_queue(&mut output, &queue).map_err(|cause| output.failed(cause))?;
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

/// The first six columns are what others rely on.
const SCHEDULE: &str = "job,submit,start,end,procs,reason,wait,ran,requested,predicted,corrections,backfill_kind,\
                        killed,user,group,executable,queue,partition\n";

fn write_schedule(out: &mut impl Write, evaluation: &Evaluation<'_>) -> io::Result<()> {
    out.write_all(SCHEDULE.as_bytes())?;
    let names = &evaluation.workload().names;
    for index in 0..evaluation.workload().len() {
        let measured = evaluation.measured(index);
        let (job, placement) = (measured.job, measured.placement);
        write!(
            out,
            "{},{},{},{},{},{},{},{},",
            job.id.0,
            job.submit,
            placement.start,
            placement.end(),
            placement.procs(job),
            placement.reason.word(),
            measured.wait(),
            placement.ran
        )?;
        if let Some(limit) = job.shape.limit {
            write!(out, "{limit}")?;
        }
        let kind = match placement.reason {
            Reason::Backfilled(Backfilled::InTime) => "in_time",
            Reason::Backfilled(Backfilled::InSpace) => "in_space",
            _ => "",
        };
        write!(out, ",{},{},{kind},{}", placement.predicted, placement.corrections, placement.killed)?;
        write_name(out, job.user.map(|id| id.number()), &names.users)?;
        write_name(out, job.group.map(|id| id.number()), &names.groups)?;
        write_name(out, job.executable.map(|id| id.number()), &names.executables)?;
        write_name(out, job.queue.map(|id| id.number()), &names.queues)?;
        write_name(out, job.partition.map(|id| id.number()), &names.partitions)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A name where the trace has one, else its number, else nothing.
fn write_name(out: &mut impl Write, number: Option<u32>, names: &BTreeMap<u32, String>) -> io::Result<()> {
    match number.map(|number| (number, names.get(&number))) {
        Some((_, Some(name))) => write!(out, ",{}", csv_field(name)),
        Some((number, None)) => write!(out, ",{number}"),
        None => out.write_all(b","),
    }
}

fn write_queue(out: &mut impl Write, queue: &QueueSeries) -> io::Result<()> {
    out.write_all(b"time,jobs_waiting,procs_waiting,procs_busy\n")?;
    for step in &queue.steps {
        writeln!(out, "{},{},{},{}", step.time, step.jobs_waiting, step.procs_waiting, step.procs_busy)?;
    }
    Ok(())
}
