//! A list of numbers in ascending order in which numbers come and go.

use serde::{Deserialize, Serialize};

/// The most numbers in one block. As many are moved when one comes or goes.
const BLOCK: usize = 128;

/// Numbers in ascending order, in blocks: coming, going and looking one up by its place cost about as much as one block, however many
/// there are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Ascending {
    /// None is empty.
    blocks: Vec<Vec<f64>>,
    count: usize,
}

impl Ascending {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The block of the first number that is not below this one; the last if all are.
    fn block(&self, number: f64) -> usize {
        let below = |block: &Vec<f64>| block.last().is_some_and(|&last| last < number);
        self.blocks.partition_point(below).min(self.blocks.len().saturating_sub(1))
    }

    /// Adds a number, before those that are equal.
    pub fn insert(&mut self, number: f64) {
        self.count += 1;
        if self.blocks.is_empty() {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let at = self.block(number);
        let block = &mut self.blocks[at];
        block.insert(block.partition_point(|&other| other < number), number);
        if block.len() == BLOCK {
            let mut upper = Vec::with_capacity(BLOCK);
            upper.extend(block.drain(BLOCK / 2..));
            self.blocks.insert(at + 1, upper);
        }
    }

    /// Takes away a number that is there.
    pub fn remove(&mut self, number: f64) {
        let at = self.block(number);
        let Some(block) = self.blocks.get_mut(at) else { return };
        let place = block.partition_point(|&other| other < number);
        if place < block.len() {
            block.remove(place);
            self.count -= 1;
        }
        if block.is_empty() {
            self.blocks.remove(at);
        }
    }

    /// The number at a place and the one after it; the last stands in for what is beyond the end. `None` if there are none.
    pub fn pair(&self, place: usize) -> Option<(f64, f64)> {
        let mut left = place.min(self.count.checked_sub(1)?);
        let mut blocks = self.blocks.iter();
        for block in &mut blocks {
            if let Some(&number) = block.get(left) {
                let next = block.get(left + 1).or_else(|| blocks.next()?.first());
                return Some((number, next.copied().unwrap_or(number)));
            }
            left -= block.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use rand::RngExt;

    #[test]
    fn it_is_a_sorted_list() {
        let mut random = Seed(7).stream("numbers");
        let (mut blocks, mut plain): (Ascending, Vec<f64>) = (Ascending::default(), Vec::new());
        assert_eq!(blocks.pair(0), None);
        for step in 0..6_000 {
            let grows = if step < 3_000 { 0.8 } else { 0.3 };
            if plain.is_empty() || random.random::<f64>() < grows {
                let number = f64::from(random.random_range(0..500_u32)) - 250.0;
                blocks.insert(number);
                plain.insert(plain.partition_point(|&other| other < number), number);
            } else {
                let number = plain.remove(random.random_range(0..plain.len()));
                blocks.remove(number);
            }
            assert_eq!(blocks.len(), plain.len());
            let place = random.random_range(0..=plain.len());
            let expected = plain
                .len()
                .checked_sub(1)
                .map(|last| (plain[place.min(last)], plain[(place.min(last) + 1).min(last)]));
            assert_eq!(blocks.pair(place), expected);
        }
        assert!(blocks.blocks.iter().all(|block| !block.is_empty() && block.len() < BLOCK));
        assert_eq!(blocks.blocks.concat(), plain);
    }
}
