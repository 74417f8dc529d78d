//! Advice in one call: from a log at an instant, or from a live site and its history.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::advisor::Advisor;
use super::error::AdviceError;
use super::offer::{FittedSpeedup, JobLimits, LEVELS, MoldableJob};
use super::outlook::RunTimeOutlook;
use super::past::{Past, StartedJob};
use super::prospect::{Advice, Preference, Target};
use super::run_time_model::RunTimeModel;
use super::situation::Situation;
use super::track_record::{PastAnswer, TrackRecord};
use queuecast_core::job::{JobIndex, PartitionId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::{Backfill, Options, simulate};
use queuecast_sim::site::{Replay, Site, Timeline};
use queuecast_wait::{Calibration, Lesson, QueueTime, RangeComparison};

/// Simulations per calibration job.
const LESSON_DRAWS: u32 = 30;

/// All that decides the advice besides the job and the site.
#[derive(Debug, Clone, PartialEq)]
pub struct AdviceSettings {
    /// The site's scheduling policy.
    pub policy: Backfill,
    /// Where run times of jobs at the site come from; by default [`RunTimeOutlook::Shares`], with `by` a formula.
    pub outlook: Option<RunTimeOutlook>,
    /// The run-time predictor, for an outlook that uses one.
    pub predictor: PredictorSpec,
    /// A formula instead of simulations.
    pub by: Option<QueueTime>,
    /// How many simulations.
    pub draws: u32,
    /// Their seed.
    pub seed: Seed,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
    /// How many past jobs correct the queue times; 0 for none.
    pub calibrate: usize,
    /// How many past jobs to check the predictions on.
    pub check: Option<usize>,
    /// What makes one size better than another.
    pub preference: Preference,
}

/// The site a job would be submitted to.
#[derive(Debug, Clone)]
pub enum AdviceSource<'a> {
    /// A log at an instant. Nothing that the log records of later is used.
    Log {
        /// The log.
        workload: &'a Workload,
        /// The instant.
        at: Time,
    },
    /// A live site.
    Live {
        /// As it is now.
        site: Site,
        /// Now.
        now: Time,
        /// Its history, all of which lies before now.
        history: &'a Workload,
        /// What it allows one job.
        limits: JobLimits,
    },
}

/// The site at the instant asked about.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SiteSummary {
    /// Processors in service.
    pub procs: Procs,
    /// Free processors.
    pub free: Procs,
    /// Running jobs.
    pub running: usize,
    /// Waiting jobs.
    pub waiting: usize,
    /// Processors that all waiting jobs ask for together.
    pub wanted: u64,
    /// Processors recorded as held beyond those there are.
    pub excess: Procs,
    /// Jobs that had ended: what was learned from.
    pub ended: usize,
    /// Jobs that had been withdrawn while they waited, in the history.
    pub withdrawn: usize,
    /// Whether the log records no starts, so that they were simulated.
    pub simulated: bool,
    /// The load of the log or history so far ([`Workload::load_until`]): above 1 the machine is too small for its jobs. Of a Slurm site
    /// it is not known.
    pub load: Option<f64>,
    /// Partitions of the jobs submitted so far, in the log or history: they are treated as one machine.
    pub partitions: usize,
}

/// What queue times were corrected by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationSummary {
    /// Past jobs asked about.
    pub jobs: usize,
    /// Weight of the predicted waits, from 0 to 1.
    pub slope: f64,
}

/// Advice, and what it stands on.
#[derive(Debug, Clone, PartialEq)]
pub struct AdviceAnswer {
    /// The site.
    pub site: SiteSummary,
    /// What was asked for.
    pub settings: AdviceSettings,
    /// The job's run times may be this many times longer or shorter than given.
    pub give_or_take: f64,
    /// Prospects of all sizes, and the one to ask for.
    pub advice: Advice,
    /// Sizes for which the formula has no prediction.
    pub unknown: Vec<Procs>,
    /// The fitted speedup, for sizes between measured ones.
    pub between: Option<FittedSpeedup>,
    /// What the site allows one job.
    pub limits: JobLimits,
    /// Sizes that the limits exclude, ascending.
    pub excluded: Vec<Procs>,
    /// What queue times were corrected by.
    pub calibration: Option<CalibrationSummary>,
    /// The ranges of queue times beside the range of past waits, on the past jobs they were corrected by. Where they are worse,
    /// the ranges of the advice are those of past waits.
    pub ranges: Option<RangeComparison>,
    /// How right such predictions were for past jobs.
    pub record: Option<TrackRecord>,
    /// The forecaster that queue times come from, where they do not come from a formula or from simulations of the settings.
    pub forecast: Option<QueueForecast>,
}

