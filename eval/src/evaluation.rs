//! A workload and a schedule of it, checked once, and the jobs of it that are counted.

use std::ops::Range;

use super::{EvalError, Excluded, Measured, Span, Window};
use queuecast_core::job::Job;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::sim::Schedule;

/// A schedule that is known to belong to its workload.
#[derive(Debug, Clone)]
pub struct Evaluation<'a> {
    workload: &'a Workload,
    schedule: &'a Schedule,
    priorities: Option<Vec<u32>>,
}

impl<'a> Evaluation<'a> {
    /// Checks that there is one possible placement per job.
    pub fn of(workload: &'a Workload, schedule: &'a Schedule) -> Result<Evaluation<'a>, EvalError> {
        check(workload, schedule)?;
        Ok(Evaluation { workload, schedule, priorities: None })
    }

    /// Gives each job the priority π with which it counts in the priority-weighted specific response time;
    /// without this, each counts with 1. Only ratios matter, so fractions can be scaled up.
    pub fn with_priorities(mut self, priority: impl Fn(&Job) -> u32) -> Evaluation<'a> {
        self.priorities = Some(self.workload.jobs().iter().map(priority).collect());
        self
    }

    /// The jobs that `window` counts.
    pub fn over(&self, window: &Window) -> Result<Selection<'_>, EvalError> {
        Ok(Selection { evaluation: self, window: *window, counted: window.select(self.workload)? })
    }

    /// All jobs.
    pub fn all(&self) -> Selection<'_> {
        Selection { evaluation: self, window: Window::All, counted: 0..self.workload.len() }
    }

    /// The workload.
    pub fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// The schedule.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// The job at this place in arrival order. Panics if there is none, as an index would.
    pub fn measured(&self, index: usize) -> Measured<'a> {
        Measured { job: &self.workload.jobs()[index], placement: &self.schedule.placements[index] }
    }

    pub(super) fn priority(&self, index: usize) -> u32 {
        self.priorities.as_ref().map_or(1, |priorities| priorities[index])
    }
}

/// The counted jobs of an evaluation.
#[derive(Debug, Clone)]
pub struct Selection<'a> {
    evaluation: &'a Evaluation<'a>,
    window: Window,
    counted: Range<usize>,
}

impl<'a> Selection<'a> {
    /// The window that chose the jobs.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The counted jobs, as places in arrival order.
    pub fn counted(&self) -> Range<usize> {
        self.counted.clone()
    }

    /// What they are counted in.
    pub fn evaluation(&self) -> &'a Evaluation<'a> {
        self.evaluation
    }

    /// From the first submission to the last end of the counted jobs; `None` if there are none.
    pub fn span(&self) -> Option<Span> {
        self.span_of(self.counted())
    }

    pub(super) fn span_of(&self, members: impl Iterator<Item = usize> + Clone) -> Option<Span> {
        let measured = |index| self.evaluation.measured(index);
        let from = members.clone().map(|index| measured(index).job.submit).min()?;
        let until = members.map(|index| measured(index).placement.end()).max()?;
        Some(Span { from, until })
    }

    /// The part of `members` that is not counted. `members` ascends.
    pub(super) fn excluded(&self, members: &[usize]) -> Excluded {
        let early = members.partition_point(|&index| index < self.counted.start);
        let late = members.len() - members.partition_point(|&index| index < self.counted.end);
        Excluded { jobs: early + late, early, late, why: self.window.describe() }
    }
}

/// Refuses a schedule of other jobs, and impossible placements.
pub(super) fn check(workload: &Workload, schedule: &Schedule) -> Result<(), EvalError> {
    let (jobs, placements) = (workload.len(), schedule.placements.len());
    if jobs != placements {
        return Err(EvalError::OtherJobs { jobs, placements });
    }
    for (index, (job, placement)) in workload.jobs().iter().zip(&schedule.placements).enumerate() {
        let impossible = |what| Err(EvalError::ImpossiblePlacement { id: job.id.0, index, what });
        if placement.start < job.submit {
            return impossible(format!(
                "starts at {}, before its submission at {}",
                placement.start, job.submit
            ));
        }
        if placement.start == Time::NEVER {
            return impossible("never starts".into());
        }
        if placement.ran < Seconds::ZERO {
            return impossible(format!("runs for {} s", placement.ran));
        }
        if placement.predicted < Seconds::ZERO {
            return impossible(format!("is predicted to run for {} s", placement.predicted));
        }
    }
    Ok(())
}
