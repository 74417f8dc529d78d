//! Backfill cycles: what each plans, and what is known of when running jobs leave enough nodes.

mod candidates;
mod cycle;
mod emptied;
mod kept_plans;
mod known_futures;
mod limited;
mod mode;
mod need_future;
mod planner;
mod plans;
mod releases;
mod run;
mod start_bounds;
mod steps;
mod taken_tree;
mod test_counts;
mod time_map;
mod will_run;

#[cfg(test)]
mod plain_start;
#[cfg(test)]
mod plan_checks;

pub use cycle::{Cycle, CycleMemory};
pub use mode::PlanMode;
pub use planner::BackfillPlanner;
#[cfg(test)]
pub use planner::PlanCheck;
pub use releases::Releases;
pub use test_counts::TestCounts;
pub(super) use will_run::StartTest;

#[cfg(test)]
pub use plain_start::{PlainHolding, PlainSpan, will_run};
