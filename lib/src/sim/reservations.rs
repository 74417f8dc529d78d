//! Reservations of a backfilling policy: how many jobs get one, and whether it is kept between plans.

use serde::Serialize;

/// How many blocked jobs get a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The first N, at least one.
    First(u32),
    /// All of them.
    All,
}

/// How reservations carry over from one plan to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// They are discarded and planned anew each time.
    Replan,
    /// They are kept, and moved earlier (compressed) when a job ends early.
    Keep,
}
