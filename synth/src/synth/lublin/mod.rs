//! The workload model of Lublin & Feitelson 2003, "The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs": sizes, run times that depend on them, and arrivals with a daily cycle.
//!
//! Batch and interactive jobs are two independent processes merged; or there is one process of jobs of no type. The
//! model knows neither users nor requested times.

mod arrivals;
mod class;
mod like;
mod runs;
mod sizes;
#[cfg(test)]
mod tests;

use queuecast_core::order;
use serde::{Deserialize, Serialize};

use super::error::within;
use super::{MONDAY, SynthError};
use arrivals::Arrivals;
pub use class::{GammaLaw, LublinArrivals, LublinClass, LublinRuns, LublinSizes};
use queuecast_core::job::{Job, QueueId, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::spec::choices;
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::{Machine, Workload};
use runs::RunTimes;
use sizes::DrawnSizes;

/// The kinds of jobs to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LublinKinds {
    /// Batch and interactive jobs.
    #[default]
    Both,
    /// Batch jobs only.
    Batch,
    /// Interactive jobs only.
    Interactive,
    /// Jobs of no type.
    Untyped,
}

choices! { LublinKinds, "kinds":
    Both = "both", "batch and interactive jobs, in two queues";
    Batch = "batch", "batch jobs only";
    Interactive = "interactive", "interactive jobs only";
    Untyped = "untyped", "jobs of no type";
}

/// The parameters of the model, each with its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lublin {
    /// How many jobs; 1 to 10,000,000.
    pub jobs: u32,
    /// Processors of the machine; 1 to 16,777,216.
    pub procs: u32,
    /// Which jobs there are.
    pub kinds: LublinKinds,
    /// What batch jobs are like.
    pub batch: LublinClass,
    /// What interactive jobs are like.
    pub interactive: LublinClass,
    /// What jobs of no type are like.
    pub untyped: LublinClass,
}

/// The queues of batch and interactive jobs; the Standard Workload Format keeps 0 for interactive ones.
const QUEUES: [&str; 2] = ["interactive", "batch"];

impl Lublin {
    /// The published parameters, with the sizes moved to a machine of this size.
    pub fn new(jobs: u32, procs: u32) -> Lublin {
        Lublin {
            jobs,
            procs,
            kinds: LublinKinds::Both,
            batch: LublinClass::batch(procs),
            interactive: LublinClass::interactive(procs),
            untyped: LublinClass::untyped(procs),
        }
    }

    /// The workload of this seed: interactive jobs in queue 0, batch jobs in queue 1, jobs of no type in none. Time zero
    /// is midnight. The same on every machine: each draw is rounded to whole seconds or processors at once (gaps and
    /// weights of half-hours to whole thousandths of a second), far above the last bit in which two machines' logarithms
    /// may differ.
    pub fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        self.check()?;
        let mut sources: Vec<JobStream> = Vec::new();
        if matches!(self.kinds, LublinKinds::Both | LublinKinds::Interactive) {
            sources.push(JobStream::new(
                &self.interactive,
                self.procs,
                QueueId::new(0),
                seed,
                "interactive",
            )?);
        }
        if matches!(self.kinds, LublinKinds::Both | LublinKinds::Batch) {
            sources.push(JobStream::new(&self.batch, self.procs, QueueId::new(1), seed, "batch")?);
        }
        if self.kinds == LublinKinds::Untyped {
            sources.push(JobStream::new(&self.untyped, self.procs, None, seed, "untyped")?);
        }
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        let mut truths = Vec::with_capacity(self.jobs as usize);
        for id in 1..=u64::from(self.jobs) {
            let next = sources.iter_mut().min_by_key(|source| source.next);
            let Some(source) = next else { break };
            let (job, truth) = source.job(id);
            jobs.push(job);
            truths.push(truth);
        }
        let mut workload = Workload::from_columns(Machine { procs: Procs(self.procs) }, jobs, truths)?;
        workload.epoch = Some(MONDAY);
        if self.kinds != LublinKinds::Untyped {
            workload.names.queues =
                order::map_of((0..).zip(QUEUES).map(|(queue, name)| (queue, name.into())));
        }
        Ok(workload)
    }

    fn check(&self) -> Result<(), SynthError> {
        within("jobs", self.jobs, 1, 10_000_000)?;
        within("procs", self.procs, 1, 1 << 24)?;
        for class in [&self.batch, &self.interactive, &self.untyped] {
            class.check(self.procs)?;
        }
        Ok(())
    }
}

/// Draws the jobs of one class in order.
struct JobStream {
    queue: Option<QueueId>,
    /// When the next one arrives.
    next: Time,
    sizes: DrawnSizes,
    runs: RunTimes,
    arrivals: Arrivals,
}

impl JobStream {
    fn new(
        class: &LublinClass,
        procs: u32,
        queue: Option<QueueId>,
        seed: Seed,
        name: &str,
    ) -> Result<JobStream, SynthError> {
        let stream = |what: &str| seed.stream(&format!("lublin/{name}/{what}"));
        let mut arrivals = Arrivals::new(&class.arrivals, stream("arrivals"))?;
        Ok(JobStream {
            queue,
            next: arrivals.next(),
            sizes: DrawnSizes::new(class.sizes, procs, stream("sizes")),
            runs: RunTimes::new(&class.runs, stream("runs"))?,
            arrivals,
        })
    }

    /// The job that arrives next.
    fn job(&mut self, id: u64) -> (Job, Truth) {
        let procs = self.sizes.next();
        let mut job = Job::rigid(id, self.next, procs, None);
        job.queue = self.queue;
        self.next = self.arrivals.next();
        (job, Truth::rigid(self.runs.next(procs)))
    }
}
