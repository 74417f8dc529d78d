//! The Standard Workload Format of the Parallel Workloads Archive (version 2.2): header comments, records of
//! 18 numbers, and how both are written again.
//!
//! Knows nothing of what a sensible job is: a record with nonsense in it is still a record.

mod header;
mod number;
mod parse;
mod write;

pub use header::{Comment, Entry, Header};
pub use write::SwfWriter;

pub(super) use header::{GUESSED, HELD, entry};
pub(super) use parse::{Oddity, parse};
