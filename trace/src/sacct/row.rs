//! The values of one row of `sacct`.

use jiff::tz::TimeZone;

use super::columns::{Columns, SacctColumn};
use super::duration::{integer, milliseconds, seconds, whole};
use super::fields::Span;
use super::state::state;
use super::time::{Instant, instant};
use crate::clean::Rule;
use crate::error::{Malformed, shortened};
use crate::record::UNKNOWN;
use queuecast_core::job::Ending;

/// One row, split into its fields.
pub(super) struct SacctRow<'a> {
    pub line: &'a [u8],
    pub number: u64,
    pub columns: &'a Columns,
    pub fields: &'a [Span],
    pub zone: &'a TimeZone,
}

/// The values that a row must have to be a record.
pub(super) struct RowValues<'a> {
    pub job: i64,
    /// How it ended; `None`: it has not.
    pub ending: Option<Ending>,
    pub submitted: Option<i64>,
    pub eligible: Option<i64>,
    pub start: Option<i64>,
    pub end: Option<i64>,
    /// Run time in seconds.
    pub run: i64,
    /// Requested time in seconds.
    pub request: i64,
    pub requested_procs: i64,
    pub allocated_procs: i64,
    /// The first local time without an offset.
    pub local: Option<&'a [u8]>,
    /// A local time that happened twice or never.
    pub changed_clocks: Option<(Rule, String)>,
    /// What the run time was, where it is not readable and `End` − `Start` is taken.
    pub invalid_run: Option<&'a [u8]>,
}