/// Where forecast queue times come from, and how right they were.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueForecast {
    /// The method that was best for the last jobs.
    pub method: String,
    /// Jobs that had started: what was learned from.
    pub learned: usize,
    /// Jobs it was tried on; 0 if there are too few.
    pub jobs: usize,
    /// The share of them that started within the range of 80 %.
    pub inside: Option<f64>,
    /// Why the queue times are not to be relied on, if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl AdviceSettings {
    /// The outlook in use. A formula needs one that is a formula.
    pub fn outlook(&self) -> Result<RunTimeOutlook, AdviceError> {
        match (self.outlook, self.by) {
            (Some(RunTimeOutlook::Shares), Some(by)) => Err(AdviceError::NoFormula { by }),
            (None, Some(_)) => Ok(RunTimeOutlook::Outlook(RunTimeOutlook::Shares.outlook())),
            (given, _) => Ok(given.unwrap_or_default()),
        }
    }
}

/// How many processors to ask for: one call from a log or a live site to the answer.
pub fn advise(
    job: &MoldableJob,
    source: AdviceSource<'_>,
    settings: &AdviceSettings,
) -> Result<AdviceAnswer, AdviceError> {
    let outlook = settings.outlook()?;
    if settings.by.is_some() && settings.check.is_some() {
        return Err(AdviceError::CheckedFormula);
    }
    let mut limits = JobLimits::default();
    let (workload, until, live) = match source {
        AdviceSource::Log { workload, at } => (workload, at, None),
        AdviceSource::Live { .. } if settings.predictor == PredictorSpec::Perfect => {
            return Err(AdviceError::PerfectLive);
        }
        AdviceSource::Live { site, now, history, limits: allowed } => {
            limits = allowed;
            (history, Time::NEVER - Seconds(1), Some((site, now)))
        }
    };
    let is_live = live.is_some();
    let study = Study { settings, outlook, timeline: timeline(workload, until, settings)?, workload };
    let mut past = study.past();
    past.to(until);
    let situation = match live {
        Some((site, now)) => past.run_times().situation(site, now),
        None => past.situation(until),
    };
    let simulated = workload.starts.is_empty() && !workload.is_empty();
    let last = workload.jobs().last().map_or(until, |job| job.submit);
    let load = Some(workload.load_until(if is_live { last } else { until }));
    let known = workload.jobs().partition_point(|job| job.submit <= until);
    let partitions: BTreeSet<PartitionId> =
        workload.jobs()[..known].iter().filter_map(|job| job.partition).collect();
    let site = SiteSummary { simulated, load, partitions: partitions.len(), ..summary(&situation, &past) };
    let learned = study.learned(&past)?;
    let offer = job.offered(situation.machine(), &situation.levels(LEVELS), limits)?;
    let advisor = Advisor::new(situation, offer.sizes, settings.policy.clone(), job.give_or_take);
    let compared = learned.calibration.as_ref().and_then(Calibration::compare_ranges);
    let advice = match settings.by {
        Some(by) => advisor.by(by, settings.preference)?,
        None => {
            let mut drawn = advisor.simulate(settings.seed, settings.draws)?;
            let mut usual = None;
            if let Some(calibration) = &learned.calibration {
                if compared.is_some_and(|ranges| ranges.is_worse()) {
                    let usual_draws = advisor.after_now(advisor.with_past_waits(calibration, &drawn));
                    usual = Some(advisor.conclude(&usual_draws, settings.preference)?);
                }
                drawn = advisor.after_now(advisor.correct(calibration, &drawn));
            }
            let advice = advisor.conclude(&drawn, settings.preference)?;
            usual.iter().fold(advice, Advice::with_ranges_of)
        }
    };
    let predicted = |procs: Procs| advice.prospects().iter().any(|prospect| prospect.procs == procs);
    let unknown = advisor.sizes().iter().map(|size| size.procs).filter(|&procs| !predicted(procs)).collect();
    let calibration = learned.calibration.as_ref();
    Ok(AdviceAnswer {
        site,
        settings: settings.clone(),
        give_or_take: job.give_or_take,
        unknown,
        advice,
        between: offer.between,
        limits,
        excluded: offer.excluded,
        calibration: calibration
            .map(|known| CalibrationSummary { jobs: known.lessons().len(), slope: known.slope() }),
        ranges: compared,
        record: learned.record,
        forecast: None,
    })
}

