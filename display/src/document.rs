//! A document of tables and charts, rendered in one format.

use super::chart::{Area, Axis, Bars, Curves, Histogram, RangeBars};
use super::{Page, Table, page, table};
use queuecast_core::spec::choices;

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
    /// Ranges with their medians.
    RangeBars(RangeBars),
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
    /// What a command line is for, and the command line.
    CommandLine(String, String),
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

    /// This document, then another.
    #[must_use]
    pub fn followed_by(mut self, other: Document) -> Document {
        self.blocks.extend(other.blocks);
        self
    }

    /// The charts, in order.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.blocks.iter().filter_map(|block| match block {
            DocumentPart::Chart(chart) => Some(chart),
            _ => None,
        })
    }

    /// The same document without its charts.
    #[must_use]
    pub fn without_charts(mut self) -> Document {
        self.blocks.retain(|block| !matches!(block, DocumentPart::Chart(_)));
        self
    }

    /// Adds a paragraph; its line ends are kept, and a line that is too long for the page is broken between words.
    #[must_use]
    pub fn with_paragraph(mut self, text: impl Into<String>) -> Document {
        self.blocks.push(DocumentPart::Paragraph(text.into()));
        self
    }

    /// Adds a command line that can be copied into a shell: where it is too long for the page, its lines are continued as a
    /// shell reads them. `why` says what it is for.
    #[must_use]
    pub fn with_command(mut self, why: impl Into<String>, line: impl Into<String>) -> Document {
        self.blocks.push(DocumentPart::CommandLine(why.into(), line.into()));
        self
    }

    /// The tables with their keys.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.blocks.iter().filter_map(|block| match block {
            DocumentPart::Table(key, table) => Some((key.as_str(), table)),
            DocumentPart::Chart(_) | DocumentPart::Paragraph(_) | DocumentPart::CommandLine(..) => None,
        })
    }

    /// The document in one format. One table in JSON is an array; several are an object of arrays by key.
    /// Several in CSV stand one after the other, an empty line between them.
    pub fn render(&self, format: Format, page: &Page) -> String {
        match format {
            Format::Text => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::text(table, page)),
                DocumentPart::Chart(chart) => Some(chart.render(page)),
                DocumentPart::Paragraph(text) => Some(paragraph(text, page)),
                DocumentPart::CommandLine(why, line) => Some(command(why, line, page)),
            }),
            Format::Markdown => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::markdown(table)),
                DocumentPart::Chart(chart) => {
                    Some(format!("```text\n{}```\n", chart.render(&Page { coloured: false, ..*page })))
                }
                DocumentPart::Paragraph(text) => Some(paragraph(text, &Page::default())),
                DocumentPart::CommandLine(why, line) => Some(format!("{why}\n\n```sh\n{line}\n```\n")),
            }),
            Format::Csv => self.joined(|block| match block {
                DocumentPart::Table(_, table) => Some(table::csv(table)),
                DocumentPart::Chart(_) | DocumentPart::Paragraph(_) | DocumentPart::CommandLine(..) => None,
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

/// Lines within the page, without control characters, which names in a log may contain.
fn paragraph(text: &str, page: &Page) -> String {
    let limit = page.width.unwrap_or(usize::MAX);
    let mut out = String::new();
    for line in text.lines().map(page::printable) {
        if page::width_of(&line) <= limit {
            out += &format!("{line}\n");
        } else {
            page::wrap(&line, limit).iter().for_each(|line| out += &format!("{line}\n"));
        }
    }
    out
}

/// A command line on one line, or else below what it is for, continued as a shell reads it.
fn command(why: &str, line: &str, page: &Page) -> String {
    let (why, line) = (page::printable(why), page::printable(line));
    let limit = page.width.unwrap_or(usize::MAX);
    if page::width_of(&why) + 1 + page::width_of(&line) <= limit {
        return format!("{why} {line}\n");
    }
    let mut lines = vec![String::from(" ")];
    for word in words(&line) {
        // Two columns are for the mark of a line that is continued.
        let last = lines.len() - 1;
        if lines[last].len() > 4 && page::width_of(&lines[last]) + 1 + page::width_of(word) + 2 > limit {
            lines[last] += " \\";
            lines.push(String::from("   "));
        }
        if let Some(last) = lines.last_mut() {
            *last += &format!(" {word}");
        }
    }
    let why = page::wrap(&why, limit).join("\n");
    format!("{why}\n{}\n", lines.join("\n"))
}

/// The words of a command line; what stands between single quotes belongs to one word.
fn words(line: &str) -> Vec<&str> {
    let mut quoted = false;
    let ends = |c: char| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    };
    line.split(ends).filter(|word| !word.is_empty()).collect()
}

impl Chart {
    /// The chart on a page.
    pub fn render(&self, page: &Page) -> String {
        match self {
            Chart::Bars(bars) => bars.render(page),
            Chart::RangeBars(ranges) => ranges.render(page),
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
    use crate::chart::Bar;
    use crate::{Cell, Column};

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
    fn charts_are_coloured_on_a_coloured_page_and_never_in_markdown() {
        let page = Page { coloured: true, ..Page::wide(20) };
        assert!(document().render(Format::Text, &page).contains("\x1b[34m███████████\x1b[0m"));
        assert_eq!(
            document().render(Format::Markdown, &page),
            document().render(Format::Markdown, &Page::wide(20))
        );
        let both = document().followed_by(Document::new().with_paragraph("last"));
        assert!(both.render(Format::Text, &Page::wide(20)).ends_with("\n\nlast\n"));
    }

    #[test]
    fn paragraphs_are_broken_between_words_and_commands_as_a_shell_reads_them() {
        let document = Document::new()
            .with_paragraph("one two three\nfour")
            .with_command("Look closer:", "queuecast simulate 'my log.swf' --policy sjbf");
        let wide = "one two three\nfour\n\nLook closer: queuecast simulate 'my log.swf' --policy sjbf\n";
        assert_eq!(document.render(Format::Text, &Page::default()), wide);
        let narrow = "one two\nthree\nfour\n\nLook closer:\n  queuecast \\\n    simulate \\\n    'my log.swf' \\\n    \
                      --policy \\\n    sjbf\n";
        assert_eq!(document.render(Format::Text, &Page::wide(12)), narrow);
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
