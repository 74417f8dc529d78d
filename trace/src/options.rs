//! How a log is to be read: its format, the cleaning rules, the machine, the time zone.

use std::fmt;

use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

use super::clean::Ruleset;
use super::error::TraceError;
use super::lines::Lines;
use super::parsed::RecordReader;
use super::record::Field;
use super::swf::Header;
use queuecast_core::units::Procs;

/// Where files of a format come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FormatOrigin {
    /// Files with this ending.
    Files(&'static str),
    /// What this command prints.
    Command(&'static str),
}

/// How surely a file is of a format, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// It begins as no other text does.
    Mark,
    /// Its columns have the format's names, and rows of values follow.
    Table,
    /// A column has a name that only this format has.
    Name,
    /// Its first line has values that could be the format's.
    Values,
}

/// What a format says of a file.
pub(crate) struct Detected {
    /// How surely it is of this format.
    pub evidence: Evidence,
    /// Why it cannot be read all the same.
    pub refused: Option<TraceError>,
}

/// Opens the reader of a format, which may read a line of names first.
pub(crate) type OpenReader = fn(&mut Lines<'_>, &ReadOptions) -> Result<Box<dyn RecordReader>, TraceError>;

/// All that is told apart between formats.
pub(crate) struct FormatRow {
    /// Its name in tables and errors.
    pub name: &'static str,
    /// Its name as the value of an option and in JSON.
    pub word: &'static str,
    /// What the name stands for.
    pub title: &'static str,
    pub origin: FormatOrigin,
    /// Whether the records are a site's accounting: times are Unix times, jobs have the size that they held, numbers of jobs
    /// return, accounts and QOS are told, and jobs that have not ended are there. Otherwise they are a log with comments, whose
    /// clock begins at its header's `UnixStartTime`.
    pub is_accounting: bool,
    /// Looks at the first bytes and at their first line.
    pub detect: fn(&[u8], &[u8]) -> Option<Detected>,
    pub open: OpenReader,
    /// Where a file has a field of a record.
    pub place: fn(Field) -> String,
    /// What to do about a file whose lines cannot be read, by the column of the first.
    pub remedy: fn(Option<&str>) -> &'static str,
}

/// The format of a log.
#[derive(Clone, Copy)]
pub struct LogFormat(pub(crate) &'static FormatRow);

impl LogFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Its name as the value of an option and in JSON.
    pub fn word(self) -> &'static str {
        self.0.word
    }

    /// What it is: `The Standard Workload Format`.
    pub fn about(self) -> String {
        match self.0.origin {
            FormatOrigin::Files(_) => {
                let (first, rest) = self.0.title.split_at(1);
                first.to_uppercase() + rest
            }
            FormatOrigin::Command(command) => format!("{}: {command}", self.0.title),
        }
    }

    /// What it is called where there is little room: `SWF`, `sacct -P`.
    pub fn brief(self) -> &'static str {
        match self.0.origin {
            FormatOrigin::Files(_) => self.0.name,
            FormatOrigin::Command(command) => command,
        }
    }

    /// The source in a sentence: `SWF`, `the output of sacct -P`.
    pub fn source(self) -> String {
        match self.0.origin {
            FormatOrigin::Files(_) => self.0.name.to_owned(),
            FormatOrigin::Command(command) => format!("the output of {command}"),
        }
    }

    /// The ending of its files, if they have one by convention.
    pub fn ending(self) -> Option<&'static str> {
        match self.0.origin {
            FormatOrigin::Files(ending) => Some(ending),
            FormatOrigin::Command(_) => None,
        }
    }

    /// A file of this format, in words, and the ending of its name.
    pub(crate) fn file(self) -> String {
        match self.0.origin {
            FormatOrigin::Files(ending) => format!("a log in {} ({ending})", self.0.title),
            FormatOrigin::Command(command) => format!("the output of `{command}`"),
        }
    }

    /// Whether the records are a site's accounting.
    pub fn is_accounting(self) -> bool {
        self.0.is_accounting
    }

    /// The Unix time at which the clock of a log begins, by what its header says.
    pub(crate) fn epoch(self, header: &Header) -> Option<i64> {
        if self.0.is_accounting { Some(0) } else { header.unix_start_time }
    }

    /// What a file that begins so says for this format.
    pub(crate) fn detect(self, beginning: &[u8], line: &[u8]) -> Option<Detected> {
        (self.0.detect)(beginning, line)
    }
}

impl PartialEq for LogFormat {
    fn eq(&self, other: &LogFormat) -> bool {
        self.0.word == other.0.word
    }
}

impl Eq for LogFormat {}

impl Serialize for LogFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word)
    }
}

impl fmt::Debug for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}

/// Reads the name of a time zone.
pub fn time_zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| "no such time zone; write it as Europe/Stockholm, or UTC".to_owned())
}

/// How to read a log.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Its format; `None` to detect it.
    pub format: Option<LogFormat>,
    /// Which records become jobs, and how.
    pub ruleset: Ruleset,
    /// Whether a line that cannot be read, or a rule that removes or changes anything, is an error.
    pub strict: bool,
    /// The machine's size, instead of the log's.
    pub procs: Option<Procs>,
    /// The time zone of local times in accounting records; not used for Unix seconds and times with an offset.
    pub time_zone: TimeZone,
    /// The cluster whose jobs are read from accounting records that have a `Cluster` column.
    pub cluster: Option<String>,
    /// The columns of accounting records without a header line, named as in `sacct`.
    pub columns: Option<Vec<String>>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            ruleset: Ruleset::default(),
            strict: false,
            procs: None,
            time_zone: TimeZone::UTC,
            cluster: None,
            columns: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_have_names() {
        assert!(time_zone("Europe/Stockholm").is_ok());
        assert!(time_zone("Europe/Nowhere").is_err_and(|why| why.contains("no such time zone")));
    }
}
