//! Applies the cleaning rules to one record at a time.

use super::report::{Example, RuleCounts};
use super::rule::{Action, Effect, Rule};
use super::ruleset::Ruleset;
use crate::LogFormat;
use crate::error::TraceError;
use crate::record::{Field, Record, UNKNOWN};
use queuecast_core::units::Procs;
use queuecast_core::workload::FARTHEST;

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It is a job.
    Kept,
    /// It never started: not a job to simulate, but one that stood in the queue until it left.
    Withdrawn,
    /// It had not ended when the log was taken, or at the moment that it is read as of: not a job to simulate, but one that ran
    /// or waited at the end.
    Unfinished,
    /// It is not a job.
    Removed,
}

/// Applies a ruleset to records in the order of the log.
#[derive(Debug)]
pub struct Cleaner {
    ruleset: Ruleset,
    strict: bool,
    machine: Option<Procs>,
    held: bool,
    format: LogFormat,
    counts: RuleCounts,
    /// The job of the last summary line, whose partial executions may follow.
    summed_up: Option<i64>,
    latest_submit: i64,
}

impl Cleaner {
    /// A cleaner that follows `ruleset`; if strict, removing or changing a record is an error.
    pub fn new(ruleset: Ruleset, strict: bool) -> Cleaner {
        let counts = RuleCounts::default();
        Cleaner {
            ruleset,
            strict,
            machine: None,
            held: false,
            format: LogFormat::SWF,
            counts,
            summed_up: None,
            latest_submit: i64::MIN,
        }
    }

    /// Sets the size of the machine that jobs are compared with; none by default.
    pub fn set_machine(&mut self, procs: Option<Procs>) {
        self.machine = procs;
    }

    /// Whether the records come from accounting, where a job's size is what it held unless the ruleset says otherwise.
    /// `false` by default.
    pub fn set_held(&mut self, held: bool) {
        self.held = held;
    }

    /// Sets the format whose columns error messages name; SWF by default.
    pub fn set_format(&mut self, format: LogFormat) {
        self.format = format;
    }

    /// The counts so far.
    pub fn counts(&self) -> &RuleCounts {
        &self.counts
    }

    /// Returns the counts.
    pub fn into_counts(self) -> RuleCounts {
        self.counts
    }

    /// Applies the rules to a record, possibly changing it. Of a record that is not removed, `requested_procs` are the processors
    /// the job is taken to need.
    pub fn clean(&mut self, record: &mut Record) -> Result<Disposition, TraceError> {
        if record.unfinished && !record.cut {
            self.fire(Rule::Unfinished, record, || "not ended".into())?;
            return Ok(self.unfinished(record));
        }
        if record.is_partial() {
            let status = record.status;
            if self.summed_up == Some(record.job) {
                self.fire(Rule::PartialExecution, record, || format!("status {status}"))?;
                if self.ruleset.action(Rule::PartialExecution) == Action::Drop {
                    return Ok(Disposition::Removed);
                }
            } else {
                self.fire(Rule::PartialAlone, record, || format!("status {status}"))?;
            }
        } else {
            self.summed_up = Some(record.job);
        }
        if record.job < 0 {
            let job = record.job;
            self.fire(Rule::JobNumberMissing, record, || format!("job number {job}"))?;
            record.job = i64::try_from(record.line).unwrap_or(i64::MAX);
        }
        if record.submit < 0 {
            let submit = record.submit;
            return self.remove(Rule::SubmitMissing, record, || format!("submit {submit}"));
        }
        if record.cut {
            return self.cut(record);
        }
        if record.run < 0 {
            let run = record.run;
            self.fire(Rule::RunMissing, record, || format!("run {run}"))?;
            return Ok(self.withdraw(record));
        }
        if record.submit.max(record.run).max(record.requested_time) > FARTHEST {
            let (submit, run, request) = (record.submit, record.run, record.requested_time);
            return self.remove(Rule::TimeRange, record, || {
                format!("submit {submit}, run {run}, requested {request}")
            });
        }
        if !self.choose_processors(record)? {
            return Ok(Disposition::Removed);
        }
        if !self.judge_run(record)? {
            return Ok(self.withdraw(record));
        }
        if !self.fit(record)? {
            return Ok(Disposition::Removed);
        }
        if !(UNKNOWN..=5).contains(&record.status) {
            let status = record.status;
            self.fire(Rule::StatusUnknown, record, || format!("status {status}"))?;
        }
        self.judge_order(record)?;
        Ok(Disposition::Kept)
    }

