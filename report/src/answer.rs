//! The answer to a question, in every format.

use serde::Serialize;

use crate::{Charset, Document, Format, Page, Table, table};

/// The version that answers name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A result that can be shown in every format: JSON is its serialization.
pub trait Answer: Serialize {
    /// For text and Markdown.
    fn document(&self) -> Document;

    /// For CSV: one table of raw values.
    fn table(&self) -> Table;

    /// What it stands on, for text and Markdown where that is asked for; JSON has it anyway.
    fn explanation(&self) -> Document {
        Document::new()
    }
}

/// An answer that is followed by what it stands on.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Explained<'a, A>(pub &'a A);

impl<A: Answer> Answer for Explained<'_, A> {
    fn document(&self) -> Document {
        self.0.document().followed_by(self.0.explanation())
    }

    fn table(&self) -> Table {
        self.0.table()
    }
}

/// An answer in one format, with or without its charts.
pub fn render(
    answer: &impl Answer,
    format: Format,
    page: &Page,
    charts: bool,
) -> Result<String, serde_json::Error> {
    match format {
        Format::Text | Format::Markdown => {
            let document = answer.document();
            let document = if charts { document } else { document.without_charts() };
            let text = document.render(format, page);
            Ok(if page.charset == Charset::Ascii { in_ascii(&text) } else { text })
        }
        Format::Csv => Ok(table::csv(&answer.table())),
        Format::Json => json(answer),
    }
}

/// Indented JSON, ending in a newline.
pub fn json(answer: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(answer)? + "\n")
}

/// The text in ASCII; other characters, as in names of a log, become `?`.
fn in_ascii(text: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii() => c,
        '–' | '—' => '-',
        '×' => 'x',
        '…' => '~',
        _ => '?',
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_ascii_is_left() {
        assert_eq!(in_ascii("0 (–) 2×3 Åsa"), "0 (-) 2x3 ?sa");
    }
}
