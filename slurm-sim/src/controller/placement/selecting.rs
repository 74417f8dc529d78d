//! Which nodes a job would be given now.

use super::node_set::NodeSet;
use super::select::NodeOffer;
use super::weights::WeightShift;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;

impl ClusterNow<'_> {
    /// The nodes that a pass would give to a job, if there are enough beside those held back; outer `None` if a reservation
    /// keeps it from being tested.
    pub fn nodes_now(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
        held_back: &NodeSet,
    ) -> Option<Option<Vec<usize>>> {
        let mut usable = self.may_use_now(job, at, held_back)?;
        Some(self.chosen_now(at, &mut usable))
    }

    /// The nodes that a job may use now, whatever runs on them; `None` if a reservation keeps it from being tested.
    pub fn may_use_now(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
        held_back: &NodeSet,
    ) -> Option<NodeSet> {
        let mut usable = self.pool.open_nodes[at.partition.0].clone();
        let terms = &self.jobs[job].terms;
        if terms.reservation.is_none() {
            usable.take_away(held_back);
        } else if !self.pool.has_begun(terms, self.second) {
            return None;
        }
        self.unreserved((job, at.partition), &mut usable, self.second, self.second + at.limit)?;
        self.pool.completing().iter().for_each(|&node| usable.remove(node));
        Some(usable)
    }

    /// Whether a partition has fewer nodes in service, but for those held back, than a job needs: a pass does not even try it there.
    pub fn has_too_few(&self, job: JobHandle, at: &RequestedPartition, held_back: &NodeSet) -> bool {
        let open = &self.pool.open_nodes[at.partition.0];
        self.jobs[job].terms.reservation.is_none()
            && open.len() - open.shared(held_back) < at.kept.need.nodes.0 as usize
    }

    /// Whether too few nodes that could run a job are in service and not reserved for others.
    pub fn lacks_nodes(&self, job: JobHandle, at: &RequestedPartition) -> bool {
        let none = NodeSet::none(self.pool.layout.nodes.len());
        let Some(mut usable) = self.may_use_now(job, at, &none) else { return true };
        let need = &at.kept.need;
        usable.keep(&need.on.feasible);
        usable.has_fewer(need.nodes.0 as usize) || !need.on.required.is_subset(&usable)
    }

    /// The nodes that a job is given now out of those that may be used.
    pub fn chosen_now(&self, at: &RequestedPartition, usable: &mut NodeSet) -> Option<Vec<usize>> {
        at.kept.keep_usable(usable, &self.pool.layout, &self.pool.load);
        let (in_use, shift) = (Some(self.pool.load.in_use()), self.shift_for_start(at));
        let offer = NodeOffer { layout: &self.pool.layout, in_use, nodes: usable, shift: shift.as_ref() };
        offer.choose(&at.kept.need)
    }

    /// The nodes that a selection ends with: usable ones on which the job could start now; else of all usable ones, if enough are
    /// idle; else of the whole partition.
    pub fn nodes_tested(&self, at: &RequestedPartition, usable: &NodeSet) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        let mut idle = usable.clone();
        if let Some(nodes) = self.chosen_now(at, &mut idle) {
            return Some(nodes);
        }
        let best = |nodes: &NodeSet| {
            let mut nodes = nodes.clone();
            nodes.keep(&need.on.feasible);
            let offer = NodeOffer { layout: &self.pool.layout, in_use: None, nodes: &nodes, shift: None };
            offer.best_fit(need)
        };
        let among_usable = if idle.len() >= need.nodes.0 as usize { best(usable) } else { None };
        among_usable.or_else(|| best(&self.pool.layout.partitions[at.partition.0]))
    }

    /// The weights with which nodes for a start of a job are chosen: where nodes count for a limit, those that count already come
    /// before others of the same line of the configuration.
    pub fn shift_for_start(&self, at: &RequestedPartition) -> Option<WeightShift> {
        let preferred = self.limits.counted_nodes(&at.limits)?;
        let mut shift = WeightShift::none(self.pool.layout.nodes.len());
        for line in &self.pool.lines {
            let mut own = line.both(&at.kept.need.on.feasible);
            if own.meets(&preferred) {
                own.take_away(&preferred);
                shift.heavier.add(&own);
            }
        }
        (!shift.heavier.is_empty()).then_some(shift)
    }
}
