//! The place of the bound among sorted waits.

use statrs::function::beta::checked_beta_reg;

/// How many waits a history keeps.
pub(super) const CAPACITY: usize = 10_000;

/// Which of `n` sorted waits is the bound.
#[derive(Debug, Clone)]
pub(super) struct BoundRanks {
    /// Of so many there is one.
    pub fewest: usize,
    /// Of `fewest`, one more, two more … waits, up to as many as a history keeps.
    pub ranks: Vec<u32>,
}

impl BoundRanks {
    pub fn new(quantile: f64, confidence: f64) -> BoundRanks {
        let fewest = ((1.0 - confidence).ln() / quantile.ln() - 1e-9).ceil().max(1.0) as usize;
        let mut rank = 1;
        let mut ranks = Vec::new();
        for count in fewest..=CAPACITY.max(fewest) {
            // It is no smaller of more waits.
            while rank < count && at_most(rank - 1, count, quantile) < confidence {
                rank += 1;
            }
            ranks.push(rank as u32);
        }
        BoundRanks { fewest, ranks }
    }

    /// From 1 on.
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
