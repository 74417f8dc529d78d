//! A multi-class support vector machine that gives the probability of each class of waits.

use libsvm_rs::probability::{multiclass_probability, sigmoid_predict, sigmoid_train};
use libsvm_rs::train::svm_train;
use libsvm_rs::{
    KernelType, SvmModel, SvmNode, SvmParameter, SvmProblem, SvmType, check_parameter, set_quiet,
};

use super::class::CLASSES;
use super::features::Features;
use super::scale::{FEATURES, FeatureScale};
use crate::parallel;

/// Decision values are calibrated on jobs that the machine has not seen: each of so many parts in turn.
const FOLDS: usize = 5;

/// The cost of a job on the wrong side.
const COST: f64 = 1.0;

/// Of the radial basis function exp(−γ·|x − y|²): one over the number of features, as libraries choose by default.
const GAMMA: f64 = 1.0 / FEATURES as f64;

/// Trained on jobs and the classes of their waits: one machine for each pair of classes (C = 1, radial basis functions), its
/// decision values turned into probabilities by a sigmoid (Platt 1999) that is fitted by five-fold cross-validation, and the
/// pairs combined (Wu, Lin & Weng 2004).
#[derive(Debug, Clone)]
pub(super) struct SvmClassifier {
    scale: FeatureScale,
    /// The jobs of the history, on the scale.
    rows: Vec<[f64; FEATURES]>,
    /// The classes that the history has, in order.
    classes: Vec<usize>,
    pairs: Vec<ClassPair>,
}

/// One machine: the first class against the second.
#[derive(Debug, Clone)]
struct ClassPair {
    /// Places in the classes of the history.
    classes: (usize, usize),
    /// Row and coefficient of each support vector.
    support: Vec<(u32, f64)>,
    offset: f64,
    /// Of the sigmoid.
    slope: f64,
    intercept: f64,
}

impl SvmClassifier {
    /// Trains on a history in order of time; `None` of none.
    pub fn train(history: &[(&Features, usize)]) -> Option<SvmClassifier> {
        let mut classes: Vec<usize> = history.iter().map(|one| one.1).collect();
        classes.sort_unstable();
        classes.dedup();
        if classes.is_empty() {
            return None;
        }
        let scale = FeatureScale::of(history.iter().map(|one| one.0));
        let rows: Vec<[f64; FEATURES]> = history.iter().map(|one| scale.apply(one.0)).collect();
        let of_class = |class: usize| {
            let places = (0..history.len()).filter(move |&place| history[place].1 == class);
            places.collect::<Vec<usize>>()
        };
        let members: Vec<Vec<usize>> = classes.iter().map(|&class| of_class(class)).collect();
        let each = 0..classes.len();
        let pairs: Vec<(usize, usize)> =
            each.clone().flat_map(|one| (one + 1..classes.len()).map(move |other| (one, other))).collect();
        let pairs = parallel::map(&pairs, |&(one, other)| {
            ClassPair::train(&rows, (one, other), &members[one], &members[other])
        });
        Some(SvmClassifier { scale, rows, classes, pairs: pairs.into_iter().collect::<Option<_>>()? })
    }

    /// The probability of each class; 0 of classes that the history does not have.
    pub fn probabilities(&self, features: &Features) -> [f64; CLASSES] {
        let mut all = [0.0; CLASSES];
        if let [only] = self.classes[..] {
            all[only] = 1.0;
            return all;
        }
        let target = self.scale.apply(features);
        let kernels: Vec<f64> = self.rows.iter().map(|row| kernel(row, &target)).collect();
        let count = self.classes.len();
        let mut wins = vec![vec![0.0; count]; count];
        for pair in &self.pairs {
            let (one, other) = pair.classes;
            // Kept from certainty, as the combination needs.
            wins[one][other] = pair.probability(&kernels).clamp(1e-7, 1.0 - 1e-7);
            wins[other][one] = 1.0 - wins[one][other];
        }
        let mut combined = vec![0.0; count];
        multiclass_probability(count, &wins, &mut combined);
        for (&class, &probability) in self.classes.iter().zip(&combined) {
            all[class] = probability;
        }
        all
    }
}

