//! What was advised: what JSON holds, and the rows for spreadsheets.

use queuecast::allot::advice::{AdviceAnswer, Prospect, Target, TimeRange};
use queuecast::report::{Cell, Column, Table};
use queuecast::trace::MachineSize;
use serde::Serialize;

use crate::commands::moment::Moment;

/// How many processors to ask for, and why. Uses nothing that the log records of later.
#[derive(Debug, Serialize)]
pub struct Allocated {
    pub version: &'static str,
    pub source: String,
    pub moment: Moment,
    /// The partition, on a live site; several names if their nodes, limits and tier are the same.
    pub partition: Option<String>,
    /// The machine's size, and where it is known from.
    pub machine: MachineSize,
    /// The machine of the log that a live site learns from.
    pub history: Option<MachineSize>,
    #[serde(flatten)]
    pub answer: AdviceAnswer,
}

impl Allocated {
    /// One row for each size.
    pub fn rows(&self) -> Table {
        let mut table = Table::new(Allocated::columns());
        self.add_rows(&mut table);
        table
    }

    /// What [`Allocated::add_rows`] adds.
    pub fn columns() -> Vec<Column> {
        let mut columns = vec![Column::integer("procs")];
        for what in ["queue", "run", "turnaround"] {
            columns.extend(
                ["p10", "median", "p90", "mean"].map(|part| Column::duration(format!("{what} {part}"))),
            );
        }
        columns.extend([Column::share("at once"), Column::share("best"), Column::integer("recommended")]);
        columns.push(Column::text("partition"));
        columns
    }

    /// Adds one row for each size.
    pub fn add_rows(&self, table: &mut Table) {
        for prospect in self.answer.advice.prospects() {
            let mut row = vec![prospect.procs.into()];
            for range in [prospect.queue, prospect.run, prospect.turnaround] {
                let TimeRange { p10, median, p90, mean } = range;
                row.extend([p10, Some(median), p90, mean].map(seconds));
            }
            let recommended = i64::from(self.is_recommended(prospect));
            row.extend(
                [prospect.at_once, prospect.best].map(|share| share.map_or(Cell::Missing, Cell::share)),
            );
            row.push(Cell::Integer(recommended));
            row.push(self.partition.as_ref().map_or(Cell::Missing, |name| Cell::text(&**name)));
            table.row(row);
        }
    }
}

impl Allocated {
    /// Whether this is the size to ask for.
    pub fn is_recommended(&self, prospect: &Prospect) -> bool {
        prospect.procs == self.answer.advice.recommended().procs
    }

    /// By what sizes were compared in fact: a formula knows no more than medians.
    pub fn target(&self) -> Target {
        self.answer.target()
    }

    /// Whether the size done soonest by the median is simply the best.
    pub fn is_plain(&self) -> bool {
        self.target() == Target::Median && self.answer.settings.preference.averse == 0.0
    }

    /// The size of the least turnaround; of those alike the one to ask for, or else the smallest.
    pub fn least(&self) -> &Prospect {
        self.answer.advice.least()
    }

    /// The size that would be done sooner than the one to ask for, but not by enough to wait for it. Sizes that are too close
    /// to call are not done sooner.
    pub fn passed_over(&self) -> Option<&Prospect> {
        let least = self.least();
        let recommended = self.answer.advice.recommended().procs;
        let close = self.answer.advice.too_close().contains(&recommended);
        (!close && !self.is_recommended(least)).then_some(least)
    }
}

fn seconds(length: Option<f64>) -> Cell {
    length.map_or(Cell::Missing, Cell::duration)
}
