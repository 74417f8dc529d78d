//! Talby, Tsafrir, Goldberg and Feitelson 2005: runs the simulations that the library asks for.

use queuecast::eval::Reproduction;
use queuecast::eval::talby2005::{Described, LOGS, TABLES, TITLE, plan};
use queuecast::workload::Workload;

use super::paper::{Asked, Paper};
use crate::commands::loaded::Loaded;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress;

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
    let (sweep, wanted) = plan(|table| asked.tables.wants(table), asked.tables.is_all())?;
    let workloads: Vec<&Workload> = traces.iter().map(|trace| &trace.log.workload).collect();
    let results = progress::simulated(&sweep, &workloads, printer)?;
    let described: Vec<Described> = traces.iter().map(described).collect();
    Ok(wanted.judge(&described, &results))
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