impl ClassPair {
    /// The first class against the second, each with the places of its jobs in order of time.
    fn train(
        rows: &[[f64; FEATURES]],
        classes: (usize, usize),
        first: &[usize],
        second: &[usize],
    ) -> Option<ClassPair> {
        let mut jobs: Vec<(usize, f64)> = first.iter().map(|&place| (place, 1.0)).collect();
        jobs.extend(second.iter().map(|&place| (place, -1.0)));
        // Every fifth job of either class is left out in turn, so that all parts have both classes where there are enough.
        let left_out = |at: usize| (if at < first.len() { at } else { at - first.len() }) % FOLDS;
        let folds: Vec<usize> = (0..FOLDS).collect();
        let held_out = parallel::map(&folds, |&fold| {
            let (out, used): (Vec<usize>, Vec<usize>) = (0..jobs.len()).partition(|&at| left_out(at) == fold);
            let used: Vec<(usize, f64)> = used.into_iter().map(|at| jobs[at]).collect();
            let machine = Binary::train(rows, &used);
            let decided = out.into_iter().map(|at| {
                let decided = match &machine {
                    Some(machine) => machine.decide(rows, &rows[jobs[at].0]),
                    // One class only, or none: what is left says which.
                    None => used.first().map_or(0.0, |one| one.1),
                };
                (at, decided)
            });
            decided.collect::<Vec<_>>()
        });
        let mut decided = vec![0.0; jobs.len()];
        held_out.into_iter().flatten().for_each(|(at, value)| decided[at] = value);
        let labels: Vec<f64> = jobs.iter().map(|one| one.1).collect();
        let (slope, intercept) = sigmoid_train(&decided, &labels);
        let Binary { support, offset } = Binary::train(rows, &jobs)?;
        Some(ClassPair { classes, support, offset, slope, intercept })
    }

    /// That of the first class against the second, by the kernels of all rows of the history.
    fn probability(&self, kernels: &[f64]) -> f64 {
        let sum: f64 = self.support.iter().map(|&(row, weight)| weight * kernels[row as usize]).sum();
        sigmoid_predict(sum - self.offset, self.slope, self.intercept)
    }
}

/// A machine for two classes.
struct Binary {
    support: Vec<(u32, f64)>,
    offset: f64,
}

impl Binary {
    /// Trains on jobs (row, 1 or −1), those of 1 first; `None` unless there are both.
    fn train(rows: &[[f64; FEATURES]], jobs: &[(usize, f64)]) -> Option<Binary> {
        let both = jobs.first().is_some_and(|one| one.1 > 0.0) && jobs.last().is_some_and(|one| one.1 < 0.0);
        if !both {
            return None;
        }
        let problem = SvmProblem {
            labels: jobs.iter().map(|one| one.1).collect(),
            instances: jobs.iter().map(|one| nodes(&rows[one.0])).collect(),
        };
        let model = fitted(&problem, &parameters(SvmType::CSvc, KernelType::Rbf))?;
        let weights = model.sv_coef.first()?;
        // Support vectors are numbered from 1 by their place in the problem.
        let support = model.sv_indices.iter().zip(weights);
        let support =
            support.filter_map(|(&at, &weight)| Some((jobs.get(at.checked_sub(1)?)?.0 as u32, weight)));
        Some(Binary { support: support.collect(), offset: *model.rho.first()? })
    }

    fn decide(&self, rows: &[[f64; FEATURES]], target: &[f64; FEATURES]) -> f64 {
        let sum = self.support.iter().map(|&(row, weight)| weight * kernel(&rows[row as usize], target));
        sum.sum::<f64>() - self.offset
    }
}

/// The radial basis function.
fn kernel(one: &[f64; FEATURES], other: &[f64; FEATURES]) -> f64 {
    let square: f64 = one.iter().zip(other).map(|(x, y)| (x - y) * (x - y)).sum();
    (-GAMMA * square).exp()
}

