//! A stretch of a cluster's life as it was recorded.

use serde::{Serialize, Serializer};

use super::event::ClusterEvent;
use super::outcome::JobOutcome;
use super::submitted::SubmittedJob;
use queuecast_core::units::{Micros, Time};

/// What was submitted, what else happened, and what became of it, all on one clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecordedRun {
    /// The submissions, in their order.
    pub submissions: Vec<SubmittedJob>,
    /// What else happened, in its order.
    pub events: Vec<ClusterEvent>,
    /// What became of the jobs, array tasks one by one; empty if nothing is told.
    pub outcomes: Vec<JobOutcome>,
    /// How the clock stands to the recording and to the scheduler's timers.
    pub clock: RunClock,
}

/// How the clock of a recording stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RunClock {
    /// Whether times are Unix times; else they count from the recording's own begin.
    pub is_unix: bool,
    /// The second that the recording's own times count from.
    pub zero: Time,
    /// The recording's begin, exactly.
    #[serde(rename = "zero_ms", serialize_with = "millis")]
    pub begin: Micros,
    /// When the scheduler was started; its timers count from then.
    #[serde(rename = "scheduler_start_ms", serialize_with = "some_millis")]
    pub scheduler_start: Option<Micros>,
    /// When the first backfill cycle after the begin was.
    #[serde(rename = "first_backfill_ms", serialize_with = "some_millis")]
    pub first_backfill: Option<Micros>,
    /// The last pass of the main scheduler before the begin: passes are at ticks of its background thread.
    #[serde(rename = "tick_ms", serialize_with = "some_millis")]
    pub tick: Option<Micros>,
    /// When the timer that computes priorities was started; limits of jobs are checked from the same second on.
    #[serde(rename = "priority_timer_ms", serialize_with = "some_millis")]
    pub priority_timer: Option<Micros>,
}

fn millis<S: Serializer>(at: &Micros, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i64(at.millis())
}

fn some_millis<S: Serializer>(at: &Option<Micros>, to: S) -> Result<S::Ok, S::Error> {
    at.map(Micros::millis).serialize(to)
}
