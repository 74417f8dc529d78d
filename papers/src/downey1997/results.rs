//! Results by setting, and what they come to over seeds.

use super::Part;
use super::setting::{Plan, WorkloadSetting};
use super::trial::SeedTrial;
use queuecast_study::molding::{SeedRun, SeedRuns};

/// All outcomes, by setting.
#[derive(Debug)]
pub struct SettingResults<'a>(Vec<SeedResults<'a>>);

/// The outcomes of one setting, one per seed.
#[derive(Debug)]
pub struct SeedResults<'a> {
    /// The setting.
    pub setting: &'a WorkloadSetting,
    /// What came of it.
    pub outcomes: SeedRuns<'a>,
}

impl<'a> SettingResults<'a> {
    /// Sorts outcomes by their settings.
    pub fn of(plan: &'a Plan, trials: &[SeedTrial], outcomes: &'a [SeedRun]) -> SettingResults<'a> {
        let of = |(place, setting): (usize, &'a WorkloadSetting)| {
            let own = trials.iter().zip(outcomes).filter(|(trial, _)| trial.setting == place);
            SeedResults { setting, outcomes: SeedRuns(own.map(|(_, outcome)| outcome).collect()) }
        };
        SettingResults(plan.settings.iter().enumerate().map(of).collect())
    }

    /// The settings of a part.
    pub fn of_part(&self, part: Part) -> impl Iterator<Item = &SeedResults<'a>> {
        self.0.iter().filter(move |found| found.setting.part == part && !found.outcomes.0.is_empty())
    }
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
