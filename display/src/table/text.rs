//! Aligned text: a heading, one rule, and columns that line up.

use super::{Align, Layout, Table};
use crate::{Page, page};

/// Spaces between columns.
const GAP: usize = 2;
/// No column of words is cut narrower than this.
const NARROWEST: usize = 8;
/// Only pieces of text longer than this may be broken in their middle.
const LONGEST_PIECE: usize = 32;

/// The table as aligned text, ending in a newline. Where it is wider than the page, headings are broken over
/// several lines first; then spare columns are hidden, which a note says; then columns of words are cut,
/// or broken over several lines if they name the row. Numbers never are.
pub fn text(table: &Table, page: &Page) -> String {
    let (grid, left_out) = match table.layout {
        Layout::Wide => wide(table, page),
        Layout::Tall => (tall(table, page), None),
    };
    let mut out = String::new();
    if let Some(title) = &table.title {
        for line in page::wrap(&page::printable(title), page.width.unwrap_or(usize::MAX)) {
            out.push_str(&line);
            out.push('\n');
        }
        out.push('\n');
    }
    grid.draw(page, &mut out);
    let notes: Vec<&String> = table.notes.iter().chain(&left_out).collect();
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        for line in page::wrap(&page::printable(note), page.width.unwrap_or(usize::MAX)) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// What is drawn: strings in columns.
struct TextGrid {
    columns: Vec<Strip>,
    /// Rows a rule stands before.
    breaks: Vec<usize>,
    headed: bool,
}

struct Strip {
    head: String,
    align: Align,
    fit: Overflow,
    /// See [`super::Column::spare`].
    spare: u8,
    /// What it is called where it is hidden.
    named: String,
    cells: Vec<String>,
}

/// What may be done to a column's cells to fit the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overflow {
    Never,
    Cut,
    Break,
}

/// The grid, and a note on what had to be left out of it.
fn wide(table: &Table, page: &Page) -> (TextGrid, Option<String>) {
    let heads: Vec<String> = table.shown().map(|(_, column)| page::printable(&column.heading())).collect();
    let columns = table.shown().enumerate().map(|(at, (place, column))| Strip {
        head: heads[at].clone(),
        named: named(&heads, at),
        align: column.align,
        fit: match column.align {
            Align::Left if column.naming => Overflow::Break,
            Align::Left => Overflow::Cut,
            Align::Right => Overflow::Never,
        },
        spare: column.spare,
        cells: strip(table, place, page),
    });
    let breaks = (0..table.rows().len()).filter(|&row| table.breaks_before(row)).collect();
    let mut grid = TextGrid { columns: columns.collect(), breaks, headed: true };
    let left_out = grid.spared(page);
    let note = (!left_out.is_empty()).then(|| {
        let columns = left_out.join(", ");
        format!("columns hidden (terminal too narrow): {columns}; a wider terminal or --format csv has them")
    });
    (grid, note)
}

/// A heading as one of several, in quotation marks: headings have commas. One that other columns have too is named with the column before it.
fn named(heads: &[String], at: usize) -> String {
    let is_shared = |place: usize| heads.iter().filter(|head| **head == heads[place]).count() > 1;
    let before = (0..at).rev().find(|&place| !is_shared(place)).filter(|_| is_shared(at));
    match before {
        Some(before) => format!("\"{}\" after \"{}\"", heads[at], heads[before]),
        None => format!("\"{}\"", heads[at]),
    }
}

/// One column's cells as shown; where one is marked, the others leave room for the mark.
fn strip(table: &Table, column: usize, page: &Page) -> Vec<String> {
    let rows = 0..table.rows().len();
    let room = rows.clone().any(|row| table.is_marked(row, column));
    rows.map(|row| shown(table, row, column, room, page)).collect()
}

/// One cell with its mark, or with room for one.
fn shown(table: &Table, row: usize, column: usize, room: bool, page: &Page) -> String {
    let mark = if table.is_marked(row, column) { "*" } else { " " };
    table.rows()[row][column].shown(page) + if room { mark } else { "" }
}

fn tall(table: &Table, page: &Page) -> TextGrid {
    let names: Vec<(usize, String)> =
        table.shown().map(|(place, column)| (place, page::printable(&column.heading()))).collect();
    let alone = table.rows().len() == 1;
    // With several records, the first column names them.
    let (first, facts) = match names.split_first() {
        Some((first, rest)) if !alone => (Some(first), rest),
        _ => (None, names.as_slice()),
    };
    let mut columns = vec![Strip {
        head: first.map_or_else(String::new, |(_, name)| name.clone()),
        align: Align::Left,
        fit: Overflow::Never,
        spare: 0,
        named: String::new(),
        cells: facts.iter().map(|(_, name)| name.clone()).collect(),
    }];
    for row in 0..table.rows().len() {
        let room = facts.iter().any(|&(place, _)| table.is_marked(row, place));
        columns.push(Strip {
            head: first.map_or_else(String::new, |&(place, _)| shown(table, row, place, room, page)),
            align: if alone { Align::Left } else { Align::Right },
            fit: if alone { Overflow::Break } else { Overflow::Never },
            spare: 0,
            named: String::new(),
            cells: facts.iter().map(|&(place, _)| shown(table, row, place, room, page)).collect(),
        });
    }
    TextGrid { columns, breaks: Vec::new(), headed: !alone }
}

