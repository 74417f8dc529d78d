//! Sets of nodes.

use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Words per group where sets are compared: a group is finished before its result is looked at.
const CHUNK: usize = 16;

/// A word of a set: 64 neighbouring nodes, and which of them are in it.
#[derive(Debug, Clone, Copy)]
pub struct NodeWord {
    index: u32,
    nodes: u64,
}

/// Sets of few nodes one after the other, each by its words that are not zero.
#[derive(Debug, Default)]
pub struct NodeWords {
    words: Vec<NodeWord>,
    /// Where each set ends.
    ends: Vec<u32>,
}

impl NodeWords {
    /// Adds a set of these nodes, soonest where neighbours follow each other.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = u32>) {
        let mut last = NodeWord { index: 0, nodes: 0 };
        for node in nodes {
            if node / 64 != last.index {
                self.words.extend((last.nodes != 0).then_some(last));
                last = NodeWord { index: node / 64, nodes: 0 };
            }
            last.nodes |= 1 << (node % 64);
        }
        self.words.extend((last.nodes != 0).then_some(last));
        self.ends.push(self.words.len() as u32);
    }

    /// One of the sets.
    pub fn of(&self, set: usize) -> &[NodeWord] {
        self.of_all(set..set + 1)
    }

    /// Several sets.
    pub fn of_all(&self, sets: Range<usize>) -> &[NodeWord] {
        let end = |count: usize| count.checked_sub(1).map_or(0, |last| self.ends[last] as usize);
        &self.words[end(sets.start)..end(sets.end)]
    }
}

/// A set of nodes by their indices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeSet(Box<[u64]>);

/// By the words that are not zero: most sets that are hashed are empty, of however many nodes.
impl Hash for NodeSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (index, &word) in self.0.iter().enumerate().filter(|(_, word)| **word != 0) {
            (index, word).hash(state);
        }
    }
}

impl NodeSet {
    /// The empty set, with room for this number of nodes.
    pub fn none(nodes: usize) -> NodeSet {
        NodeSet(vec![0; nodes.div_ceil(64)].into())
    }

    /// The set of all nodes, of which there are `nodes`.
    pub fn all(nodes: usize) -> NodeSet {
        let mut set = NodeSet(vec![u64::MAX; nodes.div_ceil(64)].into());
        // The last word has bits beyond the last node.
        if let Some(last) = set.0.last_mut().filter(|_| !nodes.is_multiple_of(64)) {
            *last = (1 << (nodes % 64)) - 1;
        }
        set
    }

    /// A set with these members, of `nodes` nodes in all; indices beyond are left out.
    pub fn of(nodes: usize, members: impl IntoIterator<Item = usize>) -> NodeSet {
        let mut set = NodeSet::none(nodes);
        set.insert_all(members.into_iter().filter(|&node| node < nodes));
        set
    }

    /// A set with these members in any order, all below `nodes`; soonest where neighbours follow each other.
    pub fn of_list(nodes: usize, members: &[usize]) -> NodeSet {
        let mut set = NodeSet::none(nodes);
        let mut rest = members;
        while let [first, others @ ..] = rest {
            let follow = others.iter().zip(first + 1..).take_while(|(node, next)| *node == next).count();
            set.insert_run(*first, first + 1 + follow);
            rest = &others[follow..];
        }
        set
    }

    /// Adds the nodes from one up to another.
    fn insert_run(&mut self, from: usize, to: usize) {
        let (first, last) = (from / 64, (to - 1) / 64);
        let (begin, end) = (u64::MAX << (from % 64), u64::MAX >> (63 - (to - 1) % 64));
        if first == last {
            self.0[first] |= begin & end;
            return;
        }
        self.0[first] |= begin;
        self.0[first + 1..last].fill(u64::MAX);
        self.0[last] |= end;
    }

    /// Adds nodes; soonest where neighbours follow each other.
    pub fn insert_all(&mut self, members: impl IntoIterator<Item = usize>) {
        let (mut index, mut word) = (0, 0);
        for node in members {
            if node / 64 != index {
                if word != 0 {
                    self.0[index] |= word;
                }
                (index, word) = (node / 64, 0);
            }
            word |= 1 << (node % 64);
        }
        if word != 0 {
            self.0[index] |= word;
        }
    }

    /// How many nodes there could be.
    pub fn capacity(&self) -> usize {
        64 * self.0.len()
    }

    /// Adds a node.
    pub fn insert(&mut self, node: usize) {
        self.0[node / 64] |= 1 << (node % 64);
    }

