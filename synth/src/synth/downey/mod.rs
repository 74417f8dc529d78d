//! The workload model of Downey 1997, "Using queue time predictions for processor allocation", sections 2 and 4: jobs
//! with a sequential lifetime, an average parallelism and a variance in parallelism, which say how long they run on any
//! number of processors.

mod days;
mod law;
mod like;
mod measured;
mod speedup;
#[cfg(test)]
mod tests;
mod uniform_log;
mod viable;

use std::ops::RangeInclusive;

use rand::RngExt;
use rand_distr::{Distribution, Exp1};
use serde::{Deserialize, Serialize};

use super::error::within;
use super::{MONDAY, SynthError};
pub use days::DowneyArrivals;
pub use law::Law;
use queuecast_core::job::{Job, Runs, Shape, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::spec::choices;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
pub use speedup::Speedup;
pub use uniform_log::UniformLog;
pub use viable::Viable;

/// How an average parallelism becomes a number of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// Rounded down.
    #[default]
    Down,
    /// Rounded up.
    Up,
    /// Parallelism itself is rounded to the nearest whole number when drawn, and speedups are computed from that.
    Whole,
}

choices! { Rounding, "rounding":
    Up = "up", "rounded up";
    Down = "down", "rounded down";
    Whole = "whole", "drawn as a whole number";
}

/// The parameters of the model, each with its range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Downey {
    /// Number of jobs; 1 to 10,000,000.
    pub jobs: u32,
    /// Processors of the machine; 1 to 16,777,216, or to 4,096 if jobs are moldable.
    pub procs: u32,
    /// The offered load while jobs arrive, the paper's ρ: sequential lifetimes arriving in a second, by processors; 0.001
    /// to 10. Over day and night the load is half of it if none arrive at night.
    pub load: f64,
    /// Sequential lifetimes in seconds, the paper's L; within 1 and 10^12.
    pub lifetime: Law,
    /// Average parallelism, the paper's A; within 1 and 16,777,216.
    pub parallelism: Law,
    /// Variance in parallelism, the paper's σ; within 0 and 1000.
    pub variance: Law,
    /// Processors whose memory a job needs: it runs on no fewer; within 1 and the machine, rounded up.
    pub memory: Law,
    /// Processors beyond which communication slows a job down: it runs on no more, unless its memory needs them; within 1
    /// and 16,777,216, rounded down.
    pub communication: Law,
    /// When jobs arrive.
    pub arrivals: DowneyArrivals,
    /// Whether jobs are moldable: they run on any number of processors up to that from which the speedup is constant. The
    /// requested time on each number is the run time there.
    pub moldable: bool,
    /// How average parallelism, in thousandths, becomes a number of processors.
    pub rounding: Rounding,
}

/// A job of the model. Times are whole seconds; parallelism and variance are whole numbers or thousandths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DowneyJob {
    /// When it arrives.
    pub submit: Time,
    /// How long it runs on one processor, the paper's L.
    pub lifetime: Seconds,
    /// How much faster it runs on more.
    pub speedup: Speedup,
    /// The numbers of processors it can run on.
    pub viable: Viable,
}

impl DowneyJob {
    /// The run time on `procs` processors: L/S, to the nearest second, at least one.
    pub fn run(&self, procs: Procs) -> Seconds {
        Seconds((self.lifetime.0 as f64 / self.speedup.of(procs.0)).round().max(1.0) as i64)
    }

    /// The rounded average parallelism, or the viable number of processors nearest to it. An error if none is viable on a
    /// machine of this size.
    pub fn procs(&self, machine: Procs, rounding: Rounding) -> Result<Procs, SynthError> {
        let parallelism = self.speedup.parallelism;
        let rounded = match rounding {
            Rounding::Down => parallelism.floor(),
            Rounding::Up => parallelism.ceil(),
            Rounding::Whole => parallelism.round(),
        };
        Ok(self.viable.on(machine)?.nearest(Procs(rounded as u32)))
    }

    /// The viable numbers of processors on a machine of this size, up to that from which the speedup is constant. An error
    /// if none is viable.
    pub fn sizes(&self, machine: Procs) -> Result<RangeInclusive<u32>, SynthError> {
        let viable = self.viable.on(machine)?;
        let fastest = Procs(self.speedup.saturation().ceil() as u32);
        Ok(viable.fewest.0..=viable.nearest(fastest).0)
    }
}

/// Parallelism and variance are rounded to this part of one, so that they are the same on every platform.
const PARTS: f64 = 1000.0;

/// Bounds of lifetimes, numbers of processors, and variances.
const LIFETIME: (f64, f64) = (1.0, 1e12);
const PARALLELISM: (f64, f64) = (1.0, (1 << 24) as f64);
const VARIANCE: (f64, f64) = (0.0, 1000.0);

impl Downey {
    /// The parameters of the paper; parallelism up to 128 or the machine.
    pub fn new(jobs: u32, procs: u32) -> Downey {
        Downey {
            jobs,
            procs,
            load: 0.75,
            lifetime: UniformLog { least: 2f64.exp(), most: 12f64.exp() }.into(),
            parallelism: UniformLog { least: 1.0, most: f64::from(procs.clamp(1, 128)) }.into(),
            variance: Law::Uniform(0.0, 2.0),
            memory: Law::Exactly(1.0),
            communication: Law::Exactly(PARALLELISM.1),
            arrivals: DowneyArrivals::Daytime,
            moldable: false,
            rounding: Rounding::Down,
        }
    }

