//! One call from a job and a site to what to ask for.

use serde::Serialize;

use super::offer::JobLimits;
use super::option::{JobOption, TimeSpread};
use super::ranking::advised;
use super::variant::{JobChange, JobChanges, VariantsOf};
use crate::allot::{Size, SizesError};
use crate::forecast::{
    ASKED, ClusterWhenError, LimitAdvice, MethodRecord, RegimeRecord, StateNow, WhenError, WhenSettings,
    WhenSource,
};
use queuecast_core::asking::Learning;
use queuecast_core::job::{Job, QueueId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::mixture::OwnRuns;

/// Number of the last submitted jobs from which the queues and their largest jobs are derived.
const RECENT: usize = 5_000;

/// A queue with fewer jobs among these is not offered.
const FEWEST: usize = 30;

/// A job, and what may be changed about it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanQuestion {
    /// The job as its user would ask for it. Its time limit is what it asks for.
    pub job: Job,
    /// Which changes may be looked at.
    pub changes: JobChanges,
    /// What the site allows one job.
    pub limits: JobLimits,
    /// Other queues; `None` for all that take such jobs.
    pub queues: Option<Vec<QueueId>>,
}

/// How the answer is found.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSettings {
    /// How waits and run times are predicted.
    pub when: WhenSettings,
    /// How many simulations compare submitting later.
    pub draws: u32,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The starts cannot be predicted.
    #[error(transparent)]
    When(#[from] WhenError),
    /// Its start at a Slurm site cannot be forecast.
    #[error(transparent)]
    AtSite(#[from] ClusterWhenError),
    /// The job asks for no time, and a time limit is what most depends on.
    #[error("the job asks for no time limit")]
    NoLimit,
    /// It cannot be given the sizes described.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// The site refuses the job in every size: why, of the smallest.
    #[error("the site takes the job in none of the sizes: {0}")]
    NotTaken(String),
}

/// What a job could ask for, and what to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobPlan {
    /// As asked first, then every change.
    pub options: Vec<JobOption>,
    /// The shortest limit at the accepted risk.
    pub limit: LimitAdvice,
    /// The index in `options` of the advised one: 0 if no change helps, `None` if more time is to be asked for than any of them has.
    pub best: Option<usize>,
    /// How the waits were predicted.
    pub method: String,
    /// How right that was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// How right it was for those of them in the situation of the job as asked; `None` with fewer than 30.
    pub regime: Option<RegimeRecord>,
    /// The site at that moment.
    pub state: StateNow,
    /// Jobs that had started: what waits were learned from.
    pub learned: usize,
    /// The median of the run time and the range that holds eight times in ten, as predicted for the job as asked.
    pub run: TimeSpread,
    /// The last jobs of its user, which that stands on beside its limit; `None` if there are none, or the run time was measured.
    pub own_runs: Option<OwnRuns>,
}

impl JobPlan {
    /// The option to take; as asked if none is advised.
    pub fn advised(&self) -> &JobOption {
        &self.options[self.best.unwrap_or(0)]
    }

    /// With the options compared and the best one named.
    pub(super) fn compared(mut self, risk: f64) -> JobPlan {
        let first = self.options[0].clone();
        self.options.iter_mut().for_each(|one| one.compare(&first));
        self.best = advised(&self.options, risk);
        self
    }
}

