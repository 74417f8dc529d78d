//! One seed of one setting.

use super::Part;
use super::setting::{Plan, WorkloadSetting};
use queuecast_core::seed::Seed;
use queuecast_eval::EvalError;
use queuecast_study::molding::SeedRun;

/// One seed of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeedTrial {
    /// Its place in [`Plan::settings`].
    pub setting: usize,
    /// The seed.
    pub seed: u64,
}

/// As many predictions are kept to be drawn, of the first seed of the paper's setting.
const POINTS: usize = 2000;

impl SeedTrial {
    /// Every trial of a plan, in the order of its settings.
    pub fn all(plan: &Plan) -> Vec<SeedTrial> {
        let of = |(setting, of): (usize, &WorkloadSetting)| {
            (1..=of.seeds).map(move |seed| SeedTrial { setting, seed })
        };
        plan.settings.iter().enumerate().flat_map(of).collect()
    }

    /// Simulates it.
    pub fn run(&self, plan: &Plan) -> Result<SeedRun, EvalError> {
        let setting = &plan.settings[self.setting];
        let kept = if setting.part == Part::Paper && self.seed == 1 { POINTS } else { 0 };
        setting.molding.run(Seed(self.seed), kept)
    }
}
