//! A machine and the jobs that arrive at it, in arrival order.

mod digest;
mod unfinished;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::job::{Job, JobIndex, Runs, Truth};
use crate::units::{Procs, Seconds, Time};

pub use unfinished::Unfinished;

/// A machine of identical processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its number of processors.
    pub procs: Procs,
}

/// How many jobs of a workload lack a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lacking {
    /// The requested time.
    pub request: usize,
    /// The user.
    pub user: usize,
    /// The executable.
    pub executable: usize,
}

/// Names of users, queues and so on, by number. Empty if the log has numbers only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    machine: Machine,
    jobs: Vec<Job>,
    truths: Vec<Truth>,
    /// Names for the numbers in the jobs.
    pub names: Names,
    /// Unix time of [`Time`] zero, if known.
    pub epoch: Option<i64>,
    /// Recorded start of each job, in the order of the jobs; [`Time::NEVER`] if unknown. Empty if the log records no
    /// waits. Used by replays; simulations do not depend on it.
    pub starts: Vec<Time>,
    /// Jobs that left the queue before they started, in arrival order; see [`Workload::set_withdrawn`]. They are
    /// not among the jobs: simulations leave them out, replays of the recorded queue have them wait.
    pub withdrawn: Vec<Withdrawn>,
    /// Whether the machine's size is that of the largest job, as the log says nothing of it. It is not known before that job
    /// is submitted.
    pub is_machine_guessed: bool,
}

/// A job that was submitted, waited and left the queue without starting, for instance because its user
/// cancelled it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// The job. Its index is its rank among the arrivals: the number of the workload's jobs that were submitted
    /// before it, or at the same instant and earlier in the log.
    pub job: Job,
    /// When it left the queue.
    pub left: Time,
}

impl Withdrawn {
    /// How long it waited before it left.
    pub fn waited(&self) -> Seconds {
        self.left - self.job.submit
    }
}

