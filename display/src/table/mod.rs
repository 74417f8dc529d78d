//! One table, four renderings: a [`Table`] holds typed cells, and each format decides how a value looks.
//!
//! Text and Markdown are for readers (rounded, in human units); CSV and JSON are for programs (raw values,
//! `snake_case` names, seconds).

mod cell;
mod csv;
mod json;
mod markdown;
mod text;

use std::ops::Range;

use super::Best;

pub use cell::Cell;
pub use csv::{csv, csv_field, csv_header, csv_row};
pub use json::json;
pub use markdown::markdown;
pub use text::text;

/// Alignment of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Names and words.
    Left,
    /// Numbers.
    Right,
}

/// What a column holds. It decides the alignment and the unit in the raw name; cells carry their own type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers with decimals.
    Number,
    /// Lengths of time: human units for readers, seconds (`…_seconds`) for programs.
    Duration,
    /// Shares of one: per cent for readers, a fraction for programs.
    Share,
}

/// Heading, name and layout of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The heading in text and Markdown.
    pub name: String,
    /// The name in CSV and JSON: `snake_case`.
    pub key: String,
    /// A unit to show in the heading, where the values do not carry their own.
    pub unit: Option<String>,
    /// What it holds.
    pub kind: ColumnKind,
    /// Where its values stand.
    pub align: Align,
    /// Only for programs: left out of text and Markdown.
    pub detail: bool,
    /// Left out of text that is too wide for its page, the highest first; 0 is never left out.
    pub spare: u8,
    /// Names the row: on a narrow page its words are broken over several lines, never cut.
    pub naming: bool,
}

impl Column {
    /// A column of this kind. Its key is the name in `snake_case`; a duration's ends in `_seconds`.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Column {
        let name = name.into();
        let mut key = snake_case(&name);
        if kind == ColumnKind::Duration {
            key.push_str("_seconds");
        }
        let align = if kind == ColumnKind::Text { Align::Left } else { Align::Right };
        Column { name, key, unit: None, kind, align, detail: false, spare: 0, naming: false }
    }

    /// A column of words.
    pub fn text(name: impl Into<String>) -> Column {
        Column::new(name, ColumnKind::Text)
    }

    /// A column of whole numbers.
    pub fn integer(name: impl Into<String>) -> Column {
        Column::new(name, ColumnKind::Integer)
    }

    /// A column of numbers with decimals.
    pub fn number(name: impl Into<String>) -> Column {
        Column::new(name, ColumnKind::Number)
    }

    /// A column of lengths of time.
    pub fn duration(name: impl Into<String>) -> Column {
        Column::new(name, ColumnKind::Duration)
    }

    /// A column of shares of one.
    pub fn share(name: impl Into<String>) -> Column {
        Column::new(name, ColumnKind::Share)
    }

    /// Shows a unit in the heading.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Column {
        self.unit = Some(unit.into());
        self
    }

    /// Chooses another name for programs.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Column {
        self.key = key.into();
        self
    }

    /// Keeps the column for programs only.
    #[must_use]
    pub fn detail(mut self) -> Column {
        self.detail = true;
        self
    }

    /// May be left out of text that is too wide for its page: the highest rank goes first.
    #[must_use]
    pub fn spare(mut self, rank: u8) -> Column {
        self.spare = rank;
        self
    }

    /// Names the row, so none of it may be cut away: two rows would look the same.
    #[must_use]
    pub fn naming(mut self) -> Column {
        self.naming = true;
        self
    }

    /// The heading with its unit.
    fn heading(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.name),
            None => self.name.clone(),
        }
    }
}

/// Which way a table runs in text and Markdown. CSV and JSON always have one record per row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// One line per row.
    #[default]
    Wide,
    /// One line per column: for one record of many facts, or a few records side by side.
    Tall,
}

/// A column, and the cell that it shows of a thing.
pub type CellColumn<T> = (Column, fn(&T) -> Cell);

