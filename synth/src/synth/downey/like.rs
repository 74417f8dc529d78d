//! The model fitted to a workload, as the paper fits its own (section 2.2): straight lines through cumulated shares
//! against logarithms.

use super::{Downey, DowneyArrivals, LIFETIME, Law, Speedup, UniformLog};
use crate::synth::SynthError;
use queuecast_core::order;
use queuecast_core::workload::Workload;

/// The fewest jobs for a fit.
const FEWEST: usize = 20;

/// The cumulative shares between which the line is fitted.
const INNER: (f64, f64) = (0.05, 0.95);

/// The variance in parallelism, which a log does not record: the mean of the paper's.
const MEAN_VARIANCE: f64 = 1.0;

impl Downey {
    /// The model fitted to a workload: as many jobs, the same machine, arrivals day and night at the workload's rate.
    ///
    /// A log knows the cluster size `n` and the run time `R` of a job, neither its lifetime nor its parallelism. The
    /// paper takes cluster sizes for parallelism, and allocated times `n·R` for lifetimes with a lower maximum, since no
    /// speedup is perfect. Here parallelism is taken to be half a processor above the cluster size, as it is on average
    /// for a job that gets as many processors as its parallelism has in full, and a lifetime to be `R·S(n)` at the mean
    /// variance, so that what is generated runs as long as what was seen.
    ///
    /// Lines reach further than what they are laid through: sizes and lifetimes are kept within those of the workload. Run
    /// times need not be, since lifetimes know nothing of sizes: a long one may meet a small one. A workload of fewer than
    /// 20 jobs that ran, or one whose jobs all arrive at once, is unsuitable.
    pub fn like(workload: &Workload) -> Result<Downey, SynthError> {
        // As it is on average for a job that gets as many processors as its parallelism has in full.
        let seen = Observations::of(workload, 0.5)?;
        let (fewest, greatest) = ends(&seen.sizes);
        // A size of n is any parallelism below n + 1, in thousandths.
        let widest = greatest + 0.999;
        let parallelism = if fewest < greatest {
            UniformLog::through(seen.sizes.iter().map(|size| size + 1.0).collect()).inside(fewest, widest)
        } else {
            UniformLog { least: fewest, most: widest }
        };
        let (least, most) = ends(&seen.lifetimes);
        let lifetime = UniformLog::through(seen.lifetimes).inside(least.max(1.0), most.clamp(1.0, 1e12));
        Ok(arriving(workload, seen.rate, lifetime.into(), parallelism.into()))
    }

    /// A model of a log with lifetimes and parallelism as observed ([`Law::observed`]) instead of lines through them: parallelism
    /// is the cluster size, and a lifetime `R·S(n)` with that. Each can be had alone: they are fields.
    pub fn like_observed(workload: &Workload) -> Result<Downey, SynthError> {
        let Observations { lifetimes, sizes, rate } = Observations::of(workload, 0.0)?;
        let within = |value: f64| value.clamp(LIFETIME.0, LIFETIME.1);
        let lifetime = Law::observed(lifetimes.into_iter().map(within).collect());
        Ok(arriving(workload, rate, lifetime, Law::observed(sizes)))
    }
}

/// A model of these, with as many jobs as the workload on the same machine, arriving day and night at this rate.
fn arriving(workload: &Workload, rate: f64, lifetime: Law, parallelism: Law) -> Downey {
    let machine = workload.machine().procs.0;
    let load = (rate * lifetime.mean(LIFETIME) / f64::from(machine)).clamp(0.001, 10.0);
    let arrivals = DowneyArrivals::Always;
    Downey { load, lifetime, parallelism, arrivals, ..Downey::new(workload.len() as u32, machine) }
}

/// What a workload shows of the model's parameters.
struct Observations {
    /// The lifetimes of jobs that ran.
    lifetimes: Vec<f64>,
    /// The cluster sizes of all.
    sizes: Vec<f64>,
    /// Arrivals in a second.
    rate: f64,
}

impl Observations {
    /// What is seen of a log if parallelism is taken to be `above` processors more than the cluster size.
    fn of(workload: &Workload, above: f64) -> Result<Observations, SynthError> {
        let ran = workload.jobs().iter().zip(workload.truths()).filter(|(_, truth)| truth.run().0 > 0);
        let lifetimes: Vec<f64> = ran
            .map(|(job, truth)| {
                let procs = job.shape.procs.0;
                let speedup = Speedup { parallelism: f64::from(procs) + above, variance: MEAN_VARIANCE };
                truth.run().0 as f64 * speedup.of(procs)
            })
            .collect();
        if lifetimes.len() < FEWEST {
            let few =
                format!("only {} jobs ran for at least a second: a fit needs {FEWEST}", lifetimes.len());
            return Err(SynthError::Unsuitable(few));
        }
        let [first, .., last] = workload.jobs() else {
            return Err(SynthError::Unsuitable("a fit needs several jobs".into()));
        };
        let span = (last.submit - first.submit).0 as f64;
        if span <= 0.0 {
            return Err(SynthError::Unsuitable("all jobs arrive at once: there is no rate to fit".into()));
        }
        let sizes = workload.jobs().iter().map(|job| f64::from(job.shape.procs.0)).collect();
        Ok(Observations { lifetimes, sizes, rate: (workload.len() - 1) as f64 / span })
    }
}

/// The least and the greatest.
fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(least, most), &value| (value.min(least), value.max(most)))
}

impl UniformLog {
    /// With bounds that lie within these.
    fn inside(self, least: f64, most: f64) -> UniformLog {
        UniformLog { least: self.least.clamp(least, most), most: self.most.clamp(least, most) }
    }

    /// The bounds of the line `share = β₀ + β₁ ln x` through the cumulated shares of these values, by least squares over
    /// the inner nine tenths of them (equation 4).
    ///
    /// # Formula
    /// `least = exp(−β₀/β₁)`, `most = exp((1 − β₀)/β₁)`
    fn through(mut values: Vec<f64>) -> UniformLog {
        order::sort_floats(&mut values);
        let all = values.len() as f64;
        let (mut points, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut below = 0.0;
        for alike in values.chunk_by(|one, other| one == other) {
            below += alike.len() as f64;
            let share = below / all;
            // Many alike are one step of the curve, whose top says what is known: at most this much. Each counts.
            if !(INNER.0..=INNER.1).contains(&share) {
                continue;
            }
            let (weight, log) = (alike.len() as f64, alike[0].ln());
            points += weight;
            x += weight * log;
            y += weight * share;
            xx += weight * log * log;
            xy += weight * log * share;
        }
        let variance = points * xx - x * x;
        let slope = (points * xy - x * y) / variance;
        let (shortest, longest) = (values.first().copied(), values.last().copied());
        let (Some(shortest), Some(longest)) = (shortest, longest) else {
            return UniformLog { least: 1.0, most: 1.0 };
        };
        // Of fewer than two different values there is no line.
        if variance <= 1e-9 || !slope.is_finite() || slope <= 0.0 {
            return UniformLog { least: shortest, most: longest };
        }
        let intercept = (y - slope * x) / points;
        UniformLog { least: (-intercept / slope).exp(), most: ((1.0 - intercept) / slope).exp() }
    }
}
