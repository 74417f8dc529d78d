//! Slurm's controller simulated: nodes with parts, partitions, priorities, limits, the main scheduler and backfilling, on the
//! timers of the real one.
//!
//! [`simulate_cluster`] runs what was submitted to a [`Cluster`](crate::cluster::Cluster) and says what became of every job.
//! It is an event loop of its own, not a policy of the engine: what Slurm decides depends on when its timers are due
//! ([`Phases`]), on which nodes jobs hold, and on priorities that change by the clock. Rules that are not modelled are named
//! (`queuecast_slurm_texts::unmodelled`), never passed over.

mod at_once;
mod backfill;
mod beside;
mod clock;
mod cluster_now;
mod follow;
mod handles;
mod held_parts;
mod job;
mod lifecycle;
mod limits;
mod main_pass;
mod moment;
mod pending_reasons;
mod placement;
mod preemption;
mod priority;
mod queue;
mod shadow_decisions;
mod simulate;
mod state;

#[cfg(test)]
mod array_rule_tests;
#[cfg(test)]
mod gpu_rule_tests;
#[cfg(test)]
mod node_rule_tests;
#[cfg(test)]
mod pass_rule_tests;
#[cfg(test)]
mod requeue_rule_tests;
#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod tests;

pub use at_once::SiteRules;
pub use beside::{PlacedNewcomer, SimulatedSchedule, schedule_on_prepared};
pub use clock::Phases;
pub use follow::{DecisionKind, DecisionMiss, DecisionShare, DecisionShares, decisions};
pub use held_parts::{HeldAlike, HeldCpus, HeldParts};
pub use job::{Interruptions, RefusedFor};
pub use limits::{LimitOf, ReachedLimit};
pub use moment::{AssumedFuture, PlaceInQueue, free_processors, queue_ahead, run_on};
pub use pending_reasons::{PendingReason, pending_reasons};
pub use placement::{GresIndex, PreparedCluster};
pub use queue::WaitReason;
pub use shadow_decisions::{ShadowDecision, ShadowInterval, ShadowSite, ShadowVerdict};
pub use simulate::{SimulatedJob, SimulatedRun, simulate_by_rules, simulate_cluster, simulate_in_detail};
