//! What became of a trace's records, rule by rule: nothing is dropped without being shown.

use queuecast::report::{Cell, Column, Document, Page, Table};
use queuecast::trace::CleaningReport;

use crate::printer::Printer;

/// Every rule that fired, with its count, what it did and where it fired first.
pub fn table(report: &CleaningReport) -> Table {
    let columns = [
        Column::text("rule"),
        Column::integer("records"),
        Column::text("effect"),
        Column::text("action").detail(),
        Column::text("what it found").key("description"),
        Column::text("first"),
    ];
    let mut table = Table::new(columns).titled(title(report));
    for rule in &report.rules {
        table.row([
            Cell::text(rule.rule.name()),
            Cell::Integer(i64::try_from(rule.count).unwrap_or(i64::MAX)),
            Cell::text(rule.effect.to_string()),
            Cell::text(rule.action.name()),
            Cell::text(rule.description),
            rule.example.as_ref().map_or(Cell::Missing, |example| Cell::text(example.to_string())),
        ]);
    }
    table
}

fn title(report: &CleaningReport) -> String {
    let [lines, jobs, removed] = shown([report.lines, report.jobs, report.removed]);
    format!("Cleaning by ruleset {}: {lines} records, {jobs} kept, {removed} removed", report.ruleset)
}

fn shown<const N: usize>(counts: [u64; N]) -> [String; N] {
    counts.map(|count| Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX)).shown(&Page::default()))
}

/// The account as part of a document for people.
pub fn add(document: Document, report: &CleaningReport) -> Document {
    if report.rules.is_empty() {
        return document.with_paragraph(line(report));
    }
    document.with_table("cleaning", table(report))
}

/// The account on one line.
pub fn line(report: &CleaningReport) -> String {
    format!("{}; {}", title(report), fired(report))
}

/// The account of reading alone, on one line: what is not a record, and what is odd about those that are.
pub fn reading(report: &CleaningReport) -> String {
    let [lines, removed] = shown([report.lines, report.removed]);
    format!("{lines} data lines, {removed} of them not records; {}", fired(report))
}

fn fired(report: &CleaningReport) -> String {
    let rules: Vec<String> =
        report.rules.iter().map(|rule| format!("{} {} {}", rule.rule, rule.count, rule.effect)).collect();
    if rules.is_empty() { "no rule fired".to_owned() } else { rules.join(", ") }
}

/// The account in a note, for formats that have no place for it.
pub fn note(name: &str, report: &CleaningReport, printer: &Printer) {
    if !report.rules.is_empty() {
        printer.note(&format!("{name}: {}", line(report)));
    }
}
