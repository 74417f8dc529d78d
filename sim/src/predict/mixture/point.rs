//! One number out of what the experts say.

use serde::{Deserialize, Serialize};

use super::experts::{COUNT, Values};
use super::judge::ByLoss;
use queuecast_core::spec::choices;

/// Which number a scheduler plans with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum MixturePoint {
    /// The mean of the experts that agree.
    #[default]
    Consensus,
    /// The weighted mean.
    Mean,
    /// The weighted median.
    Median,
}

choices! { MixturePoint, "point":
    Consensus = "consensus", "the weighted mean of the experts that agree";
    Mean = "mean", "the weighted mean of all experts";
    Median = "median", "the weighted median of all experts";
}

/// Experts count for the consensus up to so far from it, in logarithms: from a seventh of it to seven times it.
const REACH: f64 = 2.0;

/// How often the consensus is moved to the mean of those around it.
const STEPS: usize = 3;

impl MixturePoint {
    pub(super) fn of(self, values: &Values, weights: &ByLoss) -> f64 {
        let both: Values = std::array::from_fn(|expert| (weights[0][expert] + weights[1][expert]) / 2.0);
        match self {
            MixturePoint::Mean => mean(values, &both),
            MixturePoint::Median => median(values, &both),
            MixturePoint::Consensus => consensus(values, &both),
        }
    }
}

fn mean(values: &Values, weights: &Values) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// From where experts agree most, three times the mean of the experts around, each counting the less the farther away it is:
/// linearly in the logarithm, nothing from [`REACH`] on. A minority that says something many times longer does not count.
fn consensus(values: &Values, weights: &Values) -> f64 {
    let logs = values.map(f64::ln);
    let near = |log: f64, expert: usize| {
        let share = 1.0 - (logs[expert] - log).abs() / REACH;
        // Not `max`, which takes several instructions for what is not a number.
        weights[expert] * if share > 0.0 { share } else { 0.0 }
    };
    let mut centre = mean(values, weights);
    let mut most = 0.0;
    // For each place at once, in the order of experts: several are added up by one instruction.
    let mut agreed = [0.0; COUNT];
    for expert in 0..COUNT {
        for (sum, &log) in agreed.iter_mut().zip(&logs) {
            *sum += near(log, expert);
        }
    }
    for (place, &agreed) in agreed.iter().enumerate() {
        if agreed > most {
            (most, centre) = (agreed, values[place]);
        }
    }
    for _ in 0..STEPS {
        let log = centre.ln();
        let (mut sum, mut total) = (0.0, 0.0);
        for (expert, value) in values.iter().enumerate() {
            let weight = near(log, expert);
            sum += weight * value;
            total += weight;
        }
        if total > 0.0 {
            centre = sum / total;
        }
    }
    centre
}

/// The first value up to which half of the weight lies.
fn median(values: &Values, weights: &Values) -> f64 {
    let mut ascending: [(f64, f64); COUNT] = std::array::from_fn(|expert| (values[expert], weights[expert]));
    ascending.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let half = weights.iter().sum::<f64>() / 2.0;
    let mut sum = 0.0;
    for (value, weight) in ascending {
        sum += weight;
        if sum >= half {
            return value;
        }
    }
    ascending[COUNT - 1].0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first `count` experts say `first`, the others `second`.
    fn said(first: f64, count: usize, second: f64) -> Values {
        std::array::from_fn(|expert| if expert < count { first } else { second })
    }

    const ALIKE: ByLoss = [[1.0 / COUNT as f64; COUNT]; 2];

    #[test]
    fn points_are_worked_by_hand() {
        let values = said(100.0, 28, 10_000.0);
        let of = |point: MixturePoint| point.of(&values, &ALIKE);
        assert!((of(MixturePoint::Mean) - (28.0 * 100.0 + 10.0 * 10_000.0) / 38.0).abs() < 1e-9);
        assert_eq!(of(MixturePoint::Median), 100.0);
        // 10,000 is farther from the 28 that agree than a factor of e²: it does not count.
        assert!((of(MixturePoint::Consensus) - 100.0).abs() < 1e-9);
        // What is near counts in part: 100 and 200 differ by 0.35 of the reach.
        let values = said(100.0, 28, 200.0);
        let near = MixturePoint::Consensus.of(&values, &ALIKE);
        assert!(near > 101.0 && near < MixturePoint::Mean.of(&values, &ALIKE), "{near}");
    }

    #[test]
    fn all_agree() {
        for point in MixturePoint::ALL {
            assert!((point.of(&[77.0; COUNT], &ALIKE) - 77.0).abs() < 1e-9);
        }
    }
}
