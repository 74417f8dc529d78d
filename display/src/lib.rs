//! What any answer is shown with: pages of a width and a character set, tables in four formats, charts for terminals and as pictures, documents
//! of them, and counts and lengths of time within sentences.
//!
//! Everything here is a pure function from values to a string. The caller states the width of the [`Page`] and the
//! characters that it can show, and adds colour, if any.

mod best;
pub mod chart;
mod document;
mod page;
mod svg;
pub mod table;
pub mod words;

pub use best::Best;
pub use document::{Chart, Document, Format};
pub use page::{Charset, Page, wrap};
pub use queuecast_core::{duration, number};
pub use svg::svg;
pub use table::{Align, Cell, Column, ColumnKind, Layout, Table};
