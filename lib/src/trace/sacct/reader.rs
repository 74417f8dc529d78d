//! Parses one row of `sacct` into a record.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::columns::{Columns, SacctColumn};
use super::duration::{integer, milliseconds, seconds};
use super::names::Interner;
use super::state::{JobState, state, status};
use super::time::{Instant, instant};
use crate::trace::ReadOptions;
use crate::trace::clean::{Action, Example, Rule, RuleCounts};
use crate::trace::error::{Malformed, TraceError, shortened};
use crate::trace::lines::Lines;
use crate::trace::record::{Record, UNKNOWN};
use crate::workload::Names;

/// A well-formed line that is not a record, and the rule that says so.
pub(in crate::trace) struct NoRecord {
    pub rule: Rule,
    pub job: Option<i64>,
    pub value: String,
}

/// One run of a job, as far as runs can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JobRun {
    job: i64,
    /// Submitted, eligible, started, ended.
    times: [Option<i64>; 4],
    state: JobState,
}

/// Reader of accounting rows, with the names found so far.
pub(in crate::trace) struct Sacct {
    columns: Columns,
    zone: TimeZone,
    /// Whether the zone is the default, UTC.
    zone_assumed: bool,
    from_eligible: bool,
    drop_duplicates: bool,
    header: Vec<u8>,
    /// Runs of each job so far, to find duplicates. Never iterated, so its order has no effect.
    met: HashMap<Vec<u8>, (JobRun, Vec<JobRun>)>,
    users: Interner,
    groups: Interner,
    accounts: Interner,
    executables: Interner,
    partitions: Interner,
    qos: Interner,
    /// Begin and end of each field of the current row.
    fields: Vec<(usize, usize)>,
}

