//! Quantiles of a number.

use super::bins::Binned;
use super::boosting::{Boosting, relative_weights};
use super::derivatives::{DerivativeUnits, Derivatives, MOST_ROWS};
use super::examples::Examples;
use super::forest::Forest;
use super::grow::Grower;
use crate::parallel;

/// Trees for each level of quantiles.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileTrees {
    /// Of each level, as they were asked for: the quantile of all examples, and its trees.
    scores: Vec<(f64, Forest)>,
    /// The levels' places, from the lowest level to the highest.
    ascending: Vec<usize>,
}

impl QuantileTrees {
    /// The quantile of each level, in the order of the levels; a higher level never has a lower quantile.
    pub fn quantiles(&self, row: &[f32]) -> Vec<f64> {
        let mut sums: Vec<f64> = self.scores.iter().map(|(first, trees)| first + trees.sum(row)).collect();
        // Each level is fitted alone; sorting what they say never makes the sum of their losses greater.
        sums.sort_unstable_by(f64::total_cmp);
        let mut found = vec![0.0; sums.len()];
        for (place, quantile) in self.ascending.iter().zip(sums) {
            found[*place] = quantile;
        }
        found
    }
}

impl Boosting {
    /// Trees for quantiles of a number at levels between 0 and 1, by pinball loss. Examples whose target is not finite are
    /// left out.
    pub fn quantiles(&self, examples: &Examples, targets: &[f32], levels: &[f64]) -> QuantileTrees {
        self.quantile_trees(examples, targets, None, levels)
    }

    /// Trees for quantiles where examples count by their weights. Weights that are negative or no numbers count as 0.
    pub fn quantiles_weighted(
        &self,
        examples: &Examples,
        targets: &[f32],
        weights: &[f32],
        levels: &[f64],
    ) -> QuantileTrees {
        self.quantile_trees(examples, targets, Some(weights), levels)
    }

    fn quantile_trees(
        &self,
        examples: &Examples,
        targets: &[f32],
        weights: Option<&[f32]>,
        levels: &[f64],
    ) -> QuantileTrees {
        debug_assert_eq!(targets.len(), examples.len(), "one target per example");
        let rows = examples.len().min(targets.len()).min(MOST_ROWS);
        let (mut weights, heaviest) =
            relative_weights(rows, weights.map(|weights| &weights[..rows.min(weights.len())]));
        let sound = |target: &f32| if target.is_finite() { f64::from(*target) } else { 0.0 };
        for (weight, target) in weights.iter_mut().zip(targets) {
            if !target.is_finite() {
                *weight = 0.0;
            }
        }
        let targets: Vec<f64> = targets[..rows].iter().map(sound).collect();
        let binned = Binned::new(examples, rows, self.bins);
        let task = QuantileTask {
            binned: &binned,
            targets: &targets,
            weights: &weights,
            units: DerivativeUnits::new(rows, heaviest),
            features: examples.features(),
        };
        let scores = parallel::map(levels, |level| task.fit(self, *level));
        let mut ascending: Vec<usize> = (0..levels.len()).collect();
        ascending.sort_by(|one, other| levels[*one].total_cmp(&levels[*other]));
        QuantileTrees { scores, ascending }
    }
}

/// What all levels share while trees are fitted.
#[derive(Debug)]
struct QuantileTask<'a> {
    binned: &'a Binned,
    targets: &'a [f64],
    weights: &'a [f64],
    units: DerivativeUnits,
    features: usize,
}

impl QuantileTask<'_> {
    /// A typical distance from the quantile: the square of the mean root, which a few far ones change little.
    fn typical(&self, left: &[f64]) -> f64 {
        let (mut roots, mut weights) = (0.0, 0.0);
        for (left, weight) in left.iter().zip(self.weights) {
            roots += weight * left.abs().sqrt();
            weights += weight;
        }
        if weights > 0.0 { (roots / weights).powi(2) } else { 0.0 }
    }

    /// The quantile of all examples, and trees for what it leaves.
    fn fit(&self, boosting: &Boosting, level: f64) -> (f64, Forest) {
        let level = if level.is_nan() { 0.5 } else { level.clamp(0.0, 1.0) };
        let mut pairs: Vec<(f64, f64)> =
            self.targets.iter().copied().zip(self.weights.iter().copied()).collect();
        let first = weighted_quantile(&mut pairs, level);
        let mut left: Vec<f64> = self.targets.iter().map(|target| target - first).collect();
        let (mut grower, mut forest) = (Grower::default(), Forest::default());
        let rules = boosting.rules(self.units);
        let mut gains = vec![0.0; self.features];
        let mut derivatives: Vec<Derivatives> = Vec::with_capacity(left.len());
        for _ in 0..boosting.rounds {
            let width = SMOOTHING * self.typical(&left);
            if width <= 0.0 {
                break;
            }
            derivatives.clear();
            derivatives.extend(left.iter().zip(self.weights).map(|(left, weight)| {
                let (slope, curvature) = smoothed(-left / width, level);
                self.units.row(weight * slope, weight * curvature)
            }));
            let mut tree = grower.grow(self.binned, &derivatives, &rules, boosting.most_leaves(), &mut gains);
            if tree.branches.is_empty() {
                // Nothing is left to learn, and no later tree would find anything.
                break;
            }
            for (value, rows) in tree.values.iter_mut().zip(grower.leaves()) {
                // The slope hardly knows more than on which side of the quantile a target is; how far to go, the targets do.
                pairs.clear();
                let rows = || rows.iter().copied().flatten();
                pairs.extend(rows().map(|row| (left[*row as usize], self.weights[*row as usize])));
                *value = boosting.learning_rate * weighted_quantile(&mut pairs, level);
                rows().for_each(|row| left[*row as usize] -= *value);
            }
            forest.push(&tree);
        }
        (first, forest)
    }
}

/// Distances below this share of the typical one count in part, not as one side or the other.
const SMOOTHING: f64 = 0.04;

/// The least second derivative, of targets far from the quantile.
const LEAST_CURVATURE: f64 = 3e-4;

/// First and second derivative of the pinball loss where a quantile is `distance` widths above a target, smoothed as in XGBoost
/// 3.4: where many targets are the same, as waits of zero are, sides alone would say little about where to split. The second
/// is that of the parabola that touches the smoothed loss and is nowhere below it.
fn smoothed(distance: f64, level: f64) -> (f64, f64) {
    let side = distance.tanh();
    let curvature = if distance.abs() < 1e-6 { 1.0 } else { side / distance };
    ((side + 1.0) / 2.0 - level, curvature.max(LEAST_CURVATURE))
}

/// The least value such that the weights up to it are at least this share of all; zero if there are none.
fn weighted_quantile(pairs: &mut Vec<(f64, f64)>, level: f64) -> f64 {
    pairs.retain(|(_, weight)| *weight > 0.0);
    let Some(&(_, first)) = pairs.first() else { return 0.0 };
    if pairs.iter().all(|(_, weight)| *weight == first) {
        let place = (level * pairs.len() as f64).ceil().max(1.0) as usize;
        let place = place.min(pairs.len()) - 1;
        return pairs.select_nth_unstable_by(place, |one, other| one.0.total_cmp(&other.0)).1.0;
    }
    pairs.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let wanted = level * pairs.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut sum = 0.0;
    let reached = pairs.iter().find(|(_, weight)| {
        sum += weight;
        sum >= wanted
    });
    reached.or(pairs.last()).map_or(0.0, |(value, _)| *value)
}
