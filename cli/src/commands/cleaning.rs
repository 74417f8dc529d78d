//! What is said of cleaning a trace while it is read.

use queuecast_process::printer::Printer;
use queuecast_report::cleaning;
pub use queuecast_report::cleaning::{Overrun, line};
use queuecast_trace::CleaningReport;

/// Warns if more than one line in a hundred could not be read.
pub fn warn_unreadable(name: &str, report: &CleaningReport, printer: &Printer) {
    cleaning::unreadable(name, report).iter().for_each(|said| printer.warning(said));
}

/// The report as a note, for formats without a place for it.
pub fn note(name: &str, report: &CleaningReport, overrun: Overrun, printer: &Printer) {
    if !report.rules.is_empty() {
        printer.note(&format!("{name}: {}", line(report, overrun)));
    }
}
