//! What a line of a log turns out to be, and what tells it.

use super::clean::{Rule, RuleCounts};
use super::error::{Malformed, TraceError};
use super::record::Record;
use queuecast_core::workload::Names;

/// Reads the lines of a log of one format.
pub(super) trait RecordReader {
    /// Fills `record` from a line that is not blank, or says why it is none.
    fn parse(&mut self, line: &[u8], number: u64, record: &mut Record, counts: &mut RuleCounts) -> Parsed;

    /// Names for the numbers in the records read so far; `header` has those of the comments.
    fn names(&self, header: &Names) -> Names;

    /// Lines found to be no record since the last call. At the end of the file, lines that are held are given up first.
    fn take_broken(&mut self, _at_end: bool) -> Option<BrokenLines> {
        None
    }

    /// Lines so far that are part of a record of several lines, apart from the first of each.
    fn joined_lines(&self) -> u64 {
        0
    }

    /// Whether records of several clusters were read and none was asked for.
    fn has_mixed_clusters(&self) -> bool {
        false
    }

    /// The error of a log whose clusters are not the one asked for, once all is read.
    fn check_clusters(&self) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Lines that are no record, and why the first is none.
pub(super) struct BrokenLines {
    pub malformed: Malformed,
    pub lines: u64,
}

/// What a line is.
pub(super) enum Parsed {
    /// A record, which has been filled in.
    Record,
    /// A comment, which belongs to the header.
    Comment,
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
