//! Nodes as `select/linear` gives them: whole ones, in runs of neighbours.
//!
//! It knows no weights. Where a job starts, the controller offers it the lightest idle nodes that could be enough, then those with
//! the next ones, and so on; where backfilling asks when a job could run, all nodes are offered at once. Running jobs are
//! taken off one after the other then, and the job is tried after each.

use super::layout::NodeLayout;
use super::need::Need;
use super::node_set::NodeSet;
use super::select::NodeOffer;
use super::will_run::StartTest;

/// Neighbours to choose from, with required nodes among them.
struct Neighbours {
    from: usize,
    to: usize,
    /// Of those that are not required.
    nodes: i64,
    cpus: i64,
    /// The first that is required.
    required: Option<usize>,
}

/// What has been taken, and what is still missing.
struct Taken<'t> {
    layout: &'t NodeLayout,
    need: &'t Need,
    chosen: Vec<usize>,
    is_chosen: NodeSet,
    cpus: i64,
    nodes: i64,
    most: i64,
}

impl Taken<'_> {
    fn is_full(&self) -> bool {
        self.most <= 0 || self.nodes <= 0 && self.cpus <= 0
    }

    fn take(&mut self, node: usize, cpus: u32) {
        self.is_chosen.insert(node);
        self.chosen.push(node);
        (self.cpus, self.nodes, self.most) = (self.cpus - i64::from(cpus), self.nodes - 1, self.most - 1);
    }

    /// Whether so many more nodes are as many as it must have: fewer than it would like to have may do.
    fn are_enough(&self, nodes: i64) -> bool {
        let spare = i64::from(self.need.wanted_nodes.max(self.need.nodes.0) - self.need.nodes.0);
        nodes >= self.nodes - spare
    }

    /// Takes nodes in this order as long as any are missing.
    fn take_from(&mut self, nodes: impl Iterator<Item = usize>) {
        for node in nodes {
            if self.is_full() {
                break;
            }
            if !self.is_chosen.contains(node) {
                self.take(node, self.layout.idle_cpus(node, self.need));
            }
        }
    }
}

impl NodeOffer<'_> {
    /// For a start: out of the lightest nodes that are enough.
    pub(super) fn lightest_fit(&self, need: &Need) -> Option<Vec<usize>> {
        let wanted = need.wanted_nodes.max(need.nodes.0) as usize;
        let mut offered = NodeSet::none(self.nodes.capacity());
        let mut tried = None;
        for alike in &self.layout.alike {
            let mut more = alike.clone();
            more.keep(self.nodes);
            offered.add(&more);
            let count = offered.len();
            if count < wanted || tried == Some(count) {
                continue;
            }
            tried = Some(count);
            if let Some(chosen) = (NodeOffer { nodes: &offered, ..*self }).best_fit(need) {
                return Some(chosen);
            }
        }
        // Fewer than it would like to have.
        if tried == Some(self.nodes.len()) { None } else { self.best_fit(need) }
    }

    /// Whole nodes whatever their weights: the smallest run of neighbours that suffices, else the largest ones. Where nodes differ
    /// in processors and the smallest could be too few, those with the most.
    pub(super) fn best_fit(&self, need: &Need) -> Option<Vec<usize>> {
        if self.nodes.len() < need.nodes.0 as usize || !need.required.is_subset(self.nodes) {
            return None;
        }
        let mut taken = Taken {
            layout: self.layout,
            need,
            chosen: Vec::new(),
            is_chosen: NodeSet::none(self.nodes.capacity()),
            cpus: i64::from(need.cpus),
            nodes: i64::from(need.wanted_nodes.max(need.nodes.0)),
            most: i64::from(need.nodes.1),
        };
        let cpus = |node: usize| need.uniform_cpus.unwrap_or_else(|| self.layout.idle_cpus(node, need));
        for node in need.required.iter() {
            taken.take(node, cpus(node));
        }
        if need.uniform_cpus.is_none() {
            let least = self.nodes.iter().map(cpus).min().unwrap_or(0);
            let first = self.nodes.iter().next().map_or(0, cpus);
            let differ = self.nodes.iter().any(|node| cpus(node) != first);
            if differ && taken.cpus > i64::from(least) * taken.nodes {
                let mut largest: Vec<usize> = self.nodes.iter().collect();
                // Of equal ones the last.
                largest.sort_by_key(|&node| std::cmp::Reverse((cpus(node), node)));
                taken.take_from(largest.into_iter());
                return (taken.cpus <= 0 && taken.are_enough(0)).then_some(taken.chosen);
            }
        }
        let mut runs: Vec<Neighbours> = Vec::new();
        for (from, to) in self.nodes.runs() {
            let others = || (from..to).filter(|&node| !need.required.contains(node));
            let nodes = others().count() as i64;
            if nodes > 0 {
                runs.push(Neighbours {
                    from,
                    to,
                    nodes,
                    cpus: match need.uniform_cpus {
                        Some(cpus) => nodes * i64::from(cpus),
                        None => others().map(|node| i64::from(cpus(node))).sum(),
                    },
                    required: (from..to).find(|&node| need.required.contains(node)),
                });
            }
        }
        while taken.most > 0 {
            let mut best: Option<(usize, bool)> = None;
            for (place, run) in runs.iter().enumerate().filter(|(_, run)| run.nodes > 0) {
                let suffices = run.cpus >= taken.cpus && taken.are_enough(run.nodes);
                let is_better = best.is_none_or(|(best, best_suffices)| {
                    let best = &runs[best];
                    best.required.is_none() && run.required.is_some()
                        || suffices && (!best_suffices || run.cpus < best.cpus)
                        || !suffices && run.cpus > best.cpus
                });
                if is_better {
                    best = Some((place, suffices));
                }
            }
            let Some((place, _)) = best else { break };
            let run = &mut runs[place];
            // Up from the first that is required, then down from it.
            let middle = run.required.unwrap_or(run.from);
            taken.take_from((middle..run.to).chain((run.from..middle).rev()));
            if taken.nodes <= 0 && taken.cpus <= 0 {
                break;
            }
            (run.nodes, run.cpus) = (0, 0);
        }
        (taken.cpus <= 0 && taken.are_enough(0)).then_some(taken.chosen)
    }
}

impl StartTest<'_> {
    /// When the job could start on these nodes, and on which of them: it is tried after the end of each running job. A job that
    /// is past its limit is given no time.
    pub(super) fn one_by_one(&self, usable: &NodeSet, latest: Option<i64>) -> Option<(i64, Vec<usize>)> {
        let releases = &*self.releases.borrow();
        let need = &self.kept.need;
        let mut fit = usable.clone();
        fit.keep(&need.feasible);
        let choose = |nodes: &NodeSet| {
            let offer = NodeOffer { layout: self.layout, in_use: None, nodes, lighter: self.lighter };
            if self.layout.leaves.is_empty() { offer.best_fit(need) } else { offer.choose(need) }
        };
        if let Some(nodes) = choose(&releases.idle_now(&fit)) {
            return Some((self.now, nodes));
        }
        let mut from = releases.not_before(&fit, need.least_nodes())?;
        loop {
            let place = releases.next_on(from, &fit)?;
            let end = releases.end(place)?;
            if latest.is_some_and(|latest| end > latest) {
                return None;
            }
            if let Some(nodes) = choose(&releases.idle_after(place, &fit)) {
                return Some((end.max(self.now + 1), nodes));
            }
            from = place + 1;
        }
    }
}
