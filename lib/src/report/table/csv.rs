//! Comma-separated values for programs: RFC 4180 quoting, raw values, a header of `snake_case` names.
//!
//! Lines end in a bare newline, as everything on Unix expects; every reader of RFC 4180 takes that too.

use std::borrow::Cow;

use super::{Cell, Table};

/// The table as CSV, header included. Titles, notes, marks and rules are for people and left out.
pub fn csv(table: &Table) -> String {
    let mut out = line(table.columns().iter().map(|column| column.key.clone()));
    for row in table.rows() {
        out.push_str(&line(row.iter().map(Cell::raw)));
    }
    out
}

fn line(fields: impl ExactSizeIterator<Item = String>) -> String {
    let alone = fields.len() == 1;
    let quoted: Vec<String> = fields
        // A line with one empty field must not look like an empty line, which readers skip.
        .map(|field| if alone && field.is_empty() { "\"\"".to_owned() } else { quote(&field).into_owned() })
        .collect();
    quoted.join(",") + "\n"
}

fn quote(field: &str) -> Cow<'_, str> {
    if field.contains(['"', ',', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
