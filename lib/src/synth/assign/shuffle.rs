//! The random shuffle (Tsafrir, Etsion & Feitelson 2005, section 11.2): which job gets which estimate, if nothing
//! matters but that no job runs longer than its estimate.
//!
//! From the longest job to the shortest, each draws from the estimates that are long enough and still there. All
//! longer jobs have drawn from the same ones, so how many are left does not depend on who drew what: every permitted
//! assignment is equally likely, none is ever retried, and if a job finds nothing left there is no assignment at all.

use rand::RngExt;

use super::SynthError;
use super::ledger::Ledger;
use crate::portrait::Modes;
use crate::seed::Seed;
use crate::units::Seconds;
use crate::workload::Workload;

/// One of the permitted assignments, each as likely as any other.
pub fn shuffled(modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
    let ledger = Ledger::open(modes, workload)?;
    let mut rng = seed.stream("shuffled estimates");
    let mut jobs: Vec<u32> = (0..workload.len() as u32).collect();
    jobs.sort_by_key(|&job| ledger.class[job as usize]);
    let mut estimates = vec![Seconds(0); workload.len()];
    let mut left = Vec::with_capacity(workload.len());
    for class in (0..ledger.len()).rev() {
        left.extend((0..ledger.left(class)).map(|_| ledger.time(class)));
        while let Some(job) = jobs.pop_if(|job| ledger.class[*job as usize] as usize == class) {
            // The ledger has shown that something is left.
            estimates[job as usize] = left.swap_remove(rng.random_range(0..left.len()));
        }
    }
    Ok(estimates)
}