/// Why jobs and a machine do not make a workload.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum WorkloadError {
    /// A machine needs at least one processor.
    #[error("the machine has no processors")]
    NoProcessors,
    /// A job that can never start.
    #[error("job {id} needs {procs} processors, the machine has {machine}")]
    TooLarge {
        /// The log's number.
        id: u64,
        /// Its processors.
        procs: u32,
        /// Processors of the machine.
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
    pub fn new(machine: Machine, jobs: Vec<(Job, Truth)>) -> Result<Workload, WorkloadError> {
        let (jobs, truths) = jobs.into_iter().unzip();
        Workload::from_columns(machine, jobs, truths)
    }

    /// Like [`Workload::new`], from separate columns, which avoids a copy of a long log. The longer column is cut to the
    /// shorter.
    pub fn from_columns(
        machine: Machine,
        jobs: Vec<Job>,
        truths: Vec<Truth>,
    ) -> Result<Workload, WorkloadError> {
        Workload::recorded(machine, jobs, truths, Vec::new())
    }

    /// Like [`Workload::from_columns`], with the recorded start of each job. All constructors lead here: this is where
    /// order and sizes are checked. `starts` is dropped if it is shorter than the jobs or no start is known.
    pub fn recorded(
        machine: Machine,
        mut jobs: Vec<Job>,
        mut truths: Vec<Truth>,
        mut starts: Vec<Time>,
    ) -> Result<Workload, WorkloadError> {
        if machine.procs == Procs(0) {
            return Err(WorkloadError::NoProcessors);
        }
        let both = jobs.len().min(truths.len());
        if u32::try_from(both).is_err() {
            return Err(WorkloadError::TooMany);
        }
        jobs.truncate(both);
        truths.truncate(both);
        if starts.len() < both || starts.iter().all(|&start| start == Time::NEVER) {
            starts = Vec::new();
        }
        starts.truncate(both);
        for (job, truth) in jobs.iter().zip(&truths) {
            check(machine, job, truth)?;
        }
        if !jobs.is_sorted_by_key(|job| job.submit) {
            let mut order: Vec<u32> = (0..both as u32).collect();
            order.sort_by_key(|&place| jobs[place as usize].submit);
            arrange(&mut jobs, order.clone());
            if !starts.is_empty() {
                arrange(&mut starts, order.clone());
            }
            arrange(&mut truths, order);
        }
        for (index, job) in (0..).zip(&mut jobs) {
            job.index = JobIndex(index);
        }
        Ok(Workload {
            machine,
            jobs,
            truths,
            names: Names::default(),
            epoch: None,
            starts,
            withdrawn: Vec::new(),
            is_machine_guessed: false,
        })
    }

    /// Sets the jobs that left the queue before they started: puts them into arrival order (ties stay in the
    /// order given), checks them like the other jobs, and ranks them. On entry a job's index is the number of the
    /// workload's jobs before it in the log; it decides among jobs submitted at the same instant only.
    pub fn set_withdrawn(&mut self, mut withdrawn: Vec<Withdrawn>) -> Result<(), WorkloadError> {
        withdrawn.sort_by_key(|one| one.job.submit);
        for Withdrawn { job, left } in &mut withdrawn {
            check(self.machine, job, &Truth::rigid(Seconds::ZERO))?;
            if *left < job.submit || left.0 > FARTHEST {
                let what = "a withdrawal before its submission or beyond 10^15 seconds".into();
                return Err(WorkloadError::Impossible { id: job.id.0, what });
            }
            let first = self.jobs.partition_point(|other| other.submit < job.submit);
            let after = self.jobs.partition_point(|other| other.submit <= job.submit);
            job.index = JobIndex(job.index.at().clamp(first, after) as u32);
        }
        self.withdrawn = withdrawn;
        Ok(())
    }

    /// The workload of only those jobs, withdrawn ones too, for which `keep` holds; numbered anew.
    pub fn only(&self, keep: impl Fn(&Job) -> bool) -> Result<Workload, WorkloadError> {
        // How many jobs before each place are kept.
        let mut before = vec![0_u32];
        let (mut jobs, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (job, truth)) in self.jobs.iter().zip(&self.truths).enumerate() {
            if keep(job) {
                jobs.push(job.clone());
                truths.push(truth.clone());
                starts.extend(self.starts.get(place));
            }
            before.push(jobs.len() as u32);
        }
        let mut kept = Workload::recorded(self.machine, jobs, truths, starts)?;
        let withdrawn = self.withdrawn.iter().filter(|one| keep(&one.job)).cloned().map(|mut one| {
            one.job.index = JobIndex(before.get(one.job.index.at()).copied().unwrap_or(kept.len() as u32));
            one
        });
        let withdrawn = withdrawn.collect();
        kept.set_withdrawn(withdrawn)?;
        kept.take_origin(self);
        Ok(kept)
    }

    /// Replaces the requested times of the jobs, in their order. Jobs beyond the last of `limits` keep theirs.
    pub fn replace_limits(&mut self, limits: impl IntoIterator<Item = Option<Seconds>>) {
        for (job, limit) in self.jobs.iter_mut().zip(limits) {
            job.shape.limit = limit;
        }
    }

    /// Shortens longer run times to this length.
    pub fn limit_runs(&mut self, longest: Seconds) {
        for truth in &mut self.truths {
            match &mut truth.runs {
                Runs::Rigid(run) => *run = (*run).min(longest),
                Runs::Moldable(runs) => runs.iter_mut().for_each(|run| *run = (*run).min(longest)),
            }
        }
    }

    /// The machine.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Takes over what another workload says of where its jobs come from.
    fn take_origin(&mut self, other: &Workload) {
        (self.names, self.epoch) = (other.names.clone(), other.epoch);
        self.is_machine_guessed = other.is_machine_guessed;
    }

    /// Replaces the machine; refused, and nothing changed, if a job is larger than it.
    pub fn set_machine(&mut self, machine: Machine) -> Result<(), WorkloadError> {
        if machine.procs == Procs(0) {
            return Err(WorkloadError::NoProcessors);
        }
        for (job, truth) in self.jobs.iter().zip(&self.truths) {
            check(machine, job, truth)?;
        }
        for one in &self.withdrawn {
            check(machine, &one.job, &Truth::rigid(Seconds::ZERO))?;
        }
        (self.machine, self.is_machine_guessed) = (machine, false);
        Ok(())
    }

    /// Every job in arrival order; `jobs()[i].index` is `i`.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The truth of each job, in the same order. For the engine, the oracle and the metrics only.
    pub fn truths(&self) -> &[Truth] {
        &self.truths
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// How many jobs lack a field that predictors use.
    pub fn lacking(&self) -> Lacking {
        self.jobs.iter().fold(Lacking::default(), |lacking, job| Lacking {
            request: lacking.request + usize::from(job.shape.limit.is_none()),
            user: lacking.user + usize::from(job.user.is_none()),
            executable: lacking.executable + usize::from(job.executable.is_none()),
        })
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
}

impl Workload {
    /// The load that jobs have brought up to an instant: above 1 the machine is smaller than that of the log, or the
    /// queue grows without bound. Nothing later is looked at: a job counts for as long as it has run by then, and where
    /// its start is unknown, as if it had started when it was submitted.
    ///
    /// # Formula
    /// `Σ procs·min(run, until − start) / (machine · (until − first submit))`, over the jobs started by `until`
    pub fn load_until(&self, until: Time) -> f64 {
        let Some(first) = self.begins() else { return 0.0 };
        let each = self.jobs.iter().zip(&self.truths).take_while(|(job, _)| job.submit <= until);
        let work = |(job, truth): (&Job, &Truth)| {
            let start = self.starts.get(job.index.at()).copied().filter(|&start| start != Time::NEVER);
            let elapsed = (until - start.unwrap_or(job.submit)).max(Seconds::ZERO);
            f64::from(job.shape.procs.0) * elapsed.min(truth.run()).0 as f64
        };
        let area: f64 = each.map(work).sum();
        area / (f64::from(self.machine.procs.0) * (until - first).0.max(1) as f64)
    }
}

/// No time in a workload is farther than this from zero: sums of a million of them fit the clock.
pub const FARTHEST: i64 = 1_000_000_000_000_000;

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
    let times = [job.submit.0, truth.run().0, job.shape.limit.map_or(0, |limit| limit.0)];
    if times.iter().any(|time| time.unsigned_abs() > FARTHEST as u64) {
        return impossible("a time beyond 10^15 seconds");
    }
    Ok(())
}

/// Moves `items[order[0]]` to the front, `items[order[1]]` next, and so on, in place.
pub fn arrange<T>(items: &mut [T], mut order: Vec<u32>) {
    for start in 0..order.len() {
        let mut here = start;
        loop {
            let from = order[here] as usize;
            order[here] = here as u32;
            if from == start {
                break;
            }
            items.swap(here, from);
            here = from;
        }
    }
}

#[cfg(test)]
mod tests;
