//! How a log is to be read: its format, the cleaning rules, the machine, the time zone.

use std::fmt;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::clean::Ruleset;
use queuecast_core::units::Procs;

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// The Standard Workload Format.
    Swf,
    /// Text that `sacct -P` prints.
    Sacct,
}

impl LogFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Swf => "SWF",
            LogFormat::Sacct => "sacct",
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
