//! A reproduction as it is shown: what JSON holds, and one row per cell for spreadsheets.

use queuecast::report::{Cell, Column, Table};
use queuecast::trace::CleaningReport;
use queuecast_papers::{PublishedCell, Reproduction};
use serde::Serialize;

use crate::commands::loaded::{Facts, Loaded};

/// A reproduction, and what it was computed from.
#[derive(Debug, Serialize)]
pub struct Reproduced {
    version: &'static str,
    #[serde(flatten)]
    pub(super) reproduction: Reproduction,
    pub(super) traces: Vec<Used>,
}

/// A log that was used.
#[derive(Debug, Serialize)]
pub struct Used {
    /// What the paper's reproduction calls it.
    pub name: String,
    /// What was read.
    #[serde(flatten)]
    pub facts: Facts,
    /// What became of its records.
    pub cleaning: Option<CleaningReport>,
}

impl Used {
    /// A log under the name its file was found by.
    pub fn new(name: &str, trace: &Loaded) -> Used {
        Used { name: name.to_owned(), facts: trace.facts(), cleaning: Some(trace.log.report.clone()) }
    }
}

impl Reproduced {
    /// A reproduction from these logs.
    pub fn new(reproduction: Reproduction, traces: Vec<Used>) -> Reproduced {
        Reproduced { version: env!("CARGO_PKG_VERSION"), reproduction, traces }
    }
}

impl Reproduced {
    /// One row per cell, averages and logs alike.
    pub fn rows(&self) -> Table {
        let mut columns: Vec<Column> = ["table", "row", "column", "log", "unit"].map(Column::text).to_vec();
        columns.extend(["paper", "ours", "difference", "tolerance"].map(Column::number));
        columns.extend(["repeated_mean", "repeated_deviation", "repeated_confidence"].map(Column::number));
        columns.extend(["within", "explained", "note"].map(Column::text));
        let mut table = Table::new(columns);
        for cell in &self.reproduction.cells {
            table.row(row(cell));
        }
        table
    }
}

fn row(cell: &PublishedCell) -> Vec<Cell> {
    let number = |value: Option<f64>| value.map_or(Cell::Missing, |value| Cell::number(value, 1));
    let mut cells: Vec<Cell> = [&cell.table, &cell.row, &cell.column, &cell.log, &cell.unit]
        .map(|text| Cell::text(text.as_str()))
        .into();
    cells.extend([cell.paper, cell.ours, cell.difference, cell.tolerance].map(number));
    cells.push(number(cell.repeated.map(|repeated| repeated.mean)));
    cells.push(number(cell.repeated.map(|repeated| repeated.deviation)));
    cells.push(number(cell.repeated.and_then(|repeated| repeated.confidence)));
    cells.push(cell.within.map(|within| within.to_string()).into());
    cells.push(cell.explained.as_deref().into());
    cells.push(Cell::text(&*cell.note));
    cells
}
