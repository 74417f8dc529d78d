//! The report of cleaning: how often each rule fired, what it did, and where it fired first.

use std::fmt;

use serde::Serialize;

use super::rule::{Action, Effect, Rule};
use super::ruleset::Ruleset;
use crate::record::Record;
use queuecast_core::units::Seconds;

/// Where a rule fired first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Line in the file; `None` where it fired on the jobs as a whole.
    pub line: Option<u64>,
    /// The log's job number, if it has one.
    pub job: Option<i64>,
    /// The value found.
    pub value: String,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        if let Some(job) = self.job {
            write!(f, "job {job}: ")?;
        }
        f.write_str(&self.value)
    }
}

/// Counts while a log is read.
#[derive(Debug, Clone, Default)]
pub struct RuleCounts {
    tallies: Vec<(u64, Option<Example>)>,
}

impl RuleCounts {
    /// Counts one more; `example` is called the first time only.
    pub fn count(&mut self, rule: Rule, example: impl FnOnce() -> Example) {
        if self.tallies.is_empty() {
            self.tallies = vec![(0, None); Rule::ALL.len()];
        }
        let (count, first) = &mut self.tallies[rule.at()];
        *count += 1;
        first.get_or_insert_with(example);
    }

    /// How often a rule has fired.
    pub fn fired(&self, rule: Rule) -> u64 {
        self.tallies.get(rule.at()).map_or(0, |(count, _)| *count)
    }

    /// Where a rule fired first.
    pub fn example(&self, rule: Rule) -> Option<&Example> {
        self.tallies.get(rule.at()).and_then(|(_, example)| example.as_ref())
    }

    /// Adds other counts; of two examples, the one of `self` stays.
    pub fn merge(&mut self, other: RuleCounts) {
        if self.tallies.is_empty() {
            self.tallies = other.tallies;
            return;
        }
        for ((count, first), (more, example)) in self.tallies.iter_mut().zip(other.tallies) {
            *count += more;
            *first = first.take().or(example);
        }
    }

    /// The report, given the number of data lines.
    pub fn report(&self, ruleset: &Ruleset, lines: u64, machine: Option<String>) -> CleaningReport {
        let mut rules = Vec::new();
        for (&rule, (count, example)) in Rule::ALL.iter().zip(&self.tallies) {
            if *count > 0 {
                let action = ruleset.action(rule);
                rules.push(RuleReport {
                    rule,
                    description: rule.description(),
                    action,
                    effect: action.effect(),
                    count: *count,
                    example: example.clone(),
                });
            }
        }
        let removed = rules.iter().filter(|rule| rule.effect == Effect::Removed).map(|rule| rule.count).sum();
        CleaningReport {
            ruleset: ruleset.clone(),
            lines,
            jobs: lines.saturating_sub(removed),
            removed,
            machine,
            withdrawn: None,
            rules,
        }
    }
}

/// The effect of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// The rule.
    pub rule: Rule,
    /// Its description.
    pub description: &'static str,
    /// Its action.
    pub action: Action,
    /// The effect of the action on the records.
    pub effect: Effect,
    /// How many records it fired on.
    pub count: u64,
    /// The first of these records.
    pub example: Option<Example>,
}

/// Jobs that left the queue before they started.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Withdrawals {
    /// How many there are, all of them among the removed records.
    pub jobs: u64,
    /// How the log records them.
    pub kinds: WithdrawnKinds,
    /// Further cancelled jobs, of which the log does not say when they left the queue: they are in no queue.
    pub unplaced: u64,
    /// How long they waited before they left, summed.
    pub queue_time: Seconds,
    /// Their share of all queue time, the other part being the waits of the jobs that started; `None` if the log
    /// records no waits.
    pub queue_time_share: Option<f64>,
}

/// How logs record jobs that left the queue before they started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawnKind {
    /// No run time and no processors.
    Neither,
    /// No run time, but processors: those asked for.
    Processors,
    /// A run time of 0 and no processors.
    ZeroRun,
    /// A run time of 0 and processors.
    ZeroRunProcessors,
}

impl WithdrawnKind {
    /// The kind of a record, if it is one of a withdrawn job.
    pub(crate) fn of(record: &Record) -> WithdrawnKind {
        match (record.run < 0, record.allocated_procs > 0) {
            (true, false) => WithdrawnKind::Neither,
            (true, true) => WithdrawnKind::Processors,
            (false, false) => WithdrawnKind::ZeroRun,
            (false, true) => WithdrawnKind::ZeroRunProcessors,
        }
    }
}

