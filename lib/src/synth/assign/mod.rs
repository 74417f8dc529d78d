//! Estimates for the jobs of a workload: where they come from, and which job gets which.

mod ledger;
mod ratio;
mod routine;
mod shuffle;
mod stock;
mod surplus;
#[cfg(test)]
mod tests;

use rand_chacha::ChaCha8Rng;

use super::error::within;
use super::{EstimateModel, SynthError};
use crate::portrait::Modes;
use crate::seed::Seed;
use crate::units::Seconds;
use crate::workload::Workload;

pub use routine::Routine;

/// Which job gets which of some estimates. None gets one that it outlives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pairing {
    /// Any, as long as it suffices: the random shuffle of Tsafrir, Etsion & Feitelson 2005, section 11.2.
    Shuffled,
    /// Such that people stay with what they asked for: within a sitting, and from one sitting to another.
    Sittings(Routine),
}

impl Pairing {
    /// An estimate for every job, in the order of the jobs; each as often as `modes` has it, which must be one for each
    /// job. Fails if there is no way to serve all jobs.
    pub fn pair(&self, modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        match self {
            Pairing::Shuffled => shuffle::shuffled(modes, workload, seed),
            Pairing::Sittings(routine) => routine.pair(modes, workload, seed),
        }
    }

    /// The same, with estimates raised to others of the modes as little as necessary, and how many were: a model may make
    /// fewer long estimates than there are long jobs. Fails if a job outlives the longest.
    pub fn pair_raised(
        &self,
        modes: &Modes,
        workload: &Workload,
        seed: Seed,
    ) -> Result<(Vec<Seconds>, u64), SynthError> {
        let (modes, raised) = ledger::raised(modes, workload)?;
        Ok((self.pair(&modes, workload, seed)?, raised))
    }
}

/// Where estimates come from: the models that Figure 16 of Tsafrir, Etsion & Feitelson 2005 compares.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimates {
    /// Twice the workload's own.
    Doubled,
    /// The f-model: uniform from the run time to `f + 1` times as much; 0 to 1,000,000.
    Factor(f64),
    /// The φ-model of Mu'alem & Feitelson 2001: uniform accuracy, but for this share of jobs, 0 to 1, that run to their
    /// estimate.
    Feit(f64),
    /// The workload's own, given to other jobs.
    Own(Pairing),
    /// Those of the estimate model; its number of jobs is the workload's, whatever it says.
    Model(EstimateModel, Pairing),
}

impl Estimates {
    /// An estimate for every job, in the order of the jobs, none shorter than the job; but doubled ones are what they are.
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

/// Estimates made from run times, of a second at least.
fn from_runs(
    workload: &Workload,
    seed: Seed,
    mut estimate: impl FnMut(Seconds, &mut ChaCha8Rng) -> Seconds,
) -> Vec<Seconds> {
    let mut rng = seed.stream("estimates from run times");
    workload.truths().iter().map(|truth| estimate(truth.run().max(Seconds(1)), &mut rng)).collect()
}
