//! Priorities of pending jobs: their factors, usage, and what it leaves of fair shares.

mod classic_share;
mod factors;
mod fair_share;

pub use factors::PriorityParts;
pub use fair_share::FairShare;
