//! How many processors to ask for, at a moment of a log or in each partition of a live site.

use serde::Serialize;

use super::advised::{advice_withheld, refused_plan};
use super::asked::{Asking, PlaceAnswers, PlaceFacts, in_live_queue, live_source};
use super::lost_regime::LostRegime;
use super::queue_history::without_jobs;
use super::queue_past::by_scheduler;
use super::{AskedPlace, LabelledLog, LivePast, LiveQueue, LiveSite, NewJob};
use queuecast_core::asking::{Learning, Messages, Refusal};
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::advice::{
    AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, JobLimits, MoldableJob, PlanError, Prospect,
    QueueForecast, SiteSummary, Target, advise, forecast_sizes, sizes_at_cluster,
};
use queuecast_forecast::allot::SizesError;
use queuecast_forecast::forecast::{Doubt, PastFacts, WhenSettings};
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

/// Says how many processors to ask for at a place: a log, a live site, or a Slurm site by its own scheduler.
///
/// # Errors
/// If no size is possible, the settings do not go with the place, or ranges have not held there lately.
pub fn allocate_at(
    place: AskedPlace<'_>,
    (job, new): (&MoldableJob, &NewJob),
    settings: &AllocationSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AllocationAnswer, Refusal> {
    match place {
        AskedPlace::Log { log, at } => of_log(place, (log, at), (job, new), settings, zone, messages),
        AskedPlace::Slurm(site) => {
            let Some(forecast) = &settings.forecast else {
                return Err(Refusal::question("a Slurm site is asked by its own scheduler (--site)")
                    .hint("leave out --policy, --formula and the other options of that group"));
            };
            let found = place.each(new, forecast, zone, messages, |facts, asking| {
                let answer = forecast_answer(job, settings, facts, &asking, messages)?
                    .map_err(|why| refused_plan(facts.name, why))?;
                Ok(Allocated {
                    version: env!("CARGO_PKG_VERSION"),
                    source: site.source.clone(),
                    moment: facts.moment.clone(),
                    partition: facts.partition.clone(),
                    machine: MachineSize { procs: answer.site.procs, ..facts.machine },
                    history: None,
                    answer,
                })
            })?;
            let only = found.answers.into_iter().next();
            only.map(|one| AllocationAnswer::One(Box::new(one))).ok_or_else(|| Refusal::bug("no answer"))
        }
        AskedPlace::Live { site, history, partition, procs } => {
            of_live(place, (site, partition, procs), history, (job, new), settings, zone, messages)
        }
    }
}

fn of_log(
    place: AskedPlace<'_>,
    (log, at): (LabelledLog<'_>, Time),
    (job, new): (&MoldableJob, &NewJob),
    settings: &AllocationSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AllocationAnswer, Refusal> {
    let workload = &log.log.workload;
    let has_started = workload.starts.iter().any(|&start| start <= at);
    let answer = match settings.forecast.as_ref().filter(|_| has_started) {
        Some(forecast) => place.each(new, forecast, zone, messages, |facts, asking| {
            forecast_answer(job, settings, facts, &asking, messages)?
                .map_err(|why| refused_plan(facts.name, why))
        }),
        None => {
            messages.begins(predicting(&settings.advice), 0);
            let answer = advise(job, AdviceSource::Log { workload, at }, &settings.advice);
            let answer = answer.map_err(AdviceError::refusal)?;
            Ok(PlaceAnswers { answers: vec![answer], refused: Vec::new(), several: false })
        }
    };
    let answer = answer?.answers.remove(0);
    Ok(AllocationAnswer::One(Box::new(Allocated {
        version: env!("CARGO_PKG_VERSION"),
        source: log.name.to_owned(),
        moment: Moment::of(at, workload.epoch, zone),
        partition: None,
        machine: log.log.machine,
        history: None,
        answer,
    })))
}

fn of_live(
    place: AskedPlace<'_>,
    (site, partition, procs): (&LiveSite, Option<&str>, Option<u32>),
    history: Option<LivePast<'_>>,
    (job, new): (&MoldableJob, &NewJob),
    settings: &AllocationSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AllocationAnswer, Refusal> {
    let scheduler = by_scheduler(history, procs).filter(|_| settings.forecast.is_some());
    let queues = site.whole_queues(partition, procs)?;
    // The scheduler leaves out no job.
    LiveQueue::note(&queues, procs, scheduler.is_none(), messages);
    let nothing = without_jobs(site.procs())?;
    let workload = history.map_or(&nothing, |one| one.workload);
    let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
    let several = queues.len() > 1;
    let has_waits = scheduler.is_some() || workload.is_empty() || !workload.starts.is_empty();
    // What holds of the job in every size is asked of the least one.
    let least = NewJob { time: Some(Seconds(1)), ..new.clone() };
    let (mut answers, mut not_allowed, mut withheld) = (Vec::new(), Vec::new(), Vec::new());
    for queue in &queues {
        let limits = queue.limits;
        let mut lost = None;
        let answer = match settings.forecast.as_ref().filter(|_| has_waits) {
            Some(forecast) => {
                let by = (forecast, zone);
                let mut ask = |facts: &PlaceFacts<'_>, asking: Asking<'_>| {
                    let answer = forecast_answer(job, settings, facts, &asking, messages)?;
                    lost = answer.as_ref().ok().and_then(|answer| lost_size(&place, facts, answer));
                    Ok(answer)
                };
                let found = in_live_queue(&least, (site, queue, procs), history, by, messages, &mut ask)?;
                found.unwrap_or_else(|why| Err(PlanError::NotTaken(why)))
            }
            None => {
                messages.begins(predicting(&settings.advice), 0);
                let found = queue.site(site.asked, &workload.names, settings.advice.default_request, None);
                let asked = AdviceSource::Live { site: found, now: site.asked, history: workload, limits };
                match advise(job, asked, &settings.advice) {
                    Err(AdviceError::Sizes(why)) => Err(PlanError::Sizes(why)),
                    answer => Ok(answer.map_err(AdviceError::refusal)?),
                }
            }
        };
        let mut refuse = |why: String| {
            not_allowed.push(RefusedPartition { partition: queue.name.clone(), limits, why });
        };
        let answer = match answer {
            Ok(answer) => match lost {
                None => answer,
                Some(lost) => {
                    refuse(format!("advice is withheld: {lost}"));
                    withheld.push(format!("{}: {lost}", queue.name));
                    continue;
                }
            },
            Err(PlanError::Sizes(why @ SizesError::NoneAllowed { .. })) if several => {
                refuse(why.to_string());
                continue;
            }
            Err(PlanError::NotTaken(why)) if several => {
                refuse(why);
                continue;
            }
            Err(why) => return Err(refused_plan(&queue.name, why)),
        };
        answers.push(Allocated {
            version: env!("CARGO_PKG_VERSION"),
            source: live_source(history),
            moment: Moment::of(site.asked, Some(0), zone),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history: history.map(|one| one.machine).filter(|_| scheduler.is_none()),
            answer,
        });
    }
    match (answers.pop(), several) {
        (Some(only), false) => Ok(AllocationAnswer::One(Box::new(only))),
        (Some(last), true) => {
            answers.push(last);
            Ok(AllocationAnswer::Several(AllocatedByPartition { answers, refused: not_allowed }))
        }
        (None, _) if !withheld.is_empty() => Err(advice_withheld(&withheld)),
        (None, _) => {
            let why: Vec<String> =
                not_allowed.iter().map(|one| format!("{}: {}", one.partition, one.why)).collect();
            Err(Refusal::question("no partition allows any of the sizes").hint(why.join("; ")))
        }
    }
}

/// Why sizes are not compared in a partition, if ranges for one of them have not held there lately: as of [`super::advise_at`].
fn lost_size(place: &AskedPlace<'_>, facts: &PlaceFacts<'_>, answer: &AdviceAnswer) -> Option<String> {
    let of_size = |one: &Prospect| place.lost(facts, one.procs, answer.site.waiting);
    answer.advice.prospects().iter().find_map(of_size).map(LostRegime::words)
}

/// What the forecaster says of each size; or why no size is possible.
fn forecast_answer(
    job: &MoldableJob,
    settings: &AllocationSettings,
    facts: &PlaceFacts<'_>,
    asking: &Asking<'_>,
    messages: &dyn Messages,
) -> Result<Result<AdviceAnswer, PlanError>, Refusal> {
    asking.begin(messages);
    let done = |steps| messages.done(steps);
    let chosen = (facts.limits, settings.advice.preference);
    let found = match asking {
        Asking::Jobs { job: asked, source, settings: forecast } => {
            let learning = Learning { done: &done, kept: messages.kept() };
            forecast_sizes(job, asked, source, chosen, forecast, learning)
        }
        Asking::Slurm { question, settings } => sizes_at_cluster(job, question, chosen, *settings, &done),
    };
    let found = match found {
        Ok(found) => found,
        Err(why @ (PlanError::Sizes(_) | PlanError::NotTaken(_))) => return Ok(Err(why)),
        Err(error) => return Err(refused_plan(facts.name, error)),
    };
    let past = facts.past.unwrap_or_else(|| match asking {
        Asking::Jobs { source, .. } => PastFacts::of(source.history(), source.now()),
        Asking::Slurm { question, .. } => PastFacts::of_site(question.history, question.moment.now),
    });
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
        load: matches!(asking, Asking::Jobs { .. }).then_some(past.load),
        partitions: past.partitions,
    };
    let site = match facts.free {
        Some(free) => SiteSummary { procs: facts.machine.procs, free, ..site },
        None => site,
    };
    let record = found.record.as_ref();
    Ok(Ok(AdviceAnswer {
        site,
        settings: settings.advice.clone(),
        give_or_take: job.give_or_take,
        advice: found.advice,
        unknown: found.never,
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
            doubt: Doubt::of(found.regime.as_ref(), record).map(|doubt| doubt.words()),
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
