//! Boosted trees equal an obvious slow version, bit for bit, on random tables: every bound of every feature of every leaf is
//! tried by going through the rows of that leaf, one class after the other.

use proptest::prelude::*;
use queuecast_core::trees::{Boosting, Examples};

use crate::support;

/// What the slow version does wrong, for controls.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// Sides of a split may have any number of rows.
    AnySize,
    /// Missing values always go right.
    MissingRight,
    /// The first leaf that can be split is split next, not the one that gains most.
    FirstLeaf,
    /// Leaves are not drawn towards zero.
    NoPenalty,
}

/// Slope and curvature of a row in whole units, as a sum.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    rows: usize,
    slope: i64,
    curvature: i64,
}

struct Slow<'a> {
    boosting: Boosting,
    flaw: Flaw,
    rows: &'a [Vec<f32>],
    /// Units in a slope of 1; in a curvature of 1 there are 2³².
    units: f64,
}

const CURVATURE: f64 = 4_294_967_296.0;

/// A tree as nested choices.
enum SlowTree {
    Leaf(f64),
    Branch { feature: usize, bound: f32, missing_left: bool, sides: Box<[SlowTree; 2]> },
}

impl SlowTree {
    fn value(&self, row: &[f32]) -> f64 {
        match self {
            SlowTree::Leaf(value) => *value,
            SlowTree::Branch { feature, bound, missing_left, sides } => {
                sides[usize::from(!goes_left(row[*feature], *bound, *missing_left))].value(row)
            }
        }
    }
}

fn goes_left(value: f32, bound: f32, missing_left: bool) -> bool {
    if value.is_nan() { missing_left } else { value <= bound }
}

/// The best split of a leaf: gain, feature, bound, where missing values go.
type Best = (f64, usize, f32, bool);

