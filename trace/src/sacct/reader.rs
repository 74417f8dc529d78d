//! Reads rows of `sacct` into records.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::clusters::Clusters;
use super::columns::{Columns, SacctColumn};
use super::duration::seconds;
use super::fields::{Span, rejoined, split};
use super::row::{RowValues, SacctRow};
use super::state::status;
use crate::clean::{Action, Example, Rule, RuleCounts};
use crate::error::{Malformed, TraceError, shortened};
use crate::lines::Lines;
use crate::names::Interner;
use crate::parsed::{BrokenLines, NoRecord, Parsed, RecordReader};
use crate::record::{Record, UNKNOWN};
use crate::{LogFormat, ReadOptions};
use queuecast_core::job::Ending;
use queuecast_core::workload::Names;

/// The most bytes of lines that are held in the hope that they are one row.
const LONGEST_ROW: usize = 1 << 16;

/// The most lines that a name in the last column of a complete row may go on for.
const MOST_CONTINUED: u32 = 3;

/// One run of a job, as far as runs can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JobRun {
    job: i64,
    /// Submitted, eligible, started, ended.
    times: [Option<i64>; 4],
    ending: Option<Ending>,
}

/// Lines that have too few columns, held because a row may go on where a name has a line end.
#[derive(Debug, Default)]
struct HeldLines {
    text: Vec<u8>,
    /// The line that the first of them is.
    first: u64,
    lines: u64,
    /// Why the first of them is not a row.
    reason: Option<Malformed>,
}

/// Reader of accounting rows, with the names found so far.
pub(crate) struct Sacct {
    columns: Columns,
    /// Whether the caller named the columns.
    columns_given: bool,
    zone: TimeZone,
    /// Whether the zone is the default, UTC.
    zone_assumed: bool,
    from_eligible: bool,
    drop_duplicates: bool,
    header: Vec<u8>,
    clusters: Clusters,
    held: HeldLines,
    /// How many further lines the last column of the row above may go on for.
    may_go_on: u32,
    /// Lines that are part of a row of several lines, apart from the first of each row.
    joined_lines: u64,
    broken: Option<BrokenLines>,
    /// Runs of each job so far, to find duplicates. Never iterated, so its order has no effect.
    met: HashMap<Vec<u8>, (JobRun, Vec<JobRun>)>,
    users: Interner,
    groups: Interner,
    accounts: Interner,
    executables: Interner,
    partitions: Interner,
    qos: Interner,
    fields: Vec<Span>,
}

impl Sacct {
    /// Reads the header line, unless the options name the columns.
    pub fn open(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<Sacct, TraceError> {
        let (columns, header) = match &options.columns {
            Some(names) => (Columns::of_names(names, lines.beginning())?, Vec::new()),
            None => loop {
                match lines.next()? {
                    None => return Err(TraceError::Empty { expected: LogFormat::SACCT.file() }),
                    Some((_, line)) if line.trim_ascii().is_empty() => {}
                    Some((_, line)) => break (Columns::of_header(line)?, line.trim_ascii().to_vec()),
                }
            },
        };
        if options.cluster.is_some() && columns.place(SacctColumn::Cluster).is_none() {
            return Err(TraceError::NoClusterColumn);
        }
        Ok(Sacct {
            columns,
            columns_given: options.columns.is_some(),
            zone: options.time_zone.clone(),
            zone_assumed: options.time_zone == TimeZone::UTC,
            from_eligible: options.ruleset.action(Rule::Eligible) == Action::UseEligible,
            drop_duplicates: options.ruleset.action(Rule::DuplicateRow) == Action::Drop,
            header,
            clusters: Clusters::new(options.cluster.clone()),
            held: HeldLines::default(),
            may_go_on: 0,
            joined_lines: 0,
            broken: None,
            met: HashMap::new(),
            users: Interner::default(),
            groups: Interner::default(),
            accounts: Interner::default(),
            executables: Interner::default(),
            partitions: Interner::default(),
            qos: Interner::default(),
            fields: Vec::new(),
        })
    }
}

impl RecordReader for Sacct {
    fn names(&self, _header: &Names) -> Names {
        Names {
            users: self.users.names(),
            groups: self.groups.names(),
            accounts: self.accounts.names(),
            executables: self.executables.names(),
            queues: Default::default(),
            partitions: self.partitions.names(),
            qos: self.qos.names(),
        }
    }

