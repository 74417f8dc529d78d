//! Errors while reading a log, with what the user can do about them.

use std::fmt;
use std::io;

use serde::Serialize;

use super::clean::Rule;
use super::input::Compression;
use super::sacct::EXAMPLE_COMMAND;
use queuecast_core::workload::WorkloadError;

/// A line that is not a record: line, field, value and reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Line in the (decompressed) file, from 1.
    pub line: u64,
    /// Column and its name; `None` when the line as a whole is wrong.
    pub field: Option<FieldPlace>,
    /// The value, shortened.
    pub value: String,
    /// Why it is not accepted.
    pub reason: String,
}

/// A column of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldPlace {
    /// Counted from 1.
    pub column: usize,
    /// What the column holds.
    pub name: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.field.is_some() { ", " } else { " " };
        write!(f, "line {}{separator}{}", self.line, self.detail())
    }
}

impl Malformed {
    /// Everything but the line.
    pub(super) fn detail(&self) -> String {
        let place = self.field.as_ref();
        let place =
            place.map_or_else(String::new, |FieldPlace { column, name }| format!("field {column} ({name}) "));
        format!("{place}\"{}\": {}", self.value, self.reason)
    }
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The source failed.
    #[error("reading failed after line {line}: {source}")]
    Read {
        /// Last complete line.
        line: u64,
        /// The cause.
        source: io::Error,
    },
    /// Compressed data end early.
    #[error(
        "the {compression} data are truncated: they end after line {line}, in the middle of the file; copy or download it again"
    )]
    Truncated {
        /// How the file is compressed.
        compression: Compression,
        /// Last complete line.
        line: u64,
    },
    /// Compressed data are damaged.
    #[error(
        "the {compression} data are damaged after line {line} ({source}); copy or download the file again"
    )]
    Damaged {
        /// How the file is compressed.
        compression: Compression,
        /// Last complete line.
        line: u64,
        /// The message of the decompressor.
        source: io::Error,
    },
    /// Unknown bytes follow the compressed data.
    #[error(
        "after line {line} the {compression} data end, but the file goes on with something else; cut that off, or compress the parts of the log one by one"
    )]
    Trailing {
        /// How the file is compressed.
        compression: Compression,
        /// Last complete line.
        line: u64,
    },
    /// A line longer than any line of a log.
    #[error("line {line} is longer than {limit} bytes: this is not a text log")]
    LineTooLong {
        /// The line.
        line: u64,
        /// The longest line accepted.
        limit: usize,
    },
    /// An empty file.
    #[error("the file is empty; {expected} was expected")]
    Empty {
        /// Files that can be read, in words.
        expected: String,
    },
    /// Not a log.
    #[error("this is not a log that can be read: it looks like {looks_like}; {hint}")]
    NotALog {
        /// What it looks like.
        looks_like: String,
        /// What to do.
        hint: String,
    },
    /// A bad line, in strict mode.
    #[error("{0}")]
    Malformed(Malformed),
    /// Most lines are malformed: the file has another format.
    #[error(
        "{malformed} of {lines} data lines are malformed ({}), so this cannot be read as {format}; the first: {first}; {hint}",
        places(at, *malformed)
    )]
    MostlyMalformed {
        /// Malformed lines.
        malformed: u64,
        /// Data lines read, without steps and repeated header lines.
        lines: u64,
        /// The assumed format.
        format: &'static str,
        /// The first of them.
        first: Box<Malformed>,
        /// Where the first few of them are.
        at: Vec<u64>,
        /// What to do.
        hint: &'static str,
    },
    /// Accounting records of several clusters, of which none was asked for.
    #[error("the jobs are of {} clusters: {}; name one with --cluster", clusters.len(), list(clusters))]
    SeveralClusters {
        /// The clusters, in the order of appearance.
        clusters: Vec<ClusterJobs>,
    },
    /// No job is of the cluster asked for.
    #[error("no job is of cluster {wanted:?}; there are {}", list(clusters))]
    NoSuchCluster {
        /// The cluster asked for.
        wanted: String,
        /// The clusters there are, in the order of appearance.
        clusters: Vec<ClusterJobs>,
    },
    /// A cluster was asked for, and no column tells the clusters.
    #[error("there is no Cluster column that --cluster could select by; add Cluster to sacct's --format")]
    NoClusterColumn,
    /// Columns were named that the first row does not have.
    #[error(
        "{named} columns are named, the first line has {columns} (\"{line}\"); --columns names all columns of a file without a header line, in their order"
    )]
    NamedColumns {
        /// How many names were given.
        named: usize,
        /// How many columns the first row has.
        columns: usize,
        /// The first row, shortened.
        line: String,
    },
    /// An option for accounting records was given, and the file is a log of another format.
    #[error("{option} is for accounting records; this is a log in {format}")]
    AccountingOnly {
        /// The option.
        option: &'static str,
        /// The format, in words.
        format: &'static str,
    },
    /// Accounting output without a column that is needed.
    #[error("the header line lacks {missing}; an example that has all: {EXAMPLE_COMMAND}")]
    MissingColumns {
        /// What is missing, with alternatives.
        missing: String,
    },
    /// A cleaning rule fired, in strict mode.
    #[error(
        "line {line}, {place}, job {job}: {value}: {} (rule {rule}; strict mode accepts no such record)",
        rule.description()
    )]
    Strict {
        /// The line.
        line: u64,
        /// The field.
        place: String,
        /// The log's job number.
        job: i64,
        /// The value.
        value: String,
        /// The rule.
        rule: Rule,
    },
    /// No jobs are left after cleaning.
    #[error("none of the {lines} data lines is a job that can be simulated: {why}")]
    NoJobs {
        /// Data lines read.
        lines: u64,
        /// What removed them.
        why: String,
    },
    /// The sink failed.
    #[error("writing failed: {0}")]
    Write(io::Error),
    /// Jobs and machine do not fit together.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// A cluster, and how many jobs of it there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterJobs {
    /// Its name.
    pub cluster: String,
    /// Rows that are its jobs.
    pub jobs: u64,
}

fn list(clusters: &[ClusterJobs]) -> String {
    let one = |ClusterJobs { cluster, jobs }: &ClusterJobs| {
        format!("{} ({jobs} job{})", shortened(cluster.as_bytes()), if *jobs == 1 { "" } else { "s" })
    };
    clusters.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// "lines 2, 3, 7 and 12 more".
pub fn places(at: &[u64], all: u64) -> String {
    let listed: Vec<String> = at.iter().map(u64::to_string).collect();
    let more = all.saturating_sub(at.len() as u64);
    let plural = if all == 1 { "" } else { "s" };
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("line{plural} {}{rest}", listed.join(", "))
}

/// At most 40 characters of a value in a file, safe to print.
pub(super) fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(160)]);
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().count() > 40 || bytes.len() > 160 {
        short.push('…');
    }
    short
}
