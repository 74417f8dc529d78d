//! Iterator over the records of a log of any format.

use std::io::Read;

use super::clean::cleaner::strict_error;
use super::clean::{Example, Rule, RuleCounts};
use super::error::{Malformed, TraceError};
use super::input::{Compression, Source};
use super::lines::Lines;
use super::record::{Record, UNKNOWN};
use super::sacct::{NoRecord, Sacct};
use super::sniff::sniff;
use super::swf::{self, Header, Oddity};
use super::{LogFormat, ReadOptions};
use crate::workload::Names;

/// Number of data lines after which a file of mostly malformed lines is rejected.
const TRIAL: u64 = 100;

/// A log as a stream of records. What is not a record (a malformed line, a step of a job) is counted in
/// [`Records::counts`], or in strict mode an error.
pub struct Records<'a> {
    lines: Lines<'a>,
    header: Header,
    /// The columns of accounting records; `None` in SWF.
    sacct: Option<Box<Sacct>>,
    strict: bool,
    counts: RuleCounts,
    data_lines: u64,
    first_malformed: Option<Malformed>,
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
            Some(_) if lines.beginning().is_empty() => return Err(TraceError::Empty),
            Some(format) => format,
            None => sniff(lines.beginning())?,
        };
        let sacct = match format {
            LogFormat::Swf => None,
            LogFormat::Sacct => Some(Box::new(Sacct::open(&mut lines, options)?)),
        };
        Ok(Records {
            lines,
            header: Header::default(),
            sacct,
            strict: options.strict,
            counts: RuleCounts::default(),
            data_lines: 0,
            first_malformed: None,
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
            let Some(&first) = line.iter().find(|byte| !byte.is_ascii_whitespace()) else { continue };
            let parsed = match &mut self.sacct {
                Some(sacct) => sacct.parse(line, number, record, &mut self.counts),
                None if first == b';' => {
                    self.header.push(number, line);
                    continue;
                }
                None => swf::parse(line, number, record).map(|oddity| {
                    if let Some(oddity) = oddity {
                        note(&mut self.counts, oddity, record);
                    }
                    None
                }),
            };
            self.data_lines += 1;
            let refusal = match parsed {
                Ok(None) => None,
                Ok(Some(NoRecord { rule, job, value })) => {
                    if self.strict {
                        let remedy =
                            if rule == Rule::Step { " (use sacct -X to leave steps out)" } else { "" };
                        let (job, value) = (job.unwrap_or(UNKNOWN), value + remedy);
                        return Err(strict_error(rule, rule.field(), self.format(), number, job, value));
                    }
                    self.counts.count(rule, || Example { line: Some(number), job, value });
                    continue;
                }
                Err(malformed) => Some(malformed),
            };
            if self.strict {
                self.refuse(refusal.as_ref(), number, record.job)?;
            }
            let fine = refusal.is_none();
            if let Some(malformed) = refusal {
                self.counts.count(Rule::Malformed, || Example {
                    line: Some(number),
                    job: None,
                    value: malformed.detail(),
                });
                self.first_malformed.get_or_insert(malformed);
            }
            if self.data_lines == TRIAL {
                self.judge()?;
            }
            if fine {
                return Ok(true);
            }
        }
        if self.data_lines < TRIAL {
            self.judge()?;
        }
        Ok(false)
    }

    /// Strict mode: a malformed line, or a value that was changed while reading, is an error.
    fn refuse(&self, malformed: Option<&Malformed>, line: u64, job: i64) -> Result<(), TraceError> {
        if let Some(malformed) = malformed {
            return Err(TraceError::Malformed(malformed.clone()));
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

    /// Rejects a file most of whose first lines are malformed, as one of another format; a file with a header line only
    /// if all of them are.
    fn judge(&mut self) -> Result<(), TraceError> {
        let malformed = self.counts.fired(Rule::Malformed);
        let others = [Rule::Step, Rule::RepeatedHeader].map(|rule| self.counts.fired(rule));
        let hopeless = match self.format() {
            LogFormat::Swf => 2 * malformed > self.data_lines,
            LogFormat::Sacct => malformed > 0 && malformed + others.iter().sum::<u64>() == self.data_lines,
        };
        match self.first_malformed.take() {
            Some(first) if hopeless => Err(TraceError::MostlyMalformed {
                malformed,
                lines: self.data_lines,
                format: self.format().name(),
                first: Box::new(first),
                hint: match self.format() {
                    LogFormat::Swf => {
                        "a record of the Standard Workload Format is 18 numbers separated by blanks, comments begin with a semicolon"
                    }
                    LogFormat::Sacct => {
                        "rows need as many columns as the header line; --delimiter=$'\\x1f' avoids delimiters within names"
                    }
                },
            }),
            first => {
                self.first_malformed = first;
                Ok(())
            }
        }
    }

    /// The format of the log.
    pub fn format(&self) -> LogFormat {
        if self.sacct.is_some() { LogFormat::Sacct } else { LogFormat::Swf }
    }

    /// Whether the records come from accounting, directly or according to a note in the header.
    pub(super) fn is_accounting(&self) -> bool {
        self.sacct.is_some() || self.header.accounting
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
        self.sacct.as_ref().map_or_else(|| self.header.names.clone(), |sacct| sacct.names())
    }

    /// The counts of the rules that apply while reading.
    pub fn counts(&self) -> &RuleCounts {
        &self.counts
    }

    /// Data lines so far: records, malformed lines and steps.
    pub fn data_lines(&self) -> u64 {
        self.data_lines
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

fn note(counts: &mut RuleCounts, oddity: Oddity, record: &Record) {
    let (rule, value) = match oddity {
        Oddity::ExtraColumns(extra) => (Rule::ExtraColumns, format!("{extra} more")),
        Oddity::Fraction(field) => (Rule::Fraction, format!("field {} ({})", field.column(), field.name())),
    };
    counts.count(rule, || Example {
        line: Some(record.line),
        job: (record.job >= 0).then_some(record.job),
        value,
    });
}
