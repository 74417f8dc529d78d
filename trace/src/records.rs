//! Iterator over the records of a log of any format.

use std::io::Read;

use super::clean::cleaner::strict_error;
use super::clean::{Example, Rule, RuleCounts};
use super::error::{Malformed, TraceError};
use super::formats::any_file;
use super::input::{Compression, Source};
use super::lines::Lines;
use super::parsed::{NoRecord, Parsed, RecordReader};
use super::record::{Record, UNKNOWN};
use super::sniff::sniff;
use super::swf::Header;
use super::unreadable::UnreadableLines;
use super::{LogFormat, ReadOptions};
use queuecast_core::workload::Names;

/// A log as a stream of records. What is not a record (a malformed line, a step of a job) is counted in
/// [`Records::counts`], or in strict mode an error.
pub struct Records<'a> {
    lines: Lines<'a>,
    header: Header,
    format: LogFormat,
    reader: Box<dyn RecordReader>,
    strict: bool,
    counts: RuleCounts,
    data_lines: u64,
    unreadable: UnreadableLines,
    ended: bool,
}

impl<'a> Records<'a> {
    /// Opens a log: finds out compression and format, and reads the header line of accounting records.
    pub fn open(source: impl Read + 'a, options: &ReadOptions) -> Result<Records<'a>, TraceError> {
        Records::of(Box::new(source), options)
    }

    pub(super) fn of(source: Source<'a>, options: &ReadOptions) -> Result<Records<'a>, TraceError> {
        let mut lines = Lines::open(source)?;
        let format = match options.format {
            Some(_) if lines.beginning().is_empty() => {
                return Err(TraceError::Empty { expected: any_file() });
            }
            Some(format) => format,
            None if options.columns.is_some() && !lines.beginning().is_empty() => LogFormat::SACCT,
            None => sniff(lines.beginning())?,
        };
        let given = [("--columns", options.columns.is_some()), ("--cluster", options.cluster.is_some())];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given && !format.is_accounting()) {
            return Err(TraceError::AccountingOnly { option, format: format.0.title });
        }
        let reader = (format.0.open)(&mut lines, options)?;
        Ok(Records {
            lines,
            header: Header::default(),
            format,
            reader,
            strict: options.strict,
            counts: RuleCounts::default(),
            data_lines: 0,
            unreadable: UnreadableLines::default(),
            ended: false,
        })
    }

    /// Reads the next record into `record`; `false` at the end and after an error.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        if self.ended {
            return Ok(false);
        }
        let read = self.advance(record);
        self.ended = !matches!(read, Ok(true));
        read
    }

    fn advance(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        while let Some((number, line)) = self.lines.next()? {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let parsed = self.reader.parse(line, number, record, &mut self.counts);
            if matches!(parsed, Parsed::Comment) {
                self.header.push(number, line);
                continue;
            }
            if let Some(broken) = self.reader.take_broken(false) {
                self.count_malformed(broken.malformed, broken.lines)?;
            }
            let is_record = matches!(parsed, Parsed::Record);
            match parsed {
                Parsed::Record => {
                    self.data_lines += 1;
                    self.check_values(number, record.job)?;
                }
                Parsed::NoRecord(no_record) => {
                    self.data_lines += 1;
                    self.count_other(no_record, number)?;
                    self.check_clusters()?;
                    continue;
                }
                Parsed::Malformed(malformed) => self.count_malformed(malformed, 1)?,
                Parsed::Incomplete | Parsed::Comment => continue,
                Parsed::Refused(error) => return Err(*error),
            }
            if self.unreadable.is_due(self.data_lines) {
                self.judge(false)?;
            }
            self.check_clusters()?;
            if is_record {
                return Ok(true);
            }
        }
        if let Some(broken) = self.reader.take_broken(true) {
            self.count_malformed(broken.malformed, broken.lines)?;
        }
        self.judge(true)?;
        self.reader.check_clusters()?;
        Ok(false)
    }

    /// Counts a line that is not a record; in strict mode it is an error, unless it was not asked for.
    fn count_other(&mut self, no_record: NoRecord, line: u64) -> Result<(), TraceError> {
        let NoRecord { rule, job, value } = no_record;
        if self.strict && !matches!(rule, Rule::OtherCluster | Rule::ColumnNames) {
            let remedy = if rule == Rule::Step { " (use sacct -X to leave steps out)" } else { "" };
            let (job, value) = (job.unwrap_or(UNKNOWN), value + remedy);
            return Err(strict_error(rule, rule.field(), self.format(), line, job, value));
        }
        self.counts.count(rule, || Example { line: Some(line), job, value });
        Ok(())
    }

    /// Counts lines that cannot be read; in strict mode they are an error.
    fn count_malformed(&mut self, malformed: Malformed, lines: u64) -> Result<(), TraceError> {
        if self.strict {
            return Err(TraceError::Malformed(malformed));
        }
        self.data_lines += lines;
        for line in (malformed.line..).take(lines as usize) {
            let value = || malformed.detail();
            self.counts.count(Rule::Malformed, || Example { line: Some(line), job: None, value: value() });
        }
        self.unreadable.push(malformed, lines);
        Ok(())
    }

    /// An error if jobs of several clusters were read and none was asked for. What is left of the file is read first, to
    /// count the jobs of each.
    fn check_clusters(&mut self) -> Result<(), TraceError> {
        if !self.reader.has_mixed_clusters() {
            return Ok(());
        }
        let (mut record, mut counts) = (Record::default(), RuleCounts::default());
        while let Some((number, line)) = self.lines.next()? {
            self.reader.parse(line, number, &mut record, &mut counts);
        }
        self.reader.check_clusters()
    }

    /// Strict mode: a value that was changed while reading is an error.
    fn check_values(&self, line: u64, job: i64) -> Result<(), TraceError> {
        if !self.strict {
            return Ok(());
        }
        for rule in [Rule::Fraction, Rule::DstGap, Rule::DstFold] {
            if self.counts.fired(rule) > 0 {
                let value =
                    self.counts.example(rule).map_or_else(String::new, |example| example.value.clone());
                return Err(strict_error(rule, rule.field(), self.format(), line, job, value));
            }
        }
        Ok(())
    }

    /// Rejects a file most of whose lines are malformed. Lines that are no jobs for another reason do not count.
    fn judge(&mut self, at_end: bool) -> Result<(), TraceError> {
        let others = [Rule::Step, Rule::RepeatedHeader, Rule::OtherCluster, Rule::ColumnNames];
        let others: u64 = others.into_iter().map(|rule| self.counts.fired(rule)).sum();
        self.unreadable.judge(self.data_lines - others, at_end, self.format())
    }

    /// The format of the log.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Whether the records come from accounting, directly or according to a note in the header.
    pub(super) fn is_accounting(&self) -> bool {
        self.format.is_accounting() || self.header.accounting
    }

    /// Its compression.
    pub fn compression(&self) -> Compression {
        self.lines.compression()
    }

    /// The comments read so far; complete at the end.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Names for the numbers in the records read so far.
    pub fn names(&self) -> Names {
        self.reader.names(&self.header.names)
    }

    /// The counts of the rules that apply while reading.
    pub fn counts(&self) -> &RuleCounts {
        &self.counts
    }

    /// Data lines so far: records, malformed lines and steps.
    pub fn data_lines(&self) -> u64 {
        self.data_lines
    }

    /// Lines so far that go on with the record of a line above, as where a name in accounting records has a line end. They
    /// are not among the data lines.
    pub fn joined_lines(&self) -> u64 {
        self.reader.joined_lines()
    }

    /// Header and names, once all is read.
    pub(super) fn into_parts(self) -> (Header, Names, RuleCounts) {
        let names = self.names();
        (self.header, names, self.counts)
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Record::default();
        match self.read(&mut record) {
            Ok(true) => Some(Ok(record)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
