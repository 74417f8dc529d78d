//! Sets of nodes.

/// A set of nodes by their indices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NodeSet(Box<[u64]>);

impl NodeSet {
    /// None of so many nodes.
    pub fn none(nodes: usize) -> NodeSet {
        NodeSet(vec![0; nodes.div_ceil(64)].into())
    }

    /// These of so many nodes; indices beyond are left out.
    pub fn of(nodes: usize, members: impl IntoIterator<Item = usize>) -> NodeSet {
        let mut set = NodeSet::none(nodes);
        members.into_iter().filter(|&node| node < nodes).for_each(|node| set.insert(node));
        set
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
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Keeps what is in both.
    pub fn keep(&mut self, other: &NodeSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
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
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }

    /// Whether a node is in both.
    pub fn meets(&self, other: &NodeSet) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Whether what is in the first two is all in the last two.
    pub fn both_within(one: [&NodeSet; 2], other: [&NodeSet; 2]) -> bool {
        let words = one[0].0.iter().zip(&one[1].0).zip(other[0].0.iter().zip(&other[1].0));
        words.into_iter().all(|((a, b), (c, d))| a & b & !(c & d) == 0)
    }

    /// Indices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| place * 64 + rest.trailing_zeros() as usize)
        })
    }
}
