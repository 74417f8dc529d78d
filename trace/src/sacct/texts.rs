//! The rows of `sacct` as texts, for readers that need columns which records do not have.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::columns::Columns;
use super::fields::{Span, rejoined, split};
use crate::LogFormat;
use crate::error::TraceError;

/// The most bytes of lines that are held in the hope that they are one row.
const LONGEST_HELD: usize = 1 << 16;

/// The most lines that a name in the last column of a complete row may go on for.
const MOST_CONTINUED: u32 = 3;

/// A table that `sacct -P` printed.
pub struct SacctTexts<'t> {
    columns: Columns,
    header: &'t str,
    /// What follows the header line, and the number of its first line.
    rest: (&'t str, usize),
    /// Places of the columns by their names in lower case; of several of one name the first.
    pub places: BTreeMap<String, usize>,
    zone: &'t TimeZone,
}

impl<'t> SacctTexts<'t> {
    /// Reads the header line; an error lists the missing columns.
    pub fn open(text: &'t str, zone: &'t TimeZone) -> Result<SacctTexts<'t>, TraceError> {
        let (mut rest, mut number) = (text, 1);
        let header = loop {
            if rest.is_empty() {
                return Err(TraceError::Empty { expected: LogFormat::SACCT.file() });
            }
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            (rest, number) = (after, number + 1);
            if !line.trim().is_empty() {
                break line.trim();
            }
        };
        let columns = Columns::of_header(header.as_bytes())?;
        let mut spans = Vec::new();
        split(header.as_bytes(), columns.delimiter, &mut spans);
        let mut places = BTreeMap::new();
        for (place, &(begin, end)) in spans.iter().enumerate() {
            places.entry(header[begin..end].trim().to_ascii_lowercase()).or_insert(place);
        }
        Ok(SacctTexts { columns, header, rest: (rest, number), places, zone })
    }

    /// Shows every row with its line, column by column, and returns the numbers of lines that are part of none. A name with
    /// a delimiter or a line end in it is put together again in the way that makes the likeliest values.
    pub fn visit(&self, row: &mut dyn FnMut(usize, &[&str])) -> Vec<usize> {
        let count = self.columns.count;
        let (mut broken, mut spans) = (Vec::new(), Vec::new());
        let mut cells: Vec<&str> = Vec::with_capacity(count);
        let mut held: Option<(Vec<usize>, String)> = None;
        let mut may_go_on = 0;
        let lines = (self.rest.1..).zip(self.rest.0.lines());
        for (number, line) in lines {
            let line = line.trim_end_matches('\r');
            let shown = line.trim();
            if shown.is_empty() || shown == self.header {
                continue;
            }
            split(line.as_bytes(), self.columns.delimiter, &mut spans);
            if spans.len() >= count {
                broken.extend(held.take().into_iter().flat_map(|(lines, _)| lines));
                if spans.len() == count {
                    cells.clear();
                    cells.extend(spans.iter().map(|&span| cell(line, span)));
                    row(number, &cells);
                }
                if spans.len() == count || self.show(line, number, &spans, row) {
                    may_go_on = if self.columns.ends_in_free_text() { MOST_CONTINUED } else { 0 };
                } else {
                    broken.push(number);
                }
                continue;
            }
            if may_go_on > 0 && !self.begins_row(line, &spans) {
                may_go_on -= 1;
                continue;
            }
            may_go_on = 0;
            if self.columns.free_text.is_empty() {
                broken.push(number);
                continue;
            }
            let (mut lines, mut text) = held.take().unwrap_or_default();
            if text.len() + line.len() > LONGEST_HELD {
                broken.append(&mut lines);
                text.clear();
            }
            if !lines.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
            lines.push(number);
            split(text.as_bytes(), self.columns.delimiter, &mut spans);
            if spans.len() < count {
                held = Some((lines, text));
            } else if !self.show(&text, lines[0], &spans, row) {
                broken.append(&mut lines);
            }
        }
        broken.extend(held.into_iter().flat_map(|(lines, _)| lines));
        broken
    }

    /// Whether a line with too few columns has a job number where rows have it.
    fn begins_row(&self, line: &str, spans: &[Span]) -> bool {
        let place = self.places.get("jobid").or_else(|| self.places.get("jobidraw"));
        let cell = place.and_then(|&place| spans.get(place)).map(|&(begin, end)| &line[begin..end]);
        cell.is_some_and(|cell| cell.starts_with(|letter: char| letter.is_ascii_digit()))
    }

    fn show(&self, text: &str, number: usize, spans: &[Span], row: &mut dyn FnMut(usize, &[&str])) -> bool {
        let count = self.columns.count;
        let cells = |spans: &[Span]| -> Vec<&str> { spans.iter().map(|&span| cell(text, span)).collect() };
        if spans.len() == count && !text.contains('\n') {
            row(number, &cells(spans));
            return true;
        }
        let cost = |place: usize, (begin, end): Span| {
            self.columns.checks[place].cost(&text.as_bytes()[begin..end], self.zone, |_| true)
        };
        let way = rejoined(spans, count, &self.columns.free_text, cost);
        if let Some(way) = &way {
            row(number, &cells(way));
        }
        way.is_some()
    }
}

/// What a column holds in a row, without blanks around it.
fn cell(row: &str, (begin, end): Span) -> &str {
    row.get(begin..end).unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<Vec<String>>, Vec<usize>) {
        let zone = TimeZone::UTC;
        let table = SacctTexts::open(text, &zone).unwrap();
        let mut rows = Vec::new();
        let broken =
            table.visit(&mut |_, cells| rows.push(cells.iter().map(|cell| (*cell).to_owned()).collect()));
        (rows, broken)
    }

    #[test]
    fn rows_are_put_together_again() {
        let text = "JobID|State|Submit|Start|End|ReqCPUS|JobName|User\n1|COMPLETED|5|6|7|1|a|b|ann\n2|COMPLETED|5|6|7|1|c\nd|bob\n3|COMP\n4|COMPLETED|5|6|7|1|e|ann\nx\n";
        let (rows, broken) = shown(text);
        let names: Vec<(&str, &str)> = rows.iter().map(|row| (row[6].as_str(), row[7].as_str())).collect();
        assert_eq!(names, [("a|b", "ann"), ("c\nd", "bob"), ("e", "ann")]);
        assert_eq!(broken, [5, 7]);
    }
}
