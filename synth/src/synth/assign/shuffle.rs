//! The random shuffle (Tsafrir, Etsion & Feitelson 2005, section 11.2): a random assignment in which no job runs longer
//! than its estimate.
//!
//! From the longest job to the shortest, each draws from the remaining estimates that are long enough. The number of these
//! does not depend on earlier draws, so every permitted assignment is equally likely; if none is left, no assignment
//! exists.

use queuecast_core::order;
use rand::RngExt;

use super::SynthError;
use super::remaining::Remaining;
use crate::characterization::Modes;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// A uniformly random permitted assignment.
pub fn shuffled(modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
    let remaining = Remaining::new(modes, workload)?;
    let mut rng = seed.stream("shuffled estimates");
    let mut jobs: Vec<u32> = (0..workload.len() as u32).collect();
    order::sort_by_key(&mut jobs, |&job| remaining.class[job as usize]);
    let mut estimates = vec![Seconds(0); workload.len()];
    let mut left = Vec::with_capacity(workload.len());
    for class in (0..remaining.len()).rev() {
        left.extend((0..remaining.left(class)).map(|_| remaining.time(class)));
        while let Some(job) = jobs.pop_if(|job| remaining.class[*job as usize] as usize == class) {
            // An assignment exists, so an estimate is left.
            estimates[job as usize] = left.swap_remove(rng.random_range(0..left.len()));
        }
    }
    Ok(estimates)
}
