//! The screen as a frame.

mod canvas;
mod header;
mod job_page;
mod popups;
mod table;
mod time_axis;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use self::canvas::ScreenCanvas;
use super::state::{WatchPage, WatchState};
use super::theme::WatchTheme;

/// The narrowest and lowest terminal that is drawn on.
const SMALLEST: (u16, u16) = (40, 10);

/// Draws the state.
pub fn draw(state: &WatchState, theme: WatchTheme, buffer: &mut Buffer) {
    let area = buffer.area;
    let mut canvas = ScreenCanvas { buffer, theme };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        canvas.text(
            area,
            0,
            &format!("at least {} columns and {} lines", SMALLEST.0, SMALLEST.1),
            theme.faint(),
        );
        return;
    }
    // A column is left free at either side.
    let inner = Rect { x: area.x + 1, width: area.width - 2, ..area };
    let below = header::draw(state, &mut canvas, inner);
    match &state.page {
        WatchPage::Job { .. } => job_page::draw(state, &mut canvas, below),
        WatchPage::Table | WatchPage::Filter { .. } => table::draw(state, &mut canvas, below),
        WatchPage::Columns { at } => {
            table::draw(state, &mut canvas, below);
            popups::columns(state, *at, &mut canvas, area);
        }
        WatchPage::Help => {
            table::draw(state, &mut canvas, below);
            popups::help(&mut canvas, area);
        }
    }
    popups::keys(state, &mut canvas, inner);
}
