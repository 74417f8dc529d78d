//! The answer to a question, in every format.

use serde::Serialize;

use crate::{Document, Table};

/// The version that answers name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A result that can be shown in every format: JSON is its serialization.
pub trait Answer: Serialize {
    /// For text and Markdown.
    fn document(&self) -> Document;

    /// For CSV: one table of raw values.
    fn table(&self) -> Table;
}
