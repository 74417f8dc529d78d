//! How a log is to be read: its format, the cleaning rules, the machine, the time zone.

use std::fmt;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::clean::Ruleset;
use crate::units::Procs;

/// What a log is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The Standard Workload Format.
    Swf,
    /// Text that `sacct -P` prints.
    Sacct,
}

impl Format {
    /// As it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::Swf => "SWF",
            Format::Sacct => "sacct",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How to read a log.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// What it is written in; `None` to find out.
    pub format: Option<Format>,
    /// Which records become jobs, and how.
    pub ruleset: Ruleset,
    /// Whether a line that cannot be read, or a rule that removes or changes anything, is an error.
    pub strict: bool,
    /// The machine's size, if it is known better than the log knows.
    pub procs: Option<Procs>,
    /// Where the local times of accounting records were taken. Times in Unix seconds need none.
    pub time_zone: TimeZone,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            ruleset: Ruleset::default(),
            strict: false,
            procs: None,
            time_zone: TimeZone::UTC,
        }
    }
}
