//! Lower bounds of planned starts, learnt from the plans of other jobs of the cycle.

use std::collections::BTreeMap;

use crate::controller::placement::CachedNeed;

/// Lower bounds found by the plans of a cycle. A bound holds for every later job of the class with at least that many nodes and
/// processors and at least that time limit, since plans and starts only take nodes away.
#[derive(Debug, Clone, Default)]
pub struct StartBounds {
    /// By the class of needs.
    of_class: BTreeMap<u32, Vec<StartBound>>,
}

#[derive(Debug, Clone, Copy)]
struct StartBound {
    nodes: usize,
    /// Of needs that share nodes; others are of nodes alone.
    cpus: u32,
    limit: i64,
    /// No start is earlier.
    not_before: i64,
}

impl StartBounds {
    /// A lower bound, in seconds, of planned starts for this need and time limit; `None` if nothing is known.
    pub fn not_before(&self, kept: &CachedNeed, limit: i64) -> Option<i64> {
        let (nodes, cpus) = least(kept);
        let known = self.of_class.get(&kept.class)?;
        let smaller = known.iter().filter(|one| one.nodes <= nodes && one.cpus <= cpus && one.limit <= limit);
        smaller.map(|one| one.not_before).max()
    }

    /// Notes that no plan for this need and time limit begins before `not_before`.
    pub fn note(&mut self, kept: &CachedNeed, limit: i64, not_before: i64) {
        let (nodes, cpus) = least(kept);
        let known = self.of_class.entry(kept.class).or_default();
        let says_less = |one: &StartBound| {
            one.nodes >= nodes && one.cpus >= cpus && one.limit >= limit && one.not_before <= not_before
        };
        known.retain(|one| !says_less(one));
        known.push(StartBound { nodes, cpus, limit, not_before });
    }
}

/// The fewest nodes and processors with which a need is met.
fn least(kept: &CachedNeed) -> (usize, u32) {
    let need = &kept.need;
    (need.least_nodes(), if need.is_exclusive { 0 } else { need.cpus })
}
