//! A site, changed or not, and what is submitted to it.

use std::collections::BTreeMap;

use queuecast_core::order;
use serde::Serialize;

use super::accounted::{accounted, accounted_without};
use super::accounted_span::accounted_span;
use super::change::{AppliedChange, ChangeError, SiteChange};
use super::changed::read_changed_site;
use super::file_kind::SiteFileKind;
use super::logged_jobs::logged_jobs;
use super::rules::{CountedRule, RuleCounter};
use super::site::{SiteOptions, SiteReading};
use queuecast_core::asking::Refusal;
use queuecast_core::units::{Micros, Time};
use queuecast_slurm_sim::cluster::{Begin, Cluster, RecordedRun, SubmittedJob};
use queuecast_trace::sniff::sniff;
use queuecast_trace::{LogFormat, LogSpan, TimeZone, TraceError};

/// A site, changed or not, and what is submitted to it.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The site with its changes, and what is to be said about its texts.
    pub reading: SiteReading,
    /// The changes, and what each changed.
    pub changes: Vec<AppliedChange>,
    /// What is submitted, and what became of it where that is recorded.
    pub run: RecordedRun,
    /// Where the submissions come from.
    pub log: SubmissionLog,
}

/// Where submissions come from, and what of them could not be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SubmissionLog {
    /// `list` (sbatch's arguments), `sacct` or `swf`.
    pub kind: &'static str,
    /// Jobs that became submissions, array tasks one by one.
    pub jobs: usize,
    /// What is left out or taken otherwise than it stands there, by rule.
    pub rules: Vec<CountedRule>,
    /// What was assumed.
    pub assumed: Vec<String>,
}

/// Why nothing can be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// A change cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The log cannot be read: neither a list of submissions nor a log of a system.
    #[error("{0}")]
    Log(String),
    /// The log has no submission that could be read.
    #[error("no submission could be read{}", reason(.0))]
    NoSubmissions(Option<String>),
    /// The texts of the site tell of no node, or of no partition.
    #[error("the site has no {0} that are known")]
    NoMachine(&'static str),
}

impl WhatIfError {
    /// Why nothing can be simulated at a site, and what to do; `site` and `log` are what the texts are called.
    pub fn refusal(self, site: &str, log: &str) -> Refusal {
        match self {
            WhatIfError::Change(error) => Refusal::question(format!("a setting cannot be changed: {error}")).hint(
                "queuecast site check DIR --format json lists partitions, QOS, accounts, nodes and settings",
            ),
            WhatIfError::NoMachine(_) => Refusal::input(format!("{site}: {self}"))
                .hint("expected slurm.conf, or outputs of scontrol show node and partition"),
            WhatIfError::Log(_) | WhatIfError::NoSubmissions(_) => Refusal::input(format!("{log}: {self}"))
                .hint("a list of submissions has the columns submit,user,account,run,args (docs/reference/submissions.md)"),
        }
    }
}

fn reason(first: &Option<String>) -> String {
    first.as_ref().map_or(String::new(), |first| format!("; the first place that was not: {first}"))
}

/// Reads a site, with changes, and what is submitted to it: the texts of the site, in which recordings are left alone, and those of the log: one text,
/// or those of a recorded run.
pub fn read_what_if(
    site: &BTreeMap<String, String>,
    log: &BTreeMap<String, String>,
    changes: &[SiteChange],
    options: &SiteOptions,
) -> Result<WhatIf, WhatIfError> {
    let kind = |name: &str, text: &str| SiteFileKind::of(name, text);
    // Lists and calls are read together with the site, whose nodes they name; accounting alone is a log of its own.
    let is_list = log.iter().any(|(name, text)| {
        let lists =
            [SiteFileKind::Jobs, SiteFileKind::Calls, SiteFileKind::Plan, SiteFileKind::SimulatorEvents];
        kind(name, text).is_some_and(|kind| lists.contains(&kind))
    });
    let configured =
        site.iter().filter(|(name, text)| !kind(name, text).is_some_and(SiteFileKind::is_recorded));
    let recorded =
        log.iter().filter(|(name, text)| is_list && kind(name, text).is_some_and(SiteFileKind::is_recorded));
    let texts: BTreeMap<String, String> =
        order::map_of(configured.chain(recorded).map(|(name, text)| (name.clone(), text.clone())));
    let (mut reading, applied) = read_changed_site(&texts, options, changes)?;
    if reading.cluster.nodes.is_empty() {
        return Err(WhatIfError::NoMachine("nodes"));
    }
    if reading.cluster.partitions.is_empty() {
        return Err(WhatIfError::NoMachine("partitions"));
    }
    let (mut run, mut source) = match reading.recording.take() {
        Some(run) => (run, SubmissionLog { kind: "list", ..SubmissionLog::default() }),
        None if is_list => Default::default(),
        None => submissions(log, &reading.cluster, options)?,
    };
    if run.submissions.is_empty() {
        let misread = reading.misread.first().map(ToString::to_string);
        let rule = || source.rules.first().map(|one| format!("line {}, {}", one.line, one.rule));
        return Err(WhatIfError::NoSubmissions(misread.or_else(rule)));
    }
    resolve_begins(&mut run, &options.time_zone);
    begin_with_the_first(&mut run);
    source.jobs = run.submissions.iter().map(tasks).sum();
    Ok(WhatIf { reading, changes: applied, run, log: source })
}

