//! A log by its name.

use queuecast_trace::Log;

/// A log and what to call it.
#[derive(Debug, Clone, Copy)]
pub struct LabelledLog<'a> {
    /// What to call it.
    pub name: &'a str,
    /// The log.
    pub log: &'a Log,
}
