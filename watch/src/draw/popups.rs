//! What lies above the table: help, the choice of columns, and the keys below.

use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::canvas::{ScreenCanvas, width};
use crate::state::{WatchPage, WatchState};

/// The keys and what they do.
const KEYS: [(&str, &str); 13] = [
    ("↑ ↓  j k", "the job before, the next one; the mouse's wheel"),
    ("PgUp PgDn", "a screen up, down"),
    ("Home End  g G", "the first job, the last one"),
    ("Enter", "the job's page: its range, what it waits for, how it moved"),
    ("s  S", "sort by the next column; reverse the order"),
    ("/", "show jobs whose number, user or partition has a text"),
    ("p", "show the next partition alone"),
    ("c", "choose columns"),
    ("Space", "a played log stands still, or goes on"),
    ("Esc", "back; show all jobs; end"),
    ("?", "this help"),
    ("q  Ctrl-C", "end"),
    ("", "One's own jobs come first and have a *. Ranges hold 8 of 10 starts."),
];

/// A window in the middle of an area, emptied.
fn window(canvas: &mut ScreenCanvas<'_>, area: Rect, title: &str, (wide, high): (u16, u16)) -> Rect {
    let theme = canvas.theme;
    // Of what lies below, a column or two at the sides would tell nothing.
    let wide = if wide + 12 > area.width { area.width } else { wide + 4 };
    let high = (high + 4).min(area.height);
    let outer = Rect {
        x: area.x + (area.width - wide) / 2,
        y: area.y + (area.height - high) / 2,
        width: wide,
        height: high,
    };
    for y in outer.y..outer.y + outer.height {
        for x in outer.x..outer.x + outer.width {
            canvas.buffer[(x, y)].reset();
        }
    }
    let rule = Rect { height: 1, ..outer };
    canvas.fill(rule, theme.rule(), theme.faint());
    canvas.fill(Rect { y: outer.y + high - 1, ..rule }, theme.rule(), theme.faint());
    canvas.text_at(outer, (2, 0), &format!(" {title} "), theme.strong());
    Rect { x: outer.x + 2, y: outer.y + 2, width: wide.saturating_sub(4), height: high.saturating_sub(3) }
}

/// What keys do.
pub fn help(canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let left = KEYS.iter().map(|one| width(&theme.text(one.0))).max().unwrap_or(0) as u16 + 2;
    let right = KEYS.iter().filter(|one| !one.0.is_empty()).map(|one| width(one.1)).max().unwrap_or(0) as u16;
    let inner = window(canvas, area, "Keys", (left + right, KEYS.len() as u16 + 1));
    for (line, (keys, what)) in (0..).zip(KEYS) {
        if keys.is_empty() {
            canvas.text(inner, line + 1, what, theme.faint());
        } else {
            canvas.text(inner, line, keys, theme.strong());
            canvas.text_at(inner, (left, line), what, Style::new());
        }
    }
}

/// The choice of columns.
pub fn columns(state: &WatchState, at: usize, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let inner = window(canvas, area, "Columns", (54, state.list.columns.len() as u16));
    for (line, &(column, shown)) in (0..).zip(&state.list.columns) {
        let mark = if shown { 'x' } else { ' ' };
        canvas.text(
            inner,
            line,
            &format!("[{mark}] {:<15} {}", column.title(), column.meaning()),
            Style::new(),
        );
        if usize::from(line) == at && line < inner.height {
            canvas.buffer.set_style(Rect { y: inner.y + line, height: 1, ..inner }, theme.chosen());
        }
    }
}

/// The last line: what can be typed, or what is being typed.
pub fn keys(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let line = area.height - 1;
    if let WatchPage::Filter { .. } = state.page {
        let at = canvas.text(area, line, "/", theme.strong());
        let end = canvas.text_at(area, (at, line), &state.list.filter, Style::new());
        canvas.text_at(area, (at + end, line), " ", theme.chosen());
        canvas.text_right(area, line, "Enter done · Esc as before", theme.faint());
        return;
    }
    let pairs: &[(&str, &str)] = match state.page {
        WatchPage::Columns { .. } => &[("Space", "show or hide"), ("Esc", "done")],
        WatchPage::Job { .. } => &[("Esc", "back"), ("↑↓", "other jobs"), ("?", "help"), ("q", "end")],
        WatchPage::Help => &[("any key", "back")],
        // In the order in which they give way where there is no room.
        _ => &[
            ("Enter", "job"),
            ("/", "filter"),
            ("s", "sort"),
            ("?", "help"),
            ("q", "end"),
            ("p", "partition"),
            ("c", "columns"),
        ],
    };
    let right = if matches!(state.page, WatchPage::Table) { narrowed(state) } else { String::new() };
    let room = usize::from(area.width).saturating_sub(width(&right) + 1);
    canvas.text_right(area, line, &right, theme.faint());
    let mut at = 0;
    for (key, what) in pairs {
        if usize::from(at) + width(&theme.text(key)) + 1 + width(what) > room {
            break;
        }
        at += canvas.text_at(area, (at, line), key, theme.strong()) + 1;
        at += canvas.text_at(area, (at, line), what, theme.faint()) + 2;
    }
}

/// Which jobs of how many are on the screen, and what narrows the table.
fn narrowed(state: &WatchState) -> String {
    let Some(answer) = &state.answer else { return String::new() };
    let (first, last) = state.list.span();
    let mut said = Vec::new();
    if !state.list.filter.is_empty() {
        said.push(format!("/{}", state.list.filter));
    }
    said.extend(state.list.partition.as_ref().map(|name| format!("in {name}")));
    if state.list.len() > 0 {
        let (shown, all) = (state.list.len(), answer.jobs.len());
        said.push(match shown == all {
            true => format!("{first}–{last} of {shown}"),
            false => format!("{first}–{last} of {shown} ({all})"),
        });
    }
    said.join(" · ")
}
