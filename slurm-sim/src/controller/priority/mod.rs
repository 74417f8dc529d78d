//! Priorities of pending jobs: their factors, usage, and what it leaves of fair shares.

mod classic_share;
mod factors;
mod fair_share;
mod pending_sizes;
mod priorities;
mod sizes;

pub use factors::PriorityParts;
pub use pending_sizes::PendingSizes;
pub use priorities::Priorities;
