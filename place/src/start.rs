//! When a job would start, at one place or in each partition of a live site.

use serde::Serialize;

use super::asked::{Asking, PlaceFacts, answered, live_source};
use super::blockers::StartWhy;
use super::lost_regime::LostRegime;
use super::{AskedPlace, JobSize, LivePast, NewJob};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_forecast::forecast::{WhenAnswer, WhenSettings};
use queuecast_trace::{MachineSize, Moment, TimeZone};

/// When a job would start. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct StartTime {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// When it is submitted.
    pub moment: Moment,
    /// The Unix time that the clock of the moment begins at.
    #[serde(skip)]
    pub epoch: Option<i64>,
    /// The zone of dates.
    #[serde(skip)]
    pub zone: TimeZone,
    /// The partition, on a live site; several names if their nodes, limits and tier are the same.
    pub partition: Option<String>,
    /// The machine's size, and where it is known from.
    pub machine: MachineSize,
    /// Whose past it was learned from.
    pub history: String,
    /// What it asks for.
    pub asked: JobSize,
    /// The answer.
    #[serde(flatten)]
    pub answer: WhenAnswer,
    /// Why the answer is not to be relied on, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Why the range is wider than it was found, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub widened: Option<LostRegime>,
    /// What keeps it from starting, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blockers: Option<StartWhy>,
}

/// One answer for each partition; never empty.
#[derive(Debug, Serialize)]
pub struct StartTimes {
    /// One for each partition that allows the job.
    pub partitions: Vec<StartTime>,
    /// Partitions that do not allow the job, and why.
    pub refused: Vec<String>,
}

/// When a job would start.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum StartAnswer {
    /// At one place.
    One(Box<StartTime>),
    /// In each partition of a live site.
    Several(StartTimes),
}

/// When one job would start, with what widens its range.
pub(super) fn said_of<'p>(
    place: &'p AskedPlace<'_>,
    facts: &PlaceFacts<'_>,
    asking: &Asking<'_>,
    messages: &dyn Messages,
) -> Result<(WhenAnswer, Option<&'p LostRegime>), Refusal> {
    let mut answer = answered(asking, facts.name, messages)?;
    let lost = place.lost(facts, facts.asked.procs, answer.state.waiting);
    if let Some(lost) = lost {
        messages.note(&lost.words());
        answer.wait = lost.wait(&answer.wait);
    }
    Ok((answer, lost))
}

/// Says when a job would start that is submitted at a place.
///
/// # Errors
/// If the place does not know its user or queue, does not allow it, or has nothing to learn from.
pub fn when_at(
    place: AskedPlace<'_>,
    job: &NewJob,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<StartAnswer, Refusal> {
    match place {
        AskedPlace::Log { log, .. } => job.check(&log.log.workload)?,
        AskedPlace::Live { site, history: Some(LivePast { name, workload, .. }), .. } => {
            if let Some(user) = job.user.as_ref().filter(|_| job.at(site.asked, workload).user.is_none()) {
                messages.note(&format!("--user {user}: {name} has no such user; the answer is that for any"));
            }
        }
        _ => {}
    }
    let mut found = place.each(job, settings, zone, messages, |facts, asking| {
        let (mut answer, lost) = said_of(&place, facts, &asking, messages)?;
        if let Some(free) = facts.free {
            (answer.state.procs, answer.state.free) = (facts.machine.procs, free);
        }
        let source = match place {
            AskedPlace::Live { history, .. } => live_source(history),
            _ => facts.name.to_owned(),
        };
        // A simulated controller knows how many processors the job's partition has.
        let procs =
            if matches!(place, AskedPlace::Slurm(_)) { answer.state.procs } else { facts.machine.procs };
        // A range that was widened since such ranges failed is to be relied on again.
        let doubt = if lost.is_some() { None } else { answer.doubt() };
        Ok(StartTime {
            version: env!("CARGO_PKG_VERSION"),
            source,
            moment: facts.moment.clone(),
            epoch: facts.epoch,
            zone: zone.clone(),
            partition: facts.partition.clone(),
            machine: MachineSize { procs, ..facts.machine },
            history: facts.learned_from(answer.learned),
            asked: facts.asked,
            answer,
            doubt,
            widened: lost.cloned(),
            blockers: None,
        })
    })?;
    Ok(match found.answers.pop() {
        Some(only) if !found.several => StartAnswer::One(Box::new(only)),
        last => {
            found.answers.extend(last);
            StartAnswer::Several(StartTimes { partitions: found.answers, refused: found.refused })
        }
    })
}
