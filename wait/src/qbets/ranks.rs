//! The place of the bound among sorted waits.

use statrs::function::beta::checked_beta_reg;

/// How many waits a history keeps.
pub(super) const CAPACITY: usize = 10_000;

/// Which of `n` sorted waits is the bound, for histories up to the longest so far.
#[derive(Debug, Clone)]
pub(super) struct BoundRanks {
    quantile: f64,
    confidence: f64,
    /// The fewest waits of which one is a bound.
    pub fewest: usize,
    /// The ranks for `fewest` waits, for one more, and so on.
    ranks: Vec<u32>,
}

impl BoundRanks {
    pub fn new(quantile: f64, confidence: f64) -> BoundRanks {
        let fewest = ((1.0 - confidence).ln() / quantile.ln() - 1e-9).ceil().max(1.0) as usize;
        BoundRanks { quantile, confidence, fewest, ranks: Vec::new() }
    }

    /// The number of waits from which on ranks are known.
    pub fn cover(&mut self, count: usize) {
        while self.fewest + self.ranks.len() <= count {
            let count = self.fewest + self.ranks.len();
            // It is no smaller of more waits.
            let mut rank = self.ranks.last().map_or(1, |&rank| rank as usize);
            while rank < count && at_most(rank - 1, count, self.quantile) < self.confidence {
                rank += 1;
            }
            self.ranks.push(rank as u32);
        }
    }

    /// The place of the bound among `count` sorted waits, from 1; `None` where no wait has the confidence, or this number is
    /// not covered.
    pub fn rank(&self, count: usize) -> Option<usize> {
        self.ranks.get(count.checked_sub(self.fewest)?).map(|&rank| rank as usize)
    }
}

/// The probability of at most `most` successes in `count` trials.
///
/// # Formula
/// `I_{1−p}(count − most, most + 1)`, the regularised incomplete beta function
pub(super) fn at_most(most: usize, count: usize, probability: f64) -> f64 {
    if most >= count {
        return 1.0;
    }
    checked_beta_reg((count - most) as f64, (most + 1) as f64, 1.0 - probability).unwrap_or(1.0)
}
