//! The page that text is laid out on: a width, a character set, and whether it is coloured.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The characters a page can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Charset {
    /// Rules, blocks and braille.
    #[default]
    Unicode,
    /// Seven-bit characters for everything drawn; text in cells stays as it is.
    Ascii,
}

/// The page that text is laid out on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// Columns to stay within, where the content allows it; `None` lets tables grow as wide as they are.
    pub width: Option<usize>,
    /// The characters to draw with.
    pub charset: Charset,
    /// Whether charts have the colours of a terminal.
    pub coloured: bool,
}

/// How wide a chart is on a page without a width.
const USUAL_WIDTH: usize = 80;

impl Page {
    /// A Unicode page of this many columns.
    pub fn wide(width: usize) -> Page {
        Page { width: Some(width), ..Page::default() }
    }

    /// The same page in plain ASCII.
    pub fn ascii(self) -> Page {
        Page { charset: Charset::Ascii, ..self }
    }

    /// The width for things that need one.
    pub(crate) fn columns(&self) -> usize {
        self.width.unwrap_or(USUAL_WIDTH)
    }

    /// One of two drawings, by charset.
    pub(crate) fn pick<T>(&self, unicode: T, ascii: T) -> T {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }
}

/// How many terminal columns a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}

/// The text without control characters, which names in a log may contain.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// The text cut to `width` columns, an ellipsis in place of what was cut.
pub(crate) fn cut(text: &str, width: usize, page: &Page) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let mark = page.pick("…", "~");
    let mut kept = String::new();
    let mut used = width_of(mark);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept + mark
}

/// Breaks a text at spaces into lines of at most `width` columns; a longer word has a line of its own.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line) + 1 + width_of(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The widest piece of a text that [`fold`] keeps whole.
pub(crate) fn longest_piece(text: &str) -> usize {
    text.split_inclusive(BREAKS).map(|piece| width_of(piece.trim_end())).max().unwrap_or(0)
}

/// After these a text may be broken.
const BREAKS: [char; 3] = [' ', ',', ':'];

/// Breaks a text into lines of at most `width` columns, after a space, comma or colon where there is one, else
/// wherever the line is full; nothing is lost. At least one line.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    while width_of(rest) > width {
        let mut used = 0;
        // At least one character a line, or it would never end.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let mut full = rest.len();
        for (at, c) in rest.char_indices() {
            used += c.width().unwrap_or(0);
            if used > width {
                full = at.max(first);
                break;
            }
        }
        // A space that ends the line may stand beyond it.
        let end = if rest[full..].starts_with(' ') { full + 1 } else { full };
        let at = rest[..end].rfind(BREAKS).map_or(full, |place| place + 1);
        lines.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_counts_columns_not_characters() {
        assert_eq!(cut("幅広い名前", 10, &Page::default()), "幅広い名前");
        assert_eq!(cut("幅広い名前", 7, &Page::default()), "幅広い…");
        assert_eq!(cut("幅広い名前", 6, &Page::default()), "幅広…");
        assert_eq!(cut("conservative", 7, &Page::default().ascii()), "conser~");
    }

    #[test]
    fn wrapping_breaks_at_spaces_only() {
        assert_eq!(wrap("mean bounded slowdown", 12), ["mean bounded", "slowdown"]);
        assert_eq!(wrap("mean bounded slowdown", 3), ["mean", "bounded", "slowdown"]);
        assert!(wrap("  ", 10).is_empty());
    }

    #[test]
    fn folding_loses_nothing_and_always_ends() {
        assert_eq!(fold("easy:depth=4,order=largest", 14), ["easy:depth=4,", "order=largest"]);
        assert_eq!(fold("3 jobs; 1 left out", 7), ["3 jobs;", "1 left", "out"]);
        assert_eq!(fold("conservative", 5), ["conse", "rvati", "ve"]);
        assert_eq!(fold("幅広", 1), ["幅", "広"]);
        assert_eq!(fold("easy", 4), ["easy"]);
        assert_eq!(fold("", 4), [""]);
    }

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(printable("eve\u{1b}[2J\n"), "eve\u{FFFD}[2J\u{FFFD}");
    }
}
