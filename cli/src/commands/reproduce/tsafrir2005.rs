//! Tsafrir, Etsion and Feitelson 2005: prepares the logs and runs the trials of Figure 16 on all cores.

use queuecast::eval::tsafrir2005::{
    CLEAN, LOGS, Material, Outcome, PERFORMANCE, SEEDS, Source, TABLES, TITLE, Trial, judge,
};
use queuecast::eval::{EvalError, Reproduction};
use queuecast::workload::Workload;
use rayon::prelude::*;

use super::paper::{Asked, Paper};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What it needs, and how it is recomputed.
pub const PAPER: Paper = Paper {
    name: "tsafrir2005",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    clean: CLEAN,
    seeds: Some(SEEDS),
    run,
};

/// Recomputes its tables from its logs, in the order of [`PAPER`].
pub fn run(traces: &[Loaded], asked: &Asked, printer: &Printer) -> Result<Reproduction, Failure> {
    let sources: Vec<Source<'_>> = traces
        .iter()
        .map(|trace| Source { workload: &trace.log.workload, records: trace.log.report.lines })
        .collect();
    let material = Material::of(&sources)?;
    let seeds = asked.seeds.unwrap_or(SEEDS);
    let simulated = asked.tables.wants(PERFORMANCE);
    let trials = if simulated { Trial::all(material.subjects.len(), seeds) } else { Vec::new() };
    let progress = Progress::new(printer, "simulating", trials.len());
    let outcomes = outcomes(&trials, &material, &progress)?;
    Ok(judge(&material, &trials, &outcomes, seeds))
}

/// Runs the trials. Each thread has one copy of the log it is at, and writes estimates into it.
fn outcomes(trials: &[Trial], material: &Material, progress: &Progress) -> Result<Vec<Outcome>, Failure> {
    let desk = || None::<(usize, Workload)>;
    let outcomes: Vec<Result<Outcome, EvalError>> = trials
        .par_iter()
        .map_init(desk, |desk, trial| {
            let subject = &material.subjects[trial.subject];
            let (_, workload) = match desk.take() {
                Some(same) if same.0 == trial.subject => desk.insert(same),
                _ => desk.insert((trial.subject, subject.workload.clone())),
            };
            let outcome = trial.run(subject, workload);
            progress.advance();
            outcome
        })
        .collect();
    // Which failure is told does not depend on which thread was first.
    Ok(outcomes.into_iter().collect::<Result<_, _>>()?)
}