pub(super) fn nodes(row: &[f64]) -> Vec<SvmNode> {
    (1..).zip(row).map(|(index, &value)| SvmNode { index, value }).collect()
}

fn parameters(svm_type: SvmType, kernel_type: KernelType) -> SvmParameter {
    SvmParameter { svm_type, kernel_type, c: COST, gamma: GAMMA, ..SvmParameter::default() }
}

/// A machine trained, unless the library refuses the problem.
pub(super) fn fitted(problem: &SvmProblem, parameters: &SvmParameter) -> Option<SvmModel> {
    set_quiet(true);
    check_parameter(problem, parameters).ok()?;
    Some(svm_train(problem, parameters))
}

#[cfg(test)]
mod tests {
    use libsvm_rs::predict::predict_values;
    use rand::RngExt;

    use super::*;
    use crate::seed::Seed;

    /// Three clouds of jobs, the second between the others and overlapping both.
    fn history(jobs: usize) -> Vec<(Features, usize)> {
        let mut rng = Seed(3).stream("clouds");
        let job = |place: usize| {
            let class = [0, 2, 5][place % 3];
            let mut features = Features::default();
            for value in &mut features.0[..4] {
                *value = (class as f64 + 4.0 * rng.random::<f64>()).exp();
            }
            (features, class)
        };
        (0..jobs).map(job).collect()
    }

    fn trained(history: &[(Features, usize)]) -> Option<SvmClassifier> {
        let history: Vec<(&Features, usize)> =
            history.iter().map(|(features, class)| (features, *class)).collect();
        SvmClassifier::train(&history)
    }

    #[test]
    fn decisions_are_those_of_the_library() {
        let history = history(90);
        let scale = FeatureScale::of(history.iter().map(|one| &one.0));
        let rows: Vec<[f64; FEATURES]> = history.iter().map(|one| scale.apply(&one.0)).collect();
        let first = (0..90).step_by(3).map(|place| (place, 1.0));
        let jobs: Vec<(usize, f64)> = first.chain((1..90).step_by(3).map(|place| (place, -1.0))).collect();
        let problem = SvmProblem {
            labels: jobs.iter().map(|one| one.1).collect(),
            instances: jobs.iter().map(|one| nodes(&rows[one.0])).collect(),
        };
        let model = fitted(&problem, &parameters(SvmType::CSvc, KernelType::Rbf)).unwrap();
        let own = Binary::train(&rows, &jobs).unwrap();
        for row in &rows {
            let mut decided = [0.0];
            predict_values(&model, &nodes(row), &mut decided);
            assert!((own.decide(&rows, row) - decided[0]).abs() < 1e-9);
        }
    }

    #[test]
    fn probabilities_sum_to_one_and_follow_the_frequencies() {
        let history = history(600);
        let machine = trained(&history).unwrap();
        let mut sums = [0.0; CLASSES];
        let mut right = 0;
        for (features, class) in &history {
            let found = machine.probabilities(features);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            sums.iter_mut().zip(found).for_each(|(sum, one)| *sum += one / 200.0);
            let best = (0..CLASSES).max_by(|&one, &other| found[one].total_cmp(&found[other]));
            right += usize::from(best == Some(*class));
        }
        for (class, sum) in sums.into_iter().enumerate() {
            let expected = if [0, 2, 5].contains(&class) { 1.0 } else { 0.0 };
            assert!((sum - expected).abs() < 0.1, "{class}: {sum}");
        }
        assert!(right > 480, "{right} of 600");
    }

    #[test]
    fn few_jobs_and_few_classes_are_no_trouble() {
        assert!(trained(&[]).is_none());
        let same = [(Features::default(), 3), (Features::default(), 3)];
        assert_eq!(trained(&same).unwrap().probabilities(&Features::default())[3], 1.0);
        let pair = [(Features::default(), 1), (Features::default(), 4)];
        let even = trained(&pair).unwrap().probabilities(&Features::default());
        assert!((even[1] + even[4] - 1.0).abs() < 1e-9, "{even:?}");
    }
}