/// A title, columns, rows of typed cells, and notes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What it shows.
    pub title: Option<String>,
    /// Which way it runs.
    pub layout: Layout,
    /// Notes below it.
    pub notes: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    breaks: Vec<usize>,
    marks: Vec<(usize, usize)>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), ..Table::default() }
    }

    /// One record, fact by fact, shown one per line.
    pub fn facts(facts: impl IntoIterator<Item = (Column, Cell)>) -> Table {
        let (columns, cells): (Vec<Column>, Vec<Cell>) = facts.into_iter().unzip();
        Table { columns, rows: vec![cells], layout: Layout::Tall, ..Table::default() }
    }

    /// One row for each thing; each column says what it shows of one.
    pub fn of<'a, T: 'a, const N: usize>(
        things: impl IntoIterator<Item = &'a T>,
        columns: [CellColumn<T>; N],
    ) -> Table {
        let (columns, cells): (Vec<Column>, Vec<_>) = columns.into_iter().unzip();
        let rows = things.into_iter().map(|thing| cells.iter().map(|cell| cell(thing)).collect()).collect();
        Table { columns, rows, ..Table::default() }
    }

    /// Gives it a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Table {
        self.title = Some(title.into());
        self
    }

    /// Sets which way it runs.
    #[must_use]
    pub fn laid_out(mut self, layout: Layout) -> Table {
        self.layout = layout;
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not one cell per column: a row cut short would put values under the wrong heading.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let cells: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.columns.len(), "a row has one cell per column");
        self.rows.push(cells);
    }

    /// One row for each list of columns and values; all have the columns of the first.
    pub fn records(rows: impl IntoIterator<Item = Vec<(Column, Cell)>>) -> Table {
        let mut table = Table::default();
        for row in rows {
            let (columns, cells): (Vec<Column>, Vec<Cell>) = row.into_iter().unzip();
            if table.rows.is_empty() {
                table.columns = columns;
            }
            table.row(cells);
        }
        table
    }

    /// Separates the rows so far from those that follow, in text.
    pub fn rule(&mut self) {
        self.breaks.push(self.rows.len());
    }

    /// Marks a cell, such as the best of its column: `*` in text, bold in Markdown.
    pub fn mark(&mut self, row: usize, column: usize) {
        self.marks.push((row, column));
    }

    /// Marks the best of a column among these rows, with all that are shown alike. If they all do, or
    /// there is nothing to compare with, none is best.
    pub fn mark_best(&mut self, column: usize, rows: Range<usize>, best: Best) {
        let cell = |row: usize| self.rows.get(row).and_then(|cells| cells.get(column));
        let value = |row: usize| cell(row).and_then(Cell::value);
        let Some(target) = best.of(rows.clone().filter_map(value)) else { return };
        let valued: Vec<usize> = rows.filter(|&row| value(row).is_some()).collect();
        let shown = |row: usize| cell(row).map(Cell::plain);
        let Some(&winner) = valued.iter().find(|&&row| value(row) == Some(target)) else { return };
        let marked: Vec<usize> = valued.iter().copied().filter(|&row| shown(row) == shown(winner)).collect();
        if marked.len() < valued.len() {
            self.marks.extend(marked.into_iter().map(|row| (row, column)));
        }
    }

    /// Gives it a note.
    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Table {
        self.note(note);
        self
    }

    /// Adds a note below the table.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows, each with one cell per column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Whether any cell is marked, so that there is something to explain.
    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    fn is_marked(&self, row: usize, column: usize) -> bool {
        self.marks.contains(&(row, column))
    }

    /// Whether a rule stands before this row.
    fn breaks_before(&self, row: usize) -> bool {
        row > 0 && self.breaks.contains(&row)
    }

    /// The columns of text and Markdown, with their places.
    fn shown(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, column)| !column.detail)
    }
}

/// Letters and digits kept, everything between them one underscore.
fn snake_case(name: &str) -> String {
    name.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

#[cfg(test)]
mod tests;
