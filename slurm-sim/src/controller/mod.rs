//! Slurm's controller simulated: nodes with parts, partitions, priorities, limits, the main scheduler and backfilling, on the
//! timers of the real one.
//!
//! [`simulate_cluster`] runs what was submitted to a [`Cluster`](crate::cluster::Cluster) and says what became of every job.
//! It is an event loop of its own, not a policy of the engine: what Slurm decides depends on when its timers are due
//! ([`Phases`]), on which nodes jobs hold, and on priorities that change by the clock. Rules that are not modelled are named
//! (`queuecast_slurm_texts::unmodelled`), never passed over.

mod accrual;
mod alike;
mod amounts;
mod asked;
mod at_once;
mod backfill;
mod candidates;
mod classic_share;
mod decided;
mod decisions;
mod fair_share;
mod followed_plans;
mod follower;
mod held_nodes;
mod job;
mod layout;
mod leaves;
mod licenses;
mod lifecycle;
mod limit_set;
mod limits;
mod linear;
mod main_pass;
mod missing;
mod moment;
mod need;
mod need_cache;
mod node_set;
mod openings;
mod phases;
mod plans;
mod preemption;
mod prepared;
mod priority;
mod promises;
mod queue;
mod queue_record;
mod quiet;
mod reasons;
mod releases;

mod reserved;
mod select;
mod simulate;
mod sizes;
mod start_bounds;
mod state;
mod submissions;
mod switch_tree;
mod taken_tree;
mod test_counts;
mod time_map;
mod turns;
mod unstarted;
mod used_minutes;
mod weighing;
mod weights;
mod will_run;

#[cfg(test)]
mod at_once_tests;
#[cfg(test)]
mod choices;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod plain_shares;
#[cfg(test)]
mod plain_start;
#[cfg(test)]
mod plan_checks;
#[cfg(test)]
mod tests;

pub use at_once::SiteRules;
pub use decided::{DecisionKind, DecisionMiss, DecisionShare, DecisionShares};
pub use decisions::decisions;
pub use moment::{Onwards, PlaceInQueue, queue_ahead, run_on, run_on_prepared};
pub use phases::Phases;
pub use prepared::PreparedCluster;
pub use reasons::WaitReason;
pub use simulate::{
    HeldPart, SimulatedJob, SimulatedRun, simulate_by_rules, simulate_cluster, simulate_in_detail,
};
