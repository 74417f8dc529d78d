//! Nodes for a job where it is known what it can use of each.

use super::need::Need;
use super::select::NodeOffer;

impl NodeOffer<'_> {
    /// Chooses nodes for a job without generic resources that shares its nodes. `usable` has, for each node, the processors that the job
    /// can use; what is in use of them is not looked at.
    pub fn choose_known(&self, need: &Need, usable: Vec<u32>) -> Option<Vec<usize>> {
        if !need.on.required.is_subset(self.nodes) || self.nodes.has_fewer(need.nodes.0 as usize) {
            return None;
        }
        let chosen = self.of_usable(need, usable)?;
        need.on.required.iter().all(|node| chosen.contains(&node)).then_some(chosen)
    }
}