/// What to ask for. Each job that a method was tried on is told as a step done.
pub fn plan_job(
    question: &PlanQuestion,
    source: &WhenSource<'_>,
    settings: &PlanSettings,
    learning: Learning<'_>,
) -> Result<JobPlan, PlanError> {
    let PlanQuestion { job: as_asked, changes, limits, .. } = question;
    let asked = as_asked.shape.limit.ok_or(PlanError::NoLimit)?;
    let (forecaster, then) = source.forecaster(&settings.when, learning)?;
    let (site, now) = source.asked_about(&then);
    let (history, learned) = (source.history(), forecaster.learned());
    let job = Job { index: ASKED, ..as_asked.clone() };
    let measured = changes.measured(job.shape.procs);
    let (is_measured, run) = (measured.is_some(), measured.unwrap_or_else(|| learned.run_time(&job)));
    let limit = forecaster.limits().advise(&run, asked, changes.risk);
    let variants = VariantsOf {
        job: as_asked,
        asked,
        run: &run,
        is_measured,
        limit: &limit,
        longest: limits.longest.or_else(|| longest_asked(history, now)).unwrap_or(asked),
        queues: other_queues(question, history, now, asked),
        sizes: &sizes(question, source)?,
    };
    let variants = variants.all(|job| learned.run_time(job));
    let jobs: Vec<Job> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = forecaster.answer(&jobs, site, now)?;
    let mut options =
        JobOption::all(&variants, answers.waits.iter().map(|one| Some(&one.wait)), Some(&limit));
    if !changes.later.is_empty() {
        let shifts = learned.later(site.view(now), &job, &changes.later, settings.draws, Seed(0));
        let each = changes.later.iter().zip(shifts);
        let later: Vec<JobOption> =
            each.map(|(&later, by)| options[0].moved(JobChange::Later(later), by)).collect();
        options.extend(later);
    }
    let plan = JobPlan {
        options,
        limit,
        best: None,
        method: answers.method,
        record: answers.record,
        regime: answers.regimes.first().copied().flatten(),
        state: answers.state,
        learned: answers.learned,
        run: TimeSpread::of(&run),
        own_runs: if is_measured { None } else { learned.own_runs(&job) },
    };
    Ok(plan.compared(changes.risk))
}

/// The sizes that it can have, with how long it runs there as its user says.
fn sizes(question: &PlanQuestion, source: &WhenSource<'_>) -> Result<Vec<Size>, SizesError> {
    let (machine, free) = match source {
        WhenSource::Log { workload, .. } => (workload.machine().procs, Vec::new()),
        WhenSource::Live { site, now, .. } => (site.view(*now).machine(), vec![site.view(*now).free()]),
    };
    question.changes.sizes(machine, &free, question.limits)
}

/// The longest limit that the last jobs asked for.
fn longest_asked(history: &Workload, now: Time) -> Option<Seconds> {
    let known = history.jobs().partition_point(|one| one.submit <= now);
    history.jobs()[known.saturating_sub(RECENT)..known].iter().filter_map(|job| job.shape.limit).max()
}

/// The job in other queues that took such jobs lately, with their names.
fn other_queues(
    question: &PlanQuestion,
    history: &Workload,
    now: Time,
    asked: Seconds,
) -> Vec<(String, Job)> {
    let known = history.jobs().partition_point(|one| one.submit <= now);
    let mut queues: std::collections::BTreeMap<u32, (usize, Procs, Seconds)> = Default::default();
    for job in &history.jobs()[known.saturating_sub(RECENT)..known] {
        let Some(queue) = job.queue else { continue };
        let seen = queues.entry(queue.number()).or_default();
        let limit = job.shape.limit.unwrap_or(Seconds::ZERO);
        *seen = (seen.0 + 1, seen.1.max(job.shape.procs), seen.2.max(limit));
    }
    let name = |number: u32| history.names.queues.get(&number).cloned().unwrap_or_else(|| number.to_string());
    let takes = |&(jobs, procs, limit): &(usize, Procs, Seconds)| {
        jobs >= FEWEST && procs >= question.job.shape.procs && limit >= asked
    };
    let offered = |number: u32, seen: &(usize, Procs, Seconds)| match &question.queues {
        Some(named) => named.iter().any(|one| one.number() == number),
        None => takes(seen),
    };
    queues
        .iter()
        .filter(|(number, seen)| offered(**number, seen))
        .filter_map(|(&number, _)| Some((QueueId::new(number)?, name(number))))
        .filter(|(queue, _)| Some(*queue) != question.job.queue)
        .map(|(queue, name)| (name, Job { queue: Some(queue), ..question.job.clone() }))
        .collect()
}
