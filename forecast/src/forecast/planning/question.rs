//! One call from a job and a site to what to ask for.

use serde::Serialize;

use super::super::answer::{StateNow, WhenError, WhenSettings};
use super::super::closeness::shifted;
use super::super::forecaster::ASKED;
use super::super::trials::MethodRecord;
use super::super::when::WhenSource;
use super::limit::{LimitAdvice, longer_limits, longer_run};
use super::option::{JobChange, JobOption};
use crate::allot::SizesError;
use crate::allot::advice::{JobLimits, MoldableJob};
use queuecast_core::asking::Learning;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, QueueId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::mixture::OwnRuns;

/// Number of the last submitted jobs from which the queues and their largest jobs are derived.
const RECENT: usize = 5_000;

/// A queue with fewer jobs among these is not offered.
const FEWEST: usize = 30;

/// Options whose gain is at least this share of the best gain count as equally good; the one of least effort is advised.
const AS_GOOD: f64 = 0.8;

/// A job, and which changes of it may be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanQuestion {
    /// The job as its user would ask for it. Its time limit is what it asks for.
    pub job: Job,
    /// How long it runs on other sizes, if it can have them. A measured run time on its own size is believed.
    pub sizes: Option<MoldableJob>,
    /// What the site allows one job.
    pub limits: JobLimits,
    /// Other queues; `None` for all that take such jobs.
    pub queues: Option<Vec<QueueId>>,
    /// How much later it could be submitted instead.
    pub later: Vec<Seconds>,
    /// The accepted probability of being stopped at a time limit.
    pub risk: f64,
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
    /// The job asks for no time, and a time limit is what most depends on.
    #[error("the job asks for no time limit")]
    NoLimit,
    /// It cannot be given the sizes described.
    #[error(transparent)]
    Sizes(#[from] SizesError),
}

/// What a job could ask for, and what to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobPlan {
    /// As asked first, then every change.
    pub options: Vec<JobOption>,
    /// The shortest limit at the accepted risk.
    pub limit: LimitAdvice,
    /// The index in `options` of the advised one: the least effort among those that gain most; 0 if none helps.
    pub best: usize,
    /// How the waits were predicted.
    pub method: String,
    /// How right that was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// The site at that moment.
    pub state: StateNow,
    /// Jobs that had started: what waits were learned from.
    pub learned: usize,
    /// The median of the run time and the range that holds eight times in ten, as predicted for the job as asked.
    pub run: super::option::TimeSpread,
    /// The last jobs of its user, which that stands on beside its limit; `None` if there are none, or the run time was measured.
    pub own_runs: Option<OwnRuns>,
}

impl JobPlan {
    /// The option to take.
    pub fn advised(&self) -> &JobOption {
        &self.options[self.best]
    }
}

/// What to ask for. Each job that a method was tried on is told as a step done.
pub fn plan_job(
    question: &PlanQuestion,
    source: &WhenSource<'_>,
    settings: &PlanSettings,
    learning: Learning<'_>,
) -> Result<JobPlan, PlanError> {
    let asked = question.job.shape.limit.ok_or(PlanError::NoLimit)?;
    let (forecaster, then) = source.forecaster(&settings.when, learning)?;
    let (site, now) = source.asked_about(&then);
    let history = source.history();
    let job = Job { index: ASKED, ..question.job.clone() };
    let sizes = sizes(question, source)?;
    let measured = question.sizes.as_ref().and_then(|moldable| moldable.run_time_on(job.shape.procs));
    let run = measured.clone().unwrap_or_else(|| forecaster.learned().run_time(&job));
    let limit = forecaster.limits().advise(&run, asked, question.risk);
    let mut variants = variants(question, (history, now), &sizes, &run, (asked, limit.limit));
    let longest = question.limits.longest.or_else(|| longest_asked(history, now)).unwrap_or(asked);
    for longer in longer_limits(&limit).filter(|longer| *longer <= longest) {
        let mut changed = question.job.clone();
        changed.shape.limit = Some(longer);
        // A measured run time stays.
        let run = match &measured {
            Some(measured) => measured.clone(),
            None => longer_run(&run, asked, &forecaster.learned().run_time(&changed)),
        };
        variants.push(AskedVariant { change: JobChange::LongerLimit, job: changed, run });
    }
    let jobs: Vec<Job> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = forecaster.answer(&jobs, site, now)?;
    let mut options: Vec<JobOption> = variants
        .iter()
        .zip(&answers.waits)
        .map(|(one, wait)| {
            let shape = (one.job.shape.procs, one.job.shape.limit.unwrap_or(asked));
            JobOption::new(one.change.clone(), shape, &wait.wait, &one.run)
        })
        .collect();
    options.iter_mut().for_each(|option| option.bound_risk(&limit));
    // Each longer limit has a prediction of its own; none stops more jobs than a shorter one.
    let mut least = options[0].risk;
    for option in options.iter_mut().filter(|one| one.change == JobChange::LongerLimit) {
        option.risk = option.risk.min(least);
        least = option.risk;
    }
    let first = options[0].clone();
    if !question.later.is_empty() {
        let shifts =
            forecaster.learned().later(site.view(now), &job, &question.later, settings.draws, Seed(0));
        options.extend(question.later.iter().zip(shifts).map(|(&later, (start, end))| JobOption {
            change: JobChange::Later(later),
            start: first.start.shifted(start),
            done: first.done.shifted(end),
            ends: shifted(&first.ends, end),
            ..first.clone()
        }));
    }
    options.iter_mut().for_each(|one| one.compare(&first));
    let best = best(&options, question.risk);
    let run = super::option::TimeSpread::of(&run);
    let own_runs = measured.is_none().then(|| forecaster.learned().own_runs(&job)).flatten();
    Ok(JobPlan {
        own_runs,
        options,
        limit,
        best,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        learned: answers.learned,
        run,
    })
}

