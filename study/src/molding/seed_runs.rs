//! The results of several seeds of one model.

use super::seed_run::{Enacted, Recorded, SeedRun};

/// The results of one [`Molding`](super::Molding), one per seed.
#[derive(Debug, Clone)]
pub struct SeedRuns<'a>(pub Vec<&'a SeedRun>);

impl SeedRuns<'_> {
    /// A number of every seed.
    pub fn each(&self, value: impl Fn(&SeedRun) -> f64) -> Vec<f64> {
        self.0.iter().map(|run| value(run)).collect()
    }

    /// A number of the strategy carried out at this place, for every seed.
    pub fn enacted(&self, place: usize, value: impl Fn(&Enacted) -> f64) -> Vec<f64> {
        self.each(|run| value(&run.enacted[place]))
    }

    /// A number of the strategy recorded at this place, for every seed.
    pub fn recorded(&self, place: usize, value: impl Fn(&Recorded) -> f64) -> Vec<f64> {
        self.each(|run| value(&run.recorded[place]))
    }

    /// How much larger a number of a strategy is than that of the first, in percent, for every seed: the jobs of a seed are
    /// the same for all strategies.
    pub fn change(&self, place: usize, value: impl Fn(&Enacted) -> f64) -> Vec<f64> {
        self.each(|run| 100.0 * (value(&run.enacted[place]) / value(&run.enacted[0]) - 1.0))
    }
}
