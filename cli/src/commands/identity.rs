//! The last columns of CSV rows: what a row depends on besides the settings before the metrics.

use queuecast::eval::{Summary, Window};
use queuecast::report::{Cell, Column};
use queuecast::study::Experiment;

/// Their headings.
pub fn columns() -> [Column; 6] {
    [
        Column::text("window"),
        Column::integer("procs"),
        Column::text("clean"),
        Column::integer("default_request"),
        Column::text("version"),
        Column::integer("excluded"),
    ]
}

/// Their values; `clean` is missing for a workload that was made up.
pub fn cells(
    window: &Window,
    procs: u32,
    clean: Option<String>,
    experiment: &Experiment,
    summary: &Summary,
) -> [Cell; 6] {
    [
        Cell::text(window.to_string()),
        Cell::Integer(i64::from(procs)),
        clean.into(),
        Cell::Integer(experiment.default_request.0),
        Cell::text(env!("CARGO_PKG_VERSION")),
        Cell::count(summary.excluded.jobs),
    ]
}
