//! The estimates not assigned yet, and whether they suffice for the remaining jobs.
//!
//! Estimates are numbered from the shortest; a job's *class* is the shortest estimate of at least its run time. An
//! assignment exists if, from every estimate upwards, there are at least as many estimates as jobs that need one of them
//! (Hall's condition). The surplus is kept per estimate, so that estimates can be assigned in any order as long as no
//! surplus becomes negative.

use chacha20::ChaCha8Rng;
use rand::RngExt;

use super::SynthError;
use super::counts::Counts;
use super::surplus::Surplus;
use crate::characterization::Modes;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// The remaining estimates, and the classes of the jobs.
pub struct Remaining {
    times: Vec<Seconds>,
    left: Counts,
    /// For each estimate, the remaining ones from it upwards less the remaining jobs that need them.
    surplus: Surplus,
    /// The class of each job, in the order of the jobs.
    pub class: Vec<u32>,
}

impl Remaining {
    /// All estimates, none assigned. Fails if no assignment exists.
    pub fn new(modes: &Modes, workload: &Workload) -> Result<Remaining, SynthError> {
        one_for_each(modes, workload)?;
        let times: Vec<Seconds> = modes.by_time().iter().map(|mode| mode.time).collect();
        let left: Vec<u64> = modes.by_time().iter().map(|mode| mode.jobs).collect();
        let class: Vec<u32> = classes(&times, workload).collect();
        let mut surplus: Vec<i64> = left.iter().map(|&jobs| jobs as i64).collect();
        let mut beyond = 0;
        for &class in &class {
            *surplus.get_mut(class as usize).unwrap_or(&mut beyond) -= 1;
        }
        let mut above = beyond;
        for surplus in surplus.iter_mut().rev() {
            *surplus += above;
            above = *surplus;
        }
        let short = surplus.iter().copied().chain([beyond]).min().unwrap_or_default();
        if short < 0 {
            return Err(too_short(-short as u64, &times, workload));
        }
        Ok(Remaining { times, left: Counts::new(left), surplus: Surplus::new(&surplus), class })
    }

    /// The estimate of this number.
    pub fn time(&self, estimate: usize) -> Seconds {
        self.times[estimate]
    }

    /// The number of distinct estimates.
    pub fn len(&self) -> usize {
        self.left.kinds()
    }

    /// How often it remains.
    pub fn left(&self, estimate: usize) -> u64 {
        self.left.of(estimate)
    }

    /// Draws an estimate that a job of this class can have so that an assignment of the rest exists, in proportion to the
    /// remaining numbers.
    pub fn any(&self, class: usize, rng: &mut ChaCha8Rng) -> usize {
        let permitted = self.surplus.first_below_one(class + 1);
        let (before, upto) = (self.left.before(class), self.left.before(permitted));
        self.left.at(rng.random_range(before..upto))
    }

    /// Assigns an estimate to as many of these jobs (their classes, ascending) as possible, highest classes first, and
    /// returns their number. A job uses up the surplus of the estimates between its class and its estimate.
    pub fn give(&mut self, estimate: usize, classes: &[u32]) -> usize {
        let (mut given, most) = (0, self.left.of(estimate) as usize);
        for alike in classes.chunk_by(|a, b| a == b).rev() {
            let class = alike[0] as usize;
            if class > estimate || given == most {
                break;
            }
            let surplus = self.surplus.least(class + 1, estimate + 1);
            let enough = usize::try_from(surplus).unwrap_or(0).min(most - given);
            let served = alike.len().min(enough);
            self.surplus.lower(class + 1, estimate + 1, served as i64);
            given += served;
            if served < alike.len() {
                break;
            }
        }
        self.left.take(estimate, given as u64);
        given
    }
}

/// The class of each job: the number of estimates shorter than its run time.
fn classes(times: &[Seconds], workload: &Workload) -> impl Iterator<Item = u32> {
    workload.truths().iter().map(|truth| times.partition_point(|&time| time < truth.run()) as u32)
}

/// The error if no assignment exists: jobs run longer than every estimate, or `short` jobs have none.
fn too_short(short: u64, times: &[Seconds], workload: &Workload) -> SynthError {
    let longest = workload.jobs().iter().zip(workload.truths()).max_by_key(|(_, truth)| truth.run());
    let id = longest.map_or(0, |(job, _)| job.id.0);
    let run = longest.map_or(0, |(_, truth)| truth.run().0);
    let jobs = workload.len() as u64;
    let longest = times.last().map_or(0, |time| time.0);
    match workload.truths().iter().filter(|truth| truth.run().0 > longest).count() as u64 {
        0 => SynthError::TooShort { short, jobs, id, run, longest },
        outlived => SynthError::Outlived { outlived, jobs, id, run, longest },
    }
}

fn one_for_each(modes: &Modes, workload: &Workload) -> Result<(), SynthError> {
    let (estimates, jobs) = (modes.jobs(), workload.len());
    if estimates == jobs as u64 {
        return Ok(());
    }
    Err(SynthError::Unsuitable(format!("{estimates} estimates for {jobs} jobs: one for each is needed")))
}

/// The modes with as few estimates raised as an assignment needs, and the number of raised ones. Fails if a job runs
/// longer than the longest estimate.
pub fn raised(modes: &Modes, workload: &Workload) -> Result<(Modes, u64), SynthError> {
    one_for_each(modes, workload)?;
    let mut kept = modes.by_time().to_vec();
    let times: Vec<Seconds> = kept.iter().map(|mode| mode.time).collect();
    let mut needed = vec![0u64; times.len()];
    for class in classes(&times, workload) {
        match needed.get_mut(class as usize) {
            Some(needed) => *needed += 1,
            None => return Err(too_short(1, &times, workload)),
        }
    }
    let (mut surplus, mut taken, mut lifted) = (0i64, 0, 0);
    for (mode, needed) in kept.iter_mut().zip(needed).rev() {
        surplus += mode.jobs as i64 - needed as i64;
        // Estimates lacking from here upwards come from below; those lacking above were taken from here or from below.
        let lacking = surplus.min(0).unsigned_abs();
        let jobs = mode.jobs + lacking - taken;
        // Only a net gain is a raise.
        lifted += jobs.saturating_sub(mode.jobs);
        (mode.jobs, taken) = (jobs, lacking);
    }
    Ok((kept.into_iter().collect(), lifted))
}