/// The schedule up to an instant: as recorded, or, where the log records no starts, as the policy would have started the jobs
/// submitted by then.
fn timeline(workload: &Workload, until: Time, settings: &AdviceSettings) -> Result<Timeline, AdviceError> {
    if workload.is_empty() || !workload.starts.is_empty() {
        return Ok(Timeline::recorded(workload));
    }
    let known = workload.jobs().partition_point(|job| job.submit <= until);
    let jobs = workload.jobs()[..known].to_vec();
    let truths = workload.truths()[..known].to_vec();
    let known = Workload::from_columns(workload.machine(), jobs, truths)?;
    let mut planner = PredictorSpec::Requested.build(Vec::new, settings.default_request);
    let schedule =
        simulate(&known, Options::default(), &mut *settings.policy.build(), &mut *planner, &mut [])?;
    let placed: Vec<(Time, Seconds)> =
        schedule.placements.iter().map(|placement| (placement.start, placement.ran)).collect();
    Ok(Timeline::simulated(workload, &placed))
}

/// What the situation and the past say; the rest is not filled in.
fn summary(situation: &Situation, past: &Past<'_>) -> SiteSummary {
    SiteSummary {
        procs: situation.machine(),
        free: situation.free(),
        running: situation.running().len(),
        waiting: situation.waiting().len(),
        wanted: situation.waiting().iter().map(|one| u64::from(one.procs.0)).sum(),
        excess: situation.excess(),
        ended: past.ended(),
        withdrawn: past.withdrawn(),
        ..SiteSummary::default()
    }
}

/// A history to learn from, several times over.
struct Study<'a> {
    settings: &'a AdviceSettings,
    outlook: RunTimeOutlook,
    timeline: Timeline,
    workload: &'a Workload,
}

/// What the past teaches.
#[derive(Default)]
struct Learned {
    calibration: Option<Calibration>,
    record: Option<TrackRecord>,
}

impl<'a> Study<'a> {
    fn run_times(&self) -> RunTimeModel {
        // By number at the site; only the perfect predictor reads them.
        let runs = || {
            let run = |number| match self.timeline.index(JobIndex(number)) {
                Some(index) => self.workload.truths()[index.at()].run(),
                None => self.settings.default_request,
            };
            (0..self.timeline.len() as u32).map(run).collect()
        };
        let predictor = self.settings.predictor.build(runs, self.settings.default_request);
        RunTimeModel::new(self.outlook, predictor)
    }

    fn past(&self) -> Past<'a> {
        let default = self.settings.default_request;
        Past::new(Replay::of(self.workload, self.timeline.clone(), default), self.run_times(), default)
    }

    /// What the past teaches, and, if asked for, how right the predictions would have been for jobs that have started.
    fn learned(&self, known: &Past<'_>) -> Result<Learned, AdviceError> {
        let AdviceSettings { calibrate, check, .. } = *self.settings;
        if self.settings.by.is_some() {
            return Ok(Learned::default());
        }
        let jobs = if calibrate > 0 { known.for_calibration(calibrate) } else { Vec::new() };
        // A check needs lessons from the whole history, not only the last ones.
        let needed = if check.is_some() { 0 } else { jobs.len().saturating_sub(calibrate) };
        let lessons = self.lessons(&jobs[needed..])?;
        let newest = lessons[lessons.len().saturating_sub(calibrate)..].to_vec();
        let record = check.map(|most| self.record(&known.sample(most), &lessons)).transpose()?;
        Ok(Learned { calibration: Calibration::of(newest), record: record.flatten() })
    }

    /// What was predicted for these jobs when they were submitted, and what became of them.
    fn lessons(&self, jobs: &[StartedJob]) -> Result<Vec<Lesson>, AdviceError> {
        let mut past = self.past();
        let mut lessons = Vec::with_capacity(jobs.len());
        for &StartedJob { job, wait, started } in jobs {
            let advisor = past.ask(job, self.settings.policy.clone());
            let drawn = advisor.simulate(self.settings.seed, self.settings.draws.min(LESSON_DRAWS))?;
            lessons.extend(advisor.question(&drawn).map(|question| Lesson { question, wait, started }));
        }
        Ok(lessons)
    }

    /// How right predictions would have been for these jobs, each with the lessons known when it was submitted. With lessons,
    /// only the jobs count that were submitted when there were enough.
    fn record(&self, jobs: &[StartedJob], lessons: &[Lesson]) -> Result<Option<TrackRecord>, AdviceError> {
        let mut past = self.past();
        let (mut plain, mut calibrated) = (Vec::new(), Vec::new());
        for &StartedJob { job, wait, started } in jobs {
            let advisor = past.ask(job, self.settings.policy.clone());
            let mut drawn = advisor.simulate(self.settings.seed, self.settings.draws)?;
            let calibration = Calibration::before(lessons, started - wait, self.settings.calibrate);
            if let Some(calibration) = &calibration {
                drawn = advisor.correct(calibration, &drawn);
            }
            let queue = advisor.conclude(&drawn, Preference::default())?.recommended().queue;
            let cases = if calibration.is_some() { &mut calibrated } else { &mut plain };
            cases.push(PastAnswer::of(queue, wait, calibration.as_ref()));
        }
        Ok(TrackRecord::of(if calibrated.is_empty() { &plain } else { &calibrated }))
    }
}

