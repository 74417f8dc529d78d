//! The logs, prepared: what is told of them in tables, and what is simulated.

use std::collections::BTreeSet;

use super::logs::PaperLog;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::{Workload, WorkloadError};
use queuecast_eval::EvalError;
use queuecast_synth::characterization::{Accuracy, Growth, Modes, Owners};
use queuecast_synth::synth::{EstimateModel, Supplied, Variant};

/// A log as it was read.
#[derive(Debug, Clone, Copy)]
pub struct SourceLog<'a> {
    /// Its jobs, run times cut to estimates.
    pub workload: &'a Workload,
    /// Its records, before any was left out.
    pub records: u64,
}

/// Everything of the paper that is not simulated.
#[derive(Debug, Clone)]
pub struct Material {
    /// The rows of Tables 1 and 2: the four logs, then SDSC and KTH without the paper's manipulations.
    pub(super) rows: Vec<LogPortrait>,
    /// What is simulated: the four logs, then CTC on the processors of its header.
    pub subjects: Vec<Subject>,
}

/// What is told of a log.
#[derive(Debug, Clone)]
pub(super) struct LogPortrait {
    pub procs: u32,
    pub records: u64,
    /// Jobs, those without an estimate among them.
    pub jobs: u64,
    /// Jobs without an estimate.
    pub silent: u64,
    /// From the first to the last submission.
    pub span: Seconds,
    pub users: usize,
    pub modes: Modes,
    /// Of the first and of the second half of the jobs.
    pub halves: [Modes; 2],
    pub growth: Option<Growth>,
    pub owners: Option<Owners>,
    pub accuracy: Option<Accuracy>,
    /// How many jobs ran for how long.
    pub runs: Modes,
    /// Jobs so far, and different estimates among them, at equal steps.
    pub growing: Vec<(f64, f64)>,
}

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Which log.
    pub log: PaperLog,
    /// What it is called.
    pub name: &'static str,
    /// Its jobs with the users' estimates, as the paper models them.
    pub workload: Workload,
    /// Those estimates.
    pub modes: Modes,
    /// What the vanilla setting tells the model.
    pub vanilla: EstimateModel,
    /// What the improved setting tells it.
    pub improved: EstimateModel,
    /// All that a model can be told: the 20 most popular modes.
    pub told: EstimateModel,
    /// The share of the jobs that ran to their estimate.
    pub peak: f64,
}

/// Table 1 gives CTC all of its SP2, though batch jobs had 338 processors of it.
pub const CTC_PROCS: Procs = Procs(512);

/// The subject that is not the paper's.
pub const SMALL_CTC: &str = "CTC on 338";

impl Material {
    /// Prepares the four logs, in the order of [`PaperLog::ALL`].
    pub fn of(sources: &[SourceLog<'_>]) -> Result<Material, EvalError> {
        let logs = || PaperLog::ALL.into_iter().zip(sources);
        let mut rows = Vec::new();
        for (log, source) in logs() {
            let silent = source.workload.jobs().iter().filter(|job| job.shape.limit.is_none()).count() as u64;
            rows.push(LogPortrait::of(&log.jobs_of(source.workload)?, source.records, silent));
        }
        for (_, source) in logs().filter(|(log, _)| matches!(log, PaperLog::Sdsc106 | PaperLog::Kth4h)) {
            rows.push(LogPortrait::of(source.workload, source.records, 0));
        }
        let mut subjects = Vec::new();
        for (log, source) in logs() {
            let machine = (log == PaperLog::Ctc).then_some(CTC_PROCS);
            subjects.push(Subject::of(log, log.name(), source.workload, machine)?);
        }
        for (log, source) in logs().filter(|(log, _)| *log == PaperLog::Ctc) {
            subjects.push(Subject::of(log, SMALL_CTC, source.workload, None)?);
        }
        Ok(Material { rows, subjects })
    }

    /// The four logs of the paper.
    pub(super) fn papers(&self) -> &[Subject] {
        &self.subjects[..PaperLog::ALL.len().min(self.subjects.len())]
    }

    /// What is told of them.
    pub(super) fn logs(&self) -> &[LogPortrait] {
        &self.rows[..PaperLog::ALL.len().min(self.rows.len())]
    }
}

impl LogPortrait {
    /// `silent` jobs are not in the workload, because they ask for no time; those that are in it count too.
    fn of(workload: &Workload, records: u64, silent: u64) -> LogPortrait {
        let limits = || workload.jobs().iter().map(|job| job.shape.limit);
        let within = limits().filter(Option::is_none).count() as u64;
        let half = workload.len() / 2;
        let span = match (workload.jobs().first(), workload.jobs().last()) {
            (Some(first), Some(last)) => last.submit - first.submit,
            _ => Seconds::ZERO,
        };
        let users: BTreeSet<u32> =
            workload.jobs().iter().filter_map(|job| job.user).map(|user| user.number()).collect();
        LogPortrait {
            procs: workload.machine().procs.0,
            records,
            jobs: workload.len() as u64 + silent,
            silent: silent + within,
            span,
            users: users.len(),
            modes: Modes::of(workload),
            halves: [limits().take(half).flatten().collect(), limits().skip(half).flatten().collect()],
            growth: Growth::of(workload),
            owners: Owners::of(workload),
            accuracy: Accuracy::of(workload),
            runs: workload.truths().iter().map(|truth| truth.run()).collect(),
            growing: growing(workload),
        }
    }

    /// The paper's *K*: jobs without an estimate have one in common.
    pub fn values(&self) -> usize {
        self.modes.len() + usize::from(self.silent > 0)
    }

    /// The longest estimate its site seems to permit.
    pub fn longest(&self) -> Seconds {
        self.modes.permitted().unwrap_or_default()
    }
}

impl Subject {
    fn of(
        log: PaperLog,
        name: &'static str,
        source: &Workload,
        machine: Option<Procs>,
    ) -> Result<Subject, WorkloadError> {
        let modelled = log.modelled(source)?;
        let workload = Variant { machine, ..Variant::default() }.of(&modelled)?;
        let modes = Modes::of(&workload);
        let reached = workload.jobs().iter().zip(workload.truths());
        let reached = reached.filter(|(job, truth)| job.shape.limit == Some(truth.run())).count();
        Ok(Subject {
            log,
            name,
            vanilla: log.vanilla(&modes),
            improved: log.improved(&modes),
            told: told(&modes),
            peak: reached as f64 / workload.len().max(1) as f64,
            modes,
            workload,
        })
    }
}

/// A model that knows the 20 most popular estimates, the longest among them.
fn told(modes: &Modes) -> EstimateModel {
    let mut model = EstimateModel::new(modes.jobs(), modes.longest().unwrap_or_default());
    let head = modes.by_popularity().into_iter().take(super::setup::HEAD);
    let percent = |time| 100.0 * modes.share(time);
    model.supplied = head.map(|mode| Supplied { time: mode.time, percent: percent(mode.time) }).collect();
    model
}

/// How many jobs apart the points are that Figure 7 is fitted to.
const STEP: usize = 100;

/// Every [`STEP`] jobs with an estimate, how many different ones there were.
fn growing(workload: &Workload) -> Vec<(f64, f64)> {
    let mut seen = BTreeSet::new();
    let limits = (1..).zip(workload.jobs().iter().filter_map(|job| job.shape.limit));
    let points = limits.filter_map(|(jobs, limit): (usize, Seconds)| {
        seen.insert(limit);
        (jobs % STEP == 0).then_some((jobs as f64, seen.len() as f64))
    });
    points.collect()
}
