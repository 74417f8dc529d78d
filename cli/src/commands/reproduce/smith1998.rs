//! Smith, Foster and Taylor 1998: searches each log, template sets of one generation on all cores.

use queuecast::eval::search::Evolution;
use queuecast::eval::smith1998::{LOGS, TABLES, TITLE, judge, search};
use queuecast::eval::{EvalError, Reproduction, Scorer};
use queuecast::predict::template::TemplateSet;
use rayon::prelude::*;

use super::paper::{Asked, Paper};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What it needs, and how it is recomputed.
pub const PAPER: Paper = Paper {
    name: "smith1998",
    title: TITLE,
    tables: TABLES,
    logs: &LOGS,
    optional: &[],
    clean: "default",
    seeds: None,
    run,
};

/// The paper's own workloads come first, and are searched three times: as the paper does, with sizes of history,
/// and in their first half. The others are searched once.
const PAPERS_OWN: usize = 2;

/// Recomputes its tables from its logs, in the order of [`PAPER`]. Everything comes from the same searches, so
/// one table takes as long as all of them.
pub fn run(traces: &[Loaded], _asked: &Asked, printer: &Printer) -> Result<Reproduction, Failure> {
    let evolution = Evolution::default();
    let searches = traces.len() + 2 * PAPERS_OWN.min(traces.len());
    let progress = Progress::new(printer, "searching", searches * evolution.generations);
    let batch = |scorer: &Scorer<'_>, sets: &[TemplateSet], range: std::ops::Range<usize>| -> Vec<f64> {
        sets.par_iter().map(|set| scorer.score(set, range.clone()).mean_error).collect()
    };
    let outcomes = traces.iter().enumerate().map(|(log, trace)| {
        search(&trace.log.workload, log < PAPERS_OWN, evolution, &batch, &|| progress.advance())
    });
    Ok(judge(&outcomes.collect::<Result<Vec<_>, EvalError>>()?))
}
