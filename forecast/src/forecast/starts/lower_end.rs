//! How much of the lower end of forecasts has paid off.

use serde::{Deserialize, Serialize};

/// The level at which the lower end is judged.
const LEVEL: f64 = 0.1;

/// From this level on a distribution stays as it is.
const UNTOUCHED: f64 = 0.2;

/// The shares of the lower end that are compared, all of it first.
const SHARES: [f64; 6] = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0];

/// What a past outcome counts, relative to the one after it: the last 30,000 or so decide, as many as trees learn from.
const KEPT: f64 = 1.0 - 1.0 / 30_000.0;

/// Keeps the pinball losses that the 10 % quantile would have had, multiplied by each of [`SHARES`]. Where jobs predicted
/// to wait long often start at once, a lower quantile loses less even if coverage is right, since long waits dominate in
/// seconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LowerEnd {
    losses: [f64; SHARES.len()],
}

impl LowerEnd {
    /// The outcome of a forecast of this 10 % quantile, before a share of it was taken.
    pub fn learn(&mut self, quantile: f64, wait: f64) {
        for (loss, share) in self.losses.iter_mut().zip(SHARES) {
            let above = wait - share * quantile;
            *loss = KEPT * *loss + if above >= 0.0 { LEVEL * above } else { (LEVEL - 1.0) * above };
        }
    }

    /// The share that would have lost least; of equal ones the greatest.
    pub fn share(&self) -> LowerShare {
        let best = SHARES.iter().zip(self.losses).min_by(|one, other| one.1.total_cmp(&other.1));
        LowerShare(best.map_or(1.0, |(&share, _)| share))
    }
}

/// The share of its lower end that is left to a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LowerShare(f64);

impl LowerShare {
    /// Whether nothing is taken away.
    pub fn is_all(self) -> bool {
        self.0 >= 1.0
    }

    /// What is left at a level: the share up to 10 %, all from 20 % on.
    pub fn at(self, level: f64) -> f64 {
        let part = ((level - LEVEL) / (UNTOUCHED - LEVEL)).clamp(0.0, 1.0);
        self.0 + (1.0 - self.0) * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_lost_least_is_taken() {
        let mut end = LowerEnd::default();
        assert!(end.share().is_all(), "nothing is known");
        // One in five starts at once, the others wait for at least what was forecast: a tenth was to be below it.
        for number in 0..500 {
            end.learn(1000.0, if number % 5 == 0 { 0.0 } else { 1500.0 });
        }
        assert_eq!(end.share(), LowerShare(0.0));
        // Then one in twenty does.
        for number in 0..20_000 {
            end.learn(1000.0, if number % 20 == 0 { 0.0 } else { 1500.0 });
        }
        assert!(end.share().is_all());
    }

    #[test]
    fn only_the_lower_end_is_changed() {
        let share = LowerShare(0.4);
        assert_eq!([0.02, 0.1, 0.2, 0.9].map(|level| share.at(level)), [0.4, 0.4, 1.0, 1.0]);
        assert!((share.at(0.15) - 0.7).abs() < 1e-12);
    }
}
