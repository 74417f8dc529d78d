//! The partitions of a live site side by side: when a job would start in each, or why it may not.

use crate::words::{self, range};
use crate::{Cell, Column, Table};
use queuecast_place::StartTimes;

/// One row for each partition, the soonest first, then those that do not allow the job.
pub(crate) fn partition_table(of: &StartTimes) -> Table {
    let mut table = Table::new([
        Column::text("partition").naming(),
        Column::duration("starts in"),
        Column::text("80% range").naming(),
        Column::integer("ahead"),
        Column::integer("free"),
        Column::integer("processors").spare(1),
        Column::text("not allowed").naming(),
    ])
    .titled("Partitions");
    let mut starts: Vec<_> = of.partitions.iter().collect();
    starts.sort_by(|one, other| one.answer.wait.median.total_cmp(&other.answer.wait.median));
    for one in starts {
        let (wait, state) = (&one.answer.wait, &one.answer.state);
        table.row([
            one.partition.as_ref().into(),
            Cell::duration(wait.median),
            Cell::text(range(wait.low, wait.high, words::wait)),
            Cell::count(state.preferred),
            state.free.into(),
            state.procs.into(),
            Cell::Missing,
        ]);
    }
    for refused in &of.refused {
        let (name, why) = refused.split_once(": ").unwrap_or((refused, ""));
        let mut cells = vec![Cell::text(name)];
        cells.extend(std::iter::repeat_n(Cell::Missing, 5));
        cells.push(Cell::text(why));
        table.row(cells);
    }
    table.note("starts in: even odds; ahead: waiting jobs that the site would start before it");
    table
}
