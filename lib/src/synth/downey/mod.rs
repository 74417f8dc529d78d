//! The workload model of Downey 1997, "Using queue time predictions for processor allocation", sections 2 and 4: jobs
//! with a sequential lifetime, an average parallelism and a variance in parallelism, which say how long they run on any
//! number of processors.

mod like;
mod speedup;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand_distr::{Distribution, Exp1};
use serde::{Deserialize, Serialize};

use super::error::within;
use super::{MONDAY, SynthError};
use crate::job::{Job, Runs, Shape, Truth};
use crate::seed::Seed;
use crate::units::{Procs, Seconds, Time};
use crate::workload::{Machine, Workload};
pub use speedup::Speedup;

/// A distribution whose logarithm is uniform: as many between 1 and 2 as between 64 and 128.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformLog {
    /// The least; above 0.
    pub least: f64,
    /// The greatest; at least `least`.
    pub most: f64,
}

/// When jobs arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DowneyArrivals {
    /// As a Poisson process from 8 to 20 o'clock, with none at night (section 4).
    #[default]
    Daytime,
    /// As a Poisson process day and night.
    Always,
}

/// The parameters of the model, each with its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Downey {
    /// How many jobs; 1 to 10,000,000.
    pub jobs: u32,
    /// Processors of the machine; 1 to 16,777,216, or to 4,096 if jobs are moldable.
    pub procs: u32,
    /// The offered load while jobs arrive, the paper's ρ: sequential lifetimes arriving in a second, by processors; 0.001
    /// to 10. Over day and night the load is half of it if none arrive at night.
    pub load: f64,
    /// Sequential lifetimes in seconds, the paper's L; within 1 and 10^12.
    pub lifetime: UniformLog,
    /// Average parallelism, the paper's A; within 1 and 16,777,216.
    pub parallelism: UniformLog,
    /// The least variance in parallelism, the paper's σ, which is uniform; 0 to `most_variance`.
    pub least_variance: f64,
    /// The greatest variance in parallelism; up to 1000.
    pub most_variance: f64,
    /// When jobs arrive.
    pub arrivals: DowneyArrivals,
    /// Whether jobs can run on other numbers of processors than the one they are given: on every one up to that beyond
    /// which they do not get faster. Of each they ask for as long as they run there: the model's users know.
    pub moldable: bool,
    /// Whether average parallelism is a whole number, the nearest to what is drawn, and speedups go by that; else it is
    /// in thousandths, of which a job is given as many processors as there are in full.
    pub whole_parallelism: bool,
}

/// A job of the model. All of it is whole: seconds, and thousandths or ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DowneyJob {
    /// When it arrives.
    pub submit: Time,
    /// How long it runs on one processor, the paper's L.
    pub lifetime: Seconds,
    /// How much faster it runs on more.
    pub speedup: Speedup,
}

impl DowneyJob {
    /// How long it runs on so many processors: L/S, to the nearest second, at least one.
    pub fn run(&self, procs: Procs) -> Seconds {
        Seconds((self.lifetime.0 as f64 / self.speedup.of(procs.0)).round().max(1.0) as i64)
    }

    /// How many processors it is given on a machine of this size: as many as its average parallelism has in full.
    pub fn procs(&self, machine: Procs) -> Procs {
        Procs((self.speedup.parallelism as u32).clamp(1, machine.0.max(1)))
    }
}

/// The hours of the day in which jobs arrive, in seconds.
const DAYTIME: (i64, i64) = (8 * 3600, 12 * 3600);

const DAY: i64 = 86_400;

/// Parallelism and variance are drawn to this part of one, so that they are the same on every machine.
const PARTS: f64 = 1000.0;

impl Downey {
    /// The parameters of the paper; parallelism up to 128 or the machine.
    pub fn new(jobs: u32, procs: u32) -> Downey {
        Downey {
            jobs,
            procs,
            load: 0.75,
            lifetime: UniformLog { least: 2f64.exp(), most: 12f64.exp() },
            parallelism: UniformLog { least: 1.0, most: f64::from(procs.clamp(1, 128)) },
            least_variance: 0.0,
            most_variance: 2.0,
            arrivals: DowneyArrivals::Daytime,
            moldable: false,
            whole_parallelism: false,
        }
    }

