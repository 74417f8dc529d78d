//! Jobs that ran longer than requested and are killed at their limit: always reported, and warned of where they are
//! many.

use queuecast::eval::Summary;
use queuecast::report::Cell;

use super::loaded::number_of;
use crate::printer::Printer;

/// More than this share of the jobs is worth a warning.
const MANY: f64 = 0.05;

/// The note below a result; none where no job was killed.
pub fn killed(summary: &Summary) -> Option<String> {
    (summary.killed > 0).then(|| {
        let share = summary.killed_share.map_or(Cell::Missing, Cell::share).shown(&Default::default());
        let (ended, them) =
            if summary.killed == 1 { ("is ended at its", "it") } else { ("are ended at their", "them") };
        format!(
            "{} ({share}) ran longer than requested and {ended} request (--limit ignore lets {them} run)",
            number_of(summary.killed, "job")
        )
    })
}

/// Prints the note on standard error: as a warning where the share is large, else where the format has no place for
/// notes.
pub fn tell(summary: &Summary, name: &str, printer: &Printer) {
    let Some(said) = killed(summary).map(|said| format!("{name}: {said}")) else { return };
    if summary.killed_share.is_some_and(|share| share > MANY) {
        printer.warning(&said);
    } else if printer.shows_rows_only() {
        printer.note(&said);
    }
}
