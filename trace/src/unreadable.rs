//! The lines of a log that cannot be read, and the judgement whether the rest of the log is worth reading.

use super::LogFormat;
use super::error::{Malformed, TraceError};

/// Number of data lines after which a file of mostly malformed lines is rejected before its end.
const TRIAL: u64 = 100;

/// How many lines an error lists.
const LISTED: usize = 8;

/// The malformed lines so far.
#[derive(Debug, Default)]
pub(super) struct UnreadableLines {
    first: Option<Malformed>,
    at: Vec<u64>,
    count: u64,
    tried: bool,
}

impl UnreadableLines {
    /// Counts `lines` lines from the one of `malformed` on.
    pub fn push(&mut self, malformed: Malformed, lines: u64) {
        self.count += lines;
        let room = (LISTED - self.at.len()) as u64;
        self.at.extend((malformed.line..).take(lines.min(room) as usize));
        self.first.get_or_insert(malformed);
    }

    /// Whether the first lines are to be judged, `lines` being all so far.
    pub fn is_due(&self, lines: u64) -> bool {
        lines >= TRIAL && !self.tried
    }

    /// Rejects a log if more than half of its lines are malformed, `lines` being those that could be records: once after
    /// the first hundred, and at the end.
    pub fn judge(&mut self, lines: u64, at_end: bool, format: LogFormat) -> Result<(), TraceError> {
        if !at_end && (self.tried || lines < TRIAL) {
            return Ok(());
        }
        self.tried = true;
        if 2 * self.count <= lines {
            return Ok(());
        }
        let Some(first) = self.first.take() else { return Ok(()) };
        let column = first.field.as_ref().map(|place| place.name.as_str());
        let hint = (format.0.remedy)(column);
        Err(TraceError::MostlyMalformed {
            malformed: self.count,
            lines,
            format: format.name(),
            hint,
            first: Box::new(first),
            at: std::mem::take(&mut self.at),
        })
    }
}
