//! Texts on a buffer, cut where they do not fit.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::Span;

use crate::theme::WatchTheme;

/// Where things are drawn, and how.
pub struct ScreenCanvas<'a> {
    /// The cells.
    pub buffer: &'a mut Buffer,
    /// Colours and characters.
    pub theme: WatchTheme,
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

impl ScreenCanvas<'_> {
    /// Writes a text into a line of an area, from its left; how many columns it takes.
    pub fn text(&mut self, area: Rect, line: u16, text: &str, style: Style) -> u16 {
        self.text_at(area, (0, line), text, style)
    }

    /// Writes a text from a column of the area on.
    pub fn text_at(&mut self, area: Rect, (column, line): (u16, u16), text: &str, style: Style) -> u16 {
        if line >= area.height || column >= area.width {
            return 0;
        }
        let room = usize::from(area.width - column);
        let text = self.fitted(&self.theme.text(text), room);
        let (x, y) = (area.x + column, area.y + line);
        let (end, _) = self.buffer.set_stringn(x, y, &text, room, style);
        end - x
    }

    /// Writes a text so that it ends at the right of the area.
    pub fn text_right(&mut self, area: Rect, line: u16, text: &str, style: Style) -> u16 {
        let wide = width(&self.theme.text(text)).min(usize::from(area.width)) as u16;
        self.text_at(area, (area.width - wide, line), text, style)
    }

    /// A text in a number of columns: control characters are left out, and the end is cut if it is too long.
    pub fn fitted(&self, text: &str, room: usize) -> String {
        let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
        if width(&text) <= room {
            return text;
        }
        let mut kept = String::new();
        for letter in text.chars() {
            if width(&kept) + width(letter.encode_utf8(&mut [0; 4])) + 1 > room {
                break;
            }
            kept.push(letter);
        }
        if room > 0 {
            kept.push(self.theme.cut());
        }
        kept
    }

    /// Texts in lines of the area's width, broken between words; how many lines they take.
    pub fn paragraph(&mut self, area: Rect, line: u16, text: &str, style: Style) -> u16 {
        let lines = queuecast_report::wrap(text, usize::from(area.width).max(1));
        for (number, text) in (0..).zip(&lines) {
            self.text(area, line + number, text, style);
        }
        lines.len() as u16
    }

    /// Fills an area with one letter.
    pub fn fill(&mut self, area: Rect, letter: char, style: Style) {
        let letter = letter.to_string();
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                self.buffer[(x, y)].set_symbol(&letter).set_style(style);
            }
        }
    }
}
