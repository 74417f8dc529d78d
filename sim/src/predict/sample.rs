//! Run times learned so far, any statistic of which is at hand.

use super::statistic::{Statistic, mean, median};

/// A block is split when it is longer.
const CAPACITY: usize = 128;

/// Run times in ascending order, in blocks: adding one to many thousand moves a few of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    /// None is empty.
    blocks: Vec<Vec<i64>>,
    count: usize,
    sum: i128,
    last: i64,
}

impl Sample {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.blocks.truncate(1);
        self.blocks.iter_mut().for_each(Vec::clear);
        (self.count, self.sum) = (0, 0);
    }

    pub fn insert(&mut self, run: i64) {
        (self.count, self.sum, self.last) = (self.count + 1, self.sum + i128::from(run), run);
        let place = self.block_of(run).min(self.blocks.len().saturating_sub(1));
        let Some(block) = self.blocks.get_mut(place) else {
            self.blocks.push(vec![run]);
            return;
        };
        block.insert(block.partition_point(|&other| other <= run), run);
        if block.len() > CAPACITY {
            let upper = block.split_off(CAPACITY / 2);
            self.blocks.insert(place + 1, upper);
        }
    }

    /// Takes one run time out, if it is there.
    pub fn remove(&mut self, run: i64) {
        let place = self.block_of(run);
        let Some(block) = self.blocks.get_mut(place) else { return };
        let Ok(at) = block.binary_search(&run) else { return };
        block.remove(at);
        (self.count, self.sum) = (self.count - 1, self.sum - i128::from(run));
        if block.is_empty() {
            self.blocks.remove(place);
        }
    }

    /// The first block that reaches up to `run`, or one past the last.
    fn block_of(&self, run: i64) -> usize {
        self.blocks.partition_point(|block| block.last().is_some_and(|&last| last < run))
    }

    /// `None` of none.
    pub fn statistic(&self, statistic: Statistic) -> Option<i64> {
        match statistic {
            Statistic::Median => median(self.count, |place| self.at(place)),
            Statistic::Mean => mean(self.sum, self.count),
            Statistic::Last => (self.count > 0).then_some(self.last),
            Statistic::Min => self.blocks.first()?.first().copied(),
            Statistic::Max => self.blocks.last()?.last().copied(),
        }
    }

    fn at(&self, mut place: usize) -> i64 {
        for block in &self.blocks {
            match block.get(place) {
                Some(&run) => return run,
                None => place -= block.len(),
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_plain_list_however_many_come_and_go() {
        let (mut sample, mut list) = (Sample::default(), Vec::new());
        let mut number = 1_i64;
        for step in 0..5000 {
            number = number * 48271 % 2_147_483_647;
            if step % 3 == 2 {
                let gone = list.remove((number % list.len() as i64) as usize);
                sample.remove(gone);
            }
            list.insert(0, number % 1000);
            sample.insert(number % 1000);
            for statistic in
                [Statistic::Median, Statistic::Mean, Statistic::Last, Statistic::Min, Statistic::Max]
            {
                assert_eq!(sample.statistic(statistic), statistic.of(&mut list.clone()), "{statistic}");
            }
        }
        sample.clear();
        assert_eq!(sample.statistic(Statistic::Median), None);
        sample.remove(3);
        sample.insert(3);
        assert_eq!(sample.statistic(Statistic::Median), Some(3));
    }
}
