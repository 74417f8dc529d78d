//! Jobs and workloads in a line each.

use queuecast_core::job::{Ending, ExecutableId, Job, QueueId, Runs, Shape, Truth, UserId};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};

/// A job with its run time. The calls below change what is not as in [`job`].
#[derive(Debug, Clone)]
pub struct Draft {
    number: Option<u64>,
    job: Job,
    truth: Truth,
}

/// A job submitted at 0, without a limit, of no known user. A workload numbers its jobs from 1.
pub fn job(procs: u32, run: i64) -> Draft {
    let job = Job::rigid(1, Time(0), Procs(procs), None);
    Draft { number: None, job, truth: Truth::rigid(Seconds(run)) }
}

/// A job of several shapes, the preferred one first: processors, limit and run time of each.
pub fn moldable(shapes: &[(u32, Option<i64>, i64)]) -> Draft {
    let shape = |&(procs, limit, _): &(u32, Option<i64>, i64)| Shape {
        procs: Procs(procs),
        limit: limit.map(Seconds),
    };
    let mut draft = job(shapes[0].0, 0);
    draft.job.shape = shape(&shapes[0]);
    draft.job.other_shapes = Some(shapes[1..].iter().map(shape).collect());
    draft.truth.runs = Runs::Moldable(shapes.iter().map(|&(_, _, run)| Seconds(run)).collect());
    draft
}

impl Draft {
    pub fn number(mut self, number: u64) -> Draft {
        self.number = Some(number);
        self
    }

    /// When it is submitted.
    pub fn at(mut self, submit: i64) -> Draft {
        self.job.submit = Time(submit);
        self
    }

    pub fn limit(mut self, limit: impl Into<Option<i64>>) -> Draft {
        self.job.shape.limit = limit.into().map(Seconds);
        self
    }

    pub fn user(mut self, user: impl Into<Option<u32>>) -> Draft {
        self.job.user = user.into().and_then(UserId::new);
        self
    }

    pub fn executable(mut self, executable: impl Into<Option<u32>>) -> Draft {
        self.job.executable = executable.into().and_then(ExecutableId::new);
        self
    }

    pub fn queue(mut self, queue: impl Into<Option<u32>>) -> Draft {
        self.job.queue = queue.into().and_then(QueueId::new);
        self
    }

    pub fn ending(mut self, ending: Ending) -> Draft {
        self.truth.ending = ending;
        self
    }

    /// The job and its truth.
    pub fn pair(mut self) -> (Job, Truth) {
        self.job.id.0 = self.number.unwrap_or(self.job.id.0);
        (self.job, self.truth)
    }
}

/// The jobs, numbered from 1 where they have no number, on a machine of this many processors.
pub fn workload(procs: u32, jobs: impl IntoIterator<Item = Draft>) -> Workload {
    let numbered = (1..).zip(jobs).map(|(number, job)| Draft { number: job.number.or(Some(number)), ..job });
    Workload::new(machine(procs), numbered.map(Draft::pair).collect()).expect("a possible workload")
}

/// A workload with the start of each job.
pub fn recorded(procs: u32, jobs: impl IntoIterator<Item = (Draft, Time)>) -> Workload {
    let (mut given, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (job, start)) in (1..).zip(jobs) {
        let (job, truth) = Draft { number: job.number.or(Some(number)), ..job }.pair();
        given.push(job);
        truths.push(truth);
        starts.push(start);
    }
    Workload::recorded(machine(procs), given, truths, starts).expect("a possible workload")
}

/// Jobs of these run times on one processor, all submitted at 0.
pub fn of_runs(runs: &[i64]) -> Workload {
    workload(1, runs.iter().map(|&run| job(1, run)))
}

pub fn machine(procs: u32) -> Machine {
    Machine { procs: Procs(procs) }
}
