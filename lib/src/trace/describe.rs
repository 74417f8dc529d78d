//! What is in a log, before anybody cleans it: how much, of whom, how long, and which fields are known.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use serde::Serialize;

use super::error::TraceError;
use super::input::Compression;
use super::machine::{LargestJob, MachineSize};
use super::record::{Field, Record};
use super::records::Records;
use super::swf::Header;
use super::{CleaningReport, Format, ReadOptions};

/// A summary of the records of a log, uncleaned.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// What it is written in.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Records: lines that could be read.
    pub records: u64,
    /// What reading met with: lines that are not records, and oddities.
    pub reading: CleaningReport,
    /// The machine's size and how it is known; `None` if no record has processors.
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
    /// How many records know each field.
    pub fields: Vec<Presence>,
    /// Records of jobs that had not ended when the log was taken.
    pub unfinished: u64,
    /// Records per status code.
    pub statuses: BTreeMap<i64, u64>,
    /// Processors: requested or allocated, as the ruleset has it.
    pub sizes: Option<Distribution>,
    /// Run times, seconds.
    pub runs: Option<Distribution>,
    /// Requested times, seconds.
    pub requests: Option<Distribution>,
    /// Wait times, seconds.
    pub waits: Option<Distribution>,
    /// Records that ran longer than requested.
    pub runs_above_request: u64,
    /// `Σ procs·run / (machine · (last submit − first submit))`, over records that know both.
    pub offered_load: Option<f64>,
    /// What the comments say.
    pub header: Header,
}

/// How many different ones there are.
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

/// How many records know a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// Column in the Standard Workload Format, from 1.
    pub column: usize,
    /// What it holds.
    pub name: &'static str,
    /// Records that know it. Times and processors requested, and processors allocated, of 0 count as unknown.
    pub known: u64,
}

/// Some numbers, described. Percentiles are values that occur (nearest rank).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    /// How many.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: i64,
    /// 10th percentile.
    pub p10: i64,
    /// 25th percentile.
    pub p25: i64,
    /// Median.
    pub median: i64,
    /// 75th percentile.
    pub p75: i64,
    /// 90th percentile.
    pub p90: i64,
    /// 99th percentile.
    pub p99: i64,
    /// Largest.
    pub max: i64,
}

impl Distribution {
    /// Describes some numbers; `None` if there are none.
    ///
    /// # Formula
    /// The `p`-th percentile of `n` sorted values is the one at rank `⌈p·n/100⌉`.
    pub fn of(mut values: Vec<i64>) -> Option<Distribution> {
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let rank = |percent: usize| values[(percent * values.len()).div_ceil(100).max(1) - 1];
        Some(Distribution {
            count: values.len() as u64,
            mean: values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64,
            min,
            p10: rank(10),
            p25: rank(25),
            median: rank(50),
            p75: rank(75),
            p90: rank(90),
            p99: rank(99),
            max,
        })
    }
}

/// Reads a whole log and describes it. Nothing is cleaned; the ruleset only says what counts as submission
/// in accounting records, and which processors are a job's.
pub fn describe<R: Read>(source: R, options: &ReadOptions) -> Result<Info, TraceError> {
    let mut records = Records::open(source, options)?;
    let mut survey = Survey::default();
    let mut record = Record::default();
    while records.read(&mut record)? {
        survey.see(&record, options.ruleset.prefers_allocated(records.is_accounting()));
    }
    let (format, compression) = (records.format(), records.compression());
    let reading = records.ledger().report(&options.ruleset, records.data_lines(), None);
    let (header, _, _) = records.into_parts();
    Ok(survey.finish(format, compression, reading, header, options))
}

#[derive(Default)]
struct Survey {
    records: u64,
    unfinished: u64,
    known: [u64; 18],
    // Counted, never iterated.
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
        format: Format,
        compression: Compression,
        reading: CleaningReport,
        header: Header,
        options: &ReadOptions,
    ) -> Info {
        let machine = self.largest.machine(options.procs, &header);
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
            epoch: if format == Format::Sacct { Some(0) } else { header.unix_start_time },
            first_submit: self.submits.map(|(first, _)| first),
            last_submit: self.submits.map(|(_, last)| last),
            last_end: self.last_end,
            distinct: Distinct { users, groups, executables, queues, partitions, accounts, qos },
            fields: fields
                .map(|(field, known)| Presence { column: field.column(), name: field.name(), known })
                .collect(),
            unfinished: self.unfinished,
            statuses: self.statuses,
            sizes: Distribution::of(self.sizes),
            runs: Distribution::of(self.runs),
            requests: Distribution::of(self.requests),
            waits: Distribution::of(self.waits),
            runs_above_request: self.above,
            offered_load,
            header,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let described = Distribution::of((1..=10).rev().collect()).unwrap();
        assert_eq!((described.min, described.p10, described.median, described.p75), (1, 1, 5, 8));
        assert_eq!((described.p99, described.max, described.mean), (10, 10, 5.5));
        assert_eq!(Distribution::of(vec![]), None);
    }
}
