//! Talby, Tsafrir, Goldberg and Feitelson 2005: runs the simulations that the library asks for.

use std::sync::Mutex;

use queuecast::eval::talby2005::{Described, LOGS, TABLES, TITLE, plan};
use queuecast::eval::{EvalError, Reproduction, Results, Study, Summary, Task};
use queuecast::synth::Variant;
use queuecast::workload::Workload;
use rayon::prelude::*;

use super::paper::{Asked, Paper};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What it needs, and how it is recomputed.
pub const PAPER: Paper = Paper {
    name: "talby2005",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    clean: "default",
    seeds: None,
    run,
};

/// Recomputes its tables from its logs, in the order of [`PAPER`].
pub fn run(traces: &[Loaded], asked: &Asked, printer: &Printer) -> Result<Reproduction, Failure> {
    let (study, wanted) = plan(|table| asked.tables.wants(table), asked.tables.is_all())?;
    let progress = Progress::new(printer, "simulating", study.tasks().len());
    let workloads: Vec<&Workload> = traces.iter().map(|trace| &trace.log.workload).collect();
    let results = simulated(&study, &workloads, &progress)?;
    let described: Vec<Described> = traces.iter().map(described).collect();
    Ok(wanted.judge(&described, &results))
}

/// Runs every simulation of a study. Those of one changed log run together, so that it is changed once and not
/// kept.
fn simulated(study: &Study, logs: &[&Workload], progress: &Progress) -> Result<Results, Failure> {
    let mut groups: Vec<(usize, Variant, Vec<usize>)> = Vec::new();
    for (place, task) in study.tasks().iter().enumerate() {
        let same = |group: &&mut (usize, Variant, Vec<usize>)| (group.0, group.1) == (task.log, task.variant);
        match groups.iter_mut().find(same) {
            Some(group) => group.2.push(place),
            None => groups.push((task.log, task.variant, vec![place])),
        }
    }
    let empty: Vec<Option<Result<Summary, EvalError>>> = study.tasks().iter().map(|_| None).collect();
    let slots = Mutex::new(empty);
    let keep = |place: usize, result| {
        if let Some(slot) = slots.lock().ok().as_mut().and_then(|slots| slots.get_mut(place)) {
            *slot = Some(result);
        }
        progress.advance();
    };
    groups.par_iter().for_each(|(log, variant, places)| match variant.of(logs[*log]) {
        Ok(workload) => places.par_iter().for_each(|&place| {
            let task: &Task = &study.tasks()[place];
            keep(place, task.run(&workload));
        }),
        Err(error) => places.iter().for_each(|&place| keep(place, Err(error.clone().into()))),
    });
    // Which failure is told does not depend on which thread was first.
    let done = slots.into_inner().unwrap_or_default().into_iter().flatten();
    let summaries = done.collect::<Result<Vec<Summary>, EvalError>>()?;
    if summaries.len() == study.tasks().len() {
        Ok(Results::new(summaries))
    } else {
        Err(Failure::unexpected("some simulations came to nothing"))
    }
}

fn described(trace: &Loaded) -> Described {
    let workload = &trace.log.workload;
    let span = match (workload.jobs().first(), workload.jobs().last()) {
        (Some(first), Some(last)) => (last.submit - first.submit).0,
        _ => 0,
    };
    Described {
        procs: workload.machine().procs.0,
        records: trace.log.report.lines,
        jobs: workload.len(),
        span,
        load: workload.offered_load(),
    }
}