/// The times of a log that is accounting of one cluster alone, without reading it deeply; `None` of any other log, which has to be read to
/// know them.
pub fn log_span(log: &BTreeMap<String, String>, zone: &TimeZone) -> Option<LogSpan> {
    let mut texts = log.iter();
    let (Some((name, text)), None) = (texts.next(), texts.next()) else { return None };
    let is_accounting = SiteFileKind::of(name, text).is_none_or(|kind| kind == SiteFileKind::Accounting)
        && sniff(text.as_bytes()).ok()? == LogFormat::SACCT;
    if is_accounting { accounted_span(text, zone) } else { None }
}

/// The submissions of a log of a system.
fn submissions(
    log: &BTreeMap<String, String>,
    cluster: &Cluster,
    options: &SiteOptions,
) -> Result<(RecordedRun, SubmissionLog), WhatIfError> {
    let failed = |error: TraceError| WhatIfError::Log(error.to_string());
    // Of a folder, the text that is a log.
    let texts = || log.values().map(String::as_str);
    let is_log = |text: &&str| sniff(text.as_bytes()).is_ok();
    let Some(text) = texts().find(is_log).or_else(|| texts().next()) else {
        return Err(WhatIfError::NoSubmissions(None));
    };
    let (mut rules, mut assumed) = (RuleCounter::default(), Vec::new());
    let format = sniff(text.as_bytes()).map_err(failed)?;
    let run = if format == LogFormat::SACCT {
        assumed = accounted_without(text, &options.time_zone).map_err(failed)?;
        accounted(text, cluster, options, &mut rules)
    } else {
        logged_jobs(text, format, cluster, &mut rules, &mut assumed)
    };
    let run = run.map_err(failed)?;
    Ok((run, SubmissionLog { kind: format.word(), jobs: 0, rules: rules.into_rules(), assumed }))
}

/// Resolves local begin times to Unix times, where the run's clock is in Unix time.
fn resolve_begins(run: &mut RecordedRun, zone: &TimeZone) {
    if !run.clock.is_unix {
        return;
    }
    for job in &mut run.submissions {
        let at = match job.request.terms.begin {
            Some(Begin::Local(local)) => instant(local.0, zone),
            Some(Begin::Clock(second)) => next_clock(job.submit.second().0, second.0, zone),
            _ => None,
        };
        if let Some(at) = at {
            job.request.terms.begin = Some(Begin::At(Time(at)));
        }
    }
}

/// The Unix time of a local time, given in seconds as if it were UTC.
fn instant(local: i64, zone: &TimeZone) -> Option<i64> {
    let civil = TimeZone::UTC.to_datetime(jiff::Timestamp::from_second(local).ok()?);
    Some(zone.to_timestamp(civil).ok()?.as_second())
}

/// The first Unix time, not before `after`, at which the local clock shows this second of the day.
fn next_clock(after: i64, second: i64, zone: &TimeZone) -> Option<i64> {
    let local = zone.to_offset(jiff::Timestamp::from_second(after).ok()?).seconds();
    let day = (after + i64::from(local)).div_euclid(86_400);
    let of_day = |day: i64| instant(day * 86_400 + second, zone);
    of_day(day).filter(|at| *at >= after).or_else(|| of_day(day + 1))
}

fn tasks(job: &SubmittedJob) -> usize {
    job.request.array.as_ref().map_or(1, |array| array.indices.len())
}

/// If the start of the scheduler's timers is unknown, the clock begins with the first submission.
fn begin_with_the_first(run: &mut RecordedRun) {
    let first = run.submissions.iter().map(|job| job.submit).min().unwrap_or_default();
    if run.clock.scheduler_start.is_none() && run.clock.begin == Micros::ZERO {
        (run.clock.zero, run.clock.begin) = (first.second(), first);
    }
}
