//! Colours and characters, readable on light and dark.

use queuecast_report::Charset;
use ratatui_core::style::{Color, Modifier, Style};

/// How things are drawn. Colours are those that a terminal's own scheme chooses, and none is the only sign of anything.
#[derive(Debug, Clone, Copy)]
pub struct WatchTheme {
    /// Whether colours are used.
    pub coloured: bool,
    /// The characters of bars.
    pub charset: Charset,
}

impl WatchTheme {
    fn colour(self, colour: Color) -> Style {
        if self.coloured { Style::new().fg(colour) } else { Style::new() }
    }

    /// Text beside which other text is more important.
    pub fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Names and titles.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// One's own jobs.
    pub fn own(self) -> Style {
        self.colour(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// What is in use, and ranges.
    pub fn bar(self) -> Style {
        self.colour(Color::Cyan)
    }

    /// The median of a range.
    pub fn median(self) -> Style {
        self.strong()
    }

    /// What is wrong.
    pub fn trouble(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The chosen row.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn is_ascii(self) -> bool {
        self.charset == Charset::Ascii
    }

    /// A part of a bar that is in use, and one that is not.
    pub fn blocks(self) -> [char; 2] {
        if self.is_ascii() { ['#', '.'] } else { ['█', '░'] }
    }

    /// The low end of a range, its inside, its median and its high end.
    pub fn range(self) -> [char; 4] {
        if self.is_ascii() { ['|', '-', '+', '|'] } else { ['├', '─', '┃', '┤'] }
    }

    /// A line below a title.
    pub fn rule(self) -> char {
        if self.is_ascii() { '-' } else { '─' }
    }

    /// A mark on an axis.
    pub fn tick(self) -> char {
        if self.is_ascii() { '|' } else { '╵' }
    }

    /// Whether a column is sorted upwards or downwards.
    pub fn sorted(self, reversed: bool) -> char {
        match (self.is_ascii(), reversed) {
            (true, false) => '^',
            (true, true) => 'v',
            (false, false) => '▲',
            (false, true) => '▼',
        }
    }

    /// A text in the characters of this theme.
    pub fn text(self, text: &str) -> String {
        if !self.is_ascii() {
            return text.to_owned();
        }
        let pairs = [("–", "-"), ("·", "|"), ("…", "~"), ("↑ ↓", "Up Down"), ("↑↓", "Up Down")];
        pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// What stands for the rest of a text that is cut.
    pub fn cut(self) -> char {
        if self.is_ascii() { '~' } else { '…' }
    }
}
