//! Jobs that ran longer than they asked for and are ended at their request: a choice with consequences, so it
//! is always said, and warned of where it befalls many.

use queuecast::eval::Summary;
use queuecast::report::Cell;

use super::loaded::number_of;

/// More than this share of the jobs is worth a warning.
const MANY: f64 = 0.05;

/// What is said below a result; nothing where no job was killed.
pub fn killed(summary: &Summary) -> Option<String> {
    (summary.killed > 0).then(|| {
        let share = summary.killed_share.map_or(Cell::Missing, Cell::share).shown(&Default::default());
        let are = if summary.killed == 1 { "is ended at its" } else { "are ended at their" };
        format!(
            "{} ({share}) ran longer than requested and {are} request (--limit ignore lets them run)",
            number_of(summary.killed, "job")
        )
    })
}

/// The same, where it befell so many that the result may surprise.
pub fn many_killed(summary: &Summary) -> Option<String> {
    killed(summary).filter(|_| summary.killed_share.is_some_and(|share| share > MANY))
}
