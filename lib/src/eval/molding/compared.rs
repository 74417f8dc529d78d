//! A strategy compared with the first over seeds, in the numbers that decide between strategies.

use serde::Serialize;

use super::{Molding, Outcome, Outcomes};
use crate::allot::Strategy;
use crate::eval::Repeated;

/// What a strategy comes to over seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The strategy.
    pub strategy: Strategy,
    /// The mean turnaround, in seconds.
    pub turnaround: Repeated,
    /// How much longer that is than the first strategy's on the same jobs, as a share of it; `None` for the first.
    pub turnaround_change: Option<Repeated>,
    /// How much of the machine was put to use in the hours of arrivals, as a share of it.
    pub utilisation: Repeated,
    /// How much more that is than by the first strategy, as a share of it; `None` for the first.
    pub utilisation_change: Option<Repeated>,
    /// What jobs would have done on the schedule of AVG; `None` where that was not recorded.
    pub recorded: Option<Told>,
    /// The same seed by seed.
    pub seeds: Vec<OfSeed>,
}

/// What jobs would have done, each alone, while all others did as AVG says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Told {
    /// The share of all jobs that would hold out.
    pub rebels: Repeated,
    /// Seconds saved per job, all jobs counted.
    pub saved: Repeated,
    /// The share of the rebels that would be better off starting at once; `None` if nobody rebels in any seed.
    pub losers: Option<Repeated>,
}

/// A strategy on the jobs of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OfSeed {
    /// The seed.
    pub seed: u64,
    /// The mean turnaround, in seconds.
    pub turnaround: f64,
    /// How much of the machine was put to use in the hours of arrivals.
    pub utilisation: f64,
    /// The share of all jobs that would hold out on the schedule of AVG; `None` where that was not recorded.
    pub rebels: Option<f64>,
    /// Seconds they would save per job, all jobs counted.
    pub saved: Option<f64>,
    /// The share of them that would be better off starting at once; `None` if there are none.
    pub losers: Option<f64>,
}

impl Compared {
    /// Every strategy that was carried out, in order. The outcomes are those of seeds 1, 2 and so on.
    pub fn all(molding: &Molding, outcomes: &[Outcome]) -> Vec<Compared> {
        let enacted = molding.enacted.iter().enumerate();
        enacted.map(|(place, &strategy)| Compared::of(molding, outcomes, place, strategy)).collect()
    }

    fn of(molding: &Molding, outcomes: &[Outcome], place: usize, strategy: Strategy) -> Compared {
        let recorded = molding.recorded.iter().position(|&one| one == strategy);
        let seeds: Vec<OfSeed> = (1..)
            .zip(outcomes)
            .map(|(seed, outcome)| {
                let enacted = &outcome.enacted[place];
                let told = recorded.map(|place| outcome.recorded[place]);
                OfSeed {
                    seed,
                    turnaround: enacted.turnaround,
                    utilisation: enacted.utilisation,
                    rebels: told.map(|told| told.rebels),
                    saved: told.map(|told| told.saved),
                    losers: told.filter(|told| told.rebels > 0.0).map(|told| told.losers),
                }
            })
            .collect();
        let all = Outcomes(outcomes.iter().collect());
        let change = |percent: Vec<f64>| {
            let shares: Vec<f64> = percent.into_iter().map(|percent| percent / 100.0).collect();
            (place > 0).then(|| Repeated::of(&shares))
        };
        let told = |value: fn(&OfSeed) -> Option<f64>| {
            let known: Vec<f64> = seeds.iter().filter_map(value).collect();
            (!known.is_empty()).then(|| Repeated::of(&known))
        };
        let (rebels, saved) = (told(|seed| seed.rebels), told(|seed| seed.saved));
        let losers = told(|seed| seed.losers);
        Compared {
            strategy,
            turnaround: Repeated::of(&all.enacted(place, |one| one.turnaround)),
            turnaround_change: change(all.change(place, |one| one.turnaround)),
            utilisation: Repeated::of(&all.enacted(place, |one| one.utilisation)),
            utilisation_change: change(all.change(place, |one| one.utilisation)),
            recorded: rebels.zip(saved).map(|(rebels, saved)| Told { rebels, saved, losers }),
            seeds,
        }
    }
}
