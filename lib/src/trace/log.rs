//! From a log to a workload: records are cleaned and become jobs as they are read, and nothing else of the
//! file is kept.

use std::io::Read;

use super::clean::cleaner::strict_error;
use super::clean::{Action, Cleaner, CleaningReport, Effect, Example, Ledger, Rule, Ruleset};
use super::error::TraceError;
use super::input::Compression;
use super::machine::{MachineSize, MachineSource};
use super::record::Record;
use super::records::Records;
use super::swf::Header;
use super::{Format, ReadOptions};
use crate::job::Runs;
use crate::job::{
    AccountId, ExecutableId, GroupId, Job, JobId, JobIndex, PartitionId, QosId, QueueId, Shape, Truth, UserId,
};
use crate::units::{Procs, Seconds, Time};
use crate::workload::{Machine, Workload};

/// A log, cleaned.
#[derive(Debug, Clone)]
pub struct Log {
    /// What can be simulated.
    pub workload: Workload,
    /// What the file's comments say.
    pub header: Header,
    /// What was removed and changed, and why.
    pub report: CleaningReport,
    /// The machine's size and how it is known.
    pub machine: MachineSize,
    /// What the file was written in.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
}

/// Reads a whole log into a workload.
pub fn read<R: Read>(source: R, options: &ReadOptions) -> Result<Log, TraceError> {
    let mut records = Records::open(source, options)?;
    let mut cleaner = Cleaner::new(options.ruleset.clone(), options.strict);
    let mut jobs = Vec::new();
    let mut record = Record::default();
    let (mut comments, mut unchecked) = (usize::MAX, 0);
    while records.read(&mut record)? {
        if records.header().comments.len() != comments {
            comments = records.header().comments.len();
            let declared = MachineSize::declared(options.procs, records.header());
            cleaner.set_machine(declared.map(|size| size.procs));
            unchecked = jobs.len();
        }
        if cleaner.clean(&mut record)? {
            jobs.push(job(&record));
        }
    }
    let (format, compression, lines) = (records.format(), records.compression(), records.data_lines());
    let (header, names, mut ledger) = records.into_parts();
    ledger.merge(cleaner.into_ledger());

    let declared = MachineSize::declared(options.procs, &header);
    if let Some(size) = declared {
        // A size declared below the first records has not been held against those above it.
        if unchecked > 0 {
            fit(&mut jobs, size.procs, options, &mut ledger)?;
        }
    }
    let largest = jobs.iter().map(|(job, _)| job.shape.procs).max();
    let report = |ledger: &Ledger, machine| ledger.report(&options.ruleset, lines, machine);
    let Some(largest) = largest else {
        return Err(TraceError::NoJobs { lines, why: why(&report(&ledger, None)) });
    };
    let machine = declared.unwrap_or(MachineSize { procs: largest, source: MachineSource::LargestJob });
    order(&mut jobs, &options.ruleset, &mut ledger);
    if format == Format::Swf {
        note_duplicates(&jobs, &mut ledger);
    }

    let mut workload = Workload::new(Machine { procs: machine.procs }, jobs)?;
    workload.names = names;
    workload.epoch = match format {
        Format::Swf => header.unix_start_time,
        Format::Sacct => Some(0),
    };
    let report = report(&ledger, Some(machine.to_string()));
    Ok(Log { workload, header, report, machine, format, compression })
}

/// What removed everything.
fn why(report: &CleaningReport) -> String {
    let removals: Vec<String> = report
        .rules
        .iter()
        .filter(|rule| rule.effect == Effect::Removed)
        .map(|rule| match &rule.example {
            Some(example) => format!("{} {} ({})", rule.count, rule.rule, example),
            None => format!("{} {}", rule.count, rule.rule),
        })
        .collect();
    if removals.is_empty() { "there are comments only".into() } else { removals.join(", ") }
}

/// A cleaned record as a job. Numbers out of range, which cleaning leaves none of, are unknown.
fn job(record: &Record) -> (Job, Truth) {
    let number = |value: i64| u32::try_from(value).ok();
    let limit = (record.requested_time > 0).then_some(Seconds(record.requested_time));
    let job = Job {
        index: JobIndex(0),
        id: JobId(record.job.unsigned_abs()),
        submit: Time(record.submit),
        user: number(record.user).and_then(UserId::new),
        group: number(record.group).and_then(GroupId::new),
        account: number(record.account).and_then(AccountId::new),
        executable: number(record.executable).and_then(ExecutableId::new),
        queue: number(record.queue).and_then(QueueId::new),
        partition: number(record.partition).and_then(PartitionId::new),
        qos: number(record.qos).and_then(QosId::new),
        shape: Shape { procs: Procs(number(record.requested_procs).unwrap_or(u32::MAX)), limit },
        other_shapes: None,
    };
    (job, Truth { runs: Runs::Rigid(Seconds(record.run)), ending: record.ending })
}

/// Holds the machine's size against jobs that were read before it was known.
fn fit(
    jobs: &mut Vec<(Job, Truth)>,
    machine: Procs,
    options: &ReadOptions,
    ledger: &mut Ledger,
) -> Result<(), TraceError> {
    let cap = options.ruleset.action(Rule::TooLarge) == Action::Cap;
    let too_large = |job: &Job| format!("{} processors of {machine}", job.shape.procs);
    if options.strict {
        if let Some((job, _)) = jobs.iter().find(|(job, _)| job.shape.procs > machine) {
            return Err(strict_error(Rule::TooLarge, 0, job.id.0 as i64, too_large(job)));
        }
    }
    jobs.retain_mut(|(job, _)| {
        if job.shape.procs <= machine {
            return true;
        }
        let value = too_large(job);
        ledger.count(Rule::TooLarge, || Example { line: None, job: Some(job.id.0 as i64), value });
        job.shape.procs = machine;
        cap
    });
    Ok(())
}

/// Arrival order, as far as it is not simply that of the log.
fn order(jobs: &mut [(Job, Truth)], ruleset: &Ruleset, ledger: &mut Ledger) {
    if ruleset.action(Rule::Ties) != Action::ByNumber {
        return;
    }
    jobs.sort_by_key(|(job, _)| job.submit);
    for pair in jobs.windows(2) {
        let [(above, _), (below, _)] = pair else { continue };
        if above.submit == below.submit && below.id < above.id {
            let value = format!("both submitted at {}", below.submit);
            ledger.count(Rule::Ties, || Example { line: None, job: Some(below.id.0 as i64), value });
        }
    }
    jobs.sort_by_key(|(job, _)| (job.submit, job.id));
}

fn note_duplicates(jobs: &[(Job, Truth)], ledger: &mut Ledger) {
    let mut ids: Vec<u64> = jobs.iter().map(|(job, _)| job.id.0).collect();
    if ids.is_sorted_by(|a, b| a < b) {
        return;
    }
    ids.sort_unstable();
    for pair in ids.windows(2).filter(|pair| pair[0] == pair[1]) {
        ledger.count(Rule::DuplicateJob, || Example {
            line: None,
            job: Some(pair[0] as i64),
            value: "several jobs have this number".into(),
        });
    }
}
