//! Instants before which jobs cannot be planned, as plans for other jobs have shown.

use std::collections::BTreeMap;

use super::need_cache::KeptNeed;

/// What the plans of a cycle have shown: what cannot be planned before an instant cannot be so for a job that asks for as many
/// nodes or more, for as long or longer, since plans and starts only take nodes away.
#[derive(Debug, Clone, Default)]
pub struct StartBounds {
    /// By the class of needs.
    of_class: BTreeMap<u32, Vec<StartBound>>,
}

#[derive(Debug, Clone, Copy)]
struct StartBound {
    nodes: usize,
    limit: i64,
    /// No start is earlier.
    not_before: i64,
}

impl StartBounds {
    /// No plan for a job of this need and limit begins earlier; `None` if nothing is known.
    pub fn not_before(&self, kept: &KeptNeed, limit: i64) -> Option<i64> {
        let nodes = kept.need.least_nodes();
        let known = self.of_class.get(&kept.class)?;
        let smaller = known.iter().filter(|one| one.nodes <= nodes && one.limit <= limit);
        smaller.map(|one| one.not_before).max()
    }

    /// A plan has shown that none of this need and limit begins earlier.
    pub fn note(&mut self, kept: &KeptNeed, limit: i64, not_before: i64) {
        let nodes = kept.need.least_nodes();
        let known = self.of_class.entry(kept.class).or_default();
        let says_less =
            |one: &StartBound| one.nodes >= nodes && one.limit >= limit && one.not_before <= not_before;
        known.retain(|one| !says_less(one));
        known.push(StartBound { nodes, limit, not_before });
    }
}
