//! A strategy compared with the first one over seeds.

use serde::Serialize;

use super::plan::Molding;
use super::seed_run::SeedRun;
use super::seed_runs::SeedRuns;
use crate::Repeated;
use queuecast_forecast::allot::Strategy;

/// The results of a strategy over seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategyComparison {
    /// The strategy.
    pub strategy: Strategy,
    /// The mean turnaround, in seconds.
    pub turnaround: Repeated,
    /// How much longer that is than the first strategy's on the same jobs, as a share of it; `None` for the first.
    pub turnaround_change: Option<Repeated>,
    /// Utilization in the hours of arrivals.
    pub utilization: Repeated,
    /// How much higher that is than with the first strategy, as a share of it; `None` for the first.
    pub utilization_change: Option<Repeated>,
    /// What jobs would have done on the schedule of AVG; `None` where that was not recorded.
    pub recorded: Option<RecordedSummary>,
    /// These measures for each seed.
    pub seeds: Vec<StrategySeed>,
}

/// What a job would have done alone, while all others did as AVG says, over all jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedSummary {
    /// The share of all jobs that would hold out.
    pub rebels: Repeated,
    /// Seconds saved per job, all jobs counted.
    pub saved: Repeated,
    /// The share of the rebels that would be better off starting at once; `None` if no job rebels in any seed.
    pub losers: Option<Repeated>,
}

/// A strategy on the jobs of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StrategySeed {
    /// The seed.
    pub seed: u64,
    /// The mean turnaround, in seconds.
    pub turnaround: f64,
    /// Utilization in the hours of arrivals.
    pub utilization: f64,
    /// The share of all jobs that would hold out on the schedule of AVG; `None` where that was not recorded.
    pub rebels: Option<f64>,
    /// Seconds they would save per job, all jobs counted.
    pub saved: Option<f64>,
    /// The share of them that would be better off starting at once; `None` if there are none.
    pub losers: Option<f64>,
}

impl StrategyComparison {
    /// Every strategy that was carried out, in order. The runs are those of seeds 1, 2 and so on.
    pub fn all(molding: &Molding, runs: &[SeedRun]) -> Vec<StrategyComparison> {
        let enacted = molding.enacted.iter().enumerate();
        enacted.map(|(place, &strategy)| StrategyComparison::of(molding, runs, place, strategy)).collect()
    }

    fn of(molding: &Molding, runs: &[SeedRun], place: usize, strategy: Strategy) -> StrategyComparison {
        let recorded = molding.recorded.iter().position(|&one| one == strategy);
        let seeds: Vec<StrategySeed> = (1..)
            .zip(runs)
            .map(|(seed, run)| {
                let enacted = &run.enacted[place];
                let told = recorded.map(|place| run.recorded[place]);
                StrategySeed {
                    seed,
                    turnaround: enacted.turnaround,
                    utilization: enacted.utilization,
                    rebels: told.map(|told| told.rebels),
                    saved: told.map(|told| told.saved),
                    losers: told.filter(|told| told.rebels > 0.0).map(|told| told.losers),
                }
            })
            .collect();
        let all = SeedRuns(runs.iter().collect());
        let change = |percent: Vec<f64>| {
            let shares: Vec<f64> = percent.into_iter().map(|percent| percent / 100.0).collect();
            (place > 0).then(|| Repeated::of(&shares))
        };
        let told = |value: fn(&StrategySeed) -> Option<f64>| {
            let known: Vec<f64> = seeds.iter().filter_map(value).collect();
            (!known.is_empty()).then(|| Repeated::of(&known))
        };
        let (rebels, saved) = (told(|seed| seed.rebels), told(|seed| seed.saved));
        let losers = told(|seed| seed.losers);
        StrategyComparison {
            strategy,
            turnaround: Repeated::of(&all.enacted(place, |one| one.turnaround)),
            turnaround_change: change(all.change(place, |one| one.turnaround)),
            utilization: Repeated::of(&all.enacted(place, |one| one.utilization)),
            utilization_change: change(all.change(place, |one| one.utilization)),
            recorded: rebels.zip(saved).map(|(rebels, saved)| RecordedSummary { rebels, saved, losers }),
            seeds,
        }
    }
}