    fn has_mixed_clusters(&self) -> bool {
        self.clusters.are_mixed()
    }

    fn check_clusters(&self) -> Result<(), TraceError> {
        self.clusters.check()
    }

    fn joined_lines(&self) -> u64 {
        self.joined_lines
    }

    fn take_broken(&mut self, at_end: bool) -> Option<BrokenLines> {
        if at_end {
            self.give_up();
        }
        self.broken.take()
    }

    fn parse(&mut self, line: &[u8], number: u64, record: &mut Record, counts: &mut RuleCounts) -> Parsed {
        split(line, self.columns.delimiter, &mut self.fields);
        let repeated = line.trim_ascii() == self.header
            || (self.columns_given && self.columns.are_named_by(line, &self.fields));
        if repeated {
            self.give_up();
            let value = shortened(line);
            return Parsed::NoRecord(NoRecord { rule: Rule::RepeatedHeader, job: None, value });
        }
        if self.fields.len() >= self.columns.count {
            self.give_up();
            let parsed = self.row(line, number, record, counts);
            let goes_on = self.columns.ends_in_free_text() && !matches!(parsed, Parsed::Malformed(_));
            self.may_go_on = if goes_on { MOST_CONTINUED } else { 0 };
            return parsed;
        }
        if is_message(line) {
            self.give_up();
            self.may_go_on = 0;
            let (value, reason) = (shortened(line), "a message of a program, not a row".into());
            return Parsed::Malformed(Malformed { line: number, field: None, value, reason });
        }
        if self.may_go_on > 0 && !self.begins_row(line) {
            self.may_go_on -= 1;
            self.joined_lines += 1;
            let value = shortened(line);
            counts.count(Rule::SplitName, || Example { line: Some(number), job: None, value });
            return Parsed::Incomplete;
        }
        self.may_go_on = 0;
        let malformed = self.wrong_count(line, number);
        if self.columns.free_text.is_empty() {
            return Parsed::Malformed(malformed);
        }
        self.hold(line, number, malformed, record, counts)
    }
}

impl Sacct {
    /// Whether the current line, which has too few columns, has a job number where rows have it.
    fn begins_row(&self, line: &[u8]) -> bool {
        let row =
            SacctRow { line, number: 0, columns: &self.columns, fields: &self.fields, zone: &self.zone };
        row.id().first().is_some_and(u8::is_ascii_digit)
    }

    /// Joins a line with too few columns to the lines above that have too few, and tries whether they are a row now.
    fn hold(
        &mut self,
        line: &[u8],
        number: u64,
        malformed: Malformed,
        record: &mut Record,
        counts: &mut RuleCounts,
    ) -> Parsed {
        if self.held.text.len() + line.len() > LONGEST_ROW {
            self.give_up();
        }
        if self.held.lines > 0 {
            let mut text = std::mem::take(&mut self.held.text);
            text.push(b'\n');
            text.extend_from_slice(line);
            split(&text, self.columns.delimiter, &mut self.fields);
            let complete = self.fields.len() >= self.columns.count;
            if complete {
                let parsed = self.row(&text, self.held.first, record, counts);
                if !matches!(parsed, Parsed::Malformed(_)) {
                    self.joined_lines += self.held.lines;
                    self.held = HeldLines::default();
                    return parsed;
                }
                self.give_up();
            } else {
                self.held.text = text;
                self.held.lines += 1;
                return Parsed::Incomplete;
            }
        }
        self.held = HeldLines { text: line.to_vec(), first: number, lines: 1, reason: Some(malformed) };
        Parsed::Incomplete
    }

    /// Counts the held lines as broken.
    fn give_up(&mut self) {
        let HeldLines { lines, reason, .. } = std::mem::take(&mut self.held);
        if let Some(malformed) = reason {
            self.broken = Some(BrokenLines { malformed, lines });
        }
    }

