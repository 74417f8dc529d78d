//! A sorted list in blocks, each with a summary, so that a search can skip what cannot match.
//!
//! It stays a flat array while it is short, which queues mostly are, and costs the square root of its
//! length or so when it is long.

use serde::{Deserialize, Serialize};

/// Something kept in order, and what a block says about its members.
pub(crate) trait Entry: Copy + std::fmt::Debug {
    /// What it is ordered by; no two members share one.
    type Key: Ord + Copy + std::fmt::Debug;
    /// What a block says about its members.
    type Summary: Copy + std::fmt::Debug;

    fn key(&self) -> Self::Key;

    /// The summary of a block with nothing in it.
    const EMPTY: Self::Summary;

    /// Adds a member to a summary.
    fn include(summary: &mut Self::Summary, entry: &Self);

    /// Takes a member out of a summary.
    fn exclude(summary: &mut Self::Summary, entry: &Self);
}

/// Members a block holds before it is split.
const CAPACITY: usize = 64;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(
    serialize = "E: Serialize, E::Key: Serialize, E::Summary: Serialize",
    deserialize = "E: Deserialize<'de>, E::Key: Deserialize<'de>, E::Summary: Deserialize<'de>"
))]
pub(crate) struct Block<E: Entry> {
    last: E::Key,
    pub summary: E::Summary,
    pub entries: Vec<E>,
}

impl<E: Entry> Block<E> {
    fn of(entries: Vec<E>, last: E::Key) -> Block<E> {
        let mut summary = E::EMPTY;
        entries.iter().for_each(|entry| E::include(&mut summary, entry));
        Block { last, summary, entries }
    }
}

/// Where a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub block: usize,
    pub entry: usize,
}

/// The list. No block is ever empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(
    serialize = "E: Serialize, E::Key: Serialize, E::Summary: Serialize",
    deserialize = "E: Deserialize<'de>, E::Key: Deserialize<'de>, E::Summary: Deserialize<'de>"
))]
pub(crate) struct Blocks<E: Entry> {
    blocks: Vec<Block<E>>,
}

impl<E: Entry> Blocks<E> {
    pub fn new() -> Blocks<E> {
        Blocks { blocks: Vec::new() }
    }

    pub fn blocks(&self) -> &[Block<E>] {
        &self.blocks
    }

    /// For a caller that knows more about a block than its summary. Members are not to be moved.
    pub fn blocks_mut(&mut self) -> &mut [Block<E>] {
        &mut self.blocks
    }

    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.blocks.iter().flat_map(|block| block.entries.iter())
    }

    /// The first member.
    pub fn first(&self) -> Option<&E> {
        self.blocks.first().and_then(|block| block.entries.first())
    }

    /// The place of the first member with a larger key; past the last block if there is none.
    pub fn place_after(&self, key: E::Key) -> Place {
        let block = self.blocks.partition_point(|block| block.last <= key);
        let entry = self
            .blocks
            .get(block)
            .map_or(0, |block| block.entries.partition_point(|other| other.key() <= key));
        Place { block, entry }
    }

    /// The members with a larger key.
    pub fn after(&self, key: E::Key) -> impl Iterator<Item = &E> {
        let Place { block, entry } = self.place_after(key);
        self.blocks[block..].iter().flat_map(|block| block.entries.iter()).skip(entry)
    }

    /// Where the member with this key is.
    pub fn find(&self, key: E::Key) -> Option<Place> {
        let block = self.first_block_reaching(key);
        let entries = &self.blocks.get(block)?.entries;
        let entry = entries.binary_search_by_key(&key, Entry::key).ok()?;
        Some(Place { block, entry })
    }

    pub fn insert(&mut self, entry: E) {
        let key = entry.key();
        let place = self.first_block_reaching(key);
        let Some(block) = self.blocks.get_mut(place) else {
            return self.append(entry);
        };
        let at = block.entries.partition_point(|other| other.key() < key);
        block.entries.insert(at, entry);
        E::include(&mut block.summary, &entry);
        if block.entries.len() > CAPACITY {
            self.split(place);
        }
    }

    fn append(&mut self, entry: E) {
        match self.blocks.last_mut() {
            Some(block) if block.entries.len() < CAPACITY => {
                block.entries.push(entry);
                block.last = entry.key();
                E::include(&mut block.summary, &entry);
            }
            _ => {
                let mut entries = Vec::with_capacity(CAPACITY + 1);
                entries.push(entry);
                self.blocks.push(Block::of(entries, entry.key()));
            }
        }
    }

    fn split(&mut self, place: usize) {
        let block = &mut self.blocks[place];
        let mut upper = Vec::with_capacity(CAPACITY + 1);
        upper.extend(block.entries.drain(CAPACITY / 2..));
        let upper = Block::of(upper, block.last);
        let lower_last = block.entries[block.entries.len() - 1].key();
        *block = Block::of(std::mem::take(&mut block.entries), lower_last);
        self.blocks.insert(place + 1, upper);
    }

    /// Removes the member with this key; whether there was one.
    pub fn remove(&mut self, key: E::Key) -> bool {
        let block = self.first_block_reaching(key);
        let entries = self.blocks.get(block).map(|block| &block.entries);
        let found = entries.and_then(|entries| entries.iter().position(|other| other.key() == key));
        if let Some(entry) = found {
            self.remove_at(Place { block, entry });
        }
        found.is_some()
    }

    /// Removes the member at a place; the next member, if any in that block, moves there.
    pub fn remove_at(&mut self, place: Place) {
        let block = &mut self.blocks[place.block];
        let entry = block.entries.remove(place.entry);
        if place.entry == block.entries.len() {
            match block.entries.last() {
                Some(last) => block.last = last.key(),
                None => {
                    self.blocks.remove(place.block);
                    return;
                }
            }
        }
        E::exclude(&mut block.summary, &entry);
    }

    fn first_block_reaching(&self, key: E::Key) -> usize {
        self.blocks.partition_point(|block| block.last < key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    impl Entry for u32 {
        type Key = u32;
        type Summary = u64;
        const EMPTY: u64 = 0;
        fn key(&self) -> u32 {
            *self
        }
        fn include(sum: &mut u64, entry: &u32) {
            *sum += u64::from(*entry);
        }
        fn exclude(sum: &mut u64, entry: &u32) {
            *sum -= u64::from(*entry);
        }
    }

    proptest! {
        #[test]
        fn behaves_as_a_sorted_set(operations in prop::collection::vec((any::<bool>(), 0..600_u32), 0..2000)) {
            let mut blocks = Blocks::new();
            let mut plain = BTreeSet::new();
            for (add, number) in operations {
                if add && plain.insert(number) {
                    blocks.insert(number);
                } else if !add {
                    prop_assert_eq!(blocks.remove(number), plain.remove(&number));
                }
            }
            prop_assert!(blocks.iter().eq(plain.iter()));
            for number in plain.iter().copied().chain([0, 1000]) {
                prop_assert!(blocks.after(number).eq(plain.range(number + 1..)));
                let found = blocks.find(number).map(|place| blocks.blocks()[place.block].entries[place.entry]);
                prop_assert_eq!(found, plain.get(&number).copied());
            }
            prop_assert_eq!(blocks.first(), plain.first());
            for block in blocks.blocks() {
                prop_assert!((1..=CAPACITY).contains(&block.entries.len()));
                prop_assert_eq!(block.summary, block.entries.iter().map(|&n| u64::from(n)).sum::<u64>());
                prop_assert_eq!(Some(&block.last), block.entries.last());
            }
        }
    }
}
