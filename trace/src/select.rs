//! Selects the records of a log that become jobs: cleans them one by one, then applies the rules that need all
//! of them, which compare a job with the machine or with other jobs.

use super::clean::cleaner::strict_error;
use super::clean::{
    Action, Cleaner, CleaningReport, Disposition, Effect, Example, Rule, RuleCounts, Withdrawals,
    WithdrawnKind,
};
use super::error::TraceError;
use super::identities::Identities;
use super::input::{Compression, Source};
use super::machine::{LargestJob, MachineSize};
use super::record::Record;
use super::records::Records;
use super::store::{Store, retain, unfinished, withdrawn};
use super::swf::Header;
use super::{LogFormat, ReadOptions};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::{Names, Unfinished, Withdrawn};

/// A log, cleaned and in arrival order.
pub(super) struct Selected<K> {
    pub kept: K,
    /// Jobs that never started, in arrival order. Their indices count the kept records before them.
    pub withdrawn: Vec<Withdrawn>,
    /// Jobs that had not ended when the log was taken, in the order of the log.
    pub unfinished: Vec<Unfinished>,
    pub header: Header,
    pub names: Names,
    pub report: CleaningReport,
    pub machine: MachineSize,
    pub format: LogFormat,
    pub compression: Compression,
}

/// Reads and cleans a whole log.
pub(super) fn select<K: Store>(source: Source<'_>, options: &ReadOptions) -> Result<Selected<K>, TraceError> {
    gather(source, options, options.strict, |_, _| ())?.selected(options)
}

/// The records that single-record rules keep, before they are compared with the machine and each other.
pub(super) struct Gathered<K> {
    pub read: ReadLog,
    pub format: LogFormat,
    kept: K,
    withdrawn: Vec<(Withdrawn, WithdrawnKind)>,
    unfinished: Vec<Unfinished>,
    /// Cancelled jobs of which it is not known when they left the queue.
    unplaced: u64,
    /// Sum of the waits of the kept records.
    waited: i128,
    identities: Identities,
    cleaning: RuleCounts,
    late_comments: bool,
    largest: LargestJob,
    /// The instant at which the log was cut, if it was.
    known: Option<Time>,
}

/// Reads a whole log and cleans it record by record; `strict` applies to cleaning, `options.strict` to
/// reading. `see` is called with each record before cleaning, and whether it comes from accounting.
pub(super) fn gather<K: Store>(
    source: Source<'_>,
    options: &ReadOptions,
    strict: bool,
    mut see: impl FnMut(&Record, bool),
) -> Result<Gathered<K>, TraceError> {
    let mut records = Records::of(source, options)?;
    let mut gathering = Gathering::<K>::new(options, strict, records.format(), None);
    let mut record = Record::default();
    let mut comments = usize::MAX;
    let mut late_comments = false;
    while records.read(&mut record)? {
        if records.header().comments.len() != comments {
            comments = records.header().comments.len();
            late_comments |= gathering.kept.len() > 0;
            gathering.declare(options, records.header(), records.is_accounting());
        }
        see(&record, records.is_accounting());
        gathering.take(&mut record)?;
    }
    late_comments |= records.header().comments.len() != comments;
    let (compression, lines) = (records.compression(), records.data_lines());
    let (header, names, reading) = records.into_parts();
    let read = ReadLog { header, names, reading, lines, compression };
    Ok(Gathered { late_comments, ..gathering.gathered(read) })
}

/// What reading a log tells besides its records.
#[derive(Debug, Clone)]
pub(super) struct ReadLog {
    pub header: Header,
    pub names: Names,
    /// The counts of the rules that apply while reading.
    pub reading: RuleCounts,
    pub lines: u64,
    pub compression: Compression,
}

/// Cleans records one by one, in the order of the log.
pub(super) struct Gathering<K> {
    cleaner: Cleaner,
    format: LogFormat,
    kept: K,
    withdrawn: Vec<(Withdrawn, WithdrawnKind)>,
    unfinished: Vec<Unfinished>,
    /// Cancelled jobs of which it is not known when they left the queue.
    unplaced: u64,
    waited: i128,
    identities: Identities,
    largest: LargestJob,
    known: Option<Time>,
}

impl<K: Store> Gathering<K> {
    /// Before the first record. With `known` the records are those cut at that instant.
    pub fn new(options: &ReadOptions, strict: bool, format: LogFormat, known: Option<Time>) -> Gathering<K> {
        let mut cleaner = Cleaner::new(options.ruleset.clone(), strict);
        cleaner.set_format(format);
        Gathering {
            cleaner,
            format,
            kept: K::default(),
            withdrawn: Vec::new(),
            unfinished: Vec::new(),
            unplaced: 0,
            waited: 0,
            identities: Identities::default(),
            largest: LargestJob::default(),
            known,
        }
    }