impl Sacct {
    /// Reads the header line.
    pub fn open(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<Sacct, TraceError> {
        let (columns, header) = loop {
            match lines.next()? {
                None => return Err(TraceError::Empty),
                Some((_, line)) if line.trim_ascii().is_empty() => {}
                Some((_, line)) => break (Columns::of_header(line)?, line.trim_ascii().to_vec()),
            }
        };
        Ok(Sacct {
            columns,
            zone: options.time_zone.clone(),
            zone_assumed: options.time_zone == TimeZone::UTC,
            from_eligible: options.ruleset.action(Rule::Eligible) == Action::UseEligible,
            drop_duplicates: options.ruleset.action(Rule::DuplicateRow) == Action::Drop,
            header,
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

    pub fn names(&self) -> Names {
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

    /// Fills `record`, or returns the rule by which the line is not a record.
    pub fn parse(
        &mut self,
        line: &[u8],
        number: u64,
        record: &mut Record,
        counts: &mut RuleCounts,
    ) -> Result<Option<NoRecord>, Malformed> {
        if line.trim_ascii() == self.header {
            let value = shortened(line);
            return Ok(Some(NoRecord { rule: Rule::RepeatedHeader, job: None, value }));
        }
        self.split(line, number)?;
        let row = SacctRow { line, number, columns: &self.columns, fields: &self.fields, zone: &self.zone };
        let id = row.text(SacctColumn::JobId).or(row.text(SacctColumn::JobIdRaw)).unwrap_or_default();
        if id.contains(&b'.') {
            return Ok(Some(NoRecord { rule: Rule::Step, job: None, value: shortened(id) }));
        }
        let job = row.job_number()?;
        let mut note = |rule, value: String| {
            counts.count(rule, || Example { line: Some(number), job: Some(job), value });
        };

        let word = row.text(SacctColumn::State).unwrap_or_default();
        let state = state(word).ok_or_else(|| row.bad(SacctColumn::State, "not a job state of Slurm"))?;
        let mut changed_clocks = None;
        let mut local = None;
        let mut clock = |column| -> Result<Option<i64>, Malformed> {
            let text = row.text(column).unwrap_or_default();
            let Some(instant) = instant(text, row.zone) else {
                return Err(row.bad(column, "neither Unix seconds nor a time like 2024-01-31T23:59:59"));
            };
            if self.zone_assumed && local.is_none() && text.contains(&b':') {
                local = Some(text);
            }
            match instant {
                Instant::Fold(_) => changed_clocks = Some((Rule::DstFold, shortened(text))),
                Instant::Gap(_) => changed_clocks = Some((Rule::DstGap, shortened(text))),
                _ => {}
            }
            Ok(instant.seconds())
        };
        let (submitted, eligible) = (clock(SacctColumn::Submit)?, clock(SacctColumn::Eligible)?);
        let (start, end) = (clock(SacctColumn::Start)?, clock(SacctColumn::End)?);
        let run = JobRun { job, times: [submitted, eligible, start, end], state };
        let mut again = None;
        match self.met.get_mut(id) {
            None => {
                self.met.insert(id.to_vec(), (run, Vec::new()));
            }
            Some((first, further)) if *first == run || further.contains(&run) => {
                let (rule, value) = (Rule::DuplicateRow, shortened(id));
                if self.drop_duplicates {
                    return Ok(Some(NoRecord { rule, job: Some(job), value }));
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
        if let Some(text) = local {
            note(Rule::LocalTime, shortened(text));
        }
        if let Some((rule, value)) = changed_clocks {
            note(rule, value);
        }
        let from = if self.from_eligible { eligible.or(submitted) } else { submitted.or(eligible) };
        if let (Some(submitted), Some(eligible)) = (submitted, eligible)
            && submitted != eligible
        {
            note(Rule::Eligible, format!("submitted {submitted}, eligible {eligible}"));
        }
        let unfinished = state == JobState::Unfinished;
        let run = match start {
            Some(start) if !unfinished => row.run(start, end)?,
            _ => UNKNOWN,
        };
        let suspended = row.text(SacctColumn::Suspended).and_then(seconds).unwrap_or(0);
        if suspended > 0 {
            note(Rule::Suspended, format!("for {suspended} s"));
        }
        if id.contains(&b'+') {
            note(Rule::HetComponent, shortened(id));
        }

        let mut requested_procs = row.count(SacctColumn::ReqCpus)?;
        let mut allocated_procs = match row.count(SacctColumn::AllocCpus)? {
            UNKNOWN => row.count(SacctColumn::NCpus)?,
            procs => procs,
        };
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
            run,
            allocated_procs,
            cpu: row.cpu(procs),
            requested_procs,
            requested_time: row.request()?,
            requested_memory: row.memory(procs),
            status: status(state),
            user: self.users.number(row.text(SacctColumn::User).unwrap_or_default()),
            group: self.groups.number(row.text(SacctColumn::Group).unwrap_or_default()),
            executable: self.executables.number(row.text(SacctColumn::JobName).unwrap_or_default()),
            partition: self.partitions.number(row.text(SacctColumn::Partition).unwrap_or_default()),
            account: self.accounts.number(row.text(SacctColumn::Account).unwrap_or_default()),
            qos: self.qos.number(row.text(SacctColumn::Qos).unwrap_or_default()),
            ending: match state {
                JobState::Ended(ending) => ending,
                JobState::Unfinished => Default::default(),
            },
            unfinished,
            submitted: submitted.filter(|_| submitted != from).unwrap_or(UNKNOWN),
            ..Record::default()
        };
        Ok(None)
    }

    fn split(&mut self, line: &[u8], number: u64) -> Result<(), Malformed> {
        self.fields.clear();
        let mut begin = 0;
        for field in line.split(|&byte| byte == self.columns.delimiter) {
            self.fields.push((begin, begin + field.len()));
            begin += field.len() + 1;
        }
        if self.fields.len() == self.columns.count {
            return Ok(());
        }
        let reason = format!(
            "has {} columns, the header line {}: a delimiter or a line end within a name or comment",
            self.fields.len(),
            self.columns.count
        );
        Err(Malformed { line: number, field: None, value: shortened(line), reason })
    }
}

struct SacctRow<'a> {
    line: &'a [u8],
    number: u64,
    columns: &'a Columns,
    fields: &'a [(usize, usize)],
    zone: &'a TimeZone,
}

impl<'a> SacctRow<'a> {
    /// A column's text without surrounding blanks; `None` if there is no such column.
    fn text(&self, column: SacctColumn) -> Option<&'a [u8]> {
        let &(begin, end) = self.fields.get(self.columns.place(column)?)?;
        Some(self.line[begin..end].trim_ascii())
    }

    fn bad(&self, column: SacctColumn, reason: &str) -> Malformed {
        Malformed {
            line: self.number,
            field: Some(self.columns.describe(column)),
            value: shortened(self.text(column).unwrap_or_default()),
            reason: reason.into(),
        }
    }

    /// `JobIDRaw`, or the number that `JobID` begins with (`141` of `141_3` and of `141_[6-9%4]`).
    fn job_number(&self) -> Result<i64, Malformed> {
        let (column, text) = match self.text(SacctColumn::JobIdRaw) {
            Some(text) => (SacctColumn::JobIdRaw, text),
            None => (SacctColumn::JobId, self.text(SacctColumn::JobId).unwrap_or_default()),
        };
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest_fits = matches!(text.get(digits), None | Some(b'_' | b'+'));
        let number = integer(&text[..digits]).filter(|_| rest_fits);
        number.ok_or_else(|| self.bad(column, "not a job number of Slurm"))
    }

    /// JobRun time in seconds, without suspended time where the row says so.
    fn run(&self, start: i64, end: Option<i64>) -> Result<i64, Malformed> {
        if let Some(text) = self.text(SacctColumn::ElapsedRaw) {
            return integer(text).ok_or_else(|| self.bad(SacctColumn::ElapsedRaw, "not a number of seconds"));
        }
        if let Some(text) = self.text(SacctColumn::Elapsed) {
            return seconds(text).ok_or_else(|| self.bad(SacctColumn::Elapsed, "not a length of time"));
        }
        Ok(end.map_or(UNKNOWN, |end| end.saturating_sub(start).max(0)))
    }

    /// Requested seconds; unknown without a limit of the job's own.
    fn request(&self) -> Result<i64, Malformed> {
        for (column, unit) in [(SacctColumn::TimelimitRaw, 60), (SacctColumn::Timelimit, 1)] {
            let Some(text) = self.text(column) else { continue };
            let limitless = |word: &[u8]| text.eq_ignore_ascii_case(word);
            if text.is_empty() || limitless(b"UNLIMITED") || limitless(b"Partition_Limit") {
                continue;
            }
            let length = if column == SacctColumn::TimelimitRaw { integer(text) } else { seconds(text) };
            let length = length.and_then(|length| length.checked_mul(unit));
            return length.ok_or_else(|| self.bad(column, "not a time limit"));
        }
        Ok(UNKNOWN)
    }

    /// A number of processors; unknown if the column is absent, empty or 0.
    fn count(&self, column: SacctColumn) -> Result<i64, Malformed> {
        match self.text(column) {
            None | Some(b"") => Ok(UNKNOWN),
            Some(text) => match integer(text) {
                Some(0) => Ok(UNKNOWN),
                Some(count) => Ok(count),
                None => Err(self.bad(column, "not a number of processors")),
            },
        }
    }

    /// Seconds of CPU time per processor. No rule needs it, so an unreadable value is unknown.
    fn cpu(&self, procs: i64) -> f64 {
        let total = self.text(SacctColumn::TotalCpu).and_then(milliseconds);
        match total {
            // To the hundredth, as the archive's logs have it.
            Some(total) if procs > 0 => (total as f64 / 10.0 / procs as f64).round() / 100.0,
            _ => UNKNOWN as f64,
        }
    }

    /// Requested kilobytes per processor, from `4000M` (a job), `4Gn` (a node), `2Gc` (a processor).
    fn memory(&self, procs: i64) -> i64 {
        let Some(text) = self.text(SacctColumn::ReqMem) else { return UNKNOWN };
        let nodes = || self.text(SacctColumn::NNodes).and_then(integer).filter(|&nodes| nodes > 0);
        let (amount, shares) = match text {
            [amount @ .., b'c'] => (amount, Some(1.0)),
            [amount @ .., b'n'] => (amount, nodes().map(|nodes| procs as f64 / nodes as f64)),
            amount => (amount, Some(procs as f64)),
        };
        let (digits, kilobytes) = match amount {
            [digits @ .., b'K'] => (digits, 1.0),
            [digits @ .., b'M'] => (digits, 1024.0),
            [digits @ .., b'G'] => (digits, 1024.0 * 1024.0),
            [digits @ .., b'T'] => (digits, 1024.0 * 1024.0 * 1024.0),
            digits => (digits, 1024.0),
        };
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<f64>().ok());
        match (number, shares) {
            (Some(number), Some(shares)) if number.is_finite() && shares > 0.0 => {
                (number * kilobytes / shares) as i64
            }
            _ => UNKNOWN,
        }
    }
}
