//! Results as text: tables in four formats, small charts for terminals and as pictures, lengths of time in human units,
//! and schedules in the Standard Workload Format.
//!
//! Everything here is a pure function from values to a string. The caller states the width of the [`Page`] and the
//! characters that it can show, and adds colour, if any.

mod advised;
mod allocated;
mod answer;
mod best;
mod brokered;
pub mod chart;
mod choice;
pub mod cleaning;
mod compared;
pub mod comparison;
pub mod conversion;
mod document;
pub mod generated;
pub mod generation;
pub mod head;
pub mod inspection;
pub mod log;
pub mod metric;
pub mod molding;
mod page;
pub mod portrait;
pub mod predictions;
pub mod schedule;
pub mod score;
pub mod search;
mod shaken;
pub mod simulation;
mod site;
mod start;
mod svg;
pub mod swf;
pub mod table;
pub mod words;

pub use allocated::allocation_warnings;
pub use answer::{Answer, VERSION, json, render};
pub use best::Best;
pub use brokered::broker_notes;
pub use choice::choice_notes;
pub use document::{Chart, Document, Format};
pub use page::{Charset, Page, wrap};
pub use queuecast_core::{duration, number};
pub use queuecast_trace::date;
pub use svg::svg;
pub use table::{Align, Cell, Column, ColumnKind, Layout, Table};
