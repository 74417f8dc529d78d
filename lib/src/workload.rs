//! A machine and the jobs that arrive at it, in arrival order.

use std::collections::BTreeMap;

use crate::job::{Job, JobIndex, Truth};
use crate::units::{Procs, Seconds, Time};

/// What the jobs run on: identical processors, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// How many processors it has.
    pub procs: Procs,
}

/// What a log calls its users, queues and so on, by number. Empty where a log has numbers only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Users.
    pub users: BTreeMap<u32, String>,
    /// Groups.
    pub groups: BTreeMap<u32, String>,
    /// Accounts.
    pub accounts: BTreeMap<u32, String>,
    /// Executables, scripts or job names.
    pub executables: BTreeMap<u32, String>,
    /// Queues.
    pub queues: BTreeMap<u32, String>,
    /// Partitions.
    pub partitions: BTreeMap<u32, String>,
    /// Qualities of service.
    pub qos: BTreeMap<u32, String>,
}

/// Jobs in arrival order, each with its truth, and the machine they run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    machine: Machine,
    jobs: Vec<Job>,
    truths: Vec<Truth>,
    /// Names for the numbers on the jobs.
    pub names: Names,
    /// Unix time of [`Time`] zero, where known: it tells night from day.
    pub epoch: Option<i64>,
}

/// Why jobs and a machine do not make a workload.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WorkloadError {
    /// A machine needs at least one processor.
    #[error("the machine has no processors")]
    NoProcessors,
    /// A job that can never start.
    #[error("job {id} needs {procs} processors, the machine has {machine}")]
    TooLarge {
        /// The log's number.
        id: u64,
        /// What it needs.
        procs: u32,
        /// What there is.
        machine: u32,
    },
    /// A job without processors or with a negative run time.
    #[error("job {id} has {what}")]
    Impossible {
        /// The log's number.
        id: u64,
        /// What is wrong.
        what: String,
    },
    /// More jobs than can be numbered.
    #[error("a workload holds at most {} jobs", u32::MAX)]
    TooMany,
}

impl Workload {
    /// Puts jobs into arrival order (submission time; ties stay in the order given) and numbers them.
    pub fn new(machine: Machine, mut pairs: Vec<(Job, Truth)>) -> Result<Workload, WorkloadError> {
        if machine.procs == Procs(0) {
            return Err(WorkloadError::NoProcessors);
        }
        if u32::try_from(pairs.len()).is_err() {
            return Err(WorkloadError::TooMany);
        }
        for (job, truth) in &pairs {
            check(machine, job, truth)?;
        }
        if !pairs.is_sorted_by_key(|(job, _)| job.submit) {
            pairs.sort_by_key(|(job, _)| job.submit);
        }
        let mut jobs = Vec::with_capacity(pairs.len());
        let mut truths = Vec::with_capacity(pairs.len());
        // From the back, piece by piece, so that a long log is at no time held twice.
        while !pairs.is_empty() {
            for (job, truth) in pairs.drain(pairs.len().saturating_sub(PIECE)..).rev() {
                jobs.push(job);
                truths.push(truth);
            }
            pairs.shrink_to_fit();
        }
        jobs.reverse();
        truths.reverse();
        for (index, job) in (0..).zip(&mut jobs) {
            job.index = JobIndex(index);
        }
        Ok(Workload { machine, jobs, truths, names: Names::default(), epoch: None })
    }

    /// The machine.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Every job in arrival order; `jobs()[i].index` is `i`.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The truth of each job, in the same order. For the engine, the oracle and the metrics only.
    pub fn truths(&self) -> &[Truth] {
        &self.truths
    }

    /// How many jobs there are.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// First submission.
    pub fn begins(&self) -> Option<Time> {
        self.jobs.first().map(|job| job.submit)
    }