impl TextGrid {
    fn draw(&self, page: &Page, out: &mut String) {
        let widths = self.widths(page);
        let rule = page.pick("─", "-").repeat(total(&widths)) + "\n";
        if self.headed {
            let heads: Vec<Vec<String>> = self
                .columns
                .iter()
                .zip(&widths)
                .map(|(strip, &width)| page::wrap(&strip.head, width))
                .collect();
            let tallest = heads.iter().map(Vec::len).max().unwrap_or(0);
            for level in 0..tallest {
                // Headings stand on the rule, so short ones begin with empty lines.
                let line = heads.iter().map(|lines| {
                    (level + lines.len())
                        .checked_sub(tallest)
                        .and_then(|at| lines.get(at))
                        .map_or("", String::as_str)
                });
                self.line(line, &widths, out);
            }
            out.push_str(&rule);
        }
        let rows = self.columns.first().map_or(0, |strip| strip.cells.len());
        for row in 0..rows {
            if self.breaks.contains(&row) {
                out.push_str(&rule);
            }
            self.row(row, &widths, page, out);
        }
    }

    /// One row, on as many lines as its tallest cell.
    fn row(&self, row: usize, widths: &[usize], page: &Page, out: &mut String) {
        let fitted = |strip: &Strip, width: usize| match strip.fit {
            Overflow::Never => vec![strip.cells[row].clone()],
            Overflow::Cut => vec![page::cut(&strip.cells[row], width, page)],
            Overflow::Break => page::fold(&strip.cells[row], width),
        };
        let cells: Vec<Vec<String>> =
            self.columns.iter().zip(widths).map(|(strip, &width)| fitted(strip, width)).collect();
        let tallest = cells.iter().map(Vec::len).max().unwrap_or(0);
        for level in 0..tallest {
            self.line(cells.iter().map(|lines| lines.get(level).map_or("", String::as_str)), widths, out);
        }
    }

    fn line<'a>(&self, fields: impl Iterator<Item = &'a str>, widths: &[usize], out: &mut String) {
        let mut line = String::new();
        for (place, ((field, strip), &width)) in fields.zip(&self.columns).zip(widths).enumerate() {
            if place > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let space = " ".repeat(width.saturating_sub(page::width_of(field)));
            match strip.align {
                Align::Left => line.extend([field, &space]),
                Align::Right => line.extend([&space, field]),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }

    /// Takes out spare columns until the rest fits the page with its headings broken; their names, from left to right.
    fn spared(&mut self, page: &Page) -> Vec<String> {
        let Some(limit) = page.width else { return Vec::new() };
        let names: Vec<String> = self.columns.iter().map(|strip| strip.named.clone()).collect();
        while total(&self.columns.iter().map(Strip::broken).collect::<Vec<_>>()) > limit {
            let places = 0..self.columns.len();
            let spare = places.filter(|&place| self.columns[place].spare > 0);
            let Some(place) = spare.max_by_key(|&place| self.columns[place].spare) else { break };
            self.columns.remove(place);
        }
        let mut kept = self.columns.iter().map(|strip| &strip.named).peekable();
        names.iter().filter(|name| kept.next_if_eq(name).is_none()).cloned().collect()
    }

    /// Natural widths, narrowed one column of characters at a time (the widest first) until the page holds them.
    fn widths(&self, page: &Page) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|strip| strip.body().max(page::width_of(&strip.head))).collect();
        let Some(limit) = page.width else { return widths };
        let broken: Vec<usize> = self.columns.iter().map(Strip::broken).collect();
        let cut: Vec<usize> = self.columns.iter().map(Strip::narrowest).collect();
        for floor in [&broken, &cut] {
            while total(&widths) > limit {
                let widest = (0..widths.len())
                    .filter(|&place| widths[place] > floor[place])
                    .max_by_key(|&place| (widths[place], std::cmp::Reverse(place)));
                let Some(widest) = widest else { break };
                widths[widest] -= 1;
            }
        }
        widths
    }
}

/// Columns of these widths side by side.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

impl Strip {
    /// The widest cell.
    fn body(&self) -> usize {
        self.cells.iter().map(|cell| page::width_of(cell)).max().unwrap_or(0)
    }

    fn longest_word(&self) -> usize {
        self.head.split_whitespace().map(page::width_of).max().unwrap_or(0)
    }

    /// Its width when only its heading is broken.
    fn broken(&self) -> usize {
        self.body().max(self.longest_word())
    }

    /// Its width when everything is done that may be.
    fn narrowest(&self) -> usize {
        match self.fit {
            Overflow::Never => self.broken(),
            Overflow::Cut => self.broken().min(NARROWEST.max(self.longest_word())),
            Overflow::Break => {
                let piece = self.cells.iter().map(|cell| page::longest_piece(cell)).max().unwrap_or(0);
                self.broken().min(piece.clamp(NARROWEST, LONGEST_PIECE).max(self.longest_word()))
            }
        }
    }
}
