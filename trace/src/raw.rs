//! A log held as its records, so that it can be asked what was known at any moment of it.

use std::io::Read;

use super::error::TraceError;
use super::log::Log;
use super::record::Record;
use super::records::Records;
use super::select::{Gathering, ReadLog};
use super::store::JobColumns;
use super::{LogFormat, ReadOptions};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::FARTHEST;

/// The records of a log, uncleaned. Cleaning comes after a moment is chosen: what a rule makes of a job may depend on what
/// became of it.
#[derive(Debug, Clone)]
pub struct RawLog {
    records: Vec<Record>,
    read: ReadLog,
    format: LogFormat,
    is_accounting: bool,
    options: ReadOptions,
}

/// The times that a log tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogSpan {
    /// The first submission.
    pub first: Time,
    /// The last one.
    pub last: Time,
    /// The last start, end or withdrawal, if that is later.
    pub until: Time,
    /// The Unix time at which the log's clock begins.
    pub epoch: Option<i64>,
}

impl RawLog {
    /// Reads a whole log.
    pub fn read(source: impl Read, options: &ReadOptions) -> Result<RawLog, TraceError> {
        RawLog::collect(Records::open(source, options)?, options)
    }

    fn collect(mut records: Records<'_>, options: &ReadOptions) -> Result<RawLog, TraceError> {
        let all: Vec<Record> = records.by_ref().collect::<Result<_, _>>()?;
        let (format, is_accounting) = (records.format(), records.is_accounting());
        let (compression, lines) = (records.compression(), records.data_lines());
        let (header, names, reading) = records.into_parts();
        let read = ReadLog { header, names, reading, lines, compression };
        Ok(RawLog { records: all, read, format, is_accounting, options: options.clone() })
    }

    /// With a machine of this size, whatever the log says.
    pub fn set_machine(&mut self, procs: Procs) {
        self.options.procs = Some(procs);
    }

    /// The times that it tells of; `None` if no record has a submission.
    pub fn span(&self) -> Option<LogSpan> {
        let sane = |time: i64| (0..=FARTHEST).contains(&time);
        let is_job = |record: &&Record| {
            sane(record.submit) && (record.run >= 0 || record.is_withdrawn() || record.unfinished)
        };
        let jobs = || self.records.iter().filter(is_job);
        let first = jobs().map(|record| record.submit).min()?;
        let last = jobs().map(|record| record.submit).max()?;
        let ends = jobs().filter(|record| record.wait >= 0);
        let ends = ends.map(|record| {
            let start = record.submit.saturating_add(record.wait);
            start.saturating_add(record.run.max(0))
        });
        let until = ends.filter(|&end| sane(end)).max().map_or(last, |end| end.max(last));
        let epoch = self.format.epoch(&self.read.header);
        Some(LogSpan { first: Time(first), last: Time(last), until: Time(until), epoch })
    }

    /// All of it, cleaned: what [`super::read`] returns.
    pub fn cleaned(&self) -> Result<Log, TraceError> {
        self.gather(None)
    }

    /// What was known at the end of an instant, cleaned. Jobs that were submitted later are not in it, and nothing that came
    /// later has an effect: jobs that waited or ran then are kept as jobs that start or end in the next second, whatever became
    /// of them, and where the log does not tell the size of the machine it is that of the largest job by then. In a log that
    /// records no waits, jobs have the run times that it records: only what is simulated from it can be asked.
    pub fn known_at(&self, instant: Time) -> Result<Log, TraceError> {
        self.gather(Some(instant))
    }

    fn gather(&self, known: Option<Time>) -> Result<Log, TraceError> {
        let options = &self.options;
        let mut gathering = Gathering::<JobColumns>::new(options, options.strict, self.format, known);
        gathering.declare(options, &self.read.header, self.is_accounting);
        let mut later = 0;
        for record in &self.records {
            let mut record = record.clone();
            if known.is_none_or(|instant| record.cut_at(instant.0)) {
                gathering.take(&mut record)?;
            } else {
                later += 1;
            }
        }
        let read = ReadLog { lines: self.read.lines - later, ..self.read.clone() };
        Log::of(gathering.gathered(read).selected(options)?)
    }
}
