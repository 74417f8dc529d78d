//! A schedule and its queue over time as CSV.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use super::table::csv_field;
use queuecast_eval::{Evaluation, QueueSeries};
use queuecast_sim::sim::{Backfilled, Reason};
use queuecast_slurm_sim::cluster::JobOutcome;

/// The first six columns are what others rely on.
const HEADING: &str = "job,submit,start,end,procs,reason,wait,ran,requested,predicted,corrections,backfill_kind,\
                        killed,user,group,executable,queue,partition\n";

/// Writes the start of every job and its reason as CSV.
pub fn write_csv(out: &mut dyn Write, evaluation: &Evaluation<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(HEADING.as_bytes())?;
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
            measured.outcome().wait(),
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
        write_name(&mut out, job.user.map(|id| id.number()), &names.users)?;
        write_name(&mut out, job.group.map(|id| id.number()), &names.groups)?;
        write_name(&mut out, job.executable.map(|id| id.number()), &names.executables)?;
        write_name(&mut out, job.queue.map(|id| id.number()), &names.queues)?;
        write_name(&mut out, job.partition.map(|id| id.number()), &names.partitions)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes what became of every job of a cluster as CSV: one row each, array tasks one by one. Nodes have blanks between.
pub fn write_outcomes_csv(out: &mut dyn Write, outcomes: &[JobOutcome]) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(b"key,task,state,submit,eligible,start,end,partition,cpus,nodes,backfilled,priority\n")?;
    fn known<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(String::new, |value| value.to_string())
    }
    for one in outcomes {
        let cells = [
            one.key.clone(),
            known(one.task),
            one.state.to_string(),
            one.submit.to_string(),
            known(one.eligible),
            known(one.start),
            known(one.end),
            one.partition.clone(),
            one.cpus.to_string(),
            one.nodes.join(" "),
            known(one.backfilled),
            known(one.priority),
        ];
        let cells: Vec<_> = cells.iter().map(|cell| csv_field(cell)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    out.flush()
}

/// A name where the trace has one, else its number, else nothing.
pub(super) fn write_name(
    out: &mut dyn Write,
    number: Option<u32>,
    names: &BTreeMap<u32, String>,
) -> io::Result<()> {
    match number.map(|number| (number, names.get(&number))) {
        Some((_, Some(name))) => write!(out, ",{}", csv_field(name)),
        Some((number, None)) => write!(out, ",{number}"),
        None => out.write_all(b","),
    }
}

/// Writes waiting jobs and busy processors over time as CSV.
pub fn write_queue_csv(out: &mut dyn Write, queue: &QueueSeries) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(b"time,jobs_waiting,procs_waiting,procs_busy\n")?;
    for step in &queue.steps {
        writeln!(out, "{},{},{},{}", step.time, step.jobs_waiting, step.procs_waiting, step.procs_busy)?;
    }
    out.flush()
}
