//! Outcomes by setting, and what they come to over seeds.

use super::Part;
use super::setting::{Plan, Setting};
use super::trial::{Enacted, Outcome, Recorded, Trial};

/// All outcomes, by setting.
#[derive(Debug)]
pub struct Results<'a>(Vec<Found<'a>>);

/// The outcomes of one setting, one per seed.
#[derive(Debug)]
pub struct Found<'a> {
    /// The setting.
    pub setting: &'a Setting,
    /// What came of it.
    pub outcomes: Vec<&'a Outcome>,
}

impl<'a> Results<'a> {
    /// Sorts outcomes by their settings.
    pub fn of(plan: &'a Plan, trials: &[Trial], outcomes: &'a [Outcome]) -> Results<'a> {
        let of = |(place, setting): (usize, &'a Setting)| {
            let own = trials.iter().zip(outcomes).filter(|(trial, _)| trial.setting == place);
            Found { setting, outcomes: own.map(|(_, outcome)| outcome).collect() }
        };
        Results(plan.settings.iter().enumerate().map(of).collect())
    }

    /// The settings of a part.
    pub fn of_part(&self, part: Part) -> impl Iterator<Item = &Found<'a>> {
        self.0.iter().filter(move |found| found.setting.part == part && !found.outcomes.is_empty())
    }
}

impl Found<'_> {
    /// A number of every seed's.
    pub fn each(&self, value: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        self.outcomes.iter().map(|outcome| value(outcome)).collect()
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

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
