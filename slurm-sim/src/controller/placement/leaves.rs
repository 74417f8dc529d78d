//! Nodes chosen by the switches above them.

use super::missing::Missing;
use super::need::Need;
use super::node_set::NodeSet;
use super::select::NodeOffer;

impl NodeOffer<'_> {
    /// Chooses nodes on a switch tree (`topology/tree`): of the lightest nodes that are enough, leaf switch by leaf switch. Leaves that
    /// already have a chosen node come first; then, nearest to these, leaves that have all that is missing, of those the one with the
    /// fewest usable nodes; if no leaf has all, the one with the most.
    ///
    /// `usable` has, for each node, the processors that the job can use; it is reduced as nodes are chosen.
    pub fn by_leaves(&self, usable: &mut [u32], need: &Need) -> Option<Vec<usize>> {
        let layout = self.layout;
        let (tree, count) = (&layout.tree, usable.len());
        let mut missing = Missing::of(need);
        let mut chosen = ChosenNodes { nodes: Vec::new(), set: NodeSet::none(count) };
        let offered = NodeSet::of(count, (0..count).filter(|&node| usable[node] > 0));
        for node in need.on.required.iter() {
            self.take(node, usable, &mut missing, need);
            chosen.add(node);
        }
        // All chosen nodes lie below one top switch: the one above the nodes that the job names, else one with enough of the lightest nodes.
        let weights: Vec<u64> = (0..count).map(|node| self.weight(node, usable[node], need)).collect();
        let weight = |node: usize| weights[node];
        let below: Vec<NodeSet> = tree.0.iter().map(|switch| switch.nodes.both(&offered)).collect();
        let has_required = !need.on.required.is_empty();
        let mut top: Option<(usize, u64)> = None;
        for (switch, nodes) in below.iter().enumerate() {
            let level = tree.0[switch].level;
            if has_required {
                let is_higher = top.is_none_or(|(best, _)| level > tree.0[best].level);
                if is_higher && nodes.meets(&need.on.required) {
                    top = Some((switch, 0));
                }
            } else if missing.is_enough(nodes.len())
                && let Some(lightest) = nodes.iter().map(weight).min()
                && top.is_none_or(|(best, least)| level >= tree.0[best].level && lightest <= least)
            {
                top = Some((switch, lightest));
            }
        }
        let reached = &below[top?.0];
        if has_required {
            if !need.on.required.is_subset(reached) {
                return None;
            }
            if missing.is_met() {
                return Some(chosen.nodes);
            }
            if missing.most <= 0 {
                return None;
            }
        }
        // The lightest nodes that are enough. Nodes below the largest weight among these are chosen before the others.
        let mut others: Vec<usize> = reached.iter().filter(|&node| !chosen.set.contains(node)).collect();
        others.sort_by_key(|&node| weight(node));
        let (mut best, mut cpus, mut lighter) = (0, 0, 0);
        loop {
            lighter = if best > 0 { best } else { lighter };
            let next = weight(*others.get(best)?);
            while let Some(&node) = others.get(best).filter(|&&node| weight(node) == next) {
                cpus += i64::from(usable[node]);
                best += 1;
            }
            if cpus >= missing.cpus && missing.is_enough(best) {
                break;
            }
        }
        let mut first = others[..lighter].to_vec();
        first.sort_unstable();
        let mut take = |node: usize, missing: &mut Missing, chosen: &mut ChosenNodes| {
            self.take(node, usable, missing, need);
            chosen.add(node);
            missing.is_met()
        };
        for &node in &first {
            if missing.most > 0 && take(node, &mut missing, &mut chosen) {
                return Some(chosen.nodes);
            }
        }
        if !first.is_empty() && missing.most <= 0 {
            return None;
        }
        let mut good = NodeSet::of(count, others[..best].iter().copied());
        good.add(&chosen.set);
        let below: Vec<NodeSet> = below.iter().map(|nodes| nodes.both(&good)).collect();
        let mut counts: Vec<usize> = below.iter().map(NodeSet::len).collect();
        let is_used: Vec<bool> = below.iter().map(|nodes| nodes.meets(&chosen.set)).collect();
        let is_leaf = |switch: usize| tree.0[switch].level == 0;
        for switch in (0..below.len()).filter(|&switch| is_leaf(switch) && is_used[switch]) {
            for node in below[switch].iter() {
                if !chosen.set.contains(node) && missing.most > 0 && take(node, &mut missing, &mut chosen) {
                    return Some(chosen.nodes);
                }
            }
        }
        // The distance of each switch from those that have chosen nodes; `None`: not connected.
        let mut distances: Vec<Option<usize>> = vec![Some(0); below.len()];
        let go = |distances: &mut Vec<Option<usize>>, from: usize| {
            for (to, distance) in distances.iter_mut().enumerate() {
                *distance = distance.and_then(|sum| Some(sum + tree.distance(from, to)?));
            }
        };
        (0..below.len()).filter(|&switch| is_used[switch]).for_each(|switch| go(&mut distances, switch));
        let mut before = missing.nodes + 1;
        while before != missing.nodes {
            before = missing.nodes;
            let mut best: Option<usize> = None;
            for switch in (0..below.len()).filter(|&switch| is_leaf(switch) && !is_used[switch]) {
                let Some(distance) = distances[switch].filter(|_| counts[switch] > 0) else { continue };
                let Some((other, there)) = best.and_then(|best| Some((best, distances[best]?))) else {
                    best = Some(switch);
                    continue;
                };
                let fits = self.fits_better(switch, other, missing.nodes, &counts);
                if distance < there && fits >= 0 || distance == there && fits > 0 {
                    best = Some(switch);
                }
            }
            let Some(best) = best else { break };
            go(&mut distances, best);
            for node in below[best].iter() {
                if missing.most <= 0 {
                    break;
                }
                if !chosen.set.contains(node) && take(node, &mut missing, &mut chosen) {
                    return Some(chosen.nodes);
                }
            }
            counts[best] = 0;
        }
        missing.will_do().then_some(chosen.nodes)
    }

    /// Compares two leaves: 1 if the first fits better, -1 if worse, 0 if equally well. A leaf that has all that is missing fits better, of
    /// two such leaves the one with fewer nodes. If neither has, the switches above them are compared, then the number of nodes.
    fn fits_better(&self, mut one: usize, mut other: usize, missing: i64, counts: &[usize]) -> i8 {
        let tree = &self.layout.tree;
        for _ in 0..tree.0.len() {
            let fits = |switch: usize| counts[switch] as i64 >= missing;
            match (fits(one), fits(other)) {
                (true, true) if counts[one] < counts[other] => return 1,
                (true, true) if counts[one] > counts[other] => return -1,
                (true, true) => break,
                (true, false) => return 1,
                (false, true) => return -1,
                (false, false) => {}
            }
            let above = (tree.above(one), tree.above(other));
            if above == (one, other) || above.0 == above.1 {
                break;
            }
            (one, other) = above;
        }
        let level = |switch: usize| tree.0[switch].level;
        counts[one].cmp(&counts[other]).then(level(other).cmp(&level(one))) as i8
    }
}

/// Nodes in the order in which they were chosen.
struct ChosenNodes {
    nodes: Vec<usize>,
    set: NodeSet,
}

impl ChosenNodes {
    fn add(&mut self, node: usize) {
        self.nodes.push(node);
        self.set.insert(node);
    }
}
