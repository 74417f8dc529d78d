//! Converts a log to the Standard Workload Format, cleaned or as it is. Comments are copied byte by byte, since the
//! authors of logs ask to be acknowledged in derived files.

use queuecast_core::order;
use std::io::{Read, Write};

use super::clean::CleaningReport;
use super::error::TraceError;
use super::input::Source;
use super::machine::{LargestJob, MachineSize, MachineSource};
use super::record::Record;
use super::records::Records;
use super::select::{Selected, select};
use super::swf::{Comment, GUESSED, HELD, Header, Renamed, SwfWriter, entry};
use super::{LogFormat, ReadOptions};
use queuecast_core::units::Procs;
use queuecast_core::workload::Names;

/// Records that cleaning kept, in arrival order.
#[derive(Debug, Clone)]
pub struct Cleaned {
    /// The records; `requested_procs` is the size of the job.
    pub records: Vec<Record>,
    /// The header comments.
    pub header: Header,
    /// Names for the numbers in the records.
    pub names: Names,
    /// What was removed and changed, and why.
    pub report: CleaningReport,
    /// The machine's size and where it is known from.
    pub machine: MachineSize,
    /// The format of the file that was read.
    pub format: LogFormat,
}

/// Cleans a log and keeps the records; [`super::read`] keeps only jobs, which are smaller.
pub fn clean(source: impl Read, options: &ReadOptions) -> Result<Cleaned, TraceError> {
    clean_source(Box::new(source), options)
}

fn clean_source(source: Source<'_>, options: &ReadOptions) -> Result<Cleaned, TraceError> {
    let Selected { kept: records, header, names, report, machine, format, .. } = select(source, options)?;
    Ok(Cleaned { records, header, names, report, machine, format })
}

impl Cleaned {
    /// Writes the records with their comments and notes that say how they were cleaned.
    pub fn write_swf<W: Write>(&self, mut sink: W) -> Result<W, TraceError> {
        self.write_to(&mut sink)?;
        Ok(sink)
    }

    fn write_to(&self, sink: &mut dyn Write) -> Result<(), TraceError> {
        let mut writer = SwfWriter::new(sink);
        let write = || -> std::io::Result<()> {
            let epoch = if self.format.is_accounting() {
                made_header(&mut writer, self.format, &self.records, &self.names, Some(self.machine))?
            } else {
                let given = self.machine.source == MachineSource::Given;
                let mut comments = Comments::new(given.then_some(self.machine.procs), true);
                let renamed = Renamed::of(&self.header, &self.names);
                let kept = |comment: &&Comment| !renamed.is_stale(&comment.bytes);
                for comment in self.header.comments.iter().filter(kept) {
                    comments.write(&mut writer, &comment.bytes)?;
                }
                comments.declare(&mut writer)?;
                writer.names(&renamed.names)?;
                0
            };
            for line in self.report.to_string().lines() {
                writer.comment(format!("; Note: cleaned: {}", line.trim()).as_bytes())?;
            }
            self.records.iter().try_for_each(|record| writer.record(&since(record, epoch)))?;
            writer.finish()?;
            Ok(())
        };
        write().map_err(TraceError::Write)
    }
}

/// The result of a conversion.
#[derive(Debug, Clone)]
pub struct Converted<W> {
    /// The sink, flushed.
    pub sink: W,
    /// Records written.
    pub records: u64,
    /// Lines that are not records and were left out.
    pub report: CleaningReport,
}

/// Writes every record of a log in the Standard Workload Format, uncleaned. If `options` give the machine's
/// size, it replaces the header's, and a note states the old one. A log is copied line by line, comments in place;
/// accounting records are held in memory, because submit times are written
/// relative to the earliest and names go into the header.
pub fn convert<W: Write>(
    source: impl Read,
    mut sink: W,
    options: &ReadOptions,
) -> Result<Converted<W>, TraceError> {
    let (records, report) = convert_records(Records::open(source, options)?, &mut sink, options)?;
    Ok(Converted { sink, records, report })
}

