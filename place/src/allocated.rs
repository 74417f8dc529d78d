//! How many processors to ask for, at a moment of a log or in each partition of a live site.

use serde::Serialize;

use super::AskedPlace;
use super::asked::{live_source, without_jobs};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_forecast::allot::SizesError;
use queuecast_forecast::allot::advice::{
    AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, JobLimits, MoldableJob, Prospect, Target, advise,
};
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

/// Says how many processors to ask for at a place: a log, or a live site by its queue.
///
/// # Errors
/// If no size is possible, or the settings do not go with the place.
pub fn allocate_at(
    place: AskedPlace<'_>,
    job: &MoldableJob,
    settings: &AdviceSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AllocationAnswer, Refusal> {
    let (site, history, partition, procs) = match place {
        AskedPlace::Log { log, at } => {
            let workload = &log.log.workload;
            messages.begins(predicting(settings), 0);
            let answer =
                advise(job, AdviceSource::Log { workload, at }, settings).map_err(AdviceError::refusal)?;
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
            return Err(Refusal::question("sizes are not compared at a Slurm site by its own scheduler")
                .hint("queuecast advise --site compares those of --runs"));
        }
    };
    let queues = site.queues(partition, procs, messages)?;
    let nothing = without_jobs(site.procs())?;
    let workload = history.map_or(&nothing, |one| &one.log.workload);
    let several = queues.len() > 1;
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    messages.begins(predicting(settings), 0);
    for queue in &queues {
        let found = queue.site(site.asked, &workload.names, settings.default_request, None);
        let limits = queue.limits;
        let asked = AdviceSource::Live { site: found, now: site.asked, history: workload, limits };
        let answer = match advise(job, asked, settings) {
            Err(AdviceError::Sizes(why @ SizesError::NoneAllowed { .. })) if several => {
                let (partition, why) = (queue.name.clone(), why.to_string());
                refused.push(RefusedPartition { partition, limits, why });
                continue;
            }
            answer => answer.map_err(AdviceError::refusal)?,
        };
        let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
        answers.push(Allocated {
            version: env!("CARGO_PKG_VERSION"),
            source: live_source(history),
            moment: Moment::of(site.asked, Some(0), zone),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history: history.map(|one| one.log.machine),
            answer,
        });
    }
    match (answers.pop(), several) {
        (Some(only), false) => Ok(AllocationAnswer::One(Box::new(only))),
        (Some(last), true) => {
            answers.push(last);
            Ok(AllocationAnswer::Several(AllocatedByPartition { answers, refused }))
        }
        (None, _) => {
            let why: Vec<String> =
                refused.iter().map(|one| format!("{}: {}", one.partition, one.why)).collect();
            Err(Refusal::question("no partition allows any of the sizes").hint(why.join("; ")))
        }
    }
}

/// What takes long.
fn predicting(settings: &AdviceSettings) -> &'static str {
    if settings.check.is_some() {
        "predicting the job and checking past predictions"
    } else {
        "predicting the job"
    }
}
