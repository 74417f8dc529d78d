//! Popularity of estimates by rank, in percent of the jobs (section 8).

use queuecast_core::order;
use serde::{Deserialize, Serialize};

use super::{HEAD, range};
use crate::synth::SynthError;

/// The sizes of the head by popularity rank.
///
/// # Formula
/// `alpha · e ^ (beta · rank) + gamma`
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// Factor.
    pub alpha: f64,
    /// Decay.
    pub beta: f64,
    /// What is added.
    pub gamma: f64,
}

impl Default for Exponential {
    /// The paper's fit to four logs (Figure 10).
    fn default() -> Exponential {
        Exponential { alpha: 14.05, beta: -0.18, gamma: 0.46 }
    }
}

impl Exponential {
    /// The `count` largest of the head's sizes in percent, the largest first: ranks 2 to 20 by the formula, the first
    /// what they leave of `head_percent`. A shorter head has the same shape.
    pub(super) fn sizes(&self, count: usize, head_percent: f64) -> Result<Vec<f64>, SynthError> {
        let size = |rank: usize| self.alpha * (self.beta * rank as f64).exp() + self.gamma;
        let mut sizes: Vec<f64> = (2..=HEAD).map(size).collect();
        let sum: f64 = sizes.iter().sum();
        // No size that is not a number is above 0.
        if !sizes.iter().all(|&size| size > 0.0) || sum >= head_percent {
            let value = format!("{} e^({} rank) + {}", self.alpha, self.beta, self.gamma);
            let expected =
                format!("above 0 for ranks 2 to 20 and less than head_percent ({head_percent}) in all");
            return Err(range::outside("head", value, &expected));
        }
        sizes.push(head_percent - sum);
        order::sort_by(&mut sizes, |one, next| next.total_cmp(one));
        sizes.truncate(count);
        Ok(sizes)
    }
}

/// The sizes of the tail by popularity rank, before they are scaled to what the head leaves.
///
/// # Formula
/// `omega · rank ^ rho`
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerLaw {
    /// Factor, above 0 and at most 10^9. Scaling takes it out again.
    pub omega: f64,
    /// Exponent, -20 to 20.
    pub rho: f64,
}

impl Default for PowerLaw {
    /// The paper's fit to four logs (Figure 10).
    fn default() -> PowerLaw {
        PowerLaw { omega: 795.6, rho: -2.27 }
    }
}

impl PowerLaw {
    /// Whether the parameters are in their ranges.
    pub(super) fn check(&self) -> Result<(), SynthError> {
        range::within("tail.omega", self.omega, f64::MIN_POSITIVE, 1e9, "above 0 and at most 1e9")?;
        range::within("tail.rho", self.rho, -20.0, 20.0, "between -20 and 20")
    }

    /// `count` sizes of the ranks after the head, `percent` together.
    pub(super) fn sizes(&self, count: usize, percent: f64) -> Vec<f64> {
        let mut sizes: Vec<f64> =
            (1..=count).map(|place| self.omega * ((HEAD + place) as f64).powf(self.rho)).collect();
        scale(&mut sizes, percent);
        sizes
    }
}

/// Scales sizes so that they come to this together.
pub fn scale(sizes: &mut [f64], percent: f64) {
    let sum: f64 = sizes.iter().sum();
    for size in sizes {
        *size *= percent / sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_head_is_89_percent_and_its_first_a_bit_more_than_20() {
        let sizes = Exponential::default().sizes(HEAD, 89.0).unwrap();
        assert!((sizes.iter().sum::<f64>() - 89.0).abs() < 1e-9);
        assert!((20.0..25.0).contains(&sizes[0]), "{}", sizes[0]);
        assert!((sizes[1] - (14.05 * (-0.36_f64).exp() + 0.46)).abs() < 1e-12);
        assert!(sizes.is_sorted_by(|one, next| one > next) && sizes.len() == HEAD);
        // About one percent use the twentieth.
        assert!((0.5..1.5).contains(&sizes[19]), "{}", sizes[19]);
        assert_eq!(Exponential::default().sizes(3, 89.0).unwrap(), sizes[..3]);
    }

    #[test]
    fn the_tail_is_the_rest_and_goes_on_where_the_head_ends() {
        for count in [100, 319, 545] {
            let sizes = PowerLaw::default().sizes(count, 11.0);
            assert!((sizes.iter().sum::<f64>() - 11.0).abs() < 1e-9);
            assert!(sizes.is_sorted_by(|one, next| one > next));
            assert!((0.6..0.84).contains(&sizes[0]), "{}", sizes[0]);
        }
        assert!(PowerLaw::default().sizes(0, 11.0).is_empty());
    }

    #[test]
    fn a_head_that_leaves_nothing_for_its_first_is_refused() {
        for head in [
            Exponential { alpha: 30.0, ..Exponential::default() },
            Exponential { gamma: -1.0, ..Exponential::default() },
            Exponential { beta: f64::NAN, ..Exponential::default() },
        ] {
            let error = head.sizes(HEAD, 89.0).unwrap_err().to_string();
            assert!(error.starts_with("head = ") && error.contains("less than head_percent (89)"), "{error}");
        }
        assert!(PowerLaw { omega: 0.0, rho: -2.0 }.check().is_err());
        assert!(PowerLaw { omega: 1.0, rho: f64::NAN }.check().is_err());
    }
}
