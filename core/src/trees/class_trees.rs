//! Probabilities of classes.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use super::bins::Binned;
use super::boosting::{Boosting, relative_weights};
use super::derivatives::{DerivativeUnits, Derivatives, MOST_ROWS};
use super::examples::Examples;
use super::forest::Forest;
use super::grow::Grower;
use super::split::SplitRules;
use crate::parallel;

/// Trees for each class; the probability of a class is its share of the exponentials of their sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassTrees {
    /// Of each class: the logarithm of its share among all examples, and its trees.
    scores: Vec<(f64, Forest)>,
    importance: Vec<f64>,
}

impl ClassTrees {
    /// The probability of each class; their sum is 1.
    pub fn probabilities(&self, row: &[f32]) -> Vec<f64> {
        let mut found: Vec<f64> = self.scores.iter().map(|(prior, trees)| prior + trees.sum(row)).collect();
        let most = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        found.iter_mut().for_each(|score| *score = (*score - most).exp());
        let sum: f64 = found.iter().sum();
        found.iter_mut().for_each(|score| *score /= sum);
        found
    }

    /// The share of each feature in how much the splits lowered the loss; all zero if there are no splits.
    pub fn importance(&self) -> Vec<f64> {
        self.importance.clone()
    }
}

/// The greatest value that a tree adds to the logarithm of a probability.
const LARGEST_STEP: f64 = 20.0;

/// Probabilities that are smaller would never grow again.
const LEAST_PROBABILITY: f64 = 1e-15;

/// Of the examples of which a class is nearly certain or nearly excluded, one in this many is looked at, and counts for as many.
const SLIGHT: i64 = 4;

/// Which of the examples with slight derivatives a tree looks at: others in each round and for each class, without a pattern.
#[derive(Debug, Clone, Copy)]
struct Chance(u32);

impl Chance {
    fn of(round: usize, class: u8) -> Chance {
        let number = (round as u32).wrapping_mul(256).wrapping_add(class.into());
        Chance(number.wrapping_mul(0x9e37_79b9))
    }

    #[inline(always)]
    fn takes(self, row: u32) -> bool {
        let mixed = (row ^ self.0).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0xc2b2_ae35);
        mixed >> 30 == 0
    }
}

/// One class while trees are fitted.
#[derive(Debug)]
struct ClassFit {
    class: u8,
    /// Its share among all examples.
    prior: f64,
    /// Whether some examples are of this class and some are not.
    learns: bool,
    /// Of each example, up to a factor that is common to all classes.
    probabilities: Vec<f64>,
    derivatives: Vec<Derivatives>,
    grower: Grower,
    gains: Vec<f64>,
    forest: Forest,
}

/// What all classes share while trees are fitted.
#[derive(Debug)]
struct ClassTask<'a> {
    binned: &'a Binned,
    labels: &'a [u8],
    weights: &'a [f64],
    rules: SplitRules,
    units: DerivativeUnits,
    /// As in [`Boosting::slight`].
    slight: f64,
    /// For the second derivative: with k classes only k − 1 scores are free.
    curvature: f64,
}

impl ClassFit {
    /// Adds a tree. `factors` make the probabilities of each example sum to 1.
    fn round(&mut self, number: usize, boosting: &Boosting, task: &ClassTask<'_>, factors: &[f64]) {
        for (probability, factor) in self.probabilities.iter_mut().zip(factors) {
            *probability = (*probability * factor).clamp(LEAST_PROBABILITY, 1.0);
        }
        if !self.learns {
            return;
        }
        self.derivatives.clear();
        let rows = self.probabilities.iter().zip(task.labels).zip(task.weights).zip(0_u32..);
        let chance = Chance::of(number, self.class);
        self.derivatives.extend(rows.map(|(((probability, label), weight), row)| {
            let slope = probability - f64::from(u8::from(*label == self.class));
            let curvature = task.curvature * probability * (1.0 - probability);
            let is_slight = slope.abs() < task.slight;
            if is_slight && !chance.takes(row) {
                return Derivatives::default();
            }
            let one = task.units.row(weight * slope, weight * curvature);
            if is_slight { one.times(SLIGHT) } else { one }
        }));
        let leaves = boosting.most_leaves();
        let mut tree = self.grower.grow(task.binned, &self.derivatives, &task.rules, leaves, &mut self.gains);
        if tree.branches.is_empty() {
            return;
        }
        for (value, rows) in tree.values.iter_mut().zip(self.grower.leaves()) {
            *value = (*value * boosting.learning_rate).clamp(-LARGEST_STEP, LARGEST_STEP);
            let factor = value.exp();
            rows.iter().copied().flatten().for_each(|row| self.probabilities[*row as usize] *= factor);
        }
        self.forest.push(&tree);
    }
}

