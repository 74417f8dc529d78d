//! Records through the cleaner, then the few rules that need all of them: those that compare a job with the
//! machine or with other jobs.

use std::io::Read;

use super::clean::cleaner::strict_error;
use super::clean::{Action, Cleaner, CleaningReport, Effect, Example, Ledger, Rule};
use super::error::TraceError;
use super::input::Compression;
use super::machine::{LargestJob, MachineSize};
use super::record::Record;
use super::records::Records;
use super::swf::Header;
use super::{Format, ReadOptions};
use crate::job::{Job, Truth};
use crate::units::{Procs, Time};
use crate::workload::{Names, arrange};

/// What is kept of a log, as far as ordering and fitting need to know it.
pub(super) trait Keep: Default {
    fn push(&mut self, record: &Record);
    fn len(&self) -> usize;
    /// Submit time, then job number.
    fn place(&self, at: usize) -> (i64, i64);
    fn procs(&self, at: usize) -> Procs;
    fn set_procs(&mut self, at: usize, procs: Procs);
    fn line(&self, at: usize) -> Option<u64>;
    /// Keeps those for which it is told so, in order.
    fn retain(&mut self, keep: &[bool]);
    /// Moves `order[0]` to the front, `order[1]` next, and so on.
    fn arrange(&mut self, order: Vec<u32>);
}

/// Jobs, their truths and their starts, each in a column of its own.
#[derive(Default)]
pub(super) struct JobColumns {
    pub jobs: Vec<Job>,
    pub truths: Vec<Truth>,
    pub starts: Vec<Time>,
}

impl Keep for JobColumns {
    fn push(&mut self, record: &Record) {
        let (job, truth) = super::log::job(record);
        self.jobs.push(job);
        self.truths.push(truth);
        self.starts.push(super::log::start(record));
    }

    fn len(&self) -> usize {
        self.jobs.len()
    }

    fn place(&self, at: usize) -> (i64, i64) {
        (self.jobs[at].submit.0, self.jobs[at].id.0 as i64)
    }

    fn procs(&self, at: usize) -> Procs {
        self.jobs[at].shape.procs
    }

    fn set_procs(&mut self, at: usize, procs: Procs) {
        self.jobs[at].shape.procs = procs;
    }

    fn line(&self, _at: usize) -> Option<u64> {
        None
    }

    fn retain(&mut self, keep: &[bool]) {
        retain(&mut self.jobs, keep);
        retain(&mut self.truths, keep);
        retain(&mut self.starts, keep);
    }

    fn arrange(&mut self, order: Vec<u32>) {
        arrange(&mut self.jobs, order.clone());
        arrange(&mut self.starts, order.clone());
        arrange(&mut self.truths, order);
    }
}