    /// The size of the machine, as far as the header has been read.
    pub fn declare(&mut self, options: &ReadOptions, header: &Header, is_accounting: bool) {
        let declared = MachineSize::declared(options.procs, header);
        self.cleaner.set_machine(declared.map(|size| size.procs));
        self.cleaner.set_held(is_accounting);
    }

    /// Cleans a record. One of a job that waited or ran where the log was cut is kept as a job that starts or ends in the next
    /// second.
    pub fn take(&mut self, record: &mut Record) -> Result<(), TraceError> {
        // Of a log that is cut, the size of the machine is found once it is known which records are jobs.
        if self.known.is_none() {
            self.largest.see(record);
        }
        let kind = WithdrawnKind::of(record);
        self.unplaced += u64::from(record.is_unplaced());
        match self.cleaner.clean(record)? {
            Disposition::Removed => {}
            // In accounting, what is long overdue has ended, and its end was never recorded.
            Disposition::Unfinished if record.cut && self.is_overdue(record) => {}
            Disposition::Unfinished if record.cut => {
                let next = self.known.unwrap_or_default().0.saturating_add(1);
                if record.wait < 0 {
                    record.wait = next.saturating_sub(record.submit);
                }
                record.run = next.saturating_sub(record.submit).saturating_sub(record.wait);
                self.keep(record);
            }
            // Of accounting records only, whose identities are numbered by the reader.
            Disposition::Unfinished => self.unfinished.push(unfinished(record)),
            Disposition::Kept => {
                self.waited += i128::from(record.wait.max(0));
                self.keep(record);
            }
            Disposition::Withdrawn => {
                self.identities.encode(record);
                self.withdrawn.push((withdrawn(record, self.kept.len()), kind));
            }
        }
        Ok(())
    }

    fn is_overdue(&self, record: &Record) -> bool {
        let known = self.known.unwrap_or_default();
        self.format.is_accounting() && !unfinished(record).may_be_there(known)
    }

    fn keep(&mut self, record: &mut Record) {
        self.identities.encode(record);
        self.kept.push(record);
    }

    /// What became of all records.
    pub fn gathered(self, read: ReadLog) -> Gathered<K> {
        Gathered {
            read,
            format: self.format,
            kept: self.kept,
            withdrawn: self.withdrawn,
            unfinished: self.unfinished,
            unplaced: self.unplaced,
            waited: self.waited,
            identities: self.identities,
            cleaning: self.cleaner.into_counts(),
            late_comments: false,
            largest: self.largest,
            known: self.known,
        }
    }
}

impl<K: Store> Gathered<K> {
    /// Applies the rules that need all of the records, and puts them into arrival order.
    pub fn selected(self, options: &ReadOptions) -> Result<Selected<K>, TraceError> {
        let ReadLog { header, mut names, reading: mut counts, lines, compression } = self.read;
        let (mut kept, unfinished, mut waited, format) =
            (self.kept, self.unfinished, self.waited, self.format);
        let (mut withdrawn, mut kinds): (Vec<Withdrawn>, Vec<WithdrawnKind>) =
            self.withdrawn.into_iter().unzip();
        self.identities.decode(&mut kept, &mut withdrawn, &mut names);
        counts.merge(self.cleaning);
        let declared = MachineSize::declared(options.procs, &header);
        if let (Some(size), true) = (declared, self.late_comments) {
            // Records above the comment that declares the size have not been compared with it yet.
            let fits = fit(&mut kept, size.procs, format, options, &mut counts)?;
            recount(&mut withdrawn, &fits);
            waited = (0..kept.len()).filter_map(|at| kept.wait(at)).map(|wait| i128::from(wait.0)).sum();
            if options.ruleset.action(Rule::TooLarge) != Action::Cap {
                let fits: Vec<bool> = withdrawn.iter().map(|one| one.job.shape.procs <= size.procs).collect();
                retain(&mut withdrawn, &fits);
                retain(&mut kinds, &fits);
            }
        }
        let mut largest = self.largest;
        if self.known.is_some() {
            (0..kept.len()).for_each(|at| largest.see_job(kept.procs(at)));
            withdrawn.iter().for_each(|one| largest.see_job(one.job.shape.procs));
        }
        let machine = largest.machine(options.procs, &header, self.known).filter(|_| kept.len() > 0);
        let Some(machine) = machine else {
            let why = why(&counts.report(&options.ruleset, lines, None));
            return Err(TraceError::NoJobs { lines, why });
        };
        if declared.is_none() {
            // Capped and counted before, when only the bound of 32 bits was known.
            for at in (0..kept.len()).filter(|&at| kept.procs(at) > machine.procs).collect::<Vec<_>>() {
                kept.set_procs(at, machine.procs);
            }
        }
        for one in &mut withdrawn {
            one.job.shape.procs = one.job.shape.procs.min(machine.procs);
        }
        order(&mut kept, &mut withdrawn, options, &mut counts);
        if !format.is_accounting() {
            note_duplicates(&kept, &mut counts);
        }
        let mut report = counts.report(&options.ruleset, lines, Some(machine.to_string()));
        let waits = withdrawn.iter().map(Withdrawn::waited);
        report.withdrawn = Some(Withdrawals::of(waits, &kinds, self.unplaced, waited));
        Ok(Selected { kept, withdrawn, unfinished, header, names, report, machine, format, compression })
    }
}

