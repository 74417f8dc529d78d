//! Who runs next at a site: Slurm's own scheduler, or a member of the backfilling family on the site's nodes.

use std::fmt;

use serde::{Serialize, Serializer};

use queuecast_sim::sim::{Backfill, Depth, Persistence};
use queuecast_slurm_sim::cluster::{Cluster, RecordedRun};
use queuecast_slurm_sim::controller::{
    Phases, SimulatedRun, SiteRules, simulate_by_rules, simulate_in_detail,
};

/// Who runs next at a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SitePolicy(Option<Backfill>);

/// A policy that does not work at a site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy {policy} does not work at a site: {why}")]
pub struct NotAtSites {
    policy: String,
    why: &'static str,
}

impl SitePolicy {
    /// Slurm's own scheduler, with its timers and delays.
    pub const SLURM: SitePolicy = SitePolicy(None);

    /// A policy of the engine: at once, with the limits that jobs asked for, in the order of their submission. Its depth is that of
    /// each partition.
    pub fn of(policy: Backfill) -> Result<SitePolicy, NotAtSites> {
        let why = if policy.likely.is_some() {
            "it needs forecasts of run times"
        } else if policy.priority.is_some() {
            "jobs come in the order of their submission"
        } else {
            return Ok(SitePolicy(Some(policy)));
        };
        Err(NotAtSites { policy: policy.to_string(), why })
    }

    /// Whether it is Slurm's own.
    pub fn is_slurm(&self) -> bool {
        self.0.is_none()
    }

    /// What would become of submissions.
    pub fn simulate(&self, cluster: &Cluster, run: &RecordedRun) -> SimulatedRun {
        let Some(policy) = &self.0 else {
            return simulate_in_detail(cluster, run, Phases::of(&run.clock, &cluster.settings));
        };
        let order = policy.order.unwrap_or_default();
        let rank = |procs: u32, limit: i64| order.rank(procs, limit);
        let depth = match policy.reservations {
            Depth::First(depth) => depth as usize,
            Depth::All => usize::MAX,
        };
        let rank: Option<&dyn Fn(u32, i64) -> u64> = policy.order.is_some().then_some(&rank);
        simulate_by_rules(cluster, run, &SiteRules { depth, rank, keeps: policy.form == Persistence::Keep })
    }
}

impl fmt::Display for SitePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(policy) => policy.fmt(f),
            None => f.write_str("slurm"),
        }
    }
}

impl Serialize for SitePolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