    /// The jobs of this seed in the order of their arrival.
    pub fn jobs(&self, seed: Seed) -> Result<Vec<DowneyJob>, SynthError> {
        self.check()?;
        let mut arrivals = seed.stream("downey/arrivals");
        let [mut lifetimes, mut parallelism, mut variances, mut memory, mut communication] = [
            (&self.lifetime, LIFETIME, "downey/lifetimes"),
            (&self.parallelism, PARALLELISM, "downey/parallelism"),
            (&self.variance, VARIANCE, "downey/variances"),
            (&self.memory, self.memories(), "downey/memory"),
            (&self.communication, PARALLELISM, "downey/communication"),
        ]
        .map(|(law, bounds, label)| {
            let mut rng = seed.stream(label);
            move || law.at(rng.random_range(0.0..1.0), bounds)
        });
        // Thousandths of a second.
        let gap = PARTS * self.lifetime.mean(LIFETIME) / (self.load * f64::from(self.procs));
        let parts = if self.rounding == Rounding::Whole { 1.0 } else { PARTS };
        let mut passed = 0i64;
        let jobs = (0..self.jobs).map(|_| {
            let waited: f64 = Exp1.sample(&mut arrivals);
            passed = passed.saturating_add((waited * gap).round() as i64);
            let fewest = in_parts(memory(), PARTS).ceil() as u32;
            let most = in_parts(communication(), PARTS).floor() as u32;
            DowneyJob {
                // For now the seconds in which jobs can arrive.
                submit: Time(passed / PARTS as i64),
                lifetime: Seconds(lifetimes().round() as i64),
                speedup: Speedup {
                    parallelism: in_parts(parallelism(), parts),
                    variance: in_parts(variances(), PARTS),
                },
                viable: Viable { fewest: Procs(fewest), most: Procs(most.max(fewest)) },
            }
        });
        let mut jobs: Vec<DowneyJob> = jobs.collect();
        let period = self.arrivals.period(longest(&jobs));
        for job in &mut jobs {
            job.submit = self.arrivals.moment(job.submit.0, period);
        }
        Ok(jobs)
    }

    /// The workload of this seed: each job rigid on as many processors as its average parallelism, rounded, or
    /// moldable with that as its first shape. Time zero is midnight. The same on every machine.
    pub fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        self.workload(&self.jobs(seed)?)
    }

    /// The workload of jobs that were drawn from this model.
    pub fn workload(&self, drawn: &[DowneyJob]) -> Result<Workload, SynthError> {
        let machine = Machine { procs: Procs(self.procs) };
        let (mut jobs, mut truths) = (Vec::with_capacity(drawn.len()), Vec::with_capacity(drawn.len()));
        for (id, job) in (1..).zip(drawn) {
            let (job, truth) = self.shaped(id, job)?;
            jobs.push(job);
            truths.push(truth);
        }
        let mut workload = Workload::from_columns(machine, jobs, truths)?;
        workload.epoch = Some(MONDAY);
        Ok(workload)
    }

    fn shaped(&self, id: u64, drawn: &DowneyJob) -> Result<(Job, Truth), SynthError> {
        let machine = Procs(self.procs);
        let given = drawn.procs(machine, self.rounding)?;
        let mut job = Job::rigid(id, drawn.submit, given, None);
        if !self.moldable {
            return Ok((job, Truth::rigid(drawn.run(given))));
        }
        let shape = |procs| Shape { procs, limit: Some(drawn.run(procs)) };
        let others = drawn.sizes(machine)?.map(Procs).filter(|&procs| procs != given);
        (job.shape, job.other_shapes) = (shape(given), Some(others.map(shape).collect()));
        let runs = job.shapes().map(|shape| shape.limit.unwrap_or_default()).collect();
        Ok((job, Truth { runs: Runs::Moldable(runs), ..Truth::rigid(Seconds::ZERO) }))
    }

    /// No job needs more memory than there is.
    fn memories(&self) -> (f64, f64) {
        (1.0, f64::from(self.procs))
    }

    fn check(&self) -> Result<(), SynthError> {
        within("jobs", self.jobs, 1, 10_000_000)?;
        within("procs", self.procs, 1, if self.moldable { 4096 } else { 1 << 24 })?;
        within("load", self.load, 0.001, 10.0)?;
        self.lifetime.check("lifetime", LIFETIME)?;
        self.parallelism.check("parallelism", PARALLELISM)?;
        self.variance.check("variance", VARIANCE)?;
        self.memory.check("memory", self.memories())?;
        self.communication.check("communication", PARALLELISM)
    }
}

/// Rounded to a part of one.
fn in_parts(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// The longest of their lifetimes.
pub(crate) fn longest(jobs: &[DowneyJob]) -> Seconds {
    jobs.iter().map(|job| job.lifetime).max().unwrap_or_default()
}
