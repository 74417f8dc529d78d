//! What choosing nodes for a job does to the weights of nodes.

use std::sync::Arc;

use super::weights::WeightShift;
use crate::controller::job::RequestedPartition;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// The weights with which nodes for a start of a job are chosen: where nodes count for a limit, those that count already come
    /// before others of the same line of the configuration.
    pub fn shift_for_start(&self, at: &RequestedPartition) -> Option<WeightShift> {
        let preferred = self.limits.counted_nodes(&at.limits)?;
        let mut shift = WeightShift::none(self.cluster.nodes.len());
        for line in &self.pool.lines {
            let mut own = line.both(&at.kept.need.on.feasible);
            if own.meets(&preferred) {
                own.take_away(&preferred);
                shift.heavier.add(&own);
            }
        }
        (!shift.heavier.is_empty()).then_some(shift)
    }

    /// What choosing nodes for this job does to the weights that plans are made with, whether it is only planned or also to start
    /// now.
    pub fn note_selection(&mut self, at: &RequestedPartition, is_start: bool) {
        let need = &at.kept.need;
        if is_start && !self.pool.lines.is_empty() {
            let shift = self.shift_for_start(at);
            if shift.is_some() || self.pool.weights.heavier.meets(&need.on.feasible) {
                let weights = Arc::make_mut(&mut self.pool.weights);
                weights.heavier.take_away(&need.on.feasible);
                shift.iter().for_each(|shift| weights.heavier.add(&shift.heavier));
            }
        }
        if !self.plan_mode.weighs_gpus
            || (need.asks_for_no_gpus() && (!is_start || self.pool.weights.lighter.is_empty()))
        {
            return;
        }
        let count = self.cluster.nodes.len();
        let weights = Arc::make_mut(&mut self.pool.weights);
        weights.lighter.resize(count, 0);
        for node in need.on.feasible.iter() {
            let all = need.gpu_place().map_or(0, |place| self.pool.layout.nodes[node].gres[place]);
            weights.lighter[node] = u8::try_from(need.near_gpus(all)).unwrap_or(u8::MAX);
        }
        if weights.lighter.iter().all(|&by| by == 0) {
            weights.lighter.clear();
        }
    }
}