/// How many withdrawn jobs are recorded how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WithdrawnKinds {
    /// Without a run time and without processors.
    pub neither: u64,
    /// Without a run time, with processors.
    pub processors: u64,
    /// With a run time of 0, without processors.
    pub zero_run: u64,
    /// With a run time of 0, with processors.
    pub zero_run_processors: u64,
}

impl WithdrawnKinds {
    fn of(kinds: &[WithdrawnKind]) -> WithdrawnKinds {
        let count = |kind: WithdrawnKind| kinds.iter().filter(|one| **one == kind).count() as u64;
        WithdrawnKinds {
            neither: count(WithdrawnKind::Neither),
            processors: count(WithdrawnKind::Processors),
            zero_run: count(WithdrawnKind::ZeroRun),
            zero_run_processors: count(WithdrawnKind::ZeroRunProcessors),
        }
    }
}

impl fmt::Display for WithdrawnKinds {
    /// Those that there are: "5,667 without run time and processors, 2 without run time".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.neither, "without run time and processors"),
            (self.processors, "without run time, with processors"),
            (self.zero_run, "with run time 0, without processors"),
            (self.zero_run_processors, "with run time 0 and processors"),
        ];
        let there = all.iter().filter(|(count, _)| *count > 0);
        let texts: Vec<String> = there.map(|(count, what)| format!("{count} {what}")).collect();
        f.write_str(&texts.join("; "))
    }
}

impl Withdrawals {
    /// Sums up how long each withdrawn job waited; `started` is the sum of the waits of jobs that started.
    pub(crate) fn of(
        waits: impl Iterator<Item = Seconds>,
        kinds: &[WithdrawnKind],
        unplaced: u64,
        started: i128,
    ) -> Withdrawals {
        let (mut jobs, mut total) = (0, 0_i128);
        for wait in waits {
            jobs += 1;
            total += i128::from(wait.0);
        }
        let all = total + started;
        let queue_time = Seconds(i64::try_from(total).unwrap_or(i64::MAX));
        let queue_time_share = (all > 0).then(|| total as f64 / all as f64);
        Withdrawals { jobs, kinds: WithdrawnKinds::of(kinds), unplaced, queue_time, queue_time_share }
    }
}

/// What cleaning did to a log. `lines = jobs + removed`, and each removed line is counted by exactly one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CleaningReport {
    /// The ruleset.
    pub ruleset: Ruleset,
    /// Data lines in the file.
    pub lines: u64,
    /// Jobs that remain.
    pub jobs: u64,
    /// Lines that are not jobs.
    pub removed: u64,
    /// The machine's size and where it is known from, as text.
    pub machine: Option<String>,
    /// Jobs that never started; `None` where the log was read and not cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawals>,
    /// Every rule that fired.
    pub rules: Vec<RuleReport>,
}

impl CleaningReport {
    /// How often a rule fired.
    pub fn fired(&self, rule: Rule) -> u64 {
        self.rules.iter().find(|report| report.rule == rule).map_or(0, |report| report.count)
    }

    /// The effect of one rule, if it fired.
    pub fn rule(&self, rule: Rule) -> Option<&RuleReport> {
        self.rules.iter().find(|report| report.rule == rule)
    }
}

impl fmt::Display for CleaningReport {
    /// Several lines of plain text, the last without a line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} lines, {} jobs, {} removed by ruleset {}",
            self.lines, self.jobs, self.removed, self.ruleset
        )?;
        if let Some(machine) = &self.machine {
            write!(f, "\n  machine: {machine}")?;
        }
        if let Some(Withdrawals { jobs: jobs @ 1.., queue_time_share, .. }) = self.withdrawn {
            write!(f, "\n  withdrawn: {jobs} of the removed left the queue before they started")?;
            if let Some(share) = queue_time_share {
                write!(f, "; {:.1}% of all queue time", share * 100.0)?;
            }
        }
        for report in &self.rules {
            let RuleReport { rule, description, action, effect, count, example } = report;
            write!(f, "\n  {rule}: {count} {effect} ({action}): {description}")?;
            if let Some(example) = example {
                write!(f, "; first: {example}")?;
            }
        }
        Ok(())
    }
}