    /// Reads a row with enough columns. Where it has too many, or line ends, the pieces are joined in the way that makes
    /// the likeliest values.
    fn row(&mut self, line: &[u8], number: u64, record: &mut Record, counts: &mut RuleCounts) -> Parsed {
        let fields = std::mem::take(&mut self.fields);
        if fields.len() == self.columns.count && !line.contains(&b'\n') {
            let parsed = self.record(line, number, &fields, record, counts);
            self.fields = fields;
            return parsed;
        }
        let (columns, zone) = (&self.columns, &self.zone);
        let cost = |place: usize, (begin, end): Span| {
            columns.checks[place].cost(&line[begin..end], zone, |user| self.users.knows(user))
        };
        let way = rejoined(&fields, columns.count, &columns.free_text, cost).filter(|way| {
            let row = SacctRow { line, number, columns, fields: way, zone };
            row.is_step() || row.values().is_ok()
        });
        self.fields = fields;
        let Some(way) = way else { return Parsed::Malformed(self.wrong_count(line, number)) };
        let parsed = self.record(line, number, &way, record, counts);
        if matches!(parsed, Parsed::Record) {
            let (job, value) = (Some(record.job), shortened(line));
            counts.count(Rule::SplitName, || Example { line: Some(number), job, value });
        }
        parsed
    }

    /// Fills `record` from the fields of a row.
    fn record(
        &mut self,
        line: &[u8],
        number: u64,
        fields: &[Span],
        record: &mut Record,
        counts: &mut RuleCounts,
    ) -> Parsed {
        let row = SacctRow { line, number, columns: &self.columns, fields, zone: &self.zone };
        let id = row.id();
        if row.is_step() {
            return Parsed::NoRecord(NoRecord { rule: Rule::Step, job: None, value: shortened(id) });
        }
        let values = match row.values() {
            Ok(values) => values,
            Err(malformed) => return Parsed::Malformed(malformed),
        };
        let RowValues { job, ending, submitted, eligible, start, end, .. } = values;
        let cluster = row.text(SacctColumn::Cluster).unwrap_or_default();
        if !cluster.is_empty() && !self.clusters.see(cluster) {
            let (rule, value) = (Rule::OtherCluster, shortened(cluster));
            return Parsed::NoRecord(NoRecord { rule, job: Some(job), value });
        }
        let mut note = |rule, value: String| {
            counts.count(rule, || Example { line: Some(number), job: Some(job), value });
        };
        if cluster.is_empty() && self.columns.place(SacctColumn::Cluster).is_some() {
            note(Rule::ClusterMissing, "no cluster".into());
        }
        let run = JobRun { job, times: [submitted, eligible, start, end], ending };
        let mut again = None;
        match self.met.get_mut(id) {
            None => {
                self.met.insert(id.to_vec(), (run, Vec::new()));
            }
            Some((first, further)) if *first == run || further.contains(&run) => {
                let (rule, value) = (Rule::DuplicateRow, shortened(id));
                if self.drop_duplicates {
                    return Parsed::NoRecord(NoRecord { rule, job: Some(job), value });
                }
                again = Some(rule);
            }
            Some((_, further)) => {
                further.push(run);
                again = Some(Rule::Incarnation);
            }
        }
        if let Some(rule) = again {
            note(rule, shortened(id));
        }
        if let Some(text) = values.local.filter(|_| self.zone_assumed) {
            note(Rule::LocalTime, shortened(text));
        }
        if let Some((rule, value)) = values.changed_clocks {
            note(rule, value);
        }
        let from = if self.from_eligible { eligible.or(submitted) } else { submitted.or(eligible) };
        if let (Some(submitted), Some(eligible)) = (submitted, eligible)
            && submitted != eligible
        {
            note(Rule::Eligible, format!("submitted {submitted}, eligible {eligible}"));
        }
        let unfinished = ending.is_none();
        if self.columns.place(SacctColumn::State).is_none() && !unfinished {
            note(Rule::StateMissing, "no State column".into());
        }
        if let Some(text) = values.invalid_run {
            let between = match values.run {
                UNKNOWN => "no End either, so the run time is unknown".into(),
                run => format!("{run} s between Start and End"),
            };
            note(Rule::ElapsedInvalid, format!("\"{}\": {between}", shortened(text)));
        }
        let suspended = row.text(SacctColumn::Suspended).and_then(seconds).unwrap_or(0);
        if suspended > 0 {
            note(Rule::Suspended, format!("for {suspended} s"));
        }
        if id.contains(&b'+') {
            note(Rule::HetComponent, shortened(id));
        }

        let (mut requested_procs, mut allocated_procs) = (values.requested_procs, values.allocated_procs);
        // A job that left the queue without starting waited until it left, unless it never became eligible.
        let never_eligible =
            self.from_eligible && eligible.is_none() && self.columns.place(SacctColumn::Eligible).is_some();
        let left = end.filter(|_| !unfinished && !never_eligible);
        if start.is_none() && !unfinished {
            // Nothing was allocated; Slurm up to 22.05 prints what was requested.
            requested_procs = if requested_procs > 0 { requested_procs } else { allocated_procs };
            allocated_procs = UNKNOWN;
        }
        let procs = if allocated_procs > 0 { allocated_procs } else { requested_procs };
        *record = Record {
            line: number,
            job,
            submit: from.unwrap_or(UNKNOWN),
            wait: match (start, left, from) {
                (Some(start), _, Some(from)) => start.saturating_sub(from).max(0),
                (None, Some(left), Some(from)) if left >= from => left - from,
                _ => UNKNOWN,
            },
            run: values.run,
            allocated_procs,
            cpu: row.cpu(procs),
            requested_procs,
            requested_time: values.request,
            requested_memory: row.memory(procs),
            status: status(ending),
            user: self.users.number(row.text(SacctColumn::User).unwrap_or_default()),
            group: self.groups.number(row.text(SacctColumn::Group).unwrap_or_default()),
            executable: self.executables.number(row.text(SacctColumn::JobName).unwrap_or_default()),
            partition: self.partitions.number(row.text(SacctColumn::Partition).unwrap_or_default()),
            account: self.accounts.number(row.text(SacctColumn::Account).unwrap_or_default()),
            qos: self.qos.number(row.text(SacctColumn::Qos).unwrap_or_default()),
            ending: ending.unwrap_or_default(),
            unfinished,
            cut: false,
            submitted: submitted.filter(|_| submitted != from).unwrap_or(UNKNOWN),
            ..Record::default()
        };
        Parsed::Record
    }

