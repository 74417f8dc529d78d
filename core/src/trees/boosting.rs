//! How trees are fitted.

use serde::{Deserialize, Serialize};

use super::derivatives::DerivativeUnits;
use super::split::SplitRules;

/// Settings of boosted trees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Boosting {
    /// Trees of each class or level.
    pub rounds: usize,
    /// Leaves of a tree, at most.
    pub leaves: usize,
    /// The share of a tree's values that is added.
    pub learning_rate: f64,
    /// Examples in a leaf, at least.
    pub least_rows: usize,
    /// Added to the second derivative of each leaf: draws its value towards zero.
    pub l2: f64,
    /// Bins of a feature, at most 255, without that of missing values.
    pub bins: usize,
    /// Number of rounds after which only the features whose splits have gained most are looked at.
    pub screening: usize,
    /// Number of features that are looked at then.
    pub features: usize,
    /// Of the examples whose probability of a class is nearer than this to what they are, a tree of the class looks at one in four, which
    /// counts for four: they hardly tell where to divide (Ke et al. 2017, gradient-based one-side sampling). 0 to look at all.
    pub slight: f64,
}

impl Default for Boosting {
    fn default() -> Boosting {
        Boosting {
            rounds: 40,
            leaves: 8,
            learning_rate: 0.15,
            least_rows: 50,
            l2: 10.0,
            bins: 63,
            screening: usize::MAX,
            features: 32,
            slight: 0.0,
        }
    }
}

/// Second derivatives in a leaf, at least: without a penalty, less would make values of any size.
const LEAST_CURVATURE: f64 = 1e-3;

impl Boosting {
    /// What decides about splits, with derivatives rounded like this.
    pub(super) fn rules(&self, units: DerivativeUnits) -> SplitRules {
        SplitRules {
            units,
            least_rows: self.least_rows.max(1),
            least_curvature: units.curvature_units(LEAST_CURVATURE),
            l2: units.curvature_units(self.l2.max(0.0)),
        }
    }

    /// Leaves that a tree can have.
    pub(super) fn most_leaves(&self) -> usize {
        self.leaves.clamp(1, 1 << 16)
    }
}

/// A weight for each row between 0 and 1, and what 1 stands for. Without weights all are 1; negative ones and those that
/// are no numbers are 0.
pub(super) fn relative_weights(rows: usize, weights: Option<&[f32]>) -> (Vec<f64>, f64) {
    let Some(weights) = weights else { return (vec![1.0; rows], 1.0) };
    debug_assert_eq!(weights.len(), rows, "one weight per example");
    let sound = |weight: &f32| if weight.is_finite() { f64::from(weight.max(0.0)) } else { 0.0 };
    let mut found: Vec<f64> = weights.iter().take(rows).map(sound).collect();
    found.resize(rows, 0.0);
    let most = found.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        found.iter_mut().for_each(|weight| *weight /= most);
    }
    (found, if most > 0.0 { most } else { 1.0 })
}
