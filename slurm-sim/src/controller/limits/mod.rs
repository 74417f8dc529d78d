//! Limits of QOS and associations, licenses, and what counts towards them.

mod accrual;
mod amounts;
mod at_start;
mod counted;
mod full_limits;
mod held_nodes;
mod holders;
mod licenses;
mod limit_set;
mod reached;
mod used_minutes;

#[cfg(test)]
mod tests;

pub use amounts::{Amounts, TresIndex};
pub use counted::Limits;
pub use full_limits::FullLimits;
pub use holders::HolderNumbers;
pub use licenses::LicenseCounts;
pub use limit_set::{CountsFor, LimitNumber, LimitSet};
pub use reached::{LimitOf, ReachedLimit};
