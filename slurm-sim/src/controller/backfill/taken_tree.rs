//! Which nodes are planned for at any time within stretches of a window.

use crate::controller::placement::NodeSet;

/// How many of the shortest stretches.
const LEAVES: usize = 128;

/// A binary tree over a window, with the nodes that are planned for in each stretch of it. A plan is noted as filling the largest
/// stretches that it fills, and as present in those that contain them.
#[derive(Debug, Clone, Default)]
pub struct TakenTree {
    begin: i64,
    /// The length of the shortest stretches, in seconds.
    leaf: i64,
    /// As in a binary heap: the whole window is at index 1, the halves of the stretch at `i` are at `2i` and `2i + 1`. Nodes that are
    /// planned for all the time.
    all: Vec<NodeSet>,
    /// Nodes that are planned for at some time, or all the time.
    some: Vec<NodeSet>,
    is_used: Vec<bool>,
}

impl TakenTree {
    /// Starts again with nothing planned from `begin` to `end`, for this number of nodes. Reuses its memory.
    pub fn begin(&mut self, begin: i64, end: i64, nodes: usize) {
        (self.begin, self.leaf) = (begin, (end - begin).max(1).unsigned_abs().div_ceil(LEAVES as u64) as i64);
        if self.all.first().is_none_or(|one| one.capacity() != NodeSet::none(nodes).capacity()) {
            self.all = vec![NodeSet::none(nodes); 2 * LEAVES];
            self.some = self.all.clone();
        } else {
            for stretch in (0..2 * LEAVES).filter(|&stretch| self.is_used[stretch]) {
                self.all[stretch].clear();
                self.some[stretch].clear();
            }
        }
        self.is_used = vec![false; 2 * LEAVES];
    }

    /// These nodes are planned for from one instant to another; in the first and last of the shortest stretches perhaps only at some
    /// time.
    pub fn take(&mut self, from: i64, to: i64, nodes: &NodeSet) {
        let leaf = |at: i64| ((at - self.begin) / self.leaf).clamp(0, LEAVES as i64 - 1) as usize;
        let (first, last) = (LEAVES + leaf(from), LEAVES + leaf((to - 1).max(from)));
        let words = nodes.words();
        let (mut from, mut end) = (first, last + 1);
        while from < end {
            let whole = [(from % 2 == 1).then_some(from), (end % 2 == 1).then(|| end - 1)];
            for stretch in whole.into_iter().flatten() {
                self.all[stretch].add_words(nodes, words.clone());
                self.some[stretch].add_words(nodes, words.clone());
                self.is_used[stretch] = true;
            }
            (from, end) = (from.div_ceil(2), end / 2);
        }
        // Stretches that the plan touches without filling them contain the first or the last of its shortest stretches.
        for stretch in paths(first, last) {
            self.some[stretch].add_words(nodes, words.clone());
            self.is_used[stretch] = true;
        }
    }

    /// The shortest stretches that lie wholly between two instants: begin of the first, end of the last; both equal if there are
    /// none.
    pub fn within(&self, from: i64, to: i64) -> (i64, i64) {
        let first = (from - self.begin + self.leaf - 1).div_euclid(self.leaf).clamp(0, LEAVES as i64);
        let end = (to - self.begin).div_euclid(self.leaf).clamp(first, LEAVES as i64);
        (self.begin + first * self.leaf, self.begin + end * self.leaf)
    }

    /// Takes away from these nodes those that are planned for between two such instants.
    pub fn keep_free(&self, from: i64, to: i64, nodes: &mut NodeSet) {
        let leaf = |at: i64| LEAVES + ((at - self.begin) / self.leaf) as usize;
        let (mut first, mut end) = (leaf(from), leaf(to));
        let mut without = |stretch: usize, taken: &[NodeSet]| {
            if self.is_used[stretch] {
                nodes.take_away(&taken[stretch]);
            }
        };
        if first < end {
            // What fills stretches that contain those below contains the first or the last of the shortest.
            paths(first, end - 1).for_each(|stretch| without(stretch, &self.all));
        }
        while first < end {
            let whole = [(first % 2 == 1).then_some(first), (end % 2 == 1).then(|| end - 1)];
            for stretch in whole.into_iter().flatten() {
                without(stretch, &self.some);
            }
            (first, end) = (first.div_ceil(2), end / 2);
        }
    }
}

/// Two of the shortest stretches, and all that contain one of them.
fn paths(first: usize, last: usize) -> impl Iterator<Item = usize> {
    let above = |&(first, last): &(usize, usize)| (first > 1).then_some((first / 2, last / 2));
    let both = std::iter::successors(Some((first, last)), above);
    both.flat_map(|(first, last)| [Some(first), (last != first).then_some(last)]).flatten()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use queuecast_core::seed::Seed;

    /// What is planned for within stretches is what a list of all plans says, leaf by leaf.
    #[test]
    fn stretches_are_those_of_a_plain_list() {
        let mut random = Seed(1).stream("stretches");
        let mut tree = TakenTree::default();
        for _ in 0..30 {
            let (begin, nodes) = (random.random_range(-50..50), random.random_range(1..150));
            let end = begin + random.random_range(1..2_000);
            tree.begin(begin, end, nodes);
            let mut plans: Vec<(i64, i64, NodeSet)> = Vec::new();
            for _ in 0..40 {
                let from = random.random_range(begin..end);
                let to = from + random.random_range(1..1_000);
                let first = random.random_range(0..nodes);
                let set = NodeSet::of(nodes, first..first + random.random_range(1..60));
                tree.take(from, to, &set);
                plans.push((from, to, set));
                let asked = (random.random_range(begin..end), random.random_range(begin..end + 1));
                let (from, to) = tree.within(asked.0, asked.1);
                let (mut found, mut plain) = (NodeSet::all(nodes), NodeSet::all(nodes));
                tree.keep_free(from, to, &mut found);
                // Plans count from the begin of their first leaf to the end of their last; beyond the window all is the last leaf.
                let leaf = |at: i64| ((at - begin) / tree.leaf).min(LEAVES as i64 - 1);
                let meets = |plan: &&(i64, i64, NodeSet)| {
                    leaf(plan.0) * tree.leaf + begin < to && (leaf(plan.1 - 1) + 1) * tree.leaf + begin > from
                };
                plans.iter().filter(meets).for_each(|plan| plain.take_away(&plan.2));
                assert!(from >= to && found == NodeSet::all(nodes) || found == plain, "{from} {to}");
            }
        }
    }
}