    /// The sum over all jobs of processors times run time, divided by processors times the span of
    /// submissions: above 1 the queue grows without bound.
    ///
    /// # Formula
    /// `Σ procs·run / (machine · (last submit − first submit))`
    pub fn offered_load(&self) -> f64 {
        let (Some(first), Some(last)) = (self.jobs.first(), self.jobs.last()) else { return 0.0 };
        let area: f64 = self
            .jobs
            .iter()
            .zip(&self.truths)
            .map(|(job, truth)| f64::from(job.shape.procs.0) * truth.run().0 as f64)
            .sum();
        area / (f64::from(self.machine.procs.0) * ((last.submit - first.submit).0.max(1)) as f64)
    }

    /// A digest of everything a simulation depends on, the same on every machine: FNV-1a over the machine
    /// and each job's submission, shape, user and run time.
    pub fn digest(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut eat = |value: i64| {
            for byte in value.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        eat(i64::from(self.machine.procs.0));
        for (job, truth) in self.jobs.iter().zip(&self.truths) {
            eat(job.id.0 as i64);
            eat(job.submit.0);
            eat(i64::from(job.shape.procs.0));
            eat(job.shape.limit.map_or(-1, |limit| limit.0));
            eat(job.user.map_or(-1, |user| i64::from(user.number())));
            eat(truth.run().0);
        }
        hash
    }
}

/// Whether a job can ever start and end on this machine.
fn check(machine: Machine, job: &Job, truth: &Truth) -> Result<(), WorkloadError> {
    let id = job.id.0;
    let impossible = |what: &str| Err(WorkloadError::Impossible { id, what: what.into() });
    for shape in job.shapes() {
        if shape.procs > machine.procs {
            return Err(WorkloadError::TooLarge { id, procs: shape.procs.0, machine: machine.procs.0 });
        }
        if shape.procs == Procs(0) {
            return impossible("no processors");
        }
        if shape.limit.is_some_and(|limit| limit <= Seconds::ZERO) {
            return impossible("a limit below one second");
        }
    }
    if truth.run() < Seconds::ZERO {
        return impossible("a negative run time");
    }
    Ok(())
}

/// Jobs moved at a time.
const PIECE: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: u64, submit: i64, procs: u32) -> (Job, Truth) {
        (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(10))), Truth::rigid(Seconds(5)))
    }

    #[test]
    fn arrival_order_is_submission_then_place_in_the_log() {
        let machine = Machine { procs: Procs(4) };
        let workload = Workload::new(machine, vec![job(9, 5, 1), job(3, 0, 1), job(7, 5, 1)]).unwrap();
        let ids: Vec<u64> = workload.jobs().iter().map(|job| job.id.0).collect();
        assert_eq!(ids, [3, 9, 7]);
        assert!(workload.jobs().iter().enumerate().all(|(place, job)| job.index.at() == place));
    }

    #[test]
    fn long_logs_keep_every_job_with_its_truth() {
        let many = 2 * PIECE + 3;
        let pairs = (0..many as u64).map(|id| {
            let job = Job::rigid(id, Time(id as i64 / 2), Procs(1), None);
            (job, Truth::rigid(Seconds(id as i64)))
        });
        let workload = Workload::new(Machine { procs: Procs(4) }, pairs.collect()).unwrap();
        assert_eq!(workload.len(), many);
        for (place, (job, truth)) in workload.jobs().iter().zip(workload.truths()).enumerate() {
            assert_eq!((job.index.at(), job.id.0, truth.run().0), (place, place as u64, place as i64));
        }
    }

    #[test]
    fn a_job_that_can_never_start_is_refused() {
        let machine = Machine { procs: Procs(4) };
        let refused = Workload::new(machine, vec![job(1, 0, 5)]);
        assert_eq!(refused, Err(WorkloadError::TooLarge { id: 1, procs: 5, machine: 4 }));
        assert_eq!(Workload::new(Machine { procs: Procs(0) }, vec![]), Err(WorkloadError::NoProcessors));
    }
}
