//! How right simulated queue times were for past jobs, as a table.

use crate::{Cell, Column, Table};
use queuecast_forecast::advice::{RangeWidth, TrackRecord};

/// What `--check` found.
pub fn record_table(record: &TrackRecord) -> Table {
    let share = |name: &str, share: f64| (Column::share(name), Cell::share(share));
    let length = |name: &str, length: f64| (Column::duration(name), Cell::duration(length));
    let mut facts = vec![
        (Column::integer("jobs asked about"), Cell::count(record.cases)),
        share("started within the range", record.inside),
        share("started before it", record.earlier),
        share("started after it", record.later),
        length("mean error of the median", record.mean_error),
        length("mean error of \"at once\"", record.mean_wait),
        (Column::share("median nearer than \"at once\""), record.nearer.map_or(Cell::Missing, Cell::share)),
    ];
    facts.extend(wide("range", &record.width));
    facts.push(length("interval score of the range", record.score));
    if let Some(usual) = &record.usual {
        facts.push(length("mean error of the median of past waits", usual.mean_error));
        facts.push(share("within the range of past waits", usual.inside));
        facts.extend(wide("range of past waits", &usual.width));
        facts.push(length("interval score of the range of past waits", usual.score));
        facts.push(share("shown: the range of past waits", record.shown.usual));
        facts.push(share("started within the range shown", record.shown.inside));
        facts.push(length("interval score of the range shown", record.shown.score));
    }
    Table::facts(facts).titled(
        "How right it was so far: queue times of jobs that have started, from what was known at their submission",
    )
}

/// How wide a range is: narrow to be short, and narrow in proportion.
fn wide(what: &str, width: &RangeWidth) -> [(Column, Cell); 2] {
    [
        (Column::duration(format!("mean width of the {what}")), Cell::duration(width.mean)),
        (Column::text(format!("ends of the {what} apart")), Cell::text(format!("{:.1} times", width.factor))),
    ]
}
