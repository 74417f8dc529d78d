//! How many processors to ask for, at a moment of a log or in each partition of a live site.

use serde::Serialize;

use super::advised::refused_plan;
use super::asked::{Asking, PlaceAnswers, PlaceFacts, in_queue, live_source};
use super::queue_history::without_jobs;
use super::{AskedPlace, NewJob};
use queuecast_core::asking::{Learning, Messages, Refusal};
use queuecast_forecast::advice::{
    AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, JobLimits, MoldableJob, PlanError, Prospect,
    QueueForecast, SiteSummary, Target, advise, forecast_sizes,
};
use queuecast_forecast::allot::SizesError;
use queuecast_forecast::forecast::{PastFacts, WhenSettings};
use queuecast_trace::{MachineSize, MachineSource, Moment, TimeZone};

/// How many processors to ask for, and why. Uses nothing that the log records of later.
#[derive(Debug, Serialize)]
pub struct Allocated {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// When it is submitted.
    pub moment: Moment,
    /// The partition, on a live site; several names if their nodes, limits and tier are the same.
    pub partition: Option<String>,
    /// The machine's size, and where it is known from.
    pub machine: MachineSize,
    /// The machine of the log that a live site learns from.
    pub history: Option<MachineSize>,
    /// The answer.
    #[serde(flatten)]
    pub answer: AdviceAnswer,
}

impl Allocated {
    /// Whether this is the size to ask for.
    pub fn is_recommended(&self, prospect: &Prospect) -> bool {
        prospect.procs == self.answer.advice.recommended().procs
    }

    /// Whether the size done soonest by the median is simply the best.
    pub fn is_plain(&self) -> bool {
        self.answer.target() == Target::Median && self.answer.settings.preference.averse == 0.0
    }

    /// The size that would be done sooner than the one to ask for, but not by enough to wait for it. Sizes that are too close
    /// to call are not done sooner.
    pub fn passed_over(&self) -> Option<&Prospect> {
        let least = self.answer.advice.least();
        let recommended = self.answer.advice.recommended().procs;
        let close = self.answer.advice.too_close().contains(&recommended);
        (!close && !self.is_recommended(least)).then_some(least)
    }
}

/// A partition that allows none of the sizes.
#[derive(Debug, Serialize)]
pub struct RefusedPartition {
    /// Its name.
    pub partition: String,
    /// What it allows.
    pub limits: JobLimits,
    /// Why.
    pub why: String,
}

/// One answer for each partition; never empty.
#[derive(Debug, Serialize)]
pub struct AllocatedByPartition {
    /// Of the partitions that allow a size.
    #[serde(rename = "partitions")]
    pub answers: Vec<Allocated>,
    /// The others.
    pub refused: Vec<RefusedPartition>,
}

/// How many processors to ask for.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum AllocationAnswer {
    /// At one place.
    One(Box<Allocated>),
    /// In each partition of a live site.
    Several(AllocatedByPartition),
}

/// How queue times are predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct AllocationSettings {
    /// By the forecaster that every command asks, with these settings; `None` by what `advice` says. A log of which no job is known to
    /// have started has nothing to learn from: its queue is simulated as `advice` says.
    pub forecast: Option<WhenSettings>,
    /// By simulations of the queue under a policy, or by a formula.
    pub advice: AdviceSettings,
}