    /// Takes a node away.
    pub fn remove(&mut self, node: usize) {
        self.0[node / 64] &= !(1 << (node % 64));
    }

    /// Whether a node is in it.
    pub fn contains(&self, node: usize) -> bool {
        self.0[node / 64] >> (node % 64) & 1 == 1
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        let mut count = 0;
        for word in &self.0 {
            count += word.count_ones();
        }
        count as usize
    }

    /// Keeps what is in both.
    pub fn keep(&mut self, other: &NodeSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }

    /// What is in both.
    pub fn both(&self, other: &NodeSet) -> NodeSet {
        let mut both = self.clone();
        both.keep(other);
        both
    }

    /// Takes away what is in the other.
    pub fn take_away(&mut self, other: &NodeSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
    }

    /// Adds what is in the other.
    pub fn add(&mut self, other: &NodeSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Whether all is in the other.
    pub fn is_subset(&self, other: &NodeSet) -> bool {
        let mut chunks = self.0.chunks(CHUNK).zip(other.0.chunks(CHUNK));
        chunks.all(|(one, other)| {
            one.iter().zip(other).fold(0, |found, (word, other)| found | word & !other) == 0
        })
    }

    /// Whether a node is in both.
    pub fn meets(&self, other: &NodeSet) -> bool {
        let mut chunks = self.0.chunks(CHUNK).zip(other.0.chunks(CHUNK));
        chunks.any(|(one, other)| {
            one.iter().zip(other).fold(0, |found, (word, other)| found | word & other) != 0
        })
    }

    /// Whether one of these nodes is in the second set and not in the first.
    pub fn gains(&self, first: &NodeSet, second: &NodeSet) -> bool {
        let [own, first, second] = [self, first, second].map(|set| set.0.chunks(CHUNK));
        let mut chunks = own.zip(first).zip(second);
        chunks.any(|((own, first), second)| {
            let words = own.iter().zip(first).zip(second);
            words.fold(0, |found, ((own, first), second)| found | own & second & !first) != 0
        })
    }

    /// Whether the set has fewer than this number of nodes.
    pub fn has_fewer(&self, nodes: usize) -> bool {
        NodeSet::missing(nodes, [self; 3]) > 0
    }

    /// How many more nodes all three sets would have to share to share `least`; zero if they do.
    pub fn missing(least: usize, sets: [&NodeSet; 3]) -> usize {
        let mut missing = least;
        let [one, other, third] = sets.map(|set| set.0.chunks(CHUNK));
        for ((one, other), third) in one.zip(other).zip(third) {
            if missing == 0 {
                break;
            }
            let mut shared = 0;
            for ((one, other), third) in one.iter().zip(other).zip(third) {
                shared += (one & other & third).count_ones();
            }
            missing = missing.saturating_sub(shared as usize);
        }
        missing
    }

    /// The words that are not zero, and those between them.
    pub fn words(&self) -> Range<usize> {
        let end = self.0.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let first = self.0.iter().position(|&word| word != 0).unwrap_or(end);
        first..end
    }

    /// Adds what is in these words of the other.
    pub fn add_words(&mut self, other: &NodeSet, words: Range<usize>) {
        self.0[words.clone()].iter_mut().zip(&other.0[words]).for_each(|(word, other)| *word |= other);
    }

    /// Whether all that is in these words is in the other.
    pub fn are_within(&self, other: &NodeSet, words: Range<usize>) -> bool {
        let words = self.0[words.clone()].iter().zip(&other.0[words]);
        words.fold(0, |found, (word, other)| found | word & !other) == 0
    }

    /// Takes away what is in these words of the other.
    pub fn take_words(&mut self, other: &NodeSet, words: Range<usize>) {
        self.0[words.clone()].iter_mut().zip(&other.0[words]).for_each(|(word, other)| *word &= !other);
    }

    /// Whether one of the nodes in these words is in it.
    pub fn meets_words(&self, words: &[NodeWord]) -> bool {
        words.iter().any(|word| self.0[word.index as usize] & word.nodes != 0)
    }

    /// Adds the nodes in these words, as far as they are in the other.
    pub fn add_shared(&mut self, words: &[NodeWord], other: &NodeSet) {
        for &NodeWord { index, nodes } in words {
            self.0[index as usize] |= nodes & other.0[index as usize];
        }
    }

    /// Adds the nodes in these words.
    pub fn add_all(&mut self, words: &[NodeWord]) {
        words.iter().for_each(|word| self.0[word.index as usize] |= word.nodes);
    }

    /// How many of the nodes in these words are in both of two sets.
    pub fn shared_words(words: &[NodeWord], sets: [&NodeSet; 2]) -> usize {
        let both = |index: u32| sets[0].0[index as usize] & sets[1].0[index as usize];
        words.iter().map(|word| (both(word.index) & word.nodes).count_ones() as usize).sum()
    }

    /// Becomes equal to the other.
    pub fn copy_from(&mut self, other: &NodeSet) {
        self.0.copy_from_slice(&other.0);
    }

    /// Becomes the set of none.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.0.chunks(CHUNK).all(|chunk| chunk.iter().fold(0, |found, word| found | word) == 0)
    }

