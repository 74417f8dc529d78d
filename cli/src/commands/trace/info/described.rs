//! The description of one trace, and its numbers as text.

use queuecast::characterization::Characterization;
use queuecast::report::{Cell, Page};
use queuecast::trace::{CleaningReport, Info};
use serde::Serialize;

/// One trace, described.
#[derive(Debug, Serialize)]
pub struct Described {
    pub source: String,
    #[serde(flatten)]
    pub info: Info,
    /// What was done to the records before the portrait was made; `None` if that left no jobs.
    pub cleaning: Option<CleaningReport>,
    pub portrait: Option<Characterization>,
    /// Whether all tables of the portrait are shown.
    #[serde(skip)]
    pub in_full: bool,
}

pub fn whole(count: u64) -> Cell {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A count as text.
pub fn counted(count: u64) -> String {
    whole(count).shown(&Page::default())
}

/// A share as text.
pub fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

/// A user by name, or by number where the log has no names.
pub fn user(number: u32, name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| format!("user {number}"))
}
