//! The table of waiting jobs.

use queuecast_place::{PendingAnswer, PendingJob};
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::canvas::{ScreenCanvas, width};
use crate::clock::{DayWords, WallClock};
use crate::columns::WatchColumn;
use crate::state::WatchState;

/// Columns between two columns.
const GAP: usize = 2;

/// A terminal of this many columns has room for "tomorrow".
const WIDE: u16 = 110;

/// What waits is told in no less than this, or other columns are left out.
const LEAST_WHY: usize = 18;

/// Draws it.
pub fn draw(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let (Some(answer), Some(clock)) = (&state.answer, state.clock()) else { return };
    if state.list.len() == 0 {
        let said = match answer.jobs.is_empty() {
            true => "No job waits.",
            false => "No waiting job is like that: Esc shows all.",
        };
        canvas.text(area, 1, said, theme.faint());
        return;
    }
    let words = if area.width >= WIDE { DayWords::Full } else { DayWords::Brief };
    let rows: Vec<ShownRow> = rows(state, answer, &clock, words);
    let columns = fitting(state, &rows, usize::from(area.width));
    let mut at = 0;
    for &(column, wide) in &columns {
        let mut title = column.title().to_owned();
        if state.list.sort == Some(column) {
            title.push(theme.sorted(state.list.reversed));
        }
        cell(canvas, area, (at, 0), (&title, wide), (column.is_number(), theme.strong()));
        at += wide + GAP;
    }
    for (line, row) in (1..).zip(&rows) {
        let style = if row.own { theme.own() } else { Style::new() };
        let place = Rect { y: area.y + line, height: 1, ..area };
        if line >= area.height {
            break;
        }
        let mut at = 0;
        for &(column, wide) in &columns {
            let text = &row.cells[place_of(column)];
            cell(canvas, area, (at, line), (text, wide), (column.is_number(), style));
            at += wide + GAP;
        }
        if row.own {
            canvas.buffer[(area.x - 1, area.y + line)].set_char('*').set_style(style);
        }
        if row.chosen {
            canvas.buffer.set_style(place, theme.chosen());
        }
    }
}

/// A job on the screen.
struct ShownRow {
    cells: [String; WatchColumn::ALL.len()],
    own: bool,
    chosen: bool,
}

fn rows(state: &WatchState, answer: &PendingAnswer, clock: &WallClock, words: DayWords) -> Vec<ShownRow> {
    let asked = answer.moment.time;
    let row = |(job, chosen): (&PendingJob, bool)| ShownRow {
        cells: WatchColumn::ALL.map(|column| column.cell(job, asked, clock, words)),
        own: job.own,
        chosen,
    };
    state.list.on_screen(answer).map(row).collect()
}

fn place_of(column: WatchColumn) -> usize {
    WatchColumn::ALL.iter().position(|&one| one == column).unwrap_or(0)
}

/// The columns that fit, each with its width: of those chosen, the last one that can be spared goes first.
fn fitting(state: &WatchState, rows: &[ShownRow], room: usize) -> Vec<(WatchColumn, usize)> {
    let natural = |column: WatchColumn| {
        let place = place_of(column);
        let cells = rows.iter().map(|row| width(&row.cells[place])).max().unwrap_or(0);
        // A title has room for the sign of its order.
        cells.max(width(column.title()) + usize::from(state.list.sort == Some(column))).min(column.widest())
    };
    let has = |column: WatchColumn| rows.iter().any(|row| !row.cells[place_of(column)].is_empty());
    let mut columns: Vec<(WatchColumn, usize)> = state
        .list
        .columns
        .iter()
        .filter(|one| one.1 && has(one.0))
        .map(|one| (one.0, natural(one.0)))
        .collect();
    let least = |columns: &[(WatchColumn, usize)]| {
        let wide =
            |one: &(WatchColumn, usize)| if one.0 == WatchColumn::Why { one.1.min(LEAST_WHY) } else { one.1 };
        columns.iter().map(wide).sum::<usize>() + GAP * columns.len().saturating_sub(1)
    };
    for spare in WatchColumn::SPARE {
        if least(&columns) <= room {
            break;
        }
        // What the table is sorted by is seen.
        columns.retain(|one| one.0 != spare || state.list.sort == Some(spare));
    }
    let others: usize = columns.iter().filter(|one| one.0 != WatchColumn::Why).map(|one| one.1 + GAP).sum();
    for column in columns.iter_mut().filter(|one| one.0 == WatchColumn::Why) {
        column.1 = room.saturating_sub(others);
    }
    columns
}

fn cell(
    canvas: &mut ScreenCanvas<'_>,
    area: Rect,
    (at, line): (usize, u16),
    (text, wide): (&str, usize),
    (is_number, style): (bool, Style),
) {
    let at = at.min(usize::from(area.width)) as u16;
    let room = (wide as u16).min(area.width.saturating_sub(at));
    let place = Rect { x: area.x + at, width: room, ..area };
    match is_number {
        true => canvas.text_right(place, line, text, style),
        false => canvas.text(place, line, text, style),
    };
}