    /// How many nodes are in both.
    pub fn shared(&self, other: &NodeSet) -> usize {
        let mut count = 0;
        for (word, other) in self.0.iter().zip(&other.0) {
            count += (word & other).count_ones();
        }
        count as usize
    }

    /// Runs of neighbours in ascending order: the first of each, and the one behind its last.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let end = 64 * self.0.len();
        let next = move |from: usize, wanted: bool| {
            let mut index = from / 64;
            let mut skip = u64::MAX << (from % 64);
            while let Some(&word) = self.0.get(index) {
                let word = if wanted { word } else { !word } & skip;
                if word != 0 {
                    return index * 64 + word.trailing_zeros() as usize;
                }
                (index, skip) = (index + 1, u64::MAX);
            }
            end
        };
        let mut at = 0;
        std::iter::from_fn(move || {
            let from = next(at, true);
            if from == end {
                return None;
            }
            at = next(from, false);
            Some((from, at))
        })
    }

    /// Indices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use queuecast_core::seed::Seed;

    #[test]
    fn all_nodes_are_those_one_by_one() {
        for nodes in [0, 1, 63, 64, 65, 128, 1000] {
            assert_eq!(NodeSet::all(nodes), NodeSet::of(nodes, 0..nodes), "{nodes}");
            assert_eq!(NodeSet::all(nodes).len(), nodes);
        }
    }

    #[test]
    fn words_are_the_nodes_that_were_put_into_them() {
        let mut random = Seed(1).stream("words");
        let draw = |random: &mut _| {
            let share = RngExt::random_range(random, 0..11);
            let members = (0..200).filter(|_| RngExt::random_range(random, 0..10) < share);
            members.collect::<Vec<usize>>()
        };
        for _ in 0..50 {
            let lists = [draw(&mut random), draw(&mut random)];
            let others = [draw(&mut random), draw(&mut random)].map(|list| NodeSet::of(200, list));
            let mut words = NodeWords::default();
            // Backwards, so that a word may come several times.
            words.push(lists[0].iter().rev().map(|&node| node as u32));
            words.push(lists[1].iter().map(|&node| node as u32));
            for (set, list) in lists.iter().enumerate() {
                let plain = NodeSet::of_list(200, list);
                assert_eq!(others[0].meets_words(words.of(set)), others[0].meets(&plain));
                let shared = NodeSet::shared_words(words.of(set), [&others[0], &others[1]]);
                assert_eq!(shared, plain.both(&others[0]).shared(&others[1]));
                let (mut all, mut some) = (others[0].clone(), others[0].clone());
                all.add_all(words.of(set));
                some.add_shared(words.of(set), &others[1]);
                let (mut plain_all, mut plain_some) = (others[0].clone(), others[0].clone());
                plain_all.add(&plain);
                plain_some.add(&plain.both(&others[1]));
                assert!(all == plain_all && some == plain_some);
            }
            let mut both = NodeSet::none(200);
            both.add_all(words.of_all(0..2));
            assert_eq!(both, NodeSet::of(200, lists.concat()));
        }
    }

    #[test]
    fn runs_are_those_of_a_plain_count() {
        let mut random = Seed(1).stream("runs");
        for nodes in [1, 63, 64, 65, 200] {
            for _ in 0..50 {
                let share = random.random_range(0..11);
                let members: Vec<usize> = (0..nodes).filter(|_| random.random_range(0..10) < share).collect();
                let set = NodeSet::of(nodes, members.iter().copied());
                assert_eq!(NodeSet::of_list(nodes, &members), set);
                let backwards: Vec<usize> = members.iter().rev().copied().collect();
                assert_eq!(NodeSet::of_list(nodes, &backwards), set);
                let mut runs: Vec<(usize, usize)> = Vec::new();
                for node in members {
                    match runs.last_mut().filter(|run| run.1 == node) {
                        Some(run) => run.1 += 1,
                        None => runs.push((node, node + 1)),
                    }
                }
                assert_eq!(set.runs().collect::<Vec<_>>(), runs);
            }
        }
    }
}
