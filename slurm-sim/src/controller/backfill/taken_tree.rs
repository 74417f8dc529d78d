//! Which nodes are planned for at any time within stretches of a window.

use crate::controller::placement::NodeSet;

/// How many of the shortest stretches.
const LEAVES: usize = 128;

/// A binary tree over a window: of each stretch of it, the nodes that are planned for at some time in the stretch.
#[derive(Debug, Clone, Default)]
pub struct TakenTree {
    begin: i64,
    /// The length of the shortest stretches, in seconds.
    leaf: i64,
    /// As in a binary heap: the whole window is at index 1, the halves of the stretch at `i` are at `2i` and `2i + 1`.
    taken: Vec<NodeSet>,
    is_used: Vec<bool>,
}

impl TakenTree {
    /// Starts again with nothing planned from `begin` to `end`, for this number of nodes. Reuses its memory.
    pub fn begin(&mut self, begin: i64, end: i64, nodes: usize) {
        (self.begin, self.leaf) = (begin, (end - begin).max(1).unsigned_abs().div_ceil(LEAVES as u64) as i64);
        if self.taken.first().is_none_or(|one| one.capacity() != NodeSet::none(nodes).capacity()) {
            self.taken = vec![NodeSet::none(nodes); 2 * LEAVES];
        } else {
            for (taken, _) in self.taken.iter_mut().zip(&self.is_used).filter(|(_, is_used)| **is_used) {
                taken.clear();
            }
        }
        self.is_used = vec![false; 2 * LEAVES];
    }

    /// These nodes are planned for from one instant to another.
    pub fn take(&mut self, from: i64, to: i64, nodes: &NodeSet) {
        let leaf = |at: i64| ((at - self.begin) / self.leaf).clamp(0, LEAVES as i64 - 1) as usize;
        let (mut first, mut last) = (LEAVES + leaf(from), LEAVES + leaf((to - 1).max(from)));
        let words = nodes.words();
        while first > 0 {
            for place in first..=last {
                self.taken[place].add_words(nodes, words.clone());
                self.is_used[place] = true;
            }
            (first, last) = (first / 2, last / 2);
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
        let mut without = |place: usize| {
            if self.is_used[place] {
                nodes.take_away(&self.taken[place]);
            }
        };
        while first < end {
            if first % 2 == 1 {
                without(first);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                without(end);
            }
            (first, end) = (first / 2, end / 2);
        }
    }
}
