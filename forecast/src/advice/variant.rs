//! Variants of a job: what differs from what was asked, and how long it then runs.

use serde::Serialize;

use super::offer::{JobLimits, MoldableJob};
use crate::allot::{Size, SizesError};
use crate::forecast::{LimitAdvice, longer_limits, longer_run};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds};
use queuecast_slurm_sim::cluster::{SubmittedJob, TimeLimit};

/// How a variant differs from what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobChange {
    /// Not at all.
    AsAsked,
    /// A shorter time limit.
    Limit,
    /// A longer time limit.
    LongerLimit,
    /// Another queue, by its name.
    Queue(String),
    /// Another number of processors.
    Size,
    /// Submitted this many seconds later.
    Later(Seconds),
}

impl JobChange {
    /// Rank of the effort a change means for the user, 0 for none.
    pub(super) fn effort(&self) -> u8 {
        match self {
            JobChange::AsAsked => 0,
            JobChange::Limit | JobChange::LongerLimit => 1,
            JobChange::Queue(_) => 2,
            JobChange::Size => 3,
            JobChange::Later(_) => 4,
        }
    }
}

/// Which changes of a job may be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct JobChanges {
    /// How long it runs on other sizes, if it can have them. A measured run time on its own size is believed.
    pub sizes: Option<MoldableJob>,
    /// How much later it could be submitted.
    pub later: Vec<Seconds>,
    /// The accepted probability of being stopped at a time limit.
    pub risk: f64,
}

impl JobChanges {
    /// The run time on this many processors, if it was measured.
    pub(super) fn measured(&self, procs: Procs) -> Option<Distribution> {
        self.sizes.as_ref().and_then(|moldable| moldable.run_time_on(procs))
    }

    /// The sizes to look at on a machine with these numbers of free processors.
    pub(super) fn sizes(
        &self,
        machine: Procs,
        free: &[Procs],
        limits: JobLimits,
    ) -> Result<Vec<Size>, SizesError> {
        let Some(moldable) = &self.sizes else { return Ok(Vec::new()) };
        Ok(moldable.offered(machine, free, limits)?.sizes.all().to_vec())
    }
}

/// A job as the forecaster of a place takes it.
pub(super) trait AskedJob: Clone {
    fn procs(&self) -> Procs;

    /// The job with another size and time limit.
    fn in_shape(&self, procs: Procs, limit: Seconds) -> Self;
}

impl AskedJob for Job {
    fn procs(&self) -> Procs {
        self.shape.procs
    }

    fn in_shape(&self, procs: Procs, limit: Seconds) -> Job {
        let mut job = self.clone();
        (job.shape.procs, job.shape.limit) = (procs, Some(limit));
        job
    }
}

impl AskedJob for SubmittedJob {
    fn procs(&self) -> Procs {
        Procs(self.request.processors())
    }

    fn in_shape(&self, procs: Procs, limit: Seconds) -> SubmittedJob {
        let mut job = self.clone();
        job.request.time_limit = Some(TimeLimit::Of(limit));
        if procs != self.procs() {
            let each = job.request.cpus_per_task.unwrap_or(1).max(1);
            job.request.tasks = Some((procs.0 / each).max(1));
        }
        job
    }
}

/// One variant.
pub(super) struct JobVariant<J> {
    pub change: JobChange,
    /// As it would be submitted.
    pub job: J,
    pub procs: Procs,
    pub limit: Seconds,
    /// How long it would run if nothing stopped it.
    pub run: Distribution,
}

/// The job asked about, and what the place says of it.
pub(super) struct VariantsOf<'a, J> {
    pub job: &'a J,
    /// The limit that it asks for.
    pub asked: Seconds,
    pub run: &'a Distribution,
    /// Whether that was measured, so that it is the same under any limit.
    pub is_measured: bool,
    pub limit: &'a LimitAdvice,
    /// The longest limit to look at.
    pub longest: Seconds,
    /// The job in other queues, by their names.
    pub queues: Vec<(String, J)>,
    pub sizes: &'a [Size],
}

impl<J: AskedJob> VariantsOf<'_, J> {
    /// As asked first, then every change but later submissions. `run_time` is asked for jobs under longer limits.
    pub fn all(self, mut run_time: impl FnMut(&J) -> Distribution) -> Vec<JobVariant<J>> {
        let VariantsOf { job, asked, run, is_measured, limit, longest, queues, sizes } = self;
        let procs = job.procs();
        let same = |change, job: J| JobVariant { change, job, procs, limit: asked, run: run.clone() };
        let mut variants = vec![same(JobChange::AsAsked, job.clone())];
        if limit.limit < asked {
            let shorter = same(JobChange::Limit, job.in_shape(procs, limit.limit));
            variants.push(JobVariant { limit: limit.limit, ..shorter });
        }
        variants.extend(queues.into_iter().map(|(name, moved)| same(JobChange::Queue(name), moved)));
        // Run times of other sizes get the same relative spread, scaled by the ratio of the measured run times.
        let measured = sizes.iter().find(|size| size.procs == procs);
        let usual = measured.map_or(run.quantile(0.5), |size| size.run.0 as f64).max(1.0);
        for size in sizes.iter().filter(|size| size.procs != procs) {
            let factor = size.run.0.max(1) as f64 / usual;
            let limit = Seconds((asked.0 as f64 * factor).ceil().clamp(1.0, 1e12) as i64);
            let (job, run) = (job.in_shape(size.procs, limit), run.mapped(|time| factor * time));
            variants.push(JobVariant { change: JobChange::Size, job, procs: size.procs, limit, run });
        }
        for longer in longer_limits(limit).filter(|longer| *longer <= longest) {
            let job = job.in_shape(procs, longer);
            let run = if is_measured { run.clone() } else { longer_run(run, asked, &run_time(&job)) };
            variants.push(JobVariant { change: JobChange::LongerLimit, job, procs, limit: longer, run });
        }
        variants
    }
}