fn convert_records(
    mut records: Records<'_>,
    sink: &mut dyn Write,
    options: &ReadOptions,
) -> Result<(u64, CleaningReport), TraceError> {
    let mut writer = SwfWriter::new(sink);
    let mut written = 0;
    let format = records.format();
    if format.is_accounting() {
        let mut all: Vec<Record> = records.by_ref().collect::<Result<_, _>>()?;
        // The format is sorted by submission, which is eligibility here.
        order::sort_by_key(&mut all, |record| record.submit);
        let mut largest = LargestJob::default();
        all.iter().for_each(|record| largest.see(record));
        let size = largest.machine(options.procs, records.header(), None);
        let epoch =
            made_header(&mut writer, format, &all, &records.names(), size).map_err(TraceError::Write)?;
        writer
            .comment(format!("; Note: {HELD}, where these are known").as_bytes())
            .map_err(TraceError::Write)?;
        for record in &all {
            writer.record(&since(record, epoch)).map_err(TraceError::Write)?;
        }
        written = all.len() as u64;
    } else {
        let mut record = Record::default();
        let mut written_comments = 0;
        let mut comments = Comments::new(options.procs, false);
        loop {
            let more = records.read(&mut record)?;
            for comment in &records.header().comments[written_comments..] {
                comments.write(&mut writer, &comment.bytes).map_err(TraceError::Write)?;
            }
            written_comments = records.header().comments.len();
            if !more {
                break;
            }
            comments.declare(&mut writer).map_err(TraceError::Write)?;
            writer.record(&record).map_err(TraceError::Write)?;
            written += 1;
        }
        // Names that stood in the records.
        let renamed = Renamed::of(records.header(), &records.names());
        writer.names(&renamed.names).map_err(TraceError::Write)?;
    }
    let report = records.counts().report(&options.ruleset, records.data_lines(), None);
    writer.finish().map_err(TraceError::Write)?;
    Ok((written, report))
}

/// Copies comments into a derived file and replaces those that no longer hold.
struct Comments {
    /// The machine's size, if it replaces that of the comments.
    procs: Option<Procs>,
    /// Whether `requested_procs` of the records already is the size of the job.
    sized: bool,
    declared: bool,
}

impl Comments {
    fn new(procs: Option<Procs>, sized: bool) -> Comments {
        Comments { procs, sized, declared: false }
    }

    fn write(&mut self, writer: &mut SwfWriter<&mut dyn Write>, comment: &[u8]) -> std::io::Result<()> {
        let (key, value) = entry(comment).unwrap_or_default();
        match (key.as_str(), self.procs) {
            ("note", _) if self.sized && value.starts_with(HELD) => Ok(()),
            ("note", Some(_)) if value.starts_with(GUESSED) => Ok(()),
            ("maxprocs", Some(procs)) => {
                if value != procs.to_string() {
                    let note = format!("; Note: MaxProcs was {value} before it was given as {procs}");
                    writer.comment(note.as_bytes())?;
                }
                self.declare(writer)
            }
            _ => writer.comment(comment),
        }
    }

    /// Writes the machine's size, once, if it was given.
    fn declare(&mut self, writer: &mut SwfWriter<&mut dyn Write>) -> std::io::Result<()> {
        match self.procs {
            Some(procs) if !self.declared => {
                self.declared = true;
                writer.comment(format!("; MaxProcs: {procs}").as_bytes())
            }
            _ => Ok(()),
        }
    }
}

/// A record with its submit time counted from `epoch`.
fn since(record: &Record, epoch: i64) -> Record {
    let submit = if record.submit < 0 { record.submit } else { record.submit - epoch };
    Record { submit, ..record.clone() }
}

/// Writes a header for accounting records; returns the Unix time that submit times count from.
fn made_header(
    writer: &mut SwfWriter<&mut dyn Write>,
    format: LogFormat,
    records: &[Record],
    names: &Names,
    machine: Option<MachineSize>,
) -> std::io::Result<i64> {
    let epoch = records.iter().map(|record| record.submit).filter(|&submit| submit >= 0).min().unwrap_or(0);
    let mut say = |text: String| writer.comment(format!("; {text}").as_bytes());
    say("Version: 2.2".into())?;
    say(format!("Conversion: Queuecast, from the output of {format}"))?;
    say(format!("MaxJobs: {}", records.len()))?;
    say(format!("MaxRecords: {}", records.len()))?;
    say(format!("UnixStartTime: {epoch}"))?;
    if let Some(MachineSize { procs, source }) = machine {
        say(format!("MaxProcs: {procs}"))?;
        if source == MachineSource::LargestJob {
            say(format!("Note: {GUESSED}; the machine may be larger"))?;
        }
    }
    say("Note: submit time is when the job became eligible; wait time counts from there".into())?;
    writer.names(names)?;
    Ok(epoch)
}