impl Slow<'_> {
    fn sum<'r>(&self, members: impl Iterator<Item = &'r usize>, derivatives: &[Sum]) -> Sum {
        members.fold(Sum::default(), |sum, row| Sum {
            rows: sum.rows + 1,
            slope: sum.slope + derivatives[*row].slope,
            curvature: sum.curvature + derivatives[*row].curvature,
        })
    }

    fn l2(&self) -> f64 {
        if self.flaw == Flaw::NoPenalty { 0.0 } else { self.boosting.l2 }
    }

    fn saved(&self, sum: Sum) -> f64 {
        let slope = sum.slope as f64;
        slope * slope / (sum.curvature as f64 + self.l2() * CURVATURE)
    }

    /// Values of a feature in the whole table, ascending.
    fn values(&self, feature: usize, members: impl Iterator<Item = usize>) -> Vec<f32> {
        let mut values: Vec<f32> = members.map(|row| self.rows[row][feature]).collect();
        values.retain(|value| !value.is_nan());
        values.sort_by(f32::total_cmp);
        values.dedup();
        values
    }

    fn best(&self, members: &[usize], derivatives: &[Sum]) -> Option<Best> {
        let least = if self.flaw == Flaw::AnySize { 1 } else { self.boosting.least_rows };
        let total = self.sum(members.iter(), derivatives);
        let (mut most, mut best) = (f64::NEG_INFINITY, None);
        for feature in 0..self.rows[0].len() {
            let all = self.values(feature, 0..self.rows.len());
            let missing = members.iter().any(|row| self.rows[*row][feature].is_nan());
            for missing_left in [false, true] {
                if missing_left && (!missing || self.flaw == Flaw::MissingRight) {
                    continue;
                }
                for value in self.values(feature, members.iter().copied()) {
                    let next = all.iter().find(|other| **other > value);
                    let half_way =
                        |next: &f32| if next.is_finite() { value / 2.0 + next / 2.0 } else { value };
                    let bound = next.map_or(f32::INFINITY, half_way);
                    let left = |row: &&usize| goes_left(self.rows[**row][feature], bound, missing_left);
                    let left = self.sum(members.iter().filter(left), derivatives);
                    let right = Sum {
                        rows: total.rows - left.rows,
                        slope: total.slope - left.slope,
                        curvature: total.curvature - left.curvature,
                    };
                    let flat = left.curvature.min(right.curvature) as f64 / CURVATURE < 1e-3;
                    if left.rows.min(right.rows) < least.max(1) || flat {
                        continue;
                    }
                    let saved = self.saved(left) + self.saved(right);
                    if saved > most {
                        most = saved;
                        let more = left.rows * 2 > total.rows;
                        best = Some((feature, bound, if missing { missing_left } else { more }));
                    }
                }
            }
        }
        let gain = (most - self.saved(total)) * CURVATURE / (self.units * self.units);
        best.filter(|_| gain > 1e-6)
            .map(|(feature, bound, missing_left)| (gain, feature, bound, missing_left))
    }

    fn grow(&self, derivatives: &[Sum]) -> SlowTree {
        // Splits in the order they are made: which leaf, and how. The right side becomes the last leaf.
        let mut leaves: Vec<Vec<usize>> = vec![(0..self.rows.len()).collect()];
        let mut splits: Vec<(usize, Best)> = Vec::new();
        while leaves.len() < self.boosting.leaves {
            let mut found: Option<(usize, Best)> = None;
            for (leaf, members) in leaves.iter().enumerate() {
                if let Some(best) = self.best(members, derivatives)
                    && found.is_none_or(|(_, (gain, ..))| best.0 > gain && self.flaw != Flaw::FirstLeaf)
                {
                    found = Some((leaf, best));
                }
            }
            let Some((leaf, best)) = found else { break };
            let (_, feature, bound, missing_left) = best;
            let (left, right) = leaves[leaf]
                .iter()
                .copied()
                .partition(|row: &usize| goes_left(self.rows[*row][feature], bound, missing_left));
            leaves[leaf] = left;
            leaves.push(right);
            splits.push((leaf, best));
        }
        let value = |members: &Vec<usize>| {
            let sum = self.sum(members.iter(), derivatives);
            let curvature = sum.curvature as f64 / CURVATURE + self.l2();
            let value = if curvature > 0.0 && leaves.len() > 1 {
                -(sum.slope as f64 / self.units) / curvature
            } else {
                0.0
            };
            (value * self.boosting.learning_rate).clamp(-20.0, 20.0)
        };
        let mut trees: Vec<Option<SlowTree>> =
            leaves.iter().map(|members| Some(SlowTree::Leaf(value(members)))).collect();
        for (leaf, (_, feature, bound, missing_left)) in splits.into_iter().rev() {
            let right = trees.pop().unwrap().unwrap();
            let left = trees[leaf].take().unwrap();
            let sides = Box::new([left, right]);
            trees[leaf] = Some(SlowTree::Branch { feature, bound, missing_left, sides });
        }
        trees.pop().unwrap().unwrap()
    }

    /// Probabilities of each row, by softmax over what all trees say.
    fn probabilities(&self, labels: &[u8], classes: usize) -> Vec<Vec<f64>> {
        let n = labels.len() as f64;
        let counts: Vec<f64> = (0..classes)
            .map(|class| labels.iter().filter(|label| usize::from(**label) == class).count() as f64)
            .collect();
        let priors: Vec<f64> =
            counts.iter().map(|count| (count + 0.5) / (n + 0.5 * classes as f64)).collect();
        let mut current = vec![priors.clone(); labels.len()];
        let mut forests: Vec<Vec<SlowTree>> = (0..classes).map(|_| Vec::new()).collect();
        let factor = classes as f64 / (classes as f64 - 1.0).max(1.0);
        for _ in 0..self.boosting.rounds {
            let before = current.clone();
            for class in 0..classes {
                if counts[class] == 0.0 || counts[class] == n {
                    continue;
                }
                let derivatives = before.iter().zip(labels).map(|(before, label)| {
                    let one = before[class];
                    let slope = one - f64::from(u8::from(usize::from(*label) == class));
                    Sum {
                        rows: 1,
                        slope: ((slope + 1.0) * self.units + 0.5) as i64 - self.units as i64,
                        curvature: (factor * one * (1.0 - one) * CURVATURE + 0.5) as i64,
                    }
                });
                let tree = self.grow(&derivatives.collect::<Vec<Sum>>());
                for (row, current) in self.rows.iter().zip(&mut current) {
                    current[class] *= tree.value(row).exp();
                }
                forests[class].push(tree);
            }
            for current in &mut current {
                let sum = current.iter().fold(0.0, |sum, one| sum + one);
                current.iter_mut().for_each(|one| *one = (*one * sum.recip()).clamp(1e-15, 1.0));
            }
        }
        let said = |row: &Vec<f32>| {
            let score = |class: usize| {
                let trees = forests[class].iter().fold(0.0, |sum, tree| sum + tree.value(row));
                priors[class].ln() + trees
            };
            let scores: Vec<f64> = (0..classes).map(score).collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let raised: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let sum: f64 = raised.iter().sum();
            raised.iter().map(|one| one / sum).collect()
        };
        self.rows.iter().map(said).collect()
    }
}

