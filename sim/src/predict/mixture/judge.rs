//! How right each expert has been, and how much it counts therefore.

use serde::{Deserialize, Serialize};

use super::super::scatter::Lookup;
use super::archive::DEPTHS;
use super::experts::{COUNT, Values};
use super::likeness::JobFacts;
use queuecast_core::long_array;

/// How much of a loss is kept at the next job: of one user, and of all.
const KEPT: f64 = 0.995;
const KEPT_OF_ALL: f64 = 0.9998;

/// The number of jobs at which a group counts as much as the wider one that it belongs to.
const ENOUGH: f64 = 80.0;

/// How fast the weight of an expert falls with its loss.
const STRICTNESS: f64 = 15.0;

/// Seconds added before logarithms are taken.
const OFFSET: f64 = 30.0;

/// Under logarithmic and under absolute loss, a number for each expert.
pub(super) type ByLoss = [Values; 2];

/// Losses of jobs of one kind, the latest counting most.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Losses {
    #[serde(with = "long_array::nested")]
    sums: ByLoss,
    jobs: f64,
}

impl Losses {
    const NONE: Losses = Losses { sums: [[0.0; COUNT]; 2], jobs: 0.0 };

    fn add(&mut self, losses: &ByLoss, kept: f64) {
        for (sums, losses) in self.sums.iter_mut().zip(losses) {
            for (sum, loss) in sums.iter_mut().zip(losses) {
                *sum = kept * *sum + loss;
            }
        }
        self.jobs = kept * self.jobs + 1.0;
    }

    /// Moves mean losses of the wider group to those of this one, as far as this has enough jobs.
    fn narrow(&self, means: &mut ByLoss) {
        let share = 1.0 / (self.jobs + ENOUGH);
        for (means, sums) in means.iter_mut().zip(&self.sums) {
            for (mean, sum) in means.iter_mut().zip(sums) {
                *mean = (sum + ENOUGH * *mean) * share;
            }
        }
    }
}

/// The losses of all experts: over all jobs, those with as much history, those of the user, and those of the user with the
/// same requested time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExpertJudge {
    all: Losses,
    by_depth: [Losses; DEPTHS],
    of_user: Lookup<u64, Losses>,
    of_request: Lookup<(u64, u64), Losses>,
}

impl ExpertJudge {
    pub fn new() -> ExpertJudge {
        ExpertJudge {
            all: Losses::NONE,
            by_depth: std::array::from_fn(|_| Losses::NONE),
            of_user: Lookup::default(),
            of_request: Lookup::default(),
        }
    }

    /// Learns from a job that ran for `run` seconds, of which the experts had predicted these values.
    pub fn learn(&mut self, facts: &JobFacts, depth: usize, values: &Values, run: f64) {
        let log = (run + OFFSET).ln();
        let losses = [
            values.map(|value| ((value + OFFSET).ln() - log).abs()),
            values.map(|value| (value - run).abs()),
        ];
        self.all.add(&losses, KEPT_OF_ALL);
        self.by_depth[depth].add(&losses, KEPT_OF_ALL);
        self.of_user.entry(facts.user).or_insert(Losses::NONE).add(&losses, KEPT);
        self.of_request.entry((facts.user, facts.request)).or_insert(Losses::NONE).add(&losses, KEPT);
    }

    /// How much each expert counts for such a job; under either loss the weights add up to 1.
    ///
    /// # Formula
    /// `exp(−15 (loss / least loss − 1))`
    pub fn weights(&self, facts: &JobFacts, depth: usize) -> ByLoss {
        if self.all.jobs == 0.0 {
            return [[1.0 / COUNT as f64; COUNT]; 2];
        }
        let mut means = self.all.sums.map(|sums| sums.map(|sum| sum / self.all.jobs));
        let narrower = [
            Some(&self.by_depth[depth]),
            self.of_user.get(&facts.user),
            self.of_request.get(&(facts.user, facts.request)),
        ];
        for losses in narrower.into_iter().flatten() {
            losses.narrow(&mut means);
        }
        means.map(|means| {
            let least = means.iter().copied().fold(f64::INFINITY, f64::min).max(1e-9);
            let weights = means.map(|mean| (-STRICTNESS * (mean / least - 1.0)).exp());
            let total: f64 = weights.iter().sum();
            if total > 0.0 { weights.map(|weight| weight / total) } else { [1.0 / COUNT as f64; COUNT] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(user: u64, request: u64) -> JobFacts {
        JobFacts { user, executable: 0, queue: 0, procs: 1, request, gap: 0 }
    }

    /// All say 100 s, but for the first two.
    fn said(first: f64, second: f64) -> Values {
        let mut values = [100.0; COUNT];
        (values[0], values[1]) = (first, second);
        values
    }

    #[test]
    fn before_anything_is_known_all_count_alike() {
        let weights = ExpertJudge::new().weights(&facts(1, 1), 0);
        assert_eq!(weights, [[1.0 / COUNT as f64; COUNT]; 2]);
    }

    #[test]
    fn weights_are_worked_by_hand() {
        let mut judge = ExpertJudge::new();
        judge.learn(&facts(1, 1), 0, &said(210.0, 220.0), 200.0);
        // Absolute losses of 10, 20 and 100 s in every group, and so whatever groups count: e⁰, e⁻¹⁵ and e⁻¹³⁵.
        let [_, absolute] = judge.weights(&facts(1, 1), 0);
        assert!((absolute[0] - 1.0 / (1.0 + (-15f64).exp())).abs() < 1e-12);
        assert!((absolute[1] / absolute[0] - (-15f64).exp()).abs() < 1e-12);
        for weights in judge.weights(&facts(2, 9), 3) {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn users_have_experts_of_their_own_as_far_as_is_known() {
        let mut judge = ExpertJudge::new();
        // The first expert is right about user 1, the second about user 2.
        for _ in 0..300 {
            judge.learn(&facts(1, 1), 0, &said(200.0, 300.0), 200.0);
            judge.learn(&facts(2, 1), 0, &said(300.0, 200.0), 200.0);
        }
        let best = |user: u64| {
            let [logarithmic, absolute] = judge.weights(&facts(user, 1), 0);
            [logarithmic[0] > logarithmic[1], absolute[0] > absolute[1]]
        };
        assert_eq!((best(1), best(2)), ([true; 2], [false; 2]));
        // Of another user nothing is known: both count about alike, and more than all others.
        let [_, absolute] = judge.weights(&facts(3, 1), 0);
        assert!((absolute[0] / absolute[1] - 1.0).abs() < 0.05 && absolute[0] > absolute[2]);
    }
}
