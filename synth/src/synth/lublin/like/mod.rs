//! The model fitted to a workload, part by part.

mod arrivals;
mod runs;
mod sizes;
#[cfg(test)]
mod tests;

use statrs::function::gamma::digamma;

use super::{GammaLaw, Lublin, LublinClass, LublinKinds};
use crate::synth::SynthError;
use queuecast_core::workload::Workload;

/// A job as the fit sees it.
#[derive(Debug, Clone, Copy)]
struct ObservedJob {
    /// When it arrives, in seconds since midnight of some day.
    at: i64,
    procs: u32,
    run: i64,
}

/// The fewest jobs for a fit.
const FEWEST: usize = 100;

impl Lublin {
    /// The model fitted to a workload: as many jobs, the same machine. A workload with a queue called "interactive" of at
    /// least a hundred jobs, and as many in others, is fitted as batch and interactive jobs, any other as jobs of no
    /// type. A workload that does not tell the time of day, that is shorter than two days, or that has fewer than a
    /// hundred jobs is unsuitable.
    pub fn like(workload: &Workload) -> Result<Lublin, SynthError> {
        let Some(epoch) = workload.epoch else {
            return Err(unsuitable(
                "the workload does not say when it begins, so its days are unknown: add UnixStartTime to its header",
            ));
        };
        let midnight = epoch.rem_euclid(86_400);
        let interactive = |queue: u32| {
            let name = workload.names.queues.get(&queue);
            name.is_some_and(|name| name.to_ascii_lowercase().contains("interactive"))
        };
        let mut seen = [Vec::new(), Vec::new()];
        for (job, truth) in workload.jobs().iter().zip(workload.truths()) {
            let kind = job.queue.is_some_and(|queue| interactive(queue.number()));
            seen[usize::from(kind)].push(ObservedJob {
                at: job.submit.0 + midnight,
                procs: job.shape.procs.0,
                run: truth.run().0,
            });
        }
        let procs = workload.machine().procs.0;
        let mut model = Lublin::new(workload.len() as u32, procs);
        if seen.iter().all(|jobs| jobs.len() >= FEWEST) {
            let [batch, interactive] = &seen;
            model.batch = LublinClass::like(batch, procs)?;
            model.interactive = LublinClass::like(interactive, procs)?;
        } else {
            let mut all = seen.concat();
            all.sort_by_key(|job| job.at);
            model.kinds = LublinKinds::Untyped;
            model.untyped = LublinClass::like(&all, procs)?;
        }
        Ok(model)
    }
}

impl LublinClass {
    /// The class fitted to these jobs, which are in the order of their arrival.
    fn like(seen: &[ObservedJob], procs: u32) -> Result<LublinClass, SynthError> {
        let ran = seen.iter().filter(|job| job.run > 0).count();
        if ran < FEWEST {
            let few = format!("only {ran} jobs ran for at least a second: a fit needs {FEWEST}");
            return Err(SynthError::Unsuitable(few));
        }
        Ok(LublinClass {
            arrivals: arrivals::fit(seen)?,
            sizes: sizes::fit(seen, procs),
            runs: runs::fit(seen),
        })
    }
}

fn unsuitable(why: &str) -> SynthError {
    SynthError::Unsuitable(why.into())
}

/// The natural log of a number of seconds, as a gamma that was rounded to it may have been. Nothing below one second is
/// told apart, and a gamma has no mass at zero: up to a second it is where half of what rounds to one is.
fn log(seconds: f64) -> f64 {
    if seconds < 1.5 { 0.2 } else { seconds.ln() }
}

/// The likeliest gamma for values of this mean whose logs have this mean.
///
/// # Formula
/// `ln a − ψ(a) = ln mean − mean of logs` by Newton's method, `b = mean / a`
fn likeliest(mean: f64, log_mean: f64) -> GammaLaw {
    // Values all alike would ask for an infinite shape.
    let spread = (mean.ln() - log_mean).max(1e-4);
    let mut shape = (3.0 - spread + ((spread - 3.0).powi(2) + 24.0 * spread).sqrt()) / (12.0 * spread);
    for _ in 0..8 {
        let step = 1e-4 * shape;
        let slope = (digamma(shape + step) - digamma(shape - step)) / (2.0 * step);
        let next = shape - (shape.ln() - digamma(shape) - spread) / (1.0 / shape - slope);
        shape = next.clamp(shape / 2.0, shape * 2.0);
    }
    let shape = shape.clamp(0.01, 10_000.0);
    GammaLaw { shape, scale: (mean / shape).clamp(1e-6, 1000.0) }
}
