//! Summary of a log before cleaning: records, users, distributions, and which fields are known.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use serde::Serialize;

use super::error::TraceError;
use super::input::{Compression, Source};
use super::log::Log;
use super::machine::{LargestJob, MachineSize};
use super::record::{Field, Record};
use super::records::Records;
use super::select::{Gathered, gather};
use super::store::JobColumns;
use super::swf::Header;
use super::{CleaningReport, LogFormat, ReadOptions};
use queuecast_core::stats::Percentiles;

/// A summary of the records of a log, uncleaned.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// Its format.
    pub format: LogFormat,
    /// Its compression.
    pub compression: Compression,
    /// Records: lines that could be read.
    pub records: u64,
    /// Lines that are not records, and unusual values found while reading.
    pub reading: CleaningReport,
    /// The machine's size and where it is known from; `None` if no record has processors.
    pub machine: Option<MachineSize>,
    /// Unix time of second 0 of the submit times.
    pub epoch: Option<i64>,
    /// First submission.
    pub first_submit: Option<i64>,
    /// Last submission.
    pub last_submit: Option<i64>,
    /// Last end, where waits and run times are known.
    pub last_end: Option<i64>,
    /// Distinct users, groups and so on among the records.
    pub distinct: Distinct,
    /// Known values of each field.
    pub fields: Vec<FieldPresence>,
    /// Records of jobs that had not ended when the log was taken.
    pub unfinished: u64,
    /// Records per status code.
    pub statuses: BTreeMap<i64, u64>,
    /// Processors: requested or allocated, as the ruleset has it.
    pub sizes: Option<Percentiles>,
    /// Run times, seconds.
    pub runs: Option<Percentiles>,
    /// Requested times, seconds.
    pub requests: Option<Percentiles>,
    /// Wait times, seconds.
    pub waits: Option<Percentiles>,
    /// Records that ran longer than requested.
    pub runs_above_request: u64,
    /// `Σ procs·run / (machine · (last submit − first submit))`, over records in which both are known.
    pub offered_load: Option<f64>,
    /// The header comments.
    pub header: Header,
}

/// Numbers of distinct identifiers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Distinct {
    /// Users.
    pub users: usize,
    /// Groups.
    pub groups: usize,
    /// Executables.
    pub executables: usize,
    /// Queues.
    pub queues: usize,
    /// Partitions.
    pub partitions: usize,
    /// Accounts.
    pub accounts: usize,
    /// Qualities of service.
    pub qos: usize,
}

/// How often a field is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldPresence {
    /// Column in the Standard Workload Format, from 1.
    pub column: usize,
    /// What it holds.
    pub name: &'static str,
    /// Records in which it is known. Times and processors requested, and processors allocated, of 0 count as unknown.
    pub known: u64,
}

/// Reads a whole log and summarizes it. Nothing is cleaned; the ruleset only decides which time is the submission of
/// accounting records, and which processor count is a job's.
pub fn describe(source: impl Read, options: &ReadOptions) -> Result<Info, TraceError> {
    describe_records(Records::open(source, options)?, options)
}

fn describe_records(mut records: Records<'_>, options: &ReadOptions) -> Result<Info, TraceError> {
    let mut survey = Survey::default();
    let mut record = Record::default();
    while records.read(&mut record)? {
        survey.see(&record, options.ruleset.prefers_allocated(records.is_accounting()));
    }
    let (format, compression) = (records.format(), records.compression());
    let reading = records.counts().report(&options.ruleset, records.data_lines(), None);
    let (header, _, _) = records.into_parts();
    Ok(survey.finish(format, compression, reading, header, options))
}

/// The summary of a log, and its jobs after cleaning.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// The records, uncleaned.
    pub info: Info,
    /// The jobs, cleaned by the ruleset; `None` if there are none.
    pub log: Option<Log>,
}

/// Combines [`describe`] and [`super::read`] in one pass over the source. Reading may be strict; cleaning is never
/// strict, and a log without jobs is not an error.
pub fn inspect(source: impl Read, options: &ReadOptions) -> Result<Inspected, TraceError> {
    inspect_source(Box::new(source), options)
}

