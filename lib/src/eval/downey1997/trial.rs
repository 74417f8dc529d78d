//! One seed of one setting.

use super::Part;
use super::setting::{Plan, Setting};
use crate::eval::EvalError;
use crate::eval::molding::SeedRun;
use crate::seed::Seed;

/// One seed of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trial {
    /// Its place in [`Plan::settings`].
    pub setting: usize,
    /// The seed.
    pub seed: u64,
}

/// As many predictions are kept to be drawn, of the first seed of the paper's setting.
const POINTS: usize = 2000;

impl Trial {
    /// Every trial of a plan, in the order of its settings.
    pub fn all(plan: &Plan) -> Vec<Trial> {
        let of = |(setting, of): (usize, &Setting)| (1..=of.seeds).map(move |seed| Trial { setting, seed });
        plan.settings.iter().enumerate().flat_map(of).collect()
    }

    /// Simulates it.
    pub fn run(&self, plan: &Plan) -> Result<SeedRun, EvalError> {
        let setting = &plan.settings[self.setting];
        let kept = if setting.part == Part::Paper && self.seed == 1 { POINTS } else { 0 };
        setting.molding.run(Seed(self.seed), kept)
    }
}