/// Whole records, cleaned: the requested processors are those the job is taken to need.
impl Keep for Vec<Record> {
    fn push(&mut self, record: &Record) {
        self.push(record.clone());
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn place(&self, at: usize) -> (i64, i64) {
        (self[at].submit, self[at].job)
    }

    fn procs(&self, at: usize) -> Procs {
        Procs(u32::try_from(self[at].requested_procs).unwrap_or(u32::MAX))
    }

    fn set_procs(&mut self, at: usize, procs: Procs) {
        self[at].requested_procs = i64::from(procs.0);
    }

    fn line(&self, at: usize) -> Option<u64> {
        Some(self[at].line)
    }

    fn retain(&mut self, keep: &[bool]) {
        retain(self, keep);
    }

    fn arrange(&mut self, order: Vec<u32>) {
        arrange(self, order);
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().is_none_or(|keep| *keep));
}

/// A log, cleaned and in arrival order.
pub(super) struct Sifted<K> {
    pub kept: K,
    pub header: Header,
    pub names: Names,
    pub report: CleaningReport,
    pub machine: MachineSize,
    pub format: Format,
    pub compression: Compression,
}

/// Reads and cleans a whole log.
pub(super) fn sift<R: Read, K: Keep>(source: R, options: &ReadOptions) -> Result<Sifted<K>, TraceError> {
    gather(source, options, options.strict, |_, _| ())?.sifted(options)
}

/// The records that single-record rules keep, before they are compared with the machine and each other.
pub(super) struct Gathered<K> {
    pub header: Header,
    /// What reading alone has counted.
    pub reading: Ledger,
    pub lines: u64,
    pub format: Format,
    pub compression: Compression,
    kept: K,
    names: Names,
    cleaning: Ledger,
    late_comments: bool,
    largest: LargestJob,
}

/// Reads a whole log and cleans it record by record; `strict` is for cleaning alone, as reading heeds the options.
/// `see` is shown each record as it was read, and whether it comes from accounting.
pub(super) fn gather<R: Read, K: Keep>(
    source: R,
    options: &ReadOptions,
    strict: bool,
    mut see: impl FnMut(&Record, bool),
) -> Result<Gathered<K>, TraceError> {
    let mut records = Records::open(source, options)?;
    let mut cleaner = Cleaner::new(options.ruleset.clone(), strict);
    cleaner.set_format(records.format());
    let mut kept = K::default();
    let mut record = Record::default();
    let mut comments = usize::MAX;
    let mut late_comments = false;
    let mut largest = LargestJob::default();
    while records.read(&mut record)? {
        if records.header().comments.len() != comments {
            comments = records.header().comments.len();
            late_comments |= kept.len() > 0;
            let declared = MachineSize::declared(options.procs, records.header());
            cleaner.set_machine(declared.map(|size| size.procs));
            cleaner.set_held(records.is_accounting());
        }
        see(&record, records.is_accounting());
        largest.see(&record);
        if cleaner.clean(&mut record)? {
            kept.push(&record);
        }
    }
    let (format, compression, lines) = (records.format(), records.compression(), records.data_lines());
    late_comments |= records.header().comments.len() != comments;
    let (header, names, reading) = records.into_parts();
    let cleaning = cleaner.into_ledger();
    Ok(Gathered {
        header,
        reading,
        lines,
        format,
        compression,
        kept,
        names,
        cleaning,
        late_comments,
        largest,
    })
}

impl<K: Keep> Gathered<K> {
    /// Applies the rules that need all of the records, and puts them into arrival order.
    pub fn sifted(self, options: &ReadOptions) -> Result<Sifted<K>, TraceError> {
        let Gathered { header, reading: mut ledger, lines, format, compression, mut kept, names, .. } = self;
        ledger.merge(self.cleaning);
        let declared = MachineSize::declared(options.procs, &header);
        if let (Some(size), true) = (declared, self.late_comments) {
            // A size declared below the first records has not been held against those above it.
            fit(&mut kept, size.procs, format, options, &mut ledger)?;
        }
        let machine = self.largest.machine(options.procs, &header).filter(|_| kept.len() > 0);
        let Some(machine) = machine else {
            let why = why(&ledger.report(&options.ruleset, lines, None));
            return Err(TraceError::NoJobs { lines, why });
        };
        if declared.is_none() {
            // Capped, and counted, when all that was known of the machine was that it has fewer than 2^32.
            for at in (0..kept.len()).filter(|&at| kept.procs(at) > machine.procs).collect::<Vec<_>>() {
                kept.set_procs(at, machine.procs);
            }
        }
        order(&mut kept, options, &mut ledger);
        if format == Format::Swf {
            note_duplicates(&kept, &mut ledger);
        }
        let report = ledger.report(&options.ruleset, lines, Some(machine.to_string()));
        Ok(Sifted { kept, header, names, report, machine, format, compression })
    }
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

fn fit<K: Keep>(
    kept: &mut K,
    machine: Procs,
    format: Format,
    options: &ReadOptions,
    ledger: &mut Ledger,
) -> Result<(), TraceError> {
    let cap = options.ruleset.action(Rule::TooLarge) == Action::Cap;
    let mut fits = vec![true; kept.len()];
    for (at, fits) in fits.iter_mut().enumerate() {
        let ((_, job), line, procs) = (kept.place(at), kept.line(at), kept.procs(at));
        if procs <= machine {
            continue;
        }
        let value = format!("{procs} processors of {machine}");
        if options.strict {
            return Err(strict_error(
                Rule::TooLarge,
                Rule::TooLarge.field(),
                format,
                line.unwrap_or(0),
                job,
                value,
            ));
        }
        ledger.count(Rule::TooLarge, || Example { line, job: Some(job), value });
        kept.set_procs(at, machine);
        *fits = cap;
    }
    kept.retain(&fits);
    Ok(())
}

/// Arrival order: by submit time, ties as the ruleset has it. The cleaner has counted what was out of order.
fn order<K: Keep>(kept: &mut K, options: &ReadOptions, ledger: &mut Ledger) {
    sort(kept, |kept, at| (kept.place(at).0, 0));
    if options.ruleset.action(Rule::Ties) != Action::ByNumber {
        return;
    }
    for at in 1..kept.len() {
        let ((above, above_job), (below, job)) = (kept.place(at - 1), kept.place(at));
        if above == below && job < above_job {
            let line = kept.line(at);
            let value = format!("submitted at {below} like job {above_job}");
            ledger.count(Rule::Ties, || Example { line, job: Some(job), value });
        }
    }
    sort(kept, Keep::place);
}

/// Sorts what is not sorted yet; ties stay as they are.
fn sort<K: Keep>(kept: &mut K, key: impl Fn(&K, usize) -> (i64, i64)) {
    if (1..kept.len()).all(|at| key(kept, at - 1) <= key(kept, at)) {
        return;
    }
    let mut order: Vec<u32> = (0..kept.len() as u32).collect();
    order.sort_by_key(|&at| key(kept, at as usize));
    kept.arrange(order);
}

fn note_duplicates<K: Keep>(kept: &K, ledger: &mut Ledger) {
    let number = |at: usize| kept.place(at).1;
    if (1..kept.len()).all(|at| number(at - 1) < number(at)) {
        return;
    }
    let mut numbers: Vec<i64> = (0..kept.len()).map(number).collect();
    numbers.sort_unstable();
    for pair in numbers.windows(2).filter(|pair| pair[0] == pair[1]) {
        ledger.count(Rule::DuplicateJob, || Example {
            line: None,
            job: Some(pair[0]),
            value: "several jobs have this number".into(),
        });
    }
}
