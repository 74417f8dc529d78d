//! Selects the records of a log that become jobs: cleans them one by one, then applies the rules that need all
//! of them, which compare a job with the machine or with other jobs.

use super::clean::cleaner::strict_error;
use super::clean::{
    Action, Cleaner, CleaningReport, Disposition, Effect, Example, Rule, RuleCounts, Withdrawals,
};
use super::error::TraceError;
use super::identities::Identities;
use super::input::{Compression, Source};
use super::machine::{LargestJob, MachineSize};
use super::record::Record;
use super::records::Records;
use super::store::{Store, unfinished, withdrawn};
use super::swf::Header;
use super::{LogFormat, ReadOptions};
use crate::job::JobIndex;
use crate::units::Procs;
use crate::workload::{Names, Unfinished, Withdrawn};

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
    pub header: Header,
    /// The counts of the rules that apply while reading.
    pub reading: RuleCounts,
    pub lines: u64,
    pub format: LogFormat,
    pub compression: Compression,
    kept: K,
    withdrawn: Vec<Withdrawn>,
    unfinished: Vec<Unfinished>,
    /// Sum of the waits of the kept records.
    waited: i128,
    names: Names,
    identities: Identities,
    cleaning: RuleCounts,
    late_comments: bool,
    largest: LargestJob,
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
    let mut cleaner = Cleaner::new(options.ruleset.clone(), strict);
    cleaner.set_format(records.format());
    let mut kept = K::default();
    let (mut left, mut open) = (Vec::new(), Vec::new());
    let mut waited = 0;
    let mut record = Record::default();
    let mut comments = usize::MAX;
    let mut late_comments = false;
    let mut largest = LargestJob::default();
    let mut identities = Identities::default();
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
        let disposition = cleaner.clean(&mut record)?;
        match disposition {
            Disposition::Removed => {}
            // Of accounting records only, whose identities are numbered by the reader.
            Disposition::Unfinished => open.push(unfinished(&record)),
            Disposition::Kept => {
                identities.encode(&mut record);
                waited += i128::from(record.wait.max(0));
                kept.push(&record);
            }
            Disposition::Withdrawn => {
                identities.encode(&mut record);
                left.push(withdrawn(&record, kept.len()));
            }
        }
    }
    let (format, compression, lines) = (records.format(), records.compression(), records.data_lines());
    late_comments |= records.header().comments.len() != comments;
    let (header, names, reading) = records.into_parts();
    let cleaning = cleaner.into_counts();
    Ok(Gathered {
        header,
        reading,
        lines,
        format,
        compression,
        kept,
        withdrawn: left,
        unfinished: open,
        waited,
        names,
        identities,
        cleaning,
        late_comments,
        largest,
    })
}

impl<K: Store> Gathered<K> {
    /// Applies the rules that need all of the records, and puts them into arrival order.
    pub fn selected(self, options: &ReadOptions) -> Result<Selected<K>, TraceError> {
        let Gathered { header, reading: mut counts, lines, format, compression, mut kept, mut names, .. } =
            self;
        let (mut withdrawn, unfinished, mut waited) = (self.withdrawn, self.unfinished, self.waited);
        self.identities.decode(&mut kept, &mut withdrawn, &mut names);
        counts.merge(self.cleaning);
        let declared = MachineSize::declared(options.procs, &header);
        if let (Some(size), true) = (declared, self.late_comments) {
            // Records above the comment that declares the size have not been compared with it yet.
            let fits = fit(&mut kept, size.procs, format, options, &mut counts)?;
            recount(&mut withdrawn, &fits);
            waited = (0..kept.len()).filter_map(|at| kept.wait(at)).map(|wait| i128::from(wait.0)).sum();
            if options.ruleset.action(Rule::TooLarge) != Action::Cap {
                withdrawn.retain(|one| one.job.shape.procs <= size.procs);
            }
        }
        let machine = self.largest.machine(options.procs, &header).filter(|_| kept.len() > 0);
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
        if format == LogFormat::Swf {
            note_duplicates(&kept, &mut counts);
        }
        let mut report = counts.report(&options.ruleset, lines, Some(machine.to_string()));
        report.withdrawn = Some(Withdrawals::of(withdrawn.iter().map(Withdrawn::waited), waited));
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
