//! What came of one model and the strategies tried on it, seed by seed.

use super::outcome::{Enacted, Outcome, Recorded};

/// The outcomes of one [`Molding`](super::Molding), one per seed.
#[derive(Debug, Clone)]
pub struct Outcomes<'a>(pub Vec<&'a Outcome>);

impl Outcomes<'_> {
    /// A number of every seed's.
    pub fn each(&self, value: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        self.0.iter().map(|outcome| value(outcome)).collect()
    }

    /// A number of the strategy carried out at this place, for every seed.
    pub fn enacted(&self, place: usize, value: impl Fn(&Enacted) -> f64) -> Vec<f64> {
        self.each(|outcome| value(&outcome.enacted[place]))
    }

    /// A number of the strategy recorded at this place, for every seed.
    pub fn recorded(&self, place: usize, value: impl Fn(&Recorded) -> f64) -> Vec<f64> {
        self.each(|outcome| value(&outcome.recorded[place]))
    }

    /// How much larger a number of a strategy is than that of the first, in percent, for every seed: the jobs of a seed are
    /// the same for all strategies.
    pub fn change(&self, place: usize, value: impl Fn(&Enacted) -> f64) -> Vec<f64> {
        self.each(|outcome| 100.0 * (value(&outcome.enacted[place]) / value(&outcome.enacted[0]) - 1.0))
    }
}
