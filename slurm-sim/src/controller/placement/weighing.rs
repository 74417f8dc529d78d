//! What choosing nodes for a job does to the weights of nodes.

use std::sync::Arc;

use super::need::Need;
use super::pool::NodePool;
use super::weights::WeightShift;

impl NodePool {
    /// Nodes for a start of a job were chosen, with these weights: plans are made with them from now on.
    pub fn weigh_as_for_start(&mut self, need: &Need, shift: Option<&WeightShift>) {
        if self.lines.is_empty() || shift.is_none() && !self.weights.heavier.meets(&need.on.feasible) {
            return;
        }
        let weights = Arc::make_mut(&mut self.weights);
        weights.heavier.take_away(&need.on.feasible);
        shift.iter().for_each(|shift| weights.heavier.add(&shift.heavier));
    }

    /// Nodes were chosen for a job, whether it is only planned or also to start now: for plans, the feasible ones weigh as near as
    /// their GPUs are to those that it asks for.
    pub fn weigh_by_gpus(&mut self, need: &Need, is_start: bool) {
        if need.asks_for_no_gpus() && (!is_start || self.weights.lighter.is_empty()) {
            return;
        }
        let count = self.layout.nodes.len();
        let weights = Arc::make_mut(&mut self.weights);
        weights.lighter.resize(count, 0);
        for node in need.on.feasible.iter() {
            let all = need.gpu_index().map_or(0, |gpus| self.layout.nodes[node].gres[gpus.0]);
            weights.lighter[node] = u8::try_from(need.near_gpus(all)).unwrap_or(u8::MAX);
        }
        if weights.lighter.iter().all(|&by| by == 0) {
            weights.lighter.clear();
        }
    }
}