impl AdviceAnswer {
    /// Whether the ranges shown are those of past waits, since these were better on the site's own past.
    pub fn falls_back(&self) -> bool {
        self.ranges.is_some_and(|ranges| ranges.is_worse())
    }

    /// The statistic actually compared: a formula knows medians only.
    pub fn target(&self) -> Target {
        self.advice.comparable(self.settings.preference.target)
    }
}

/// The settings as written; those that a formula or the forecaster does not use are null.
impl Serialize for AdviceAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WrittenSettings {
            policy: Option<String>,
            outlook: Option<String>,
            predictor: Option<String>,
            by: Option<String>,
            draws: Option<u32>,
            seed: Option<u64>,
            calibrate: Option<usize>,
            target: String,
            averse: f64,
            give_or_take: f64,
            default_request: Seconds,
        }
        #[derive(Serialize)]
        struct WrittenRanges {
            /// Where the ranges shown come from.
            from: &'static str,
            #[serde(flatten)]
            compared: RangeComparison,
        }
        impl WrittenRanges {
            fn of(compared: RangeComparison) -> WrittenRanges {
                WrittenRanges {
                    from: if compared.is_worse() { "past_waits" } else { "prediction" },
                    compared,
                }
            }
        }
        let AdviceSettings { by, draws, seed, calibrate, preference, .. } = self.settings;
        let own = self.forecast.is_none();
        let simulated = own && by.is_none();
        let written = WrittenSettings {
            policy: own.then(|| self.settings.policy.to_string()),
            outlook: own.then(|| self.settings.outlook().unwrap_or_default().to_string()),
            predictor: own.then(|| self.settings.predictor.to_string()),
            by: by.map(|by| by.to_string()),
            draws: simulated.then_some(draws),
            seed: simulated.then_some(seed.0),
            calibrate: simulated.then_some(calibrate),
            target: preference.target.to_string(),
            averse: preference.averse,
            give_or_take: self.give_or_take,
            default_request: self.settings.default_request,
        };
        let mut object = serializer.serialize_struct("AdviceAnswer", 14)?;
        object.serialize_field("state", &self.site)?;
        object.serialize_field("settings", &written)?;
        object.serialize_field("recommended", &self.advice.recommended().procs)?;
        object.serialize_field("too_close", &self.advice.too_close())?;
        object.serialize_field("soonest", &self.advice.soonest().procs)?;
        object.serialize_field("sizes", self.advice.prospects())?;
        object.serialize_field("unknown", &self.unknown)?;
        object.serialize_field("between", &self.between)?;
        object.serialize_field("limits", &self.limits)?;
        object.serialize_field("excluded", &self.excluded)?;
        object.serialize_field("calibration", &self.calibration)?;
        object.serialize_field("ranges", &self.ranges.map(WrittenRanges::of))?;
        object.serialize_field("record", &self.record)?;
        object.serialize_field("forecast", &self.forecast)?;
        object.end()
    }
}