fn fast(boosting: Boosting, rows: &[Vec<f32>], labels: &[u8], classes: usize) -> Vec<Vec<f64>> {
    let mut examples = Examples::new(rows[0].len());
    rows.iter().for_each(|row| examples.push(row));
    let trees = boosting.classes(&examples, labels, classes);
    rows.iter().map(|row| trees.probabilities(row)).collect()
}

fn slow(flaw: Flaw, boosting: Boosting, rows: &[Vec<f32>], labels: &[u8], classes: usize) -> Vec<Vec<f64>> {
    let bits = usize::BITS - rows.len().leading_zeros();
    let units = f64::from(1_u32 << (38 - bits).min(30));
    Slow { boosting, flaw, rows, units }.probabilities(labels, classes)
}

/// Few values a feature, so that each has its own bin; some are missing, some infinite, and some features never differ.
fn table() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<u8>)> {
    let value = prop_oneof![
        6 => (0_u8..6).prop_map(f32::from),
        2 => Just(f32::NAN),
        1 => Just(f32::INFINITY),
        1 => Just(-1e30_f32),
    ];
    (1_usize..12, 1_usize..80).prop_flat_map(move |(features, rows)| {
        let row = (prop::collection::vec(value.clone(), features), any::<u8>()).prop_map(|(row, noise)| {
            // Labels follow the first feature, more or less.
            let first = if row[0].is_nan() { 1 } else { row[0].clamp(0.0, 6.0) as u8 };
            let label = if noise < 60 { noise % 4 } else { first / 2 };
            (row, label)
        });
        prop::collection::vec(row, rows).prop_map(|rows| rows.into_iter().unzip())
    })
}

fn settings() -> impl Strategy<Value = Boosting> {
    (1_usize..6, 1_usize..9, 0_usize..6, prop_oneof![Just(0.0), Just(1.0), Just(5.0)]).prop_map(
        |(rounds, leaves, least_rows, l2)| Boosting {
            rounds,
            leaves,
            least_rows,
            l2,
            learning_rate: 0.3,
            ..Boosting::default()
        },
    )
}

proptest! {
    #![proptest_config(support::cases(150))]

    #[test]
    fn trees_equal_the_slow_version((rows, labels) in table(), boosting in settings()) {
        let slow = slow(Flaw::None, boosting, &rows, &labels, 4);
        prop_assert_eq!(fast(boosting, &rows, &labels, 4), slow);
    }

    /// Whatever the table: sums of 1, quantiles that never fall, any row can be asked for.
    #[test]
    fn answers_are_sound((rows, labels) in table(), boosting in settings(), classes in 4_usize..10) {
        let mut examples = Examples::new(rows[0].len());
        rows.iter().for_each(|row| examples.push(row));
        let trees = boosting.classes(&examples, &labels, classes);
        let targets: Vec<f32> = rows.iter().map(|row| row[0]).collect();
        let levels = [0.9, 0.1, 0.5, 0.5];
        let quantiles = boosting.quantiles(&examples, &targets, &levels);
        let others = [vec![], vec![f32::NAN; 12], vec![f32::NEG_INFINITY; 12], vec![3.0; 30]];
        for row in rows.iter().chain(&others) {
            let found = trees.probabilities(row);
            prop_assert_eq!(found.len(), classes);
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(found.iter().all(|one| *one > 0.0 && one.is_finite()));
            let found = quantiles.quantiles(row);
            prop_assert!(found.iter().all(|one| one.is_finite()));
            prop_assert!(found[1] <= found[2] && found[2] <= found[3] && found[3] <= found[0]);
        }
        let shares: f64 = trees.importance().iter().sum();
        prop_assert!(shares == 0.0 || (shares - 1.0).abs() < 1e-9);
    }
}

