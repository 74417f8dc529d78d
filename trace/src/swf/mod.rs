//! The Standard Workload Format of the Parallel Workloads Archive (version 2.2): header comments, records of
//! 18 numbers, and a writer for both.
//!
//! Values are parsed here and checked in [`mod@crate::clean`].

mod format;
mod header;
mod number;
mod parse;
mod reader;
mod renamed;
mod write;

pub use header::{Comment, Entry, Header};
pub use renamed::Renamed;
pub use write::SwfWriter;

pub(super) use header::{GUESSED, HELD, entry};
