//! The last run times of jobs that are alike.

use serde::{Deserialize, Serialize};

use queuecast_core::order;

/// The last values up to a number of them, in the order they came and in ascending order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RecentRuns {
    /// A ring: the oldest is overwritten first.
    ring: Vec<f64>,
    oldest: usize,
    ascending: Vec<f64>,
}

impl RecentRuns {
    pub fn add(&mut self, run: f64, window: usize) {
        if self.ring.len() < window {
            self.ring.push(run);
            self.ascending.insert(self.ascending.partition_point(|&other| other < run), run);
        } else {
            let gone = std::mem::replace(&mut self.ring[self.oldest], run);
            self.oldest += 1;
            if self.oldest == self.ring.len() {
                self.oldest = 0;
            }
            order::replace(&mut self.ascending, gone, run);
        }
    }

    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// The newest, for 0, or one before it.
    pub fn newest(&self, back: usize) -> Option<f64> {
        let count = self.ring.len();
        (back < count).then(|| self.ring[(self.oldest + count - 1 - back) % count])
    }

    /// Linear between values; `None` of none.
    pub fn quantile(&self, level: f64) -> Option<f64> {
        let last = self.ascending.len().checked_sub(1)?;
        let at = level * last as f64;
        let (below, above) = (self.ascending[at as usize], self.ascending[(at as usize + 1).min(last)]);
        Some(below + (above - below) * at.fract())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_few_count() {
        let mut runs = RecentRuns::default();
        assert_eq!((runs.quantile(0.5), runs.newest(0), runs.len()), (None, None, 0));
        for run in [50.0, 10.0, 10.0, 40.0, 20.0] {
            runs.add(run, 4);
        }
        // 10, 10, 20, 40 are left.
        assert_eq!([0.0, 0.5, 1.0].map(|level| runs.quantile(level)), [Some(10.0), Some(15.0), Some(40.0)]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|back| runs.newest(back)),
            [Some(20.0), Some(40.0), Some(10.0), Some(10.0), None]
        );
        assert_eq!(runs.len(), 4);
    }
}
