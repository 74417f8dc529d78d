//! Records through the cleaner, then the few rules that need all of them: those that compare a job with the
//! machine or with other jobs.

use std::io::Read;

use super::clean::cleaner::strict_error;
use super::clean::{Action, Cleaner, CleaningReport, Effect, Example, Ledger, Rule};
use super::error::TraceError;
use super::input::Compression;
use super::machine::{MachineSize, MachineSource};
use super::record::Record;
use super::records::Records;
use super::swf::Header;
use super::{Format, ReadOptions};
use crate::job::{Job, Truth};
use crate::units::Procs;
use crate::workload::Names;

/// What is kept of a record, as far as ordering and fitting need to know it.
pub(super) trait Arrival {
    /// Submit time, then job number.
    fn place(&self) -> (i64, i64);
    fn procs(&mut self) -> &mut Procs;
    fn line(&self) -> Option<u64>;
}

impl Arrival for (Job, Truth) {
    fn place(&self) -> (i64, i64) {
        (self.0.submit.0, self.0.id.0 as i64)
    }

    fn procs(&mut self) -> &mut Procs {
        &mut self.0.shape.procs
    }

    fn line(&self) -> Option<u64> {
        None
    }
}

/// A record and the processors its job is taken to need.
pub(super) struct KeptRecord(pub Record, pub Procs);

impl Arrival for KeptRecord {
    fn place(&self) -> (i64, i64) {
        (self.0.submit, self.0.job)
    }

    fn procs(&mut self) -> &mut Procs {
        &mut self.1
    }

    fn line(&self) -> Option<u64> {
        Some(self.0.line)
    }
}

/// A log, cleaned and in arrival order.
pub(super) struct Sifted<A> {
    pub kept: Vec<A>,
    pub header: Header,
    pub names: Names,
    pub report: CleaningReport,
    pub machine: MachineSize,
    pub format: Format,
    pub compression: Compression,
}

/// Reads and cleans a whole log, keeping of each record what `keep` makes of it.
pub(super) fn sift<R: Read, A: Arrival>(
    source: R,
    options: &ReadOptions,
    keep: impl Fn(&Record) -> A,
) -> Result<Sifted<A>, TraceError> {
    let mut records = Records::open(source, options)?;
    let mut cleaner = Cleaner::new(options.ruleset.clone(), options.strict);
    let mut kept = Vec::new();
    let mut record = Record::default();
    let mut comments = usize::MAX;
    let mut late_comments = false;
    while records.read(&mut record)? {
        if records.header().comments.len() != comments {
            comments = records.header().comments.len();
            late_comments |= !kept.is_empty();
            let declared = MachineSize::declared(options.procs, records.header());
            cleaner.set_machine(declared.map(|size| size.procs));
        }
        if cleaner.clean(&mut record)? {
            kept.push(keep(&record));
        }
    }
    let (format, compression, lines) = (records.format(), records.compression(), records.data_lines());
    late_comments |= records.header().comments.len() != comments;
    let (header, names, mut ledger) = records.into_parts();
    ledger.merge(cleaner.into_ledger());

    let declared = MachineSize::declared(options.procs, &header);
    if let (Some(size), true) = (declared, late_comments) {
        // A size declared below the first records has not been held against those above it.
        fit(&mut kept, size.procs, options, &mut ledger)?;
    }
    let largest = kept.iter_mut().map(|one| *one.procs()).max();
    let Some(largest) = largest else {
        let why = why(&ledger.report(&options.ruleset, lines, None));
        return Err(TraceError::NoJobs { lines, why });
    };
    let machine = declared.unwrap_or(MachineSize { procs: largest, source: MachineSource::LargestJob });
    order(&mut kept, options, &mut ledger);
    if format == Format::Swf {
        note_duplicates(&kept, &mut ledger);
    }
    let report = ledger.report(&options.ruleset, lines, Some(machine.to_string()));
    Ok(Sifted { kept, header, names, report, machine, format, compression })
}

/// What removed everything.
fn why(report: &CleaningReport) -> String {
    let removals: Vec<String> = report
        .rules
        .iter()
        .filter(|rule| rule.effect == Effect::Removed)
        .map(|rule| match &rule.example {
            Some(example) => format!("{} {} (first: {example})", rule.count, rule.rule),
            None => format!("{} {}", rule.count, rule.rule),
        })
        .collect();
    if removals.is_empty() { "there are no records in it".into() } else { removals.join(", ") }
}

fn fit<A: Arrival>(
    kept: &mut Vec<A>,
    machine: Procs,
    options: &ReadOptions,
    ledger: &mut Ledger,
) -> Result<(), TraceError> {
    let cap = options.ruleset.action(Rule::TooLarge) == Action::Cap;
    let mut refused = None;
    kept.retain_mut(|one| {
        let ((_, job), line, procs) = (one.place(), one.line(), *one.procs());
        if procs <= machine {
            return true;
        }
        let value = format!("{procs} processors of {machine}");
        if options.strict && refused.is_none() {
            refused = Some(strict_error(Rule::TooLarge, line.unwrap_or(0), job, value.clone()));
        }
        ledger.count(Rule::TooLarge, || Example { line, job: Some(job), value });
        *one.procs() = machine;
        cap
    });
    refused.map_or(Ok(()), Err)
}

/// Arrival order: by submit time, ties as the ruleset has it. The cleaner has counted what was out of order.
fn order<A: Arrival>(kept: &mut [A], options: &ReadOptions, ledger: &mut Ledger) {
    if !kept.is_sorted_by_key(|one| one.place().0) {
        kept.sort_by_key(|one| one.place().0);
    }
    if options.ruleset.action(Rule::Ties) != Action::ByNumber {
        return;
    }
    for pair in kept.windows(2) {
        let ((above, above_job), (below, job)) = (pair[0].place(), pair[1].place());
        if above == below && job < above_job {
            ledger.count(Rule::Ties, || Example {
                line: pair[1].line(),
                job: Some(job),
                value: format!("submitted at {below} like job {above_job}"),
            });
        }
    }
    kept.sort_by_key(Arrival::place);
}

fn note_duplicates<A: Arrival>(kept: &[A], ledger: &mut Ledger) {
    let mut numbers: Vec<i64> = kept.iter().map(|one| one.place().1).collect();
    if numbers.is_sorted_by(|a, b| a < b) {
        return;
    }
    numbers.sort_unstable();
    for pair in numbers.windows(2).filter(|pair| pair[0] == pair[1]) {
        ledger.count(Rule::DuplicateJob, || Example {
            line: None,
            job: Some(pair[0]),
            value: "several jobs have this number".into(),
        });
    }
}
