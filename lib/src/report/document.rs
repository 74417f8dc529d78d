//! A document of tables and charts, rendered in one format.

use super::chart::{Area, Axis, Bars, Curves, Histogram};
use super::{Page, Table, page, table};
use crate::spec::choices;

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Aligned text and charts, for terminals.
    #[default]
    Text,
    /// JSON, for programs.
    Json,
    /// Comma-separated values, for programs.
    Csv,
    /// Markdown, for documents.
    Markdown,
}

/// A chart of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Horizontal bars.
    Bars(Bars),
    /// Areas over time.
    Area(Area),
    /// Curves.
    Curves(Curves),
    /// A histogram with its title and what it is measured in.
    Histogram(String, Axis, Histogram),
}

/// Tables, charts and paragraphs, in order. Only text and Markdown show more than the tables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    blocks: Vec<DocumentPart>,
}

#[derive(Debug, Clone, PartialEq)]
enum DocumentPart {
    Table(String, Table),
    Chart(Chart),
    Paragraph(String),
}

impl Document {
    /// A document with nothing in it.
    pub fn new() -> Document {
        Document::default()
    }

    /// Adds a table. The key names it to programs when a document holds several.
    #[must_use]
    pub fn with_table(mut self, key: impl Into<String>, table: Table) -> Document {
        self.blocks.push(DocumentPart::Table(key.into(), table));
        self
    }

    /// Adds a chart.
    #[must_use]
    pub fn with_chart(mut self, chart: Chart) -> Document {
        self.blocks.push(DocumentPart::Chart(chart));
        self
    }

    /// Adds a paragraph; its line ends are kept, its lines are not broken.
    #[must_use]
    pub fn with_paragraph(mut self, text: impl Into<String>) -> Document {
        self.blocks.push(DocumentPart::Paragraph(text.into()));
        self
    }

    /// The tables with their keys.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.blocks.iter().filter_map(|block| match block {
            DocumentPart::Table(key, table) => Some((key.as_str(), table)),
            DocumentPart::Chart(_) | DocumentPart::Paragraph(_) => None,
        })
    }

    /// The document in one format. One table in JSON is an array; several are an object of arrays by key.
    /// Several in CSV stand one after the other, an empty line between them.
    pub fn render(&self, format: Format, page: &Page) -> String {
        match format {
            Format::Text => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::text(table, page)),
                DocumentPart::Chart(chart) => Some(chart.render(page)),
                DocumentPart::Paragraph(text) => Some(paragraph(text)),
            }),
            Format::Markdown => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::markdown(table)),
                DocumentPart::Chart(chart) => Some(format!("```text\n{}```\n", chart.render(page))),
                DocumentPart::Paragraph(text) => Some(paragraph(text)),
            }),
            Format::Csv => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::csv(table)),
                DocumentPart::Chart(_) | DocumentPart::Paragraph(_) => None,
            }),
            Format::Json => self.json(),
        }
    }

    fn joined(&self, render: impl Fn(&DocumentPart) -> Option<String>) -> String {
        self.blocks.iter().filter_map(render).collect::<Vec<_>>().join("\n")
    }

    fn json(&self) -> String {
        let tables: Vec<(&str, &Table)> = self.tables().collect();
        if let [(_, table)] = tables[..] {
            return table::json(table);
        }
        let members: Vec<String> = tables
            .iter()
            .map(|(key, table)| {
                let array = table::json(table).trim_end().replace('\n', "\n  ");
                format!("\n  {}: {array}", serde_json::Value::from(*key))
            })
            .collect();
        format!("{{{}\n}}\n", members.join(","))
    }
}

/// Removes control characters, which names in a log may contain.
fn paragraph(text: &str) -> String {
    text.lines().map(|line| page::printable(line) + "\n").collect()
}

impl Chart {
    /// The chart on a page.
    pub fn render(&self, page: &Page) -> String {
        match self {
            Chart::Bars(bars) => bars.render(page),
            Chart::Area(area) => area.render(page),
            Chart::Curves(curves) => curves.render(page),
            Chart::Histogram(title, axis, histogram) => histogram.render(title, axis, page),
        }
    }
}

choices! { Format, "format":
    Text = "text", "tables and charts for a terminal";
    Json = "json", "JSON with every value in full";
    Csv = "csv", "comma-separated values, one table after another";
    Markdown = "markdown", "tables and charts for a document";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::Bar;
    use crate::report::{Cell, Column};

    fn document() -> Document {
        let mut table = Table::new([Column::text("policy"), Column::duration("wait")]);
        table.row(["easy".into(), Cell::Duration(90.0)]);
        let bars = Bars::new("", [Bar::new("easy", Cell::Integer(1))]);
        Document::new().with_table("summary", table).with_chart(Chart::Bars(bars))
    }

    #[test]
    fn charts_are_in_text_and_markdown_only() {
        let page = Page::wide(20);
        let text = "policy        wait\n──────────────────\neasy    1 min 30 s\n\neasy  1  ███████████\n";
        assert_eq!(document().render(Format::Text, &page), text);
        let markdown = "| policy | wait |\n| --- | ---: |\n| easy | 1 min 30 s |\n\n```text\neasy  1  ███████████\n```\n";
        assert_eq!(document().render(Format::Markdown, &page), markdown);
        assert_eq!(document().render(Format::Csv, &page), "policy,wait_seconds\neasy,90\n");
    }

    #[test]
    fn several_tables_are_named_to_programs() {
        let alone = document().render(Format::Json, &Page::default());
        let expected = "[\n  {\n    \"policy\": \"easy\",\n    \"wait_seconds\": 90\n  }\n]\n";
        assert_eq!(alone, expected);
        let both = document().with_table("by_user", Table::new([Column::text("user")]));
        let read: serde_json::Value =
            serde_json::from_str(&both.render(Format::Json, &Page::default())).unwrap();
        assert_eq!(read["summary"][0]["wait_seconds"], 90);
        assert_eq!(read["by_user"], serde_json::json!([]));
        assert_eq!(both.render(Format::Csv, &Page::default()), "policy,wait_seconds\neasy,90\n\nuser\n");
    }

    #[test]
    fn formats_are_known_by_name() {
        assert!(Format::ALL.iter().all(|format| format.name().parse() == Ok(*format)));
        assert!("yaml".parse::<Format>().unwrap_err().why.contains("text, json, csv, markdown"));
    }
}