    /// Jobs may become eligible in any order; only the order of submission counts.
    fn judge_order(&mut self, record: &Record) -> Result<(), TraceError> {
        let submitted = if record.submitted >= 0 { record.submitted } else { record.submit };
        if submitted < self.latest_submit {
            let latest = self.latest_submit;
            self.fire(Rule::SubmitUnordered, record, || format!("{submitted} after {latest}"))?;
        }
        self.latest_submit = self.latest_submit.max(submitted);
        Ok(())
    }

    /// Applies the rules to a job that waited or ran at the moment that the log is read as of: those about what was known of
    /// it then.
    fn cut(&mut self, record: &mut Record) -> Result<Disposition, TraceError> {
        if record.submit.max(record.requested_time) > FARTHEST {
            let (submit, request) = (record.submit, record.requested_time);
            return self.remove(Rule::TimeRange, record, || format!("submit {submit}, requested {request}"));
        }
        // What a waiting job will hold is not known.
        let is_sized = record.wait < 0 && record.requested_procs > 0;
        if !is_sized && !self.choose_processors(record)? {
            return Ok(Disposition::Removed);
        }
        if record.requested_time <= 0 {
            let request = record.requested_time;
            self.fire(Rule::RequestMissing, record, || format!("requested {request}"))?;
            if self.ruleset.action(Rule::RequestMissing) == Action::Drop {
                return Ok(Disposition::Removed);
            }
            record.requested_time = UNKNOWN;
        }
        if !self.fit(record)? {
            return Ok(Disposition::Removed);
        }
        self.judge_order(record)?;
        Ok(Disposition::Unfinished)
    }

    /// Decides whether a record without a run is a withdrawn job. It obeys the rules that jobs obey; they are not
    /// counted again, as the rule that removed the record is.
    fn withdraw(&self, record: &mut Record) -> Disposition {
        let request_missing = record.requested_time <= 0;
        let times = record.submit.max(record.wait).max(record.requested_time);
        let machine = self.machine.map_or(i64::from(u32::MAX), |procs| i64::from(procs.0));
        if record.requested_procs <= 0 {
            record.requested_procs = record.allocated_procs;
        }
        let too_large = record.requested_procs > machine;
        let is_job = record.is_withdrawn()
            && record.requested_procs > 0
            && times <= FARTHEST
            && self.ruleset.action(Rule::Processors) != Action::Held
            && !(request_missing && self.ruleset.action(Rule::RequestMissing) == Action::Drop)
            && !(too_large && self.ruleset.action(Rule::TooLarge) != Action::Cap);
        if !is_job {
            return Disposition::Removed;
        }
        record.requested_procs = record.requested_procs.min(machine);
        if request_missing {
            record.requested_time = UNKNOWN;
        }
        Disposition::Withdrawn
    }

    /// Decides whether a record that had not ended is a job that ran or waited at the end of the log. It obeys the rules that
    /// jobs obey; they are not counted again.
    fn unfinished(&self, record: &mut Record) -> Disposition {
        let (requested, allocated) = (record.requested_procs, record.allocated_procs);
        let started = record.wait >= 0;
        let (first, second) = if started && self.ruleset.prefers_allocated(self.held) {
            (allocated, requested)
        } else {
            (requested, allocated)
        };
        record.requested_procs = if first > 0 { first } else { second };
        if record.requested_time <= 0 {
            record.requested_time = UNKNOWN;
        }
        let times = record.submit.max(record.wait).max(record.requested_time);
        let machine = self.machine.map_or(i64::from(u32::MAX), |procs| i64::from(procs.0));
        let is_job =
            record.submit >= 0 && times <= FARTHEST && (1..=machine).contains(&record.requested_procs);
        if is_job { Disposition::Unfinished } else { Disposition::Removed }
    }

