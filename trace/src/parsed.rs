//! What a line of a log turns out to be.

use super::clean::Rule;
use super::error::{Malformed, TraceError};

/// What a line is.
pub(super) enum Parsed {
    /// A record, which has been filled in.
    Record,
    /// A well-formed line that is not a record.
    NoRecord(NoRecord),
    /// A line that cannot be read.
    Malformed(Malformed),
    /// Perhaps the beginning of a record that goes on in the next line.
    Incomplete,
    /// A line that shows that the file cannot be read.
    Refused(Box<TraceError>),
}

/// A well-formed line that is not a record, and the rule that says so.
pub(super) struct NoRecord {
    pub rule: Rule,
    pub job: Option<i64>,
    pub value: String,
}
