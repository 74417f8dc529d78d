//! Results by setting, and what they come to over seeds.

use super::Part;
use super::setting::{Plan, Setting};
use super::trial::Trial;
use crate::eval::molding::{SeedRun, SeedRuns};

/// All outcomes, by setting.
#[derive(Debug)]
pub struct Results<'a>(Vec<Found<'a>>);

/// The outcomes of one setting, one per seed.
#[derive(Debug)]
pub struct Found<'a> {
    /// The setting.
    pub setting: &'a Setting,
    /// What came of it.
    pub outcomes: SeedRuns<'a>,
}

impl<'a> Results<'a> {
    /// Sorts outcomes by their settings.
    pub fn of(plan: &'a Plan, trials: &[Trial], outcomes: &'a [SeedRun]) -> Results<'a> {
        let of = |(place, setting): (usize, &'a Setting)| {
            let own = trials.iter().zip(outcomes).filter(|(trial, _)| trial.setting == place);
            Found { setting, outcomes: SeedRuns(own.map(|(_, outcome)| outcome).collect()) }
        };
        Results(plan.settings.iter().enumerate().map(of).collect())
    }

    /// The settings of a part.
    pub fn of_part(&self, part: Part) -> impl Iterator<Item = &Found<'a>> {
        self.0.iter().filter(move |found| found.setting.part == part && !found.outcomes.0.is_empty())
    }
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
