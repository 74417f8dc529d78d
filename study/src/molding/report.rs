//! The comparison of strategies over seeds.

use serde::Serialize;

use super::comparison::StrategyComparison;
use super::plan::Molding;
use super::seed_run::SeedRun;
use crate::Repeated;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_eval::EvalError;
use queuecast_synth::synth::Downey;

/// Strategies on the jobs of one model, over seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoldingReport {
    /// The model that jobs are drawn from.
    pub model: Downey,
    /// How many seeds, from 1 on.
    pub seeds: usize,
    /// The share of the jobs that get all the processors they want from AVG.
    pub spoiled: Repeated,
    /// The strategies in order; the others are compared with the first.
    pub strategies: Vec<StrategyComparison>,
}

impl Molding {
    /// Simulates seeds 1, 2 and so on, in parallel, and compares the strategies over them. `done` is called after each
    /// simulation, on any thread.
    pub fn compare(&self, seeds: u64, done: &(dyn Fn() + Sync)) -> Result<MoldingReport, EvalError> {
        let seeds: Vec<u64> = (1..=seeds).collect();
        let runs = parallel::try_map(&seeds, |&seed| self.watched(Seed(seed), 0, done))?;
        let spoiled: Vec<f64> = runs.iter().map(|run: &SeedRun| run.spoiled).collect();
        Ok(MoldingReport {
            model: self.model.clone(),
            seeds: runs.len(),
            spoiled: Repeated::of(&spoiled),
            strategies: StrategyComparison::all(self, &runs),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_seed_is_simulated_once_and_the_first_strategy_has_no_change() {
        let model = Downey { moldable: true, ..Downey::new(200, 32) };
        let enacted = ["avg", "opt"].map(|name| name.parse().unwrap()).to_vec();
        let molding = Molding { model, recorded: enacted[1..].to_vec(), enacted };
        let done = AtomicUsize::new(0);
        let report = molding
            .compare(3, &|| {
                done.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
        assert_eq!(
            (done.into_inner(), report.seeds, report.strategies.len()),
            (3 * molding.simulations(), 3, 2)
        );
        assert!(report.strategies[0].turnaround_change.is_none() && report.strategies[0].recorded.is_none());
        assert!(report.strategies[1].turnaround_change.is_some() && report.strategies[1].recorded.is_some());
        let seeds: Vec<u64> = report.strategies[1].seeds.iter().map(|seed| seed.seed).collect();
        assert_eq!(seeds, [1, 2, 3]);
    }
}
