//! Showing things as text: tables in four formats, small terminal charts, lengths of time in people's units,
//! and schedules in the format that logs have.
//!
//! Everything here is a pure function from values to a string. The room refuses to know the terminal: the
//! caller says how wide the [`Page`] is and which characters it can show, and adds colour, if any, itself.

mod best;
pub mod chart;
pub mod comparison;
pub mod date;
mod document;
pub mod duration;
pub mod generation;
pub mod metric;
mod number;
mod page;
pub mod swf;
pub mod table;

pub use best::Best;
pub use document::{Chart, Document, Format, UnknownFormat};
pub use page::{Charset, Page};
pub use table::{Align, Cell, Column, Kind, Layout, Table};
