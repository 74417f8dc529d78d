//! Which estimates are left, and whether what is left still suffices for the jobs that have none yet.
//!
//! Estimates are numbered from the shortest; a job's *class* is the shortest estimate it fits into. All jobs can be
//! served if, from every estimate upwards, there are at least as many estimates as jobs that need one of them (Hall's
//! condition, which for intervals that all end at the longest is just this). The surplus is kept per estimate, so that
//! any job can be given any estimate in any order, as long as the surplus between the two stays non-negative.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::SynthError;
use super::stock::Stock;
use super::surplus::Surplus;
use crate::portrait::Modes;
use crate::units::Seconds;
use crate::workload::Workload;

/// The estimates that are left, and the classes of the jobs.
pub struct Ledger {
    times: Vec<Seconds>,
    left: Stock,
    /// Estimates from each one upwards that are left, less the jobs without one that need them.
    surplus: Surplus,
    /// The class of each job, in the order of the jobs.
    pub class: Vec<u32>,
}

impl Ledger {
    /// A ledger of estimates nobody has yet. Fails if there is no way to serve all jobs.
    pub fn open(modes: &Modes, workload: &Workload) -> Result<Ledger, SynthError> {
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
        Ok(Ledger { times, left: Stock::new(left), surplus: Surplus::new(&surplus), class })
    }

    /// The estimate of this number.
    pub fn time(&self, estimate: usize) -> Seconds {
        self.times[estimate]
    }

    /// How many estimates there are.
    pub fn len(&self) -> usize {
        self.left.kinds()
    }

    /// How many of it are left.
    pub fn left(&self, estimate: usize) -> u64 {
        self.left.of(estimate)
    }

    /// One of those a job of this class can be given without another going without in the end, in proportion to how many
    /// are left: some are, as long as a job of this class has none.
    pub fn any(&self, class: usize, rng: &mut ChaCha8Rng) -> usize {
        let permitted = self.surplus.first_below_one(class + 1);
        let (before, upto) = (self.left.before(class), self.left.before(permitted));
        self.left.at(rng.random_range(before..upto))
    }

    /// Gives an estimate to as many of these jobs (their classes, ascending) as may have it, those of the highest class
    /// first, and says to how many. A job uses up the surplus of all estimates it could have done with instead.
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

/// The class of each job: the number of estimates it is too long for.
fn classes(times: &[Seconds], workload: &Workload) -> impl Iterator<Item = u32> {
    workload.truths().iter().map(|truth| times.partition_point(|&time| time < truth.run()) as u32)
}

/// Why not all jobs can be served: some outlive every estimate, or so many at least find no long one left.
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

/// The modes with estimates raised as little as it takes to serve all jobs, and how many were: from every mode upwards
/// there are as many as before, or as many as jobs need if those are more. Fails if a job runs longer than the longest.
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
        // What lacks from here upwards comes from below; what lacked above was taken from here, or from below as well.
        let lacking = surplus.min(0).unsigned_abs();
        let jobs = mode.jobs + lacking - taken;
        // An estimate that moves in while another moves out has not moved: only a gain is a raise.
        lifted += jobs.saturating_sub(mode.jobs);
        (mode.jobs, taken) = (jobs, lacking);
    }
    Ok((kept.into_iter().collect(), lifted))
}
