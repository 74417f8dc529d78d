//! The document and the rows of every answer, and schedules and predictions as files.
//!
//! Everything here is a pure function from values to a string; what it is shown with comes from `display`, named here too.

mod advised;
mod allocated;
mod allocated_chart;
mod allocated_record;
mod answer;
mod brokered;
mod campaign;
mod choice;
pub mod cleaning;
mod comparison;
pub mod conversion;
pub mod generated_summary;
pub mod generation_notes;
pub mod head;
pub mod inspection;
pub mod log;
pub mod metric;
pub mod molding;
mod partitions;
mod pending;
pub mod portrait;
pub mod predictions;
mod queued;
pub mod schedule;
pub mod score;
pub mod search;
mod shaken;
pub mod side_by_side;
pub mod simulation;
mod site;
mod start;
mod start_curve;
pub mod swf;

pub use allocated::allocation_warnings;
pub use answer::{Answer, Explained, VERSION, json, render};
pub use brokered::broker_notes;
pub use choice::choice_notes;
pub use pending::queue_record;
pub use queuecast_display::{
    Align, Best, Cell, Charset, Chart, Column, ColumnKind, Document, Format, Layout, Page, Table, chart,
    duration, number, svg, table, words, wrap,
};
pub use queuecast_trace::date;
pub use site::over_threshold;
