//! The interface of scheduling policies: a plan over a view.

use super::schedule::Reason;
use crate::site::View;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};

/// Decides which waiting jobs start now.
pub trait Policy: Send {
    /// Called once per instant (or once per event, see [`super::EventOrder`]) while jobs wait; pushes the jobs
    /// to start now, in the order they start.
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>);

    /// Called for every change since the last plan. Only a policy that keeps its own index needs it.
    fn note(&mut self, _change: Change) {}

    /// An instant at which to plan even if no event happens then. Called after each plan.
    fn wake(&self) -> Option<Time> {
        None
    }

    /// The probability with which it wants to know how long each job runs at most. Where there is one, [`WaitingJob::bound`] is
    /// that quantile of the job's forecast, and running jobs are planned to end when their requested times do: the latest that
    /// can happen, beside which the policy weighs what is likely. `None`: jobs are planned by the points of their forecasts.
    ///
    /// [`WaitingJob::bound`]: crate::site::WaitingJob::bound
    fn confidence(&self) -> Option<f64> {
        None
    }

    /// Its name in errors.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        path.rsplit("::").next().unwrap_or(path).to_owned()
    }
}

/// A job to start now, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobIndex,
    /// The index of its shape in [`queuecast_core::job::Job::shapes`]; 0 is the preferred shape.
    pub shape: u16,
    /// Why it starts now.
    pub reason: Reason,
}

impl Start {
    /// A start in the preferred shape.
    pub fn preferred(job: JobIndex, reason: Reason) -> Start {
        Start { job, shape: 0, reason }
    }
}

/// A change between two plans other than arrivals (which the view shows) and the policy's own starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A running job ended.
    Ended {
        /// The job.
        job: JobIndex,
        /// Its processors.
        procs: Procs,
        /// Its planned end.
        planned_end: Time,
        /// Its actual end.
        at: Time,
    },
    /// The planned end of a running job changed: the job outlived its prediction, or the prediction was revised.
    Moved {
        /// The job.
        job: JobIndex,
        /// Its planned end so far.
        from: Time,
        /// Its planned end now.
        to: Time,
    },
    /// The planned run time of a waiting job changed, because its prediction was revised.
    Revised {
        /// The job.
        job: JobIndex,
        /// Its processors.
        procs: Procs,
        /// Its planned run time so far.
        from: Seconds,
        /// Its planned run time now.
        to: Seconds,
    },
    /// A waiting job left the queue without starting.
    Withdrawn {
        /// The job.
        job: JobIndex,
        /// Its processors.
        procs: Procs,
        /// Its planned run time.
        planned: Seconds,
    },
    /// Processors went out of service or came back.
    Resized,
}
