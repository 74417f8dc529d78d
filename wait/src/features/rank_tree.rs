//! An ordered multiset with sums: how many entries have a smaller key, and what they add up to.

use serde::{Deserialize, Serialize};

/// What entries add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Total {
    pub count: i64,
    /// Two sums that entries contribute to.
    pub sums: [i128; 2],
}

impl Total {
    fn plus(self, other: Total) -> Total {
        Total {
            count: self.count + other.count,
            sums: [self.sums[0] + other.sums[0], self.sums[1] + other.sums[1]],
        }
    }

    fn minus(self, other: Total) -> Total {
        Total {
            count: self.count - other.count,
            sums: [self.sums[0] - other.sums[0], self.sums[1] - other.sums[1]],
        }
    }
}

/// No node.
const NONE: u32 = u32::MAX;

/// The entries of one key.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RankNode {
    key: i64,
    /// Decides the shape of the tree, the same in every run.
    priority: u64,
    own: Total,
    /// Of the node and all below it.
    total: Total,
    left: u32,
    right: u32,
}

/// A treap with a node for each different key. The cost of every operation grows with the logarithm of their number.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RankTree {
    nodes: Vec<RankNode>,
    vacant: Vec<u32>,
    root: u32,
}

impl Default for RankTree {
    fn default() -> RankTree {
        RankTree { nodes: Vec::new(), vacant: Vec::new(), root: NONE }
    }
}

impl RankTree {
    /// Of all entries.
    pub fn total(&self) -> Total {
        self.total_of(self.root)
    }

    /// Of the entries with a key below this one.
    pub fn below(&self, key: i64) -> Total {
        let (mut place, mut below) = (self.root, Total::default());
        while let Some(node) = self.nodes.get(place as usize) {
            if node.key < key {
                below = below.plus(node.own).plus(self.total_of(node.left));
                place = node.right;
            } else {
                place = node.left;
            }
        }
        below
    }

    /// Adds an entry.
    pub fn insert(&mut self, key: i64, sums: [i128; 2]) {
        let entry = Total { count: 1, sums };
        if self.change(key, |own| own.plus(entry)) {
            return;
        }
        let node =
            RankNode { key, priority: priority(key), own: entry, total: entry, left: NONE, right: NONE };
        let place = match self.vacant.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        let (left, right) = self.split(self.root, key);
        let left = self.merge(left, place);
        self.root = self.merge(left, right);
    }

    /// Takes out an entry that was inserted with this key and these sums.
    pub fn remove(&mut self, key: i64, sums: [i128; 2]) {
        let entry = Total { count: 1, sums };
        self.change(key, |own| own.minus(entry));
        let (left, rest) = self.split(self.root, key);
        let (alone, right) = match key.checked_add(1) {
            Some(next) => self.split(rest, next),
            None => (rest, NONE),
        };
        let left = match self.nodes.get(alone as usize) {
            Some(node) if node.own.count == 0 => {
                self.vacant.push(alone);
                left
            }
            _ => self.merge(left, alone),
        };
        self.root = self.merge(left, right);
    }

    /// Changes the entries of a key, and all totals above; `false` if there is none.
    fn change(&mut self, key: i64, change: impl Fn(Total) -> Total) -> bool {
        let mut place = self.root;
        let found = loop {
            let Some(node) = self.nodes.get(place as usize) else { return false };
            match key.cmp(&node.key) {
                std::cmp::Ordering::Less => place = node.left,
                std::cmp::Ordering::Greater => place = node.right,
                std::cmp::Ordering::Equal => break place,
            }
        };
        let mut place = self.root;
        loop {
            let node = &mut self.nodes[place as usize];
            node.total = change(node.total);
            if place == found {
                node.own = change(node.own);
                return true;
            }
            place = if key < node.key { node.left } else { node.right };
        }
    }

    fn total_of(&self, place: u32) -> Total {
        self.nodes.get(place as usize).map_or_else(Total::default, |node| node.total)
    }

    fn sum_up(&mut self, place: u32) {
        let RankNode { own, left, right, .. } = self.nodes[place as usize];
        self.nodes[place as usize].total = own.plus(self.total_of(left)).plus(self.total_of(right));
    }

    /// The part with keys below `key`, and the rest.
    fn split(&mut self, place: u32, key: i64) -> (u32, u32) {
        if place == NONE {
            return (NONE, NONE);
        }
        let RankNode { key: own, left, right, .. } = self.nodes[place as usize];
        if own < key {
            let (low, high) = self.split(right, key);
            self.nodes[place as usize].right = low;
            self.sum_up(place);
            (place, high)
        } else {
            let (low, high) = self.split(left, key);
            self.nodes[place as usize].left = high;
            self.sum_up(place);
            (low, place)
        }
    }

    /// Joins two trees, all keys of the first below those of the second.
    fn merge(&mut self, low: u32, high: u32) -> u32 {
        if low == NONE {
            return high;
        }
        if high == NONE {
            return low;
        }
        if self.nodes[low as usize].priority >= self.nodes[high as usize].priority {
            let right = self.nodes[low as usize].right;
            self.nodes[low as usize].right = self.merge(right, high);
            self.sum_up(low);
            low
        } else {
            let left = self.nodes[high as usize].left;
            self.nodes[high as usize].left = self.merge(low, left);
            self.sum_up(high);
            high
        }
    }
}

/// A number that looks random, and is the same for the same key (the finalizer of SplitMix64).
fn priority(key: i64) -> u64 {
    let mut mixed = (key as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_a_list_that_is_searched(
            steps in prop::collection::vec((any::<bool>(), 0..30_i64, -50..50_i64), 1..400),
            asked in prop::collection::vec(-2..33_i64, 1..10),
        ) {
            let (mut ranked, mut list) = (RankTree::default(), Vec::<(i64, i64)>::new());
            for (adds, key, amount) in steps {
                if adds || list.is_empty() {
                    ranked.insert(key, [amount.into(), 1]);
                    list.push((key, amount));
                } else {
                    let (key, amount) = list.swap_remove(key as usize % list.len());
                    ranked.remove(key, [amount.into(), 1]);
                }
                prop_assert_eq!(ranked.nodes.len() - ranked.vacant.len(),
                    list.iter().map(|entry| entry.0).collect::<std::collections::BTreeSet<_>>().len());
            }
            for key in asked {
                let below = list.iter().filter(|entry| entry.0 < key);
                let expected = below.fold(Total::default(), |total, entry| {
                    total.plus(Total { count: 1, sums: [entry.1.into(), 1] })
                });
                prop_assert_eq!(ranked.below(key), expected);
            }
            prop_assert_eq!(ranked.total(), ranked.below(i64::MAX));
        }
    }

    #[test]
    fn extreme_keys_come_and_go() {
        let mut ranked = RankTree::default();
        for key in [i64::MIN, 0, i64::MAX] {
            ranked.insert(key, [1, 0]);
        }
        assert_eq!((ranked.below(i64::MIN).count, ranked.below(i64::MAX).count), (0, 2));
        for key in [i64::MAX, i64::MIN, 0] {
            ranked.remove(key, [1, 0]);
        }
        assert_eq!((ranked.total(), ranked.root), (Total::default(), NONE));
    }
}
