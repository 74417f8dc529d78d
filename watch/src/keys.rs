//! What keys and the mouse do.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

use super::state::{WatchPage, WatchState, WatchWish};

/// Jobs that a turn of the mouse's wheel moves by.
const WHEEL: isize = 3;

impl WatchState {
    /// Takes an event of the terminal; what is to be done about it.
    pub fn happened(&mut self, event: &Event) -> Option<WatchWish> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.typed(key),
            Event::Mouse(mouse) => {
                match mouse.kind {
                    MouseEventKind::ScrollDown => self.moved(WHEEL),
                    MouseEventKind::ScrollUp => self.moved(-WHEEL),
                    _ => {}
                }
                None
            }
            Event::Resize(width, height) => {
                self.resized((*width, *height));
                None
            }
            _ => None,
        }
    }

    fn typed(&mut self, key: &KeyEvent) -> Option<WatchWish> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Some(WatchWish::End),
                KeyCode::Char('f') => self.list.go_page(1),
                KeyCode::Char('b') => self.list.go_page(-1),
                _ => {}
            }
            return None;
        }
        match self.page.clone() {
            WatchPage::Table => self.typed_at_table(key.code),
            WatchPage::Filter { before } => {
                self.typed_filter(key.code, before);
                None
            }
            WatchPage::Columns { at } => {
                self.typed_at_columns(key.code, at);
                None
            }
            WatchPage::Job { .. } => self.typed_at_job(key.code),
            WatchPage::Help => {
                self.page = if self.open.is_some() { self.job_page() } else { WatchPage::Table };
                None
            }
        }
    }

    fn job_page(&self) -> WatchPage {
        match &self.open {
            Some(job) => WatchPage::Job { job: job.job.clone() },
            None => WatchPage::Table,
        }
    }

    fn moved(&mut self, by: isize) {
        if matches!(self.page, WatchPage::Table) {
            self.list.go(by);
        }
    }

    fn typed_at_table(&mut self, code: KeyCode) -> Option<WatchWish> {
        match code {
            KeyCode::Char('q') => return Some(WatchWish::End),
            // What narrows the table goes before the screen does.
            KeyCode::Esc if !self.list.filter.is_empty() || self.list.partition.is_some() => {
                self.list.filter.clear();
                self.list.partition = None;
                self.arrange();
            }
            KeyCode::Esc => return Some(WatchWish::End),
            KeyCode::Down | KeyCode::Char('j') => self.list.go(1),
            KeyCode::Up | KeyCode::Char('k') => self.list.go(-1),
            KeyCode::PageDown => self.list.go_page(1),
            KeyCode::PageUp => self.list.go_page(-1),
            KeyCode::Home | KeyCode::Char('g') => self.list.go(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => self.list.go(isize::MAX),
            KeyCode::Enter => return self.open_chosen(),
            KeyCode::Char('s') => {
                self.list.sort_by_next();
                self.arrange();
            }
            KeyCode::Char('S') => {
                self.list.reversed = !self.list.reversed;
                self.arrange();
            }
            KeyCode::Char('/') => self.page = WatchPage::Filter { before: self.list.filter.clone() },
            KeyCode::Char('c') => self.page = WatchPage::Columns { at: 0 },
            KeyCode::Char('p') => {
                if let Some(answer) = &self.answer {
                    self.list.next_partition(answer);
                }
                self.arrange();
            }
            KeyCode::Char('?') => self.page = WatchPage::Help,
            KeyCode::Char(' ') => return self.pause(),
            _ => {}
        }
        None
    }

    fn pause(&mut self) -> Option<WatchWish> {
        self.place.speed?;
        self.paused = !self.paused;
        Some(WatchWish::Pause(self.paused))
    }

    fn typed_filter(&mut self, code: KeyCode, before: String) {
        match code {
            KeyCode::Enter => self.page = WatchPage::Table,
            KeyCode::Esc => {
                self.list.filter = before;
                self.page = WatchPage::Table;
            }
            KeyCode::Backspace => {
                self.list.filter.pop();
            }
            KeyCode::Char(letter) => self.list.filter.push(letter),
            _ => {}
        }
        self.arrange();
    }

    fn typed_at_columns(&mut self, code: KeyCode, at: usize) {
        let last = self.list.columns.len() - 1;
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.page = WatchPage::Columns { at: (at + 1).min(last) },
            KeyCode::Up | KeyCode::Char('k') => self.page = WatchPage::Columns { at: at.saturating_sub(1) },
            KeyCode::Char(' ') => {
                // A table has at least one column.
                let shown = self.list.columns.iter().filter(|one| one.1).count();
                let column = &mut self.list.columns[at];
                column.1 = !column.1 || shown == 1;
            }
            KeyCode::Enter | KeyCode::Esc | KeyCode::Char('c' | 'q') => self.page = WatchPage::Table,
            _ => {}
        }
    }

    fn typed_at_job(&mut self, code: KeyCode) -> Option<WatchWish> {
        match code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Backspace | KeyCode::Left => {
                (self.page, self.open) = (WatchPage::Table, None);
                None
            }
            KeyCode::Char('q') => Some(WatchWish::End),
            KeyCode::Down | KeyCode::Char('j') => self.open_next(1),
            KeyCode::Up | KeyCode::Char('k') => self.open_next(-1),
            KeyCode::Char('?') => {
                self.page = WatchPage::Help;
                None
            }
            KeyCode::Char(' ') => self.pause(),
            _ => None,
        }
    }

    fn open_next(&mut self, by: isize) -> Option<WatchWish> {
        self.list.go(by);
        self.open_chosen()
    }
}