impl Boosting {
    /// Trees for the probability of each class from 0 to `classes` − 1, by multi-class log loss. A label of a class that
    /// there is not counts as the last.
    pub fn classes(&self, examples: &Examples, labels: &[u8], classes: usize) -> ClassTrees {
        self.classes_unless(examples, labels, classes, &|| false).unwrap_or_default()
    }

    /// Trees for classes, given up with `None` once `stop` says so; it is asked before each round.
    pub fn classes_unless(
        &self,
        examples: &Examples,
        labels: &[u8],
        classes: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<ClassTrees> {
        self.class_trees(examples, labels, None, classes, stop)
    }

    /// Trees for classes where examples count by their weights. Weights that are negative or no numbers count as 0.
    pub fn classes_weighted(
        &self,
        examples: &Examples,
        labels: &[u8],
        weights: &[f32],
        classes: usize,
    ) -> ClassTrees {
        self.class_trees(examples, labels, Some(weights), classes, &|| false).unwrap_or_default()
    }

    fn class_trees(
        &self,
        examples: &Examples,
        labels: &[u8],
        weights: Option<&[f32]>,
        classes: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<ClassTrees> {
        debug_assert_eq!(labels.len(), examples.len(), "one label per example");
        let classes = classes.clamp(1, 256);
        let rows = examples.len().min(labels.len()).min(MOST_ROWS);
        let last = (classes - 1) as u8;
        debug_assert!(labels.iter().all(|label| *label <= last), "labels are below the number of classes");
        let labels: Vec<u8> = labels[..rows].iter().map(|label| (*label).min(last)).collect();
        let (weights, heaviest) =
            relative_weights(rows, weights.map(|weights| &weights[..rows.min(weights.len())]));
        let binned = Binned::new(examples, rows, self.bins);
        let units = DerivativeUnits::new(rows, heaviest);
        let task = ClassTask {
            binned: &binned,
            labels: &labels,
            weights: &weights,
            rules: self.rules(units),
            units,
            // Examples that count for several must not exceed the rows that can be counted.
            slight: if rows < MOST_ROWS / SLIGHT as usize { self.slight } else { 0.0 },
            curvature: classes as f64 / (classes as f64 - 1.0).max(1.0),
        };
        let mut fits: Vec<ClassFit> =
            (0..classes).map(|class| task.begin(class as u8, classes, examples.features())).collect();
        let mut factors = vec![1.0; rows];
        let mut task = task;
        let selected = OnceCell::new();
        for round in 0..self.rounds {
            if stop() {
                return None;
            }
            if round == self.screening {
                task.binned = selected.get_or_init(|| binned.select(&useful(&binned, &fits, self.features)));
            }
            parallel::map_mut(&mut fits, |fit| fit.round(round, self, &task, &factors));
            factors.fill(0.0);
            for fit in &fits {
                factors.iter_mut().zip(&fit.probabilities).for_each(|(sum, one)| *sum += one);
            }
            factors.iter_mut().for_each(|factor| *factor = factor.recip());
        }
        let mut importance = vec![0.0; examples.features()];
        for fit in &fits {
            importance.iter_mut().zip(&fit.gains).for_each(|(sum, gain)| *sum += gain);
        }
        let sum: f64 = importance.iter().sum();
        if sum > 0.0 {
            importance.iter_mut().for_each(|gain| *gain /= sum);
        }
        let scores = fits.into_iter().map(|fit| (fit.prior.ln(), fit.forest)).collect();
        Some(ClassTrees { scores, importance })
    }
}

/// The places of the features whose splits have gained most so far, ascending.
fn useful(binned: &Binned, fits: &[ClassFit], most: usize) -> Vec<usize> {
    let gain = |place: usize| {
        let feature = binned.features[place].feature;
        fits.iter().map(|fit| fit.gains[feature]).sum::<f64>()
    };
    let mut places: Vec<(f64, usize)> =
        (0..binned.features.len()).map(|place| (gain(place), place)).collect();
    // The sort is stable: of equal ones the first.
    places.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut places: Vec<usize> = places.iter().take(most).map(|one| one.1).collect();
    places.sort_unstable();
    places
}

impl ClassTask<'_> {
    /// A class before its first tree.
    fn begin(&self, class: u8, classes: usize, features: usize) -> ClassFit {
        let weights = |wanted: bool| {
            let rows = self.labels.iter().zip(self.weights);
            rows.filter(|(label, _)| (**label == class) == wanted).map(|(_, weight)| *weight).sum::<f64>()
        };
        let (own, others) = (weights(true), weights(false));
        // Half an example more of each class, so that none is impossible.
        let prior = (own + 0.5) / (own + others + 0.5 * classes as f64);
        ClassFit {
            class,
            prior,
            learns: own > 0.0 && others > 0.0,
            probabilities: vec![prior; self.labels.len()],
            derivatives: Vec::new(),
            grower: Grower::default(),
            gains: vec![0.0; features],
            forest: Forest::default(),
        }
    }
}