    /// The jobs of this seed in the order of their arrival.
    pub fn jobs(&self, seed: Seed) -> Result<Vec<DowneyJob>, SynthError> {
        self.check()?;
        let [mut lifetimes, mut parallelism, mut variances, mut arrivals] =
            ["downey/lifetimes", "downey/parallelism", "downey/variances", "downey/arrivals"]
                .map(|label| seed.stream(label));
        // Thousandths of a second.
        let gap = PARTS * self.lifetime.mean() / (self.load * f64::from(self.procs));
        let mut passed = 0i64;
        let jobs = (0..self.jobs).map(|_| {
            let waited: f64 = Exp1.sample(&mut arrivals);
            passed = passed.saturating_add((waited * gap).round() as i64);
            let share: f64 = variances.random_range(0.0..1.0);
            let variance = self.least_variance + share * (self.most_variance - self.least_variance);
            let lifetime = self.lifetime.at(lifetimes.random_range(0.0..1.0));
            let parallelism = self.parallelism.at(parallelism.random_range(0.0..1.0));
            let parts = if self.whole_parallelism { 1.0 } else { PARTS };
            DowneyJob {
                submit: self.arrivals.moment(passed / PARTS as i64),
                lifetime: Seconds(lifetime.round() as i64),
                speedup: Speedup {
                    parallelism: (parallelism * parts).round() / parts,
                    variance: (variance * PARTS).round() / PARTS,
                },
            }
        });
        Ok(jobs.collect())
    }

    /// The workload of this seed: each job rigid on as many processors as its average parallelism has in full, or
    /// moldable with that as its first shape. Time zero is midnight. The same on every machine.
    pub fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        let machine = Machine { procs: Procs(self.procs) };
        let drawn = self.jobs(seed)?;
        let (jobs, truths) = (1..).zip(&drawn).map(|(id, job)| self.shaped(id, job)).unzip();
        let mut workload = Workload::from_columns(machine, jobs, truths)?;
        workload.epoch = Some(MONDAY);
        Ok(workload)
    }

    fn shaped(&self, id: u64, drawn: &DowneyJob) -> (Job, Truth) {
        let given = drawn.procs(Procs(self.procs));
        let mut job = Job::rigid(id, drawn.submit, given, None);
        if !self.moldable {
            return (job, Truth::rigid(drawn.run(given)));
        }
        let most = (drawn.speedup.saturation().ceil() as u32).clamp(given.0, self.procs);
        let shape = |procs| Shape { procs, limit: Some(drawn.run(procs)) };
        let others = (1..=most).map(Procs).filter(|&procs| procs != given);
        (job.shape, job.other_shapes) = (shape(given), Some(others.map(shape).collect()));
        let runs = job.shapes().map(|shape| shape.limit.unwrap_or_default()).collect();
        (job, Truth { runs: Runs::Moldable(runs), ..Truth::rigid(Seconds::ZERO) })
    }

    fn check(&self) -> Result<(), SynthError> {
        within("jobs", self.jobs, 1, 10_000_000)?;
        within("procs", self.procs, 1, if self.moldable { 4096 } else { 1 << 24 })?;
        within("load", self.load, 0.001, 10.0)?;
        self.lifetime.check(["lifetime.least", "lifetime.most"], 1e12)?;
        self.parallelism.check(["parallelism.least", "parallelism.most"], f64::from(1 << 24))?;
        within("most_variance", self.most_variance, 0.0, 1000.0)?;
        within("least_variance", self.least_variance, 0.0, self.most_variance)
    }
}

impl UniformLog {
    fn check(&self, [least, most]: [&'static str; 2], highest: f64) -> Result<(), SynthError> {
        within(most, self.most, 1.0, highest)?;
        within(least, self.least, 1.0, self.most)
    }

    /// The value that a `share` (0 to 1) of all are below.
    ///
    /// # Formula
    /// `least · (most / least)^share`
    pub fn at(&self, share: f64) -> f64 {
        (self.least * (self.most / self.least).powf(share)).clamp(self.least, self.most)
    }

    /// The mean.
    ///
    /// # Formula
    /// `(most − least) / ln(most / least)`, and `most` where both are one
    pub fn mean(&self) -> f64 {
        let span = (self.most / self.least).ln();
        if span > 1e-12 { (self.most - self.least) / span } else { self.most }
    }
}

impl DowneyArrivals {
    /// When it is, after so many seconds in which jobs can arrive.
    fn moment(self, passed: i64) -> Time {
        let (begins, length) = DAYTIME;
        match self {
            DowneyArrivals::Daytime => Time(passed / length * DAY + begins + passed % length),
            DowneyArrivals::Always => Time(passed),
        }
    }
}
