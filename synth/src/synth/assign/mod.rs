//! Assignment of estimates to the jobs of a workload.

mod counts;
mod ratio;
mod remaining;
mod routine;
mod shuffle;
mod surplus;
#[cfg(test)]
mod tests;

use chacha20::ChaCha8Rng;

use super::error::within;
use super::{EstimateModel, SynthError};
use crate::characterization::Modes;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

pub use routine::Routine;

/// How estimates are assigned to jobs. No job gets an estimate shorter than its run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pairing {
    /// At random: the shuffle of Tsafrir, Etsion & Feitelson 2005, section 11.2.
    Shuffled,
    /// By session: users repeat their estimates within sessions and between them.
    Sessions(Routine),
}

impl Pairing {
    /// An estimate for every job, in the order of the jobs, each as often as in `modes`, which has as many jobs. Fails if no
    /// assignment exists.
    pub fn pair(&self, modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        match self {
            Pairing::Shuffled => shuffle::shuffled(modes, workload, seed),
            Pairing::Sessions(routine) => routine.pair(modes, workload, seed),
        }
    }

    /// Assigns estimates raised as far as the jobs need, and the number of raised ones: a model may have fewer long
    /// estimates than there are long jobs. Fails if a job runs longer than the longest estimate.
    pub fn pair_raised(
        &self,
        modes: &Modes,
        workload: &Workload,
        seed: Seed,
    ) -> Result<(Vec<Seconds>, u64), SynthError> {
        let (modes, raised) = remaining::raised(modes, workload)?;
        Ok((self.pair(&modes, workload, seed)?, raised))
    }
}

/// Sources of estimates, as compared in Figure 16 of Tsafrir, Etsion & Feitelson 2005.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimates {
    /// Twice the workload's own.
    Doubled,
    /// The f-model: uniform from the run time to `f + 1` times the run time; 0 to 1,000,000.
    Factor(f64),
    /// The φ-model of Mu'alem & Feitelson 2001: uniform accuracy, except for this share of jobs, 0 to 1, that run to their
    /// estimate.
    Feit(f64),
    /// The workload's own, reassigned.
    Own(Pairing),
    /// Those of the estimate model, with the workload's number of jobs.
    Model(EstimateModel, Pairing),
}

impl Estimates {
    /// An estimate for every job, in the order of the jobs, none shorter than the run time, except doubled ones.
    pub fn of(&self, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        match self {
            Estimates::Doubled => Ok(own(workload)?.map(|own| own.scaled(2.0)).collect()),
            Estimates::Factor(factor) => {
                within("f", *factor, 0.0, 1e6)?;
                Ok(from_runs(workload, seed, |run, rng| ratio::factor(run, *factor, rng)))
            }
            Estimates::Feit(peak) => {
                within("phi", *peak, 0.0, 1.0)?;
                Ok(from_runs(workload, seed, |run, rng| ratio::feit(run, *peak, rng)))
            }
            Estimates::Own(pairing) => pairing.pair(&own(workload)?.collect(), workload, seed),
            Estimates::Model(model, pairing) => {
                let model = EstimateModel { jobs: workload.len() as u64, ..model.clone() };
                Ok(pairing.pair_raised(&model.modes(seed)?, workload, seed)?.0)
            }
        }
    }
}

/// The workload's own estimates. Fails if a job has none.
fn own(workload: &Workload) -> Result<impl Iterator<Item = Seconds> + '_, SynthError> {
    let jobs = workload.jobs();
    let without = jobs.iter().filter(|job| job.shape.limit.is_none()).count();
    if without > 0 {
        return Err(SynthError::Unsuitable(format!(
            "{without} of {} jobs have no estimate to use",
            jobs.len()
        )));
    }
    Ok(jobs.iter().filter_map(|job| job.shape.limit))
}

/// Estimates made from run times of at least one second.
fn from_runs(
    workload: &Workload,
    seed: Seed,
    mut estimate: impl FnMut(Seconds, &mut ChaCha8Rng) -> Seconds,
) -> Vec<Seconds> {
    let mut rng = seed.stream("estimates from run times");
    workload.truths().iter().map(|truth| estimate(truth.run().max(Seconds(1)), &mut rng)).collect()
}
