//! The result of a simulation: where every job was placed, and why.

use serde::Serialize;

use crate::units::{Seconds, Time};

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
    /// At the instant it arrived, with nobody waiting before it.
    Immediate,
    /// In its turn, after waiting: nobody before it was still waiting.
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

/// Where one job was placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// When it started.
    pub start: Time,
    /// How long it ran (less than its truth if it was killed at its limit).
    pub ran: Seconds,
    /// What was predicted when it arrived, before any factor.
    pub predicted: Seconds,
    /// How often its prediction was corrected because it was outlived.
    pub corrections: u16,
    /// Why it started then.
    pub reason: Reason,
    /// Whether it was killed at its limit.
    pub killed: bool,
}

impl Placement {
    /// When it ended.
    pub fn end(&self) -> Time {
        self.start + self.ran
    }
}

/// Where every job of a workload was placed, in arrival order, and what it took to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// One per job, indexed by [`crate::job::JobIndex`].
    pub placements: Vec<Placement>,
    /// How many times the policy was asked to plan.
    pub plans: u64,
    /// The longest the queue has been.
    pub longest_queue: usize,
}
