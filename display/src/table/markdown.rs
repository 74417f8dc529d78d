//! Markdown: the table as GitHub and CommonMark extensions render it.

use super::{Align, Layout, Table};

/// The table as Markdown: a bold title, a pipe table, and notes as a list. Numbers are rounded as in text, but
/// their thousands are not separated, so that they can be pasted onwards.
pub fn markdown(table: &Table) -> String {
    let mut out = String::new();
    if let Some(title) = &table.title {
        out.push_str(&format!("**{}**\n\n", escape(title)));
    }
    match table.layout {
        Layout::Wide => wide(table, &mut out),
        Layout::Tall => tall(table, &mut out),
    }
    if !table.notes.is_empty() {
        out.push('\n');
    }
    for note in &table.notes {
        out.push_str(&format!("- {}\n", escape(note)));
    }
    out
}

fn wide(table: &Table, out: &mut String) {
    let heads: Vec<(String, Align)> =
        table.shown().map(|(_, column)| (escape(&column.heading()), column.align)).collect();
    header(&heads, out);
    for row in 0..table.rows().len() {
        line(table.shown().map(|(column, _)| cell(table, row, column)), out);
    }
}

fn tall(table: &Table, out: &mut String) {
    // With several records, the first column names them.
    let mut columns = table.shown().peekable();
    let mut heads = Vec::new();
    if table.rows().len() == 1 {
        heads = vec![(String::new(), Align::Left), (String::new(), Align::Left)];
    } else if let Some((first, column)) = columns.next() {
        heads.push((escape(&column.heading()), Align::Left));
        heads.extend((0..table.rows().len()).map(|row| (cell(table, row, first), Align::Right)));
    }
    header(&heads, out);
    for (place, column) in columns {
        let values = (0..table.rows().len()).map(|row| cell(table, row, place));
        line(std::iter::once(escape(&column.heading())).chain(values), out);
    }
}

fn header(heads: &[(String, Align)], out: &mut String) {
    line(heads.iter().map(|(head, _)| head.clone()), out);
    let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" };
    line(heads.iter().map(|(_, align)| rule(align).to_owned()), out);
}

fn line(fields: impl Iterator<Item = String>, out: &mut String) {
    out.push('|');
    for field in fields {
        out.push_str(&format!(" {field} |"));
    }
    out.push('\n');
}

fn cell(table: &Table, row: usize, column: usize) -> String {
    let shown = escape(&table.rows()[row][column].plain());
    if table.is_marked(row, column) { format!("**{shown}**") } else { shown }
}

/// Keeps a text inside its cell and free of markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '*' | '_' | '`' | '<' | '[' | ']' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
