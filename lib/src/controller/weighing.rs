//! What choosing nodes for a job does to the weights of nodes.

use std::rc::Rc;

use super::job::JobPlace;
use super::state::Controller;
use super::weights::WeightShift;

impl Controller<'_> {
    /// The weights with which nodes for a start of a job are chosen: where nodes count for a limit, those that count already come
    /// before others of the same line of the configuration.
    pub(super) fn shift_for_start(&self, at: &JobPlace) -> Option<WeightShift> {
        let preferred = self.limits.counted_nodes(&at.limits)?;
        let mut shift = WeightShift::none(self.cluster.nodes.len());
        for line in &self.lines {
            let mut own = line.both(&at.kept.need.feasible);
            if own.meets(&preferred) {
                own.take_away(&preferred);
                shift.heavier.add(&own);
            }
        }
        (!shift.heavier.is_empty()).then_some(shift)
    }

    /// What choosing nodes for this job does to the weights that plans are made with, whether it is only planned or also to start
    /// now.
    pub(super) fn note_selection(&mut self, at: &JobPlace, is_start: bool) {
        let need = &at.kept.need;
        if is_start && !self.lines.is_empty() {
            let shift = self.shift_for_start(at);
            if shift.is_some() || self.weights.heavier.meets(&need.feasible) {
                let weights = Rc::make_mut(&mut self.weights);
                weights.heavier.take_away(&need.feasible);
                shift.iter().for_each(|shift| weights.heavier.add(&shift.heavier));
            }
        }
        if self.layout.tree.0.is_empty() {
            return;
        }
        let gres = need.gres_per_node.iter().chain(&need.gres_per_job).map(|one| one.0).next();
        match gres {
            Some(place) => {
                let has_some = |&node: &usize| self.layout.nodes[node].gres[place] > 0;
                let lighter: Vec<usize> = need.feasible.iter().filter(has_some).collect();
                if lighter.iter().any(|&node| !self.weights.lighter.contains(node)) {
                    let weights = Rc::make_mut(&mut self.weights);
                    lighter.into_iter().for_each(|node| weights.lighter.insert(node));
                }
            }
            None if is_start && self.weights.lighter.meets(&need.feasible) => {
                Rc::make_mut(&mut self.weights).lighter.clear();
            }
            None => {}
        }
    }
}