fn inspect_source(source: Source<'_>, options: &ReadOptions) -> Result<Inspected, TraceError> {
    let mut survey = Survey::default();
    let ruleset = &options.ruleset;
    let gathered: Gathered<JobColumns> = gather(source, options, false, |record, accounting| {
        survey.see(record, ruleset.prefers_allocated(accounting));
    })?;
    let reading = gathered.read.reading.report(ruleset, gathered.read.lines, None);
    let (format, compression, header) =
        (gathered.format, gathered.read.compression, gathered.read.header.clone());
    let info = survey.finish(format, compression, reading, header, options);
    let lenient = ReadOptions { strict: false, ..options.clone() };
    let log = match gathered.selected(&lenient).and_then(Log::of) {
        Ok(log) => Some(log),
        Err(TraceError::NoJobs { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Inspected { info, log })
}

#[derive(Default)]
struct Survey {
    records: u64,
    unfinished: u64,
    known: [u64; 18],
    // Never iterated, so their order has no effect.
    identities: [HashSet<i64>; 7],
    statuses: BTreeMap<i64, u64>,
    largest: LargestJob,
    sizes: Vec<i64>,
    runs: Vec<i64>,
    requests: Vec<i64>,
    waits: Vec<i64>,
    above: u64,
    area: f64,
    submits: Option<(i64, i64)>,
    last_end: Option<i64>,
}

impl Survey {
    fn see(&mut self, record: &Record, allocated_first: bool) {
        self.records += 1;
        self.largest.see(record);
        self.unfinished += u64::from(record.unfinished);
        *self.statuses.entry(record.status).or_default() += 1;
        for (field, known) in Field::ALL.into_iter().zip(&mut self.known) {
            let least = match field {
                Field::RequestedTime | Field::RequestedProcs | Field::AllocatedProcs => 1,
                _ => 0,
            };
            *known += u64::from(record.known(field).is_some_and(|value| value >= least));
        }
        let identities = [
            record.user,
            record.group,
            record.executable,
            record.queue,
            record.partition,
            record.account,
            record.qos,
        ];
        for (seen, identity) in self.identities.iter_mut().zip(identities) {
            if identity >= 0 {
                seen.insert(identity);
            }
        }
        let (requested, allocated) = (record.requested_procs, record.allocated_procs);
        let (preferred, other) =
            if allocated_first { (allocated, requested) } else { (requested, allocated) };
        let procs = if preferred > 0 { preferred } else { other };
        if procs > 0 {
            self.sizes.push(procs);
        }
        if record.run >= 0 {
            self.runs.push(record.run);
            self.area += procs.max(0) as f64 * record.run as f64;
        }
        if record.requested_time > 0 {
            self.requests.push(record.requested_time);
            self.above += u64::from(record.run > record.requested_time);
        }
        if record.wait >= 0 {
            self.waits.push(record.wait);
        }
        if record.submit >= 0 {
            let (first, last) = self.submits.unwrap_or((record.submit, record.submit));
            self.submits = Some((first.min(record.submit), last.max(record.submit)));
            if record.wait >= 0 && record.run >= 0 {
                let end = record.submit.saturating_add(record.wait).saturating_add(record.run);
                self.last_end = self.last_end.max(Some(end));
            }
        }
    }

    fn finish(
        self,
        format: LogFormat,
        compression: Compression,
        reading: CleaningReport,
        header: Header,
        options: &ReadOptions,
    ) -> Info {
        let machine = self.largest.machine(options.procs, &header, None);
        let [users, groups, executables, queues, partitions, accounts, qos] =
            self.identities.map(|set| set.len());
        let offered_load = match (machine, self.submits) {
            (Some(machine), Some((first, last))) if last > first => {
                Some(self.area / (f64::from(machine.procs.0) * (last - first) as f64))
            }
            _ => None,
        };
        let fields = Field::ALL.into_iter().zip(self.known);
        Info {
            format,
            compression,
            records: self.records,
            reading,
            machine,
            epoch: format.epoch(&header),
            first_submit: self.submits.map(|(first, _)| first),
            last_submit: self.submits.map(|(_, last)| last),
            last_end: self.last_end,
            distinct: Distinct { users, groups, executables, queues, partitions, accounts, qos },
            fields: fields
                .map(|(field, known)| FieldPresence { column: field.column(), name: field.name(), known })
                .collect(),
            unfinished: self.unfinished,
            statuses: self.statuses,
            sizes: Percentiles::of(self.sizes),
            runs: Percentiles::of(self.runs),
            requests: Percentiles::of(self.requests),
            waits: Percentiles::of(self.waits),
            runs_above_request: self.above,
            offered_load,
            header,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ruleset, read};
    use super::*;

    /// The machine's size is declared below the first record; one record never ran, one is too large, one is no record.
    const SWF: &str = "\
1 0 5 60 4 -1 -1 4 120 -1 1 3 -1 -1 -1 -1 -1 -1
2 5 -1 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1
; MaxProcs: 8
; UnixStartTime: 1000000000
3 9 0 0 16 -1 -1 16 120 -1 1 4 -1 -1 -1 -1 -1 -1
rubbish
4 7 0 0 2 -1 -1 2 120 -1 1 4 -1 -1 -1 -1 -1 -1
";
    const SACCT: &str = "\
JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User|Partition
7|COMPLETED|1700000000|1700000000|1700000010|1700000070|60|10|4|4|ada|batch
8|RUNNING|1700000005|1700000005|1700000070|Unknown|20|5|2|2|grace|batch
";

    #[test]
    fn inspecting_is_describing_and_reading() {
        for text in [SWF, SACCT] {
            for ruleset in [Ruleset::default(), Ruleset::none(), Ruleset::predictsim()] {
                let options = ReadOptions { ruleset, ..ReadOptions::default() };
                let inspected = inspect(text.as_bytes(), &options).unwrap();
                let info = |info: &Info| serde_json::to_string(info).unwrap();
                assert_eq!(info(&inspected.info), info(&describe(text.as_bytes(), &options).unwrap()));
                let (found, log) = (inspected.log.unwrap(), read(text.as_bytes(), &options).unwrap());
                assert_eq!(found.workload, log.workload);
                assert_eq!(found.report.to_string(), log.report.to_string());
            }
        }
    }

    #[test]
    fn strict_reading_stops_and_cleaning_never_does() {
        let strict = ReadOptions { strict: true, ..ReadOptions::default() };
        assert!(inspect(SWF.as_bytes(), &strict).is_err());
        let readable = SWF.replace("rubbish\n", "");
        assert!(read(readable.as_bytes(), &strict).is_err(), "control: strict cleaning would stop");
        assert_eq!(inspect(readable.as_bytes(), &strict).unwrap().log.unwrap().workload.len(), 2);
        let never = "1 0 -1 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1\n";
        let inspected = inspect(never.as_bytes(), &ReadOptions::default()).unwrap();
        assert!(inspected.log.is_none());
        assert_eq!(inspected.info.records, 1);
    }
}
