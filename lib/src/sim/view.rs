//! What a policy or an observer may know at one instant: everything but the truth.

use super::queue::Queue;
use super::rows::{Row, Rows};
use super::running::{PlannedEnd, Running, Shadow};
use crate::job::{Job, JobIndex};
use crate::units::{Procs, Seconds, Time};

/// The state of the machine and its queue at one instant.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(super) now: i64,
    /// Running jobs planned to end by then count as gone.
    pub(super) gone_by: i64,
    pub(super) machine: Procs,
    pub(super) free: i64,
    pub(super) jobs: &'a [Job],
    pub(super) rows: &'a Rows,
    pub(super) queue: &'a Queue,
    pub(super) running: &'a Running,
}

/// A job in the queue.
#[derive(Debug, Clone, Copy)]
pub struct WaitingJob<'a> {
    /// What the simulation calls it. In a fork, another number than the job's own index.
    pub index: JobIndex,
    /// The job.
    pub job: &'a Job,
    /// Its predicted run time.
    pub predicted: Seconds,
    /// The run time to plan with: the prediction times the factor of the simulation.
    pub planned: Seconds,
}

/// A job on the machine.
#[derive(Debug, Clone, Copy)]
pub struct RunningJob<'a> {
    /// The job.
    pub job: &'a Job,
    /// Processors it holds.
    pub procs: Procs,
    /// When it started.
    pub start: Time,
    /// Its predicted run time, corrected if it was outlived.
    pub predicted: Seconds,
    /// When it is planned to end.
    pub planned_end: Time,
}

impl<'a> View<'a> {
    /// The instant.
    pub fn now(&self) -> Time {
        Time(self.now)
    }

    /// All processors of the machine.
    pub fn machine(&self) -> Procs {
        self.machine
    }

    /// Processors a job could start on now. Where jobs due to end at this instant count as gone already
    /// (see [`super::EventOrder::Pyss`]), theirs are among them.
    pub fn free(&self) -> Procs {
        Procs(u32::try_from(self.free).unwrap_or(0))
    }

    /// How many jobs wait.
    pub fn queue_length(&self) -> usize {
        self.queue.len()
    }

    /// The waiting jobs in arrival order.
    pub fn waiting(&self) -> impl Iterator<Item = WaitingJob<'a>> + '_ {
        self.queue.iter(self.rows).map(|job| self.waiting_job(job))
    }

    /// The running jobs in order of planned end, those that count as gone left out.
    pub fn running(&self) -> impl Iterator<Item = RunningJob<'a>> + '_ {
        self.running.iter().filter(|entry| entry.end > self.gone_by).map(|entry| {
            let row = self.row(entry.job);
            RunningJob {
                job: &self.jobs[entry.job.at()],
                procs: Procs(row.procs),
                start: Time(row.start),
                predicted: Seconds(row.predicted),
                planned_end: Time(entry.end),
            }
        })
    }

    /// One job in the queue.
    pub(super) fn waiting_job(&self, job: JobIndex) -> WaitingJob<'a> {
        let row = self.row(job);
        WaitingJob {
            index: job,
            job: &self.jobs[job.at()],
            predicted: Seconds(row.predicted),
            planned: Seconds(row.planned),
        }
    }

    pub(super) fn row(&self, job: JobIndex) -> &'a Row {
        &self.rows[job]
    }

    /// When `wanted` processors will be free, with `started` on the machine too.
    pub(super) fn shadow(&self, free: i64, wanted: u32, started: &[PlannedEnd]) -> Option<Shadow> {
        self.running.shadow(self.gone_by, free, i64::from(wanted), started)
    }
}
