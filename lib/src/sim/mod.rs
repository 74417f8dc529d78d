//! What the scheduler would do: an exact, event-driven simulation of backfilling.
//!
//! Knows the predictor trait, never a predictor; works on a workload, whoever made it.

mod schedule;

pub use schedule::{Backfilled, Placement, Reason, Schedule};