impl<'a> SacctRow<'a> {
    /// A column's text without surrounding blanks; `None` if there is no such column.
    pub fn text(&self, column: SacctColumn) -> Option<&'a [u8]> {
        let &(begin, end) = self.fields.get(self.columns.place(column)?)?;
        Some(self.line[begin..end].trim_ascii())
    }

    /// `JobID`, else `JobIDRaw`.
    pub fn id(&self) -> &'a [u8] {
        self.text(SacctColumn::JobId).or(self.text(SacctColumn::JobIdRaw)).unwrap_or_default()
    }

    /// Whether this is a step of a job, such as `123.batch`; not a long array that is cut short, as `123_[1,3,...]`.
    pub fn is_step(&self) -> bool {
        let mut own = self.id().iter().take_while(|byte| **byte != b'[');
        self.id().first().is_some_and(u8::is_ascii_digit) && own.any(|byte| *byte == b'.')
    }

    pub fn bad(&self, column: SacctColumn, reason: &str) -> Malformed {
        Malformed {
            line: self.number,
            field: Some(self.columns.describe(column)),
            value: shortened(self.text(column).unwrap_or_default()),
            reason: reason.into(),
        }
    }

    /// Reads the values, or says which is not readable.
    pub fn values(&self) -> Result<RowValues<'a>, Malformed> {
        let job = self.job_number()?;
        let named = match self.text(SacctColumn::State) {
            Some(word) => {
                let state = state(word);
                Some(state.ok_or_else(|| self.bad(SacctColumn::State, "not a job state of Slurm"))?.ending())
            }
            None => None,
        };
        let (mut local, mut changed_clocks) = (None, None);
        let mut clock = |column| -> Result<Option<i64>, Malformed> {
            let text = self.text(column).unwrap_or_default();
            let Some((instant, is_local)) = instant(text, self.zone) else {
                return Err(self.bad(column, no_time(text)));
            };
            if is_local && local.is_none() {
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
        let ending = named.unwrap_or_else(|| self.assumed_ending(start, end));
        let (run, invalid_run) = match start {
            Some(start) if ending.is_some() => self.run(start, end)?,
            _ => (UNKNOWN, None),
        };
        let requested_procs = match self.count(SacctColumn::ReqCpus)? {
            UNKNOWN => self.tres(SacctColumn::ReqTres),
            procs => procs,
        };
        let mut allocated_procs = self.count(SacctColumn::AllocCpus)?;
        if allocated_procs == UNKNOWN {
            allocated_procs = self.count(SacctColumn::NCpus)?;
        }
        if allocated_procs == UNKNOWN {
            allocated_procs = self.tres(SacctColumn::AllocTres);
        }
        let request = self.request()?;
        Ok(RowValues {
            job,
            ending,
            submitted,
            eligible,
            start,
            end,
            run,
            request,
            requested_procs,
            allocated_procs,
            local,
            changed_clocks,
            invalid_run,
        })
    }

    /// Without a `State`, a job that started and ended completed, and one that never started was cancelled.
    fn assumed_ending(&self, start: Option<i64>, end: Option<i64>) -> Option<Ending> {
        let ended = end.is_some() || self.columns.place(SacctColumn::End).is_none();
        match (start, ended) {
            (_, false) => None,
            (Some(_), true) => Some(Ending::Completed),
            (None, true) => Some(Ending::Cancelled),
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

    /// Run time in seconds, without suspended time where the row says so. Where Slurm could not tell it (`INVALID`), it is
    /// `End` − `Start`, and the text is returned too.
    fn run(&self, start: i64, end: Option<i64>) -> Result<(i64, Option<&'a [u8]>), Malformed> {
        let between = end.map_or(UNKNOWN, |end| end.saturating_sub(start).max(0));
        let mut invalid = None;
        for (column, reason) in [
            (SacctColumn::ElapsedRaw, "not a number of seconds"),
            (SacctColumn::Elapsed, "not a length of time"),
        ] {
            let Some(text) = self.text(column) else { continue };
            if text.is_empty() || text.eq_ignore_ascii_case(b"INVALID") {
                invalid = invalid.or(Some(text));
                continue;
            }
            let raw = column == SacctColumn::ElapsedRaw;
            let length = if raw { whole(text) } else { seconds(text) };
            return length.map(|length| (length, None)).ok_or_else(|| self.bad(column, reason));
        }
        Ok((between, invalid))
    }

    /// Requested seconds; unknown without a limit of the job's own.
    fn request(&self) -> Result<i64, Malformed> {
        for (column, unit) in [(SacctColumn::TimelimitRaw, 60), (SacctColumn::Timelimit, 1)] {
            let Some(text) = self.text(column) else { continue };
            let limitless = |word: &[u8]| text.eq_ignore_ascii_case(word);
            if text.is_empty() || limitless(b"UNLIMITED") || limitless(b"Partition_Limit") {
                continue;
            }
            let length = if column == SacctColumn::TimelimitRaw { whole(text) } else { seconds(text) };
            let length = length.and_then(|length| length.checked_mul(unit));
            return length.ok_or_else(|| self.bad(column, "not a time limit"));
        }
        Ok(UNKNOWN)
    }

    /// A number of processors; unknown if the column is absent, empty or 0.
    fn count(&self, column: SacctColumn) -> Result<i64, Malformed> {
        match self.text(column) {
            None | Some(b"") => Ok(UNKNOWN),
            Some(text) => match whole(text) {
                Some(0) => Ok(UNKNOWN),
                Some(count) => Ok(count),
                None => Err(self.bad(column, "not a number of processors")),
            },
        }
    }

    /// The processors among trackable resources: 4 of `billing=4,cpu=4,mem=8G,node=1`. Unknown if there are none.
    fn tres(&self, column: SacctColumn) -> i64 {
        let text = self.text(column).unwrap_or_default();
        let cpus = text.split(|&byte| byte == b',').find_map(|one| one.trim_ascii().strip_prefix(b"cpu="));
        cpus.and_then(whole).filter(|&cpus| cpus > 0).unwrap_or(UNKNOWN)
    }

    /// Seconds of CPU time per processor. No rule needs it, so an unreadable value is unknown.
    pub fn cpu(&self, procs: i64) -> f64 {
        let total = self.text(SacctColumn::TotalCpu).and_then(milliseconds);
        match total {
            // To the hundredth, as the archive's logs have it.
            Some(total) if procs > 0 => (total as f64 / 10.0 / procs as f64).round() / 100.0,
            _ => UNKNOWN as f64,
        }
    }

    /// Requested kilobytes per processor, from `4000M` (a job), `4Gn` (a node), `2Gc` (a processor). Old databases hold
    /// megabytes per processor as a number with its highest bit set, which `sacct` prints like memory of a node.
    pub fn memory(&self, procs: i64) -> i64 {
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
        let number = std::str::from_utf8(digits).ok();
        if let Some(megabytes) = number.and_then(per_processor).filter(|_| kilobytes == 1024.0) {
            return megabytes.saturating_mul(1024);
        }
        match (number.and_then(|digits| digits.parse::<f64>().ok()), shares) {
            (Some(number), Some(shares)) if number.is_finite() && shares > 0.0 => {
                (number * kilobytes / shares) as i64
            }
            _ => UNKNOWN,
        }
    }
}

/// The rest of a number whose highest bit, of 32 or of 64, says that it counts per processor.
fn per_processor(digits: &str) -> Option<i64> {
    let number: u64 = digits.parse().ok()?;
    let flag = [1 << 63, 1 << 31].into_iter().find(|&flag| number >= flag)?;
    i64::try_from(number - flag).ok().filter(|&rest| rest < 1 << 31)
}

/// Why a text is not a time.
fn no_time(text: &[u8]) -> &'static str {
    let slashes = text.iter().filter(|&&byte| byte == b'/').count();
    if slashes == 2 {
        "a date with slashes, which does not say what is day and what is month; times are Unix seconds or like 2024-01-31T23:59:59"
    } else {
        "neither Unix seconds nor a time like 2024-01-31T23:59:59"
    }
}