/// The option to take: where the limit asked for is too risky and a longer one is not, the shortest such; else [`quickest`].
pub(super) fn best(options: &[JobOption], risk: f64) -> usize {
    let is_safe = |one: &JobOption| one.change == JobChange::LongerLimit && one.risk <= risk;
    match options.iter().position(is_safe) {
        Some(longer) if options[0].risk > risk => longer,
        _ => quickest(options, risk),
    }
}

/// The cheapest of the changes that help about as much as the best of them, at no more than the accepted risk of being stopped; the first
/// if none helps for sure.
fn quickest(options: &[JobOption], risk: f64) -> usize {
    let helps = |one: &JobOption| !one.too_close && one.gain > 0.0 && one.risk <= risk;
    let most = options.iter().filter(|one| helps(one)).map(|one| one.gain).fold(0.0, f64::max);
    let good = options.iter().enumerate().filter(|(_, one)| helps(one) && one.gain >= AS_GOOD * most);
    let cost = |one: &JobOption| one.change.cost();
    // Ties in cost go to the larger gain, then to the first.
    let chosen =
        good.min_by(|(_, one), (_, other)| cost(one).cmp(&cost(other)).then(other.gain.total_cmp(&one.gain)));
    chosen.map_or(0, |(place, _)| place)
}

/// The sizes that it can have, with how long it runs there as its user says.
fn sizes(question: &PlanQuestion, source: &WhenSource<'_>) -> Result<Vec<(Procs, Seconds)>, SizesError> {
    let Some(moldable) = &question.sizes else { return Ok(Vec::new()) };
    let (machine, free) = match source {
        WhenSource::Log { workload, .. } => (workload.machine().procs, Vec::new()),
        WhenSource::Live { site, now, .. } => (site.view(*now).machine(), vec![site.view(*now).free()]),
    };
    let offer = moldable.offered(machine, &free, question.limits)?;
    Ok(offer.sizes.all().iter().map(|size| (size.procs, size.run)).collect())
}

/// One variant.
struct AskedVariant {
    change: JobChange,
    job: Job,
    run: Distribution,
}

fn variants(
    question: &PlanQuestion,
    (history, now): (&Workload, Time),
    sizes: &[(Procs, Seconds)],
    run: &Distribution,
    (asked, safe): (Seconds, Seconds),
) -> Vec<AskedVariant> {
    let job = &question.job;
    let variant = |change, job: Job| AskedVariant { change, job, run: run.clone() };
    let with_limit = |job: &Job, limit: Seconds| {
        let mut changed = job.clone();
        changed.shape.limit = Some(limit);
        changed
    };
    let mut variants = vec![variant(JobChange::AsAsked, job.clone())];
    if safe < asked {
        variants.push(variant(JobChange::Limit, with_limit(job, safe)));
    }
    for (queue, name) in other_queues(question, history, now, asked) {
        let moved = Job { queue: Some(queue), ..job.clone() };
        variants.push(variant(JobChange::Queue(name), moved));
    }
    let measured = sizes.iter().find(|(procs, _)| *procs == job.shape.procs);
    // Run times of other sizes get the same relative spread, scaled by the ratio of the measured run times.
    let usual = measured.map_or(run.quantile(0.5), |(_, run)| run.0 as f64).max(1.0);
    for &(procs, length) in sizes.iter().filter(|(procs, _)| *procs != job.shape.procs) {
        let factor = length.0.max(1) as f64 / usual;
        let run = scaled(run, factor);
        let limit = Seconds((asked.0 as f64 * factor).ceil().clamp(1.0, 1e12) as i64);
        let mut changed = with_limit(job, limit);
        changed.shape.procs = procs;
        variants.push(AskedVariant { change: JobChange::Size, job: changed, run });
    }
    variants
}

/// A distribution with all quantiles multiplied by the factor.
pub(super) fn scaled(run: &Distribution, factor: f64) -> Distribution {
    let places = 99;
    let knots: Vec<(f64, f64)> = (1..=places)
        .map(|place| f64::from(place) / f64::from(places + 1))
        .map(|level| (level, factor * run.quantile(level)))
        .collect();
    Distribution::quantiles(&knots).unwrap_or_else(|| run.clone())
}

/// The longest limit that the last jobs asked for.
fn longest_asked(history: &Workload, now: Time) -> Option<Seconds> {
    let known = history.jobs().partition_point(|one| one.submit <= now);
    history.jobs()[known.saturating_sub(RECENT)..known].iter().filter_map(|job| job.shape.limit).max()
}

/// Queues other than the job's that took such jobs lately, with their names.
fn other_queues(
    question: &PlanQuestion,
    history: &Workload,
    now: Time,
    asked: Seconds,
) -> Vec<(QueueId, String)> {
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
        .collect()
}
