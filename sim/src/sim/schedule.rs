//! The result of a simulation: where every job was placed, and why.

use serde::Serialize;

use crate::site::rows::WAITING;
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds, Time};

/// How a backfilled job avoided delaying the reservation it jumped over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Backfilled {
    /// It was predicted to end before the reservation begins.
    InTime,
    /// It only takes processors that the reservation leaves over.
    InSpace,
}

/// Why a job started when it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// At the instant it arrived, with no job waiting before it.
    Immediate,
    /// In its turn, after waiting: no job before it was still waiting.
    Reserved,
    /// Before a job that stands ahead of it in the queue.
    Backfilled(Backfilled),
}

impl Reason {
    /// The word used in every output: `immediate`, `reserved` or `backfilled`.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Immediate => "immediate",
            Reason::Reserved => "reserved",
            Reason::Backfilled(_) => "backfilled",
        }
    }
}

/// How right a prediction was, or all predictions of a job together (Talby et al. 2005, equations 1 and 2).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Absolute inaccuracy, in seconds.
    ///
    /// # Formula
    /// `abs(ran − predicted)`
    pub inaccuracy: f64,
    /// Relative accuracy, from 0 to 1.
    ///
    /// # Formula
    /// `min(ran, predicted) / max(ran, predicted)`; 1 if they are equal
    pub accuracy: f64,
}

impl Standing {
    /// Of one prediction.
    pub fn of(predicted: Seconds, ran: Seconds) -> Standing {
        let (less, more) = (predicted.min(ran).0 as f64, predicted.max(ran).0 as f64);
        Standing { inaccuracy: more - less, accuracy: if less == more { 1.0 } else { less / more } }
    }
}

/// Where one job was placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// When it started.
    pub start: Time,
    /// How long it ran (less than its truth if it was killed at its limit).
    pub ran: Seconds,
    /// What was predicted when it arrived, before any factor.
    pub predicted: Seconds,
    /// How right its predictions were from submission to its end, each weighted by how long it stood.
    pub standing: Standing,
    /// How often its prediction was corrected because it was outlived.
    pub corrections: u16,
    /// How often its predictor revised its prediction.
    pub revisions: u16,
    /// In which of its shapes it ran: the place in [`Job::shapes`].
    pub shape: u16,
    /// Why it started then.
    pub reason: Reason,
    /// Whether it was killed at its limit.
    pub killed: bool,
}

impl Placement {
    /// Of a job that has just been submitted, and would run this long.
    pub(super) fn waiting(ran: Seconds, predicted: Seconds, reason: Reason) -> Placement {
        Placement {
            start: Time(WAITING),
            ran,
            predicted,
            standing: Standing::default(),
            corrections: 0,
            revisions: 0,
            shape: 0,
            reason,
            killed: false,
        }
    }

    /// When it ended.
    pub fn end(&self) -> Time {
        self.start + self.ran
    }

    /// The processors it held, if it is this job's.
    pub fn procs(&self, job: &Job) -> Procs {
        job.shape_at(self.shape).procs
    }
}

/// Where every job of a workload was placed, in arrival order, and what it took to decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// One per job, indexed by [`queuecast_core::job::JobIndex`].
    pub placements: Vec<Placement>,
    /// How many times the policy was asked to plan.
    pub plans: u64,
    /// The longest the queue has been.
    pub longest_queue: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_is_measured_by_the_larger() {
        let of = |predicted, ran| {
            let Standing { inaccuracy, accuracy } = Standing::of(Seconds(predicted), Seconds(ran));
            (inaccuracy, accuracy)
        };
        assert_eq!(of(25, 100), (75.0, 0.25));
        assert_eq!(of(100, 25), (75.0, 0.25));
        assert_eq!(of(100, 100), (0.0, 1.0));
        // A job of no length is never predicted right, as predictions are a second at least.
        assert_eq!(of(1, 0), (1.0, 0.0));
        assert_eq!(of(0, 0), (0.0, 1.0));
    }
}