    fn wrong_count(&self, line: &[u8], number: u64) -> Malformed {
        let named = if self.columns_given { "there are names for" } else { "the header line" };
        let reason = format!(
            "has {} columns, {named} {}: a delimiter or a line end within a name or comment",
            self.fields.len(),
            self.columns.count
        );
        Malformed { line: number, field: None, value: shortened(line), reason }
    }
}

/// Whether a line is a message that a program has printed among the rows: `sacct: …`, `slurm_load_jobs: …`, `ssh: error: …`.
fn is_message(line: &[u8]) -> bool {
    let mut words = line.trim_ascii().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut label = || words.next().and_then(|word| word.strip_suffix(b":")).map(<[u8]>::to_ascii_lowercase);
    let Some(program) = label() else { return false };
    let is_severity = |word: &[u8]| matches!(word, b"error" | b"warning" | b"fatal");
    program == b"sacct"
        || program.starts_with(b"slurm")
        || is_severity(&program)
        || label().is_some_and(|word| is_severity(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_programs_are_told_from_names() {
        for message in [
            "sacct: error: slurm_persist_conn_open: Connection refused",
            "  sacct: Broken pipe",
            "slurm_load_jobs: Unable to contact slurm controller",
            "slurmdbd: warning: slow",
            "ssh: error: closed",
            "error: Unable to open slurm.conf",
            "Warning: locale",
        ] {
            assert!(is_message(message.as_bytes()), "{message}");
        }
        for name in ["", "train: model", "sacct", "slurm job", "second: no error", "error 5", "a|slurm: b"] {
            assert!(!is_message(name.as_bytes()), "{name}");
        }
    }
}
