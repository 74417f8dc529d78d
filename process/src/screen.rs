//! The terminal as a screen: drawn on as a whole, and given back as it was at the end, at a signal and at a panic.

use std::io::{self, IsTerminal, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor::Show;
use crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui_core::buffer::Buffer;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;

use crate::failure::Failure;

/// Whether the terminal is a screen now.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// The terminal as a screen, until this is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

/// Whether standard output is a terminal.
pub fn is_there() -> bool {
    io::stdout().is_terminal()
}

/// Gives the terminal back, if it is a screen.
pub fn restore() {
    if IS_SHOWN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing.
        let _ = disable_raw_mode();
        let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
    }
}

impl Screen {
    /// Takes the terminal.
    pub fn open() -> Result<Screen, Failure> {
        let refused = |cause: io::Error| Failure::unexpected("cannot use the terminal").because(cause);
        IS_SHOWN.store(true, Ordering::SeqCst);
        let taken = enable_raw_mode()
            .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture))
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match taken {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(cause) => {
                restore();
                Err(refused(cause))
            }
        }
    }

    /// Columns and lines.
    pub fn size(&self) -> (u16, u16) {
        size().unwrap_or((80, 24))
    }

    /// Draws a whole screen; what has changed is written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Buffer)) -> Result<(), Failure> {
        let drawn = self.terminal.draw(|frame| draw(frame.buffer_mut()));
        drawn.map(drop).map_err(|cause| Failure::writing("the terminal", cause))
    }

    /// The next event, if there is one within this time.
    pub fn event(&self, within: Duration) -> Result<Option<Event>, Failure> {
        let found = event::poll(within).and_then(|is_there| is_there.then(event::read).transpose());
        found.map_err(|cause| Failure::unexpected("cannot read the terminal").because(cause))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}
