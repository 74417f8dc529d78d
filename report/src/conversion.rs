//! Logs that were cleaned or converted: what became of their records.

use super::words::number_of;
use super::{Answer, Cell, Column, Document, Table, VERSION, cleaning};
use queuecast_trace::{CleaningReport, MachineSize, Rule};
use serde::Serialize;

/// A log that was cleaned.
#[derive(Debug, Serialize)]
pub struct CleanedLog<'a> {
    version: &'static str,
    source: &'a str,
    output: Option<&'a str>,
    machine: MachineSize,
    #[serde(flatten)]
    report: &'a CleaningReport,
}

impl<'a> CleanedLog<'a> {
    /// From a source; `output` is where it is written, if it is.
    pub fn new(
        source: &'a str,
        output: Option<&'a str>,
        machine: MachineSize,
        report: &'a CleaningReport,
    ) -> CleanedLog<'a> {
        CleanedLog { version: VERSION, source, output, machine, report }
    }
}

impl Answer for CleanedLog<'_> {
    fn document(&self) -> Document {
        let written = match self.output {
            Some(output) => format!("{} written to {output}", number_of(self.report.jobs, "job")),
            None => "nothing written; name a file with --output".to_owned(),
        };
        cleaning::add(Document::new(), self.report, cleaning::Overrun::Kept)
            .with_paragraph(format!("{}: {}\n{written}", self.source, self.machine))
    }

    fn table(&self) -> Table {
        cleaning::table(self.report)
    }
}

/// A log that was converted.
#[derive(Debug, Serialize)]
pub struct ConvertedLog<'a> {
    version: &'static str,
    source: &'a str,
    output: &'a str,
    records: u64,
    reading: &'a CleaningReport,
}

impl<'a> ConvertedLog<'a> {
    /// From a source to an output.
    pub fn new(
        source: &'a str,
        output: &'a str,
        records: u64,
        reading: &'a CleaningReport,
    ) -> ConvertedLog<'a> {
        ConvertedLog { version: VERSION, source, output, records, reading }
    }

    /// What was read and written, line by line.
    pub fn lines(&self) -> Vec<String> {
        let ConvertedLog { source, output, records, reading, .. } = *self;
        let mut lines = vec![format!("{source}: {}", cleaning::reading(reading))];
        lines.extend(wide_numbers(reading));
        lines.push(format!("{} written to {output}", number_of(records, "record")));
        lines
    }
}

/// What becomes of users and other identities whose numbers do not fit into 32 bits, if there are any.
fn wide_numbers(report: &CleaningReport) -> Option<String> {
    let rule = report.rule(Rule::IdentifierRange)?;
    let first = cleaning::first(rule);
    Some(format!(
        "numbers beyond 32 bits are written as they are{first}; commands that simulate number that column 1, 2, … by appearance"
    ))
}

impl Answer for ConvertedLog<'_> {
    fn document(&self) -> Document {
        Document::new().with_paragraph(self.lines().join("\n"))
    }

    fn table(&self) -> Table {
        let rules = self.reading.rules.iter().map(|rule| format!("{} {}", rule.rule, rule.count));
        Table::records([vec![
            (Column::text("source"), Cell::text(self.source)),
            (Column::text("output"), Cell::text(self.output)),
            (Column::integer("lines"), Cell::count(self.reading.lines)),
            (Column::integer("records"), Cell::count(self.records)),
            (Column::text("rules"), Cell::text(rules.collect::<Vec<_>>().join(" "))),
        ]])
    }
}