/// A table by a rule, with noise: two features count, one of them by its missing values, the others are noise.
fn drawn(count: usize) -> (Vec<Vec<f32>>, Vec<u8>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut row = || {
        let mut row: Vec<f32> = (0..10).map(|_| draw(6) as f32).collect();
        if draw(3) == 0 {
            row[1] = f32::NAN;
        }
        let class = u64::from(row[0] > 2.0) + u64::from(row[1].is_nan() || row[1] < 2.0) + draw(4) / 3;
        (row, class as u8)
    };
    (0..count).map(|_| row()).unzip()
}

#[test]
fn control_a_flawed_version_is_found() {
    let (rows, labels) = drawn(120);
    let boosting =
        Boosting { rounds: 3, leaves: 5, least_rows: 12, learning_rate: 0.3, ..Boosting::default() };
    let found = fast(boosting, &rows, &labels, 4);
    assert_eq!(found, slow(Flaw::None, boosting, &rows, &labels, 4));
    for flaw in [Flaw::AnySize, Flaw::MissingRight, Flaw::FirstLeaf, Flaw::NoPenalty] {
        assert_ne!(found, slow(flaw, boosting, &rows, &labels, 4), "{flaw:?}");
    }
}

#[test]
#[cfg(feature = "parallel")]
fn the_same_trees_on_any_number_of_threads() {
    let (rows, labels) = drawn(3000);
    let targets: Vec<f32> = rows.iter().map(|row| row[0] + row[2]).collect();
    let mut examples = Examples::new(10);
    rows.iter().for_each(|row| examples.push(row));
    let fit = |threads: usize, boosting: Boosting| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let classes = boosting.classes(&examples, &labels, 4);
            (classes, boosting.quantiles(&examples, &targets, &[0.1, 0.5, 0.9]))
        })
    };
    let one = fit(1, Boosting::default());
    let three = fit(3, Boosting::default());
    assert_eq!(one, three);
    // Equality goes down to every bit that is written out.
    assert_eq!(format!("{one:?}"), format!("{three:?}"));
    assert_ne!(one, fit(1, Boosting { leaves: 7, ..Boosting::default() }), "a control");
}

#[test]
fn quantiles_cover_new_rows() {
    // The spread depends on the first feature: 1 to 6 times a number that is even between 0 and 1.
    let mut state = 1_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    let mut row = || {
        let row = [(draw() * 6.0).floor(), draw()];
        (row, (row[0] + 1.0) * draw())
    };
    let mut examples = Examples::new(2);
    let mut targets = Vec::new();
    for _ in 0..6000 {
        let (row, target) = row();
        examples.push(&row);
        targets.push(target);
    }
    let boosting = Boosting { rounds: 100, ..Boosting::default() };
    let trees = boosting.quantiles(&examples, &targets, &[0.1, 0.5, 0.9]);
    let fresh: Vec<_> = (0..6000).map(|_| row()).collect();
    for spread in 0..6_u8 {
        let alike: Vec<_> = fresh.iter().filter(|(row, _)| row[0] == f32::from(spread)).collect();
        for (place, level) in [0.1, 0.5, 0.9].into_iter().enumerate() {
            let covered =
                alike.iter().filter(|(row, target)| f64::from(*target) <= trees.quantiles(row)[place]);
            let share = covered.count() as f64 / alike.len() as f64;
            assert!((share - level).abs() < 0.06, "spread {spread}: {share} at {level}");
        }
    }
    // A control: the quantiles of another spread do not cover.
    let wide = trees.quantiles(&[5.0, 0.5])[1];
    let narrow = fresh.iter().filter(|(row, _)| row[0] == 0.0);
    assert!(narrow.clone().all(|(_, target)| f64::from(*target) <= wide));
}
