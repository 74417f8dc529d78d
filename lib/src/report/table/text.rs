//! Aligned text for people: a heading, one rule, and columns that line up.

use super::{Align, Layout, Table};
use crate::report::{Page, page};

/// Spaces between columns.
const GAP: usize = 2;
/// No column of words is cut narrower than this.
const NARROWEST: usize = 8;

/// The table as aligned text, ending in a newline. Where it is wider than the page, headings are broken over
/// several lines first, and then columns of words are cut; numbers never are.
pub fn text(table: &Table, page: &Page) -> String {
    let grid = match table.layout {
        Layout::Wide => wide(table, page),
        Layout::Tall => tall(table, page),
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
    if !table.notes.is_empty() {
        out.push('\n');
    }
    for note in &table.notes {
        for line in page::wrap(&page::printable(note), page.width.unwrap_or(usize::MAX)) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// What is drawn: strings in columns.
struct Grid {
    columns: Vec<Strip>,
    /// Rows a rule stands before.
    breaks: Vec<usize>,
    headed: bool,
}

struct Strip {
    head: String,
    align: Align,
    /// May be cut to fit the page.
    words: bool,
    cells: Vec<String>,
}

fn wide(table: &Table, page: &Page) -> Grid {
    let columns = table.shown().map(|(place, column)| Strip {
        head: page::printable(&column.heading()),
        align: column.align,
        words: column.align == Align::Left,
        cells: strip(table, place, page),
    });
    let breaks = (0..table.rows().len()).filter(|&row| table.breaks_before(row)).collect();
    Grid { columns: columns.collect(), breaks, headed: true }
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

fn tall(table: &Table, page: &Page) -> Grid {
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
        words: false,
        cells: facts.iter().map(|(_, name)| name.clone()).collect(),
    }];
    for row in 0..table.rows().len() {
        let room = facts.iter().any(|&(place, _)| table.is_marked(row, place));
        columns.push(Strip {
            head: first.map_or_else(String::new, |&(place, _)| shown(table, row, place, room, page)),
            align: if alone { Align::Left } else { Align::Right },
            words: alone,
            cells: facts.iter().map(|&(place, _)| shown(table, row, place, room, page)).collect(),
        });
    }
    Grid { columns, breaks: Vec::new(), headed: !alone }
}

impl Grid {
    fn draw(&self, page: &Page, out: &mut String) {
        let widths = self.widths(page);
        let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let rule = page.pick("─", "-").repeat(total) + "\n";
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
                self.line(line, &widths, page, out);
            }
            out.push_str(&rule);
        }
        let rows = self.columns.first().map_or(0, |strip| strip.cells.len());
        for row in 0..rows {
            if self.breaks.contains(&row) {
                out.push_str(&rule);
            }
            self.line(self.columns.iter().map(|strip| strip.cells[row].as_str()), &widths, page, out);
        }
    }

    fn line<'a>(
        &self,
        fields: impl Iterator<Item = &'a str>,
        widths: &[usize],
        page: &Page,
        out: &mut String,
    ) {
        let mut line = String::new();
        for (place, ((field, strip), &width)) in fields.zip(&self.columns).zip(widths).enumerate() {
            if place > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let field = if strip.words { page::cut(field, width, page) } else { field.to_owned() };
            let space = " ".repeat(width.saturating_sub(page::width_of(&field)));
            match strip.align {
                Align::Left => line.extend([field, space]),
                Align::Right => line.extend([space, field]),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }

    /// Natural widths, narrowed one column of characters at a time (the widest first) until the page holds them.
    fn widths(&self, page: &Page) -> Vec<usize> {
        let body = |strip: &Strip| strip.cells.iter().map(|cell| page::width_of(cell)).max().unwrap_or(0);
        let mut widths: Vec<usize> =
            self.columns.iter().map(|strip| body(strip).max(page::width_of(&strip.head))).collect();
        let Some(limit) = page.width else { return widths };
        let longest_word =
            |strip: &Strip| strip.head.split_whitespace().map(page::width_of).max().unwrap_or(0);
        let broken: Vec<usize> =
            self.columns.iter().map(|strip| body(strip).max(longest_word(strip))).collect();
        let cut: Vec<usize> = self
            .columns
            .iter()
            .zip(&broken)
            .map(
                |(strip, &width)| {
                    if strip.words { width.min(NARROWEST.max(longest_word(strip))) } else { width }
                },
            )
            .collect();
        for floor in [&broken, &cut] {
            while widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1) > limit {
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
