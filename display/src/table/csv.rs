//! Comma-separated values for programs: RFC 4180 quoting, raw values, a header of `snake_case` names.
//!
//! Lines end in a bare newline, as everything on Unix expects; every reader of RFC 4180 takes that too.

use std::borrow::Cow;

use super::{Cell, Column, Table};

/// The table as CSV, header included. Titles, notes, marks and rules are left out.
pub fn csv(table: &Table) -> String {
    let mut out = csv_header(table.columns());
    for row in table.rows() {
        out.push_str(&csv_row(row));
    }
    out
}

/// The header line alone, newline included: for tables too long to hold, written row by row.
pub fn csv_header(columns: &[Column]) -> String {
    line(columns.iter().map(|column| column.key.clone()))
}

/// One line, newline included.
pub fn csv_row(cells: &[Cell]) -> String {
    line(cells.iter().map(Cell::raw))
}

fn line(fields: impl ExactSizeIterator<Item = String>) -> String {
    let alone = fields.len() == 1;
    let quoted: Vec<String> = fields
        // A line with one empty field must not look like an empty line, which readers skip.
        .map(
            |field| {
                if alone && field.is_empty() { "\"\"".to_owned() } else { csv_field(&field).into_owned() }
            },
        )
        .collect();
    quoted.join(",") + "\n"
}

/// One field, quoted where it must be. Of the control characters, which a terminal may obey, line breaks and tabs stay; the others are
/// U+FFFD, as everywhere else.
pub fn csv_field(field: &str) -> Cow<'_, str> {
    let may_harm = |letter: char| letter.is_control() && !['\n', '\r', '\t'].contains(&letter);
    if field.contains(may_harm) {
        return Cow::Owned(csv_field(&field.replace(may_harm, "\u{FFFD}")).into_owned());
    }
    if field.contains(['"', ',', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