/// Says how many processors to ask for at a place: a log, or a live site by its queue.
///
/// # Errors
/// If no size is possible, or the settings do not go with the place.
pub fn allocate_at(
    place: AskedPlace<'_>,
    (job, new): (&MoldableJob, &NewJob),
    settings: &AllocationSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AllocationAnswer, Refusal> {
    let (site, history, partition, procs) = match place {
        AskedPlace::Log { log, at } => {
            let workload = &log.log.workload;
            let has_started = workload.starts.iter().any(|&start| start <= at);
            let answer = match settings.forecast.as_ref().filter(|_| has_started) {
                Some(forecast) => place.each(new, forecast, zone, messages, |facts, asking| {
                    forecast_answer(job, settings, facts, &asking, messages)?
                        .map_err(|why| AdviceError::Sizes(why).refusal())
                }),
                None => {
                    messages.begins(predicting(&settings.advice), 0);
                    let answer = advise(job, AdviceSource::Log { workload, at }, &settings.advice);
                    let answer = answer.map_err(AdviceError::refusal)?;
                    Ok(PlaceAnswers { answers: vec![answer], refused: Vec::new(), several: false })
                }
            };
            let answer = answer?.answers.remove(0);
            return Ok(AllocationAnswer::One(Box::new(Allocated {
                version: env!("CARGO_PKG_VERSION"),
                source: log.name.to_owned(),
                moment: Moment::of(at, workload.epoch, zone),
                partition: None,
                machine: log.log.machine,
                history: None,
                answer,
            })));
        }
        AskedPlace::Live { site, history, partition, procs } => (site, history, partition, procs),
        AskedPlace::Slurm(_) => {
            return Err(Refusal::question("allocate does not ask a Slurm site's own scheduler (--site)")
                .hint("queuecast advise --site DIR --runs 8=4h,16=2h10m compares sizes there"));
        }
    };
    let queues = site.queues(partition, procs, messages)?;
    let nothing = without_jobs(site.procs())?;
    let workload = history.map_or(&nothing, |one| one.workload);
    let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
    let several = queues.len() > 1;
    let (mut answers, mut not_allowed) = (Vec::new(), Vec::new());
    for queue in &queues {
        let limits = queue.limits;
        let has_waits = workload.is_empty() || !workload.starts.is_empty();
        let answer = match settings.forecast.as_ref().filter(|_| has_waits) {
            Some(forecast) => {
                in_queue(new, (site, queue, from), history, forecast, zone, &mut |facts, asking| {
                    forecast_answer(job, settings, facts, &asking, messages)
                })?
            }
            None => {
                messages.begins(predicting(&settings.advice), 0);
                let found = queue.site(site.asked, &workload.names, settings.advice.default_request, None);
                let asked = AdviceSource::Live { site: found, now: site.asked, history: workload, limits };
                match advise(job, asked, &settings.advice) {
                    Err(AdviceError::Sizes(why)) => Err(why),
                    answer => Ok(answer.map_err(AdviceError::refusal)?),
                }
            }
        };
        let answer = match answer {
            Err(why @ SizesError::NoneAllowed { .. }) if several => {
                let (partition, why) = (queue.name.clone(), why.to_string());
                not_allowed.push(RefusedPartition { partition, limits, why });
                continue;
            }
            answer => answer.map_err(|why| AdviceError::Sizes(why).refusal())?,
        };
        answers.push(Allocated {
            version: env!("CARGO_PKG_VERSION"),
            source: live_source(history),
            moment: Moment::of(site.asked, Some(0), zone),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history: history.map(|one| one.machine),
            answer,
        });
    }
    match (answers.pop(), several) {
        (Some(only), false) => Ok(AllocationAnswer::One(Box::new(only))),
        (Some(last), true) => {
            answers.push(last);
            Ok(AllocationAnswer::Several(AllocatedByPartition { answers, refused: not_allowed }))
        }
        (None, _) => {
            let why: Vec<String> =
                not_allowed.iter().map(|one| format!("{}: {}", one.partition, one.why)).collect();
            Err(Refusal::question("no partition allows any of the sizes").hint(why.join("; ")))
        }
    }
}

/// What the forecaster says of each size.
fn forecast_answer(
    job: &MoldableJob,
    settings: &AllocationSettings,
    facts: &PlaceFacts<'_>,
    asking: &Asking<'_>,
    messages: &dyn Messages,
) -> Result<Result<AdviceAnswer, SizesError>, Refusal> {
    let Asking::Jobs { job: asked, source, settings: forecast } = asking else {
        return Err(Refusal::bug("a Slurm site is not asked for sizes"));
    };
    asking.begin(messages);
    let done = |steps| messages.done(steps);
    let chosen = (facts.limits, settings.advice.preference);
    let found = match forecast_sizes(
        job,
        asked,
        source,
        chosen,
        forecast,
        Learning { done: &done, kept: messages.kept() },
    ) {
        Ok(found) => found,
        Err(PlanError::Sizes(why)) => return Ok(Err(why)),
        Err(error) => return Err(refused_plan(facts.name, error)),
    };
    let past = facts.past.unwrap_or_else(|| PastFacts::of(source.history(), source.now()));
    let site = SiteSummary {
        procs: found.state.procs,
        free: found.state.free,
        running: found.state.running,
        waiting: found.state.waiting,
        wanted: found.state.wanted,
        excess: found.excess,
        ended: past.ended,
        withdrawn: past.withdrawn,
        simulated: false,
        load: past.load,
        partitions: past.partitions,
    };
    let record = found.record.as_ref();
    Ok(Ok(AdviceAnswer {
        site,
        settings: settings.advice.clone(),
        give_or_take: job.give_or_take,
        advice: found.advice,
        unknown: Vec::new(),
        between: found.offer.between,
        limits: facts.limits,
        excluded: found.offer.excluded,
        calibration: None,
        ranges: None,
        record: None,
        forecast: Some(QueueForecast {
            method: found.method,
            learned: found.learned,
            jobs: record.map_or(0, |record| record.jobs),
            inside: record.map(|record| record.inside),
        }),
    }))
}

/// What takes long.
fn predicting(settings: &AdviceSettings) -> &'static str {
    if settings.check.is_some() {
        "predicting the job and checking past predictions"
    } else {
        "predicting the job"
    }
}