/// The rules that removed all records.
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

/// Removes or caps what is larger than the machine; says of each record whether it stays.
fn fit<K: Store>(
    kept: &mut K,
    machine: Procs,
    format: LogFormat,
    options: &ReadOptions,
    counts: &mut RuleCounts,
) -> Result<Vec<bool>, TraceError> {
    let cap = options.ruleset.action(Rule::TooLarge) == Action::Cap;
    let mut fits = vec![true; kept.len()];
    for (at, fits) in fits.iter_mut().enumerate() {
        let ((_, job), line, procs) = (kept.key(at), kept.line(at), kept.procs(at));
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
        counts.count(Rule::TooLarge, || Example { line, job: Some(job), value });
        kept.set_procs(at, machine);
        *fits = cap;
    }
    kept.retain(&fits);
    Ok(fits)
}

/// Counts the kept records before each withdrawn job again, now that only some of them stay.
fn recount(withdrawn: &mut [Withdrawn], stays: &[bool]) {
    let (mut seen, mut count) = (0, 0);
    for one in withdrawn {
        let before = one.job.index.at();
        count += stays[seen..before].iter().filter(|stays| **stays).count();
        seen = before;
        one.job.index = JobIndex(count as u32);
    }
}

/// Arrival order: by submit time, ties as the ruleset has it. The cleaner has counted what was out of order.
fn order<K: Store>(
    kept: &mut K,
    withdrawn: &mut [Withdrawn],
    options: &ReadOptions,
    counts: &mut RuleCounts,
) {
    sort(kept, withdrawn, |(submit, _)| (submit, 0));
    if options.ruleset.action(Rule::Ties) != Action::ByNumber {
        return;
    }
    for at in 1..kept.len() {
        let ((above, above_job), (below, job)) = (kept.key(at - 1), kept.key(at));
        if above == below && job < above_job {
            let line = kept.line(at);
            let value = format!("submitted at {below} like job {above_job}");
            counts.count(Rule::Ties, || Example { line, job: Some(job), value });
        }
    }
    sort(kept, withdrawn, |key| key);
}

/// Sorts what is not sorted yet by a part of submit time and job number; ties stay as they are.
fn sort<K: Store>(kept: &mut K, withdrawn: &mut [Withdrawn], part: impl Fn((i64, i64)) -> (i64, i64)) {
    let of = |one: &Withdrawn| part((one.job.submit.0, one.job.id.0 as i64));
    withdrawn.sort_by_key(of);
    let key = |kept: &K, at: usize| part(kept.key(at));
    if (1..kept.len()).all(|at| key(kept, at - 1) <= key(kept, at)) {
        return;
    }
    let mut order: Vec<u32> = (0..kept.len() as u32).collect();
    order.sort_by_key(|&at| key(kept, at as usize));
    for one in withdrawn {
        let first = order.partition_point(|&at| key(kept, at as usize) < of(one));
        let ties = order[first..].partition_point(|&at| key(kept, at as usize) == of(one));
        let earlier = order[first..first + ties].partition_point(|&at| at < one.job.index.0);
        one.job.index = JobIndex((first + earlier) as u32);
    }
    kept.arrange(order);
}

fn note_duplicates<K: Store>(kept: &K, counts: &mut RuleCounts) {
    let number = |at: usize| kept.key(at).1;
    if (1..kept.len()).all(|at| number(at - 1) < number(at)) {
        return;
    }
    let mut numbers: Vec<i64> = (0..kept.len()).map(number).collect();
    numbers.sort_unstable();
    for pair in numbers.windows(2).filter(|pair| pair[0] == pair[1]) {
        counts.count(Rule::DuplicateJob, || Example {
            line: None,
            job: Some(pair[0]),
            value: "several jobs have this number".into(),
        });
    }
}
