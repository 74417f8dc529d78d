//! Downey 1997: simulates every seed of every setting on all cores. Needs no logs; one adds Figures 3 and 4.

use queuecast::eval::downey1997::{CLEAN, LOG, Part, Plan, SEEDS, TABLES, TITLE, Trial, judge};
use queuecast::eval::molding::SeedRun;
use queuecast::eval::{EvalError, Reproduction};
use rayon::prelude::*;

use super::paper::{Asked, Paper};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What it needs, and how it is recomputed.
pub const PAPER: Paper = Paper {
    name: "downey1997",
    title: TITLE,
    tables: TABLES,
    logs: &[],
    optional: &[LOG],
    clean: CLEAN,
    seeds: Some(SEEDS),
    run,
};

/// Recomputes its tables.
pub fn run(traces: &[Loaded], asked: &Asked, printer: &Printer) -> Result<Reproduction, Failure> {
    let wanted = |part: &Part| part.tables().iter().any(|table| asked.tables.wants(table));
    let parts: Vec<Part> = Part::ALL.into_iter().filter(wanted).collect();
    let plan = Plan::new(&parts, asked.seeds.unwrap_or(SEEDS)).map_err(EvalError::from)?;
    let trials = Trial::all(&plan);
    let progress = Progress::new(printer, "simulating", trials.len());
    let outcomes: Vec<Result<SeedRun, EvalError>> = trials
        .par_iter()
        // One by one, so that no thread is left with a long list at the end.
        .with_max_len(1)
        .map(|trial| {
            let outcome = trial.run(&plan);
            progress.advance();
            outcome
        })
        .collect();
    // Which failure is told does not depend on which thread was first.
    let outcomes: Vec<SeedRun> = outcomes.into_iter().collect::<Result<_, _>>()?;
    Ok(judge(&plan, &trials, &outcomes, traces.first().map(|trace| &trace.log.workload)))
}
