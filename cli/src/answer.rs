//! What a command answers, once for each kind of reader.

use queuecast::report::{Document, Table};
use serde::Serialize;

/// A result that can be shown in every format: JSON is its serialization.
pub trait Answer: Serialize {
    /// For people: text and Markdown.
    fn document(&self) -> Document;

    /// For spreadsheets: one table of raw values.
    fn table(&self) -> Table;
}