    fn choose_processors(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        let (requested, allocated) = (record.requested_procs, record.allocated_procs);
        let (preferred, other) = if self.ruleset.prefers_allocated(self.held) {
            (allocated, requested)
        } else {
            (requested, allocated)
        };
        if preferred <= 0 && other <= 0 {
            self.fire(Rule::ProcessorsMissing, record, || {
                format!("requested {requested}, allocated {allocated}")
            })?;
            return Ok(false);
        }
        if preferred <= 0 {
            self.fire(Rule::Processors, record, || format!("requested {requested}, allocated {allocated}"))?;
            if self.ruleset.action(Rule::Processors) == Action::Held {
                return Ok(false);
            }
        }
        if preferred > 0 && other > 0 && preferred != other {
            self.fire(Rule::ProcessorsDiffer, record, || {
                format!("requested {requested}, allocated {allocated}: {preferred} taken")
            })?;
        }
        record.requested_procs = if preferred > 0 { preferred } else { other };
        Ok(true)
    }

    fn judge_run(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        if record.run == 0 {
            let action = self.ruleset.action(Rule::RunZero);
            self.fire(Rule::RunZero, record, || "run 0".into())?;
            match action {
                Action::Drop => return Ok(false),
                Action::OneSecond => record.run = 1,
                _ => {}
            }
        }
        if record.requested_time <= 0 {
            let (action, request) = (self.ruleset.action(Rule::RequestMissing), record.requested_time);
            self.fire(Rule::RequestMissing, record, || format!("requested {request}"))?;
            match action {
                Action::Drop => return Ok(false),
                Action::Run => record.requested_time = record.run.max(1),
                _ => record.requested_time = UNKNOWN,
            }
        }
        if record.requested_time > 0 && record.run > record.requested_time {
            let (run, request) = (record.run, record.requested_time);
            self.fire(Rule::RunAboveRequest, record, || format!("ran {run}, requested {request}"))?;
            if self.ruleset.action(Rule::RunAboveRequest) == Action::Cut {
                record.run = request;
            }
        }
        Ok(true)
    }

    /// Whether the record fits the machine, if its size is known, and 32 bits.
    fn fit(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        let machine = self.machine.map_or(i64::from(u32::MAX), |procs| i64::from(procs.0));
        let procs = record.requested_procs;
        if procs <= machine {
            return Ok(true);
        }
        self.fire(Rule::TooLarge, record, || format!("{procs} processors of {machine}"))?;
        record.requested_procs = machine;
        Ok(self.ruleset.action(Rule::TooLarge) == Action::Cap)
    }

    fn remove(
        &mut self,
        rule: Rule,
        record: &Record,
        value: impl FnOnce() -> String,
    ) -> Result<Disposition, TraceError> {
        self.fire(rule, record, value)?;
        Ok(Disposition::Removed)
    }

    fn fire(
        &mut self,
        rule: Rule,
        record: &Record,
        value: impl FnOnce() -> String,
    ) -> Result<(), TraceError> {
        if self.strict && matches!(self.ruleset.action(rule).effect(), Effect::Changed | Effect::Removed) {
            let field = culprit(rule, record);
            return Err(strict_error(rule, field, self.format, record.line, record.job, value()));
        }
        let (line, job) = (record.line, record.job);
        self.counts.count(rule, || Example {
            line: (line > 0).then_some(line),
            job: (job >= 0).then_some(job),
            value: value(),
        });
        Ok(())
    }
}

/// The field that made a rule fire that looks at several.
fn culprit(rule: Rule, record: &Record) -> Option<Field> {
    if rule != Rule::TimeRange {
        return rule.field();
    }
    let times = [Field::Submit, Field::Run, Field::RequestedTime];
    times.into_iter().find(|&field| record.known(field).is_some_and(|value| value > FARTHEST))
}

/// The error of strict mode.
pub(crate) fn strict_error(
    rule: Rule,
    field: Option<Field>,
    format: LogFormat,
    line: u64,
    job: i64,
    value: String,
) -> TraceError {
    let place = field.map_or_else(
        || "whole line".to_owned(),
        |field| format!("{} ({})", field.name(), (format.0.place)(field)),
    );
    TraceError::Strict { line, place, job, value, rule }
}
