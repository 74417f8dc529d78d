//! Priorities of pending jobs: their factors, usage, and what it leaves of fair shares.

mod classic_share;
mod factors;
mod fair_share;
mod priorities;
mod sizes;

pub use factors::PriorityParts;
pub use priorities::{PendingSizes, Priorities};
