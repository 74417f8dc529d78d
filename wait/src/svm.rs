//! A multi-class support vector machine that gives the probability of each class of waits.

mod gram;
mod kernel;
mod pairwise;
mod solver;

use std::ops::Range;

use libsvm_rs::probability::{sigmoid_predict, sigmoid_train};
use libsvm_rs::train::svm_train;
use libsvm_rs::{SvmModel, SvmNode, SvmParameter, SvmProblem, check_parameter, set_quiet};

use self::gram::{CHUNK, CHUNKS, Gram};
pub(super) use self::kernel::exp2_of_negative;
use self::kernel::{LANES, Lanes, Row, RowBlock, blocks, kernels};
use self::pairwise::combined;
use self::solver::Dual;
use super::class::CLASSES;
use super::features::Features;
use super::scale::FeatureScale;
use queuecast_core::parallel;

/// The parts that jobs are divided into, so that decision values are calibrated on jobs that the machine has not seen: those
/// of each part by a machine trained on the others.
const FOLDS: usize = 5;

/// Trained on jobs and the classes of their waits: one machine for each pair of classes (C = 1, radial basis functions), its
/// decision values turned into probabilities by a sigmoid (Platt 1999) that is fitted by five-fold cross-validation, and the
/// pairs combined (Wu, Lin & Weng 2004).
///
/// Kernels are computed in single precision, which moves decision values by about 1e-5.
#[derive(Debug, Clone)]
pub(super) struct SvmClassifier {
    scale: FeatureScale,
    /// The classes that the history has, in order.
    classes: Vec<ClassSupport>,
    pairs: Vec<ClassPair>,
}

/// The jobs of a class that are support vectors of one of its machines at least.
#[derive(Debug, Clone)]
struct ClassSupport {
    class: usize,
    blocks: Vec<SupportBlock>,
}

/// Some of them, and their weights in the machines against each of the other classes of the history, in order.
#[derive(Debug, Clone)]
struct SupportBlock {
    rows: RowBlock,
    weights: [Lanes; CLASSES - 1],
}

/// One machine: the first class against the second.
#[derive(Debug, Clone, Copy)]
struct ClassPair {
    /// Places in the classes of the history.
    classes: (usize, usize),
    offset: f64,
    /// Of the sigmoid.
    slope: f64,
    intercept: f64,
}

/// Of two classes of the history, where the weights of the machine are among those of the first.
fn place_of(other: usize, own: usize) -> usize {
    if other > own { other - 1 } else { other }
}

impl SvmClassifier {
    /// Trains on a history in order of time; `None` of none.
    pub fn train(history: &[(&Features, usize)]) -> Option<SvmClassifier> {
        let scale = FeatureScale::of(history.iter().map(|one| one.0));
        let of_class = |class: usize| {
            let members = history.iter().filter(|one| one.1 == class);
            members.map(|one| scale.apply(one.0).map(|value| value as f32)).collect::<Vec<Row>>()
        };
        let members: Vec<(usize, Vec<Row>)> =
            (0..CLASSES).map(|class| (class, of_class(class))).filter(|one| !one.1.is_empty()).collect();
        if members.is_empty() {
            return None;
        }
        let training = Training::new(members.iter().map(|one| &one.1[..]));
        let gram = Gram::new(&training.blocks);
        let each = 0..members.len();
        let pairs: Vec<(usize, usize)> =
            each.clone().flat_map(|one| (one + 1..members.len()).map(move |other| (one, other))).collect();
        let machines = parallel::map(&pairs, |&pair| training.machine(&gram, pair));
        let support = each.zip(&members).map(|(own, (class, rows))| {
            let mut weights = vec![[0.0; CLASSES - 1]; rows.len()];
            for machine in &machines {
                let (one, other) = machine.pair.classes;
                let sides = [(one, other, &machine.weights[0]), (other, one, &machine.weights[1])];
                for (_, other, its) in sides.into_iter().filter(|side| side.0 == own) {
                    weights.iter_mut().zip(its).for_each(|(all, &one)| all[place_of(other, own)] = one);
                }
            }
            ClassSupport { class: *class, blocks: support_blocks(rows, &weights) }
        });
        let classes = support.collect();
        Some(SvmClassifier { classes, pairs: machines.into_iter().map(|one| one.pair).collect(), scale })
    }

    /// The probability of each class; 0 of classes that the history does not have.
    pub fn probabilities(&self, features: &Features) -> [f64; CLASSES] {
        let mut all = [0.0; CLASSES];
        if let [only] = &self.classes[..] {
            all[only.class] = 1.0;
            return all;
        }
        let target = self.scale.apply(features).map(|value| value as f32);
        let mut sums = [[0.0; CLASSES - 1]; CLASSES];
        for (sums, support) in sums.iter_mut().zip(&self.classes) {
            *sums = support.sums(&target);
        }
        let mut wins = [[0.0; CLASSES]; CLASSES];
        for pair in &self.pairs {
            let (one, other) = pair.classes;
            let sum = sums[one][place_of(other, one)] + sums[other][place_of(one, other)];
            // Kept from certainty, as the combination needs.
            let won = sigmoid_predict(sum - pair.offset, pair.slope, pair.intercept).clamp(1e-7, 1.0 - 1e-7);
            (wins[one][other], wins[other][one]) = (won, 1.0 - won);
        }
        for (support, probability) in self.classes.iter().zip(combined(self.classes.len(), &wins)) {
            all[support.class] = probability;
        }
        all
    }
}

impl ClassSupport {
    /// The sums of weighted kernels with a job, one for each of the other classes.
    fn sums(&self, target: &Row) -> [f64; CLASSES - 1] {
        let mut sums = [[0.0; LANES]; CLASSES - 1];
        for block in &self.blocks {
            let kernels = kernels(&block.rows, target);
            for (sums, weights) in sums.iter_mut().zip(&block.weights) {
                for lane in 0..LANES {
                    sums[lane] += weights[lane] * kernels[lane];
                }
            }
        }
        sums.map(|lanes| lanes.into_iter().map(f64::from).sum())
    }
}

/// Only rows that have a weight in one machine at least.
fn support_blocks(rows: &[Row], weights: &[[f32; CLASSES - 1]]) -> Vec<SupportBlock> {
    let support = rows.iter().zip(weights).filter(|one| one.1.iter().any(|&weight| weight != 0.0));
    let (rows, weights): (Vec<Row>, Vec<[f32; CLASSES - 1]>) = support.unzip();
    let blocks = blocks(&rows).zip(weights.chunks(LANES)).map(|(rows, weights)| {
        let lane = |machine: usize, lane: usize| weights.get(lane).map_or(0.0, |its| its[machine]);
        let weights = std::array::from_fn(|machine| std::array::from_fn(|at| lane(machine, at)));
        SupportBlock { rows, weights }
    });
    blocks.collect()
}

/// The rows of a history, class by class; each begins with a block of its own.
struct Training {
    blocks: Vec<RowBlock>,
    /// The chunks of each class in a row of the matrix, and how many rows it has.
    classes: Vec<(Range<usize>, usize)>,
}

/// A machine as it was trained.
struct TrainedPair {
    pair: ClassPair,
    /// Of the rows of the first and of the second class.
    weights: [Vec<f32>; 2],
}

impl Training {
    fn new<'a>(classes: impl Iterator<Item = &'a [Row]>) -> Training {
        let mut training = Training { blocks: Vec::new(), classes: Vec::new() };
        for rows in classes {
            let from = training.blocks.len();
            training.blocks.extend(blocks(rows));
            training.classes.push((from * CHUNKS..training.blocks.len() * CHUNKS, rows.len()));
        }
        training
    }

    /// The machine of two classes.
    fn machine(&self, gram: &Gram<'_>, classes: (usize, usize)) -> TrainedPair {
        let [first, second] = [classes.0, classes.1].map(|class| self.classes[class].clone());
        let split = first.0.len();
        let counts = [first.1, second.1];
        // Which class, and which of its rows in order of time.
        let member = |(chunk, lane): (usize, usize)| {
            let (class, chunk) = if chunk < split { (0, chunk) } else { (1, chunk - split) };
            (class, chunk * CHUNK + lane)
        };
        let places = |class: usize| {
            let from = class * split;
            (0..counts[class]).map(move |at| (from + at / CHUNK, at % CHUNK))
        };
        // Every fifth job of either class is left out in turn, so that all parts have both classes where there are enough; at
        // last none is.
        let solved = |left_out: Option<usize>| {
            let used = |place| {
                let (class, at) = member(place);
                at < counts[class] && left_out.is_none_or(|part| at % FOLDS != part)
            };
            let mut dual = Dual::new(gram, [first.0.clone(), second.0.clone()], used);
            dual.solve();
            dual
        };
        let parts: Vec<usize> = (0..FOLDS).collect();
        let held_out = parallel::map(&parts, |&part| {
            let left = counts.map(|count| count - (count + FOLDS - 1 - part) / FOLDS);
            let dual = solved(Some(part));
            let offset = dual.offset();
            let decided = (0..2).flat_map(places).filter(|&place| member(place).1 % FOLDS == part);
            let decided = decided.map(|place| {
                let decided = match left {
                    [0, 0] => 0.0,
                    // One class only: what is left says which.
                    [_, 0] => 1.0,
                    [0, _] => -1.0,
                    _ => dual.decision(place, offset),
                };
                (member(place), decided)
            });
            decided.collect::<Vec<_>>()
        });
        let mut decisions = vec![0.0; counts[0] + counts[1]];
        for ((class, at), decided) in held_out.into_iter().flatten() {
            decisions[class * counts[0] + at] = decided;
        }
        let labels: Vec<f64> =
            (0..decisions.len()).map(|at| if at < counts[0] { 1.0 } else { -1.0 }).collect();
        let (slope, intercept) = sigmoid_train(&decisions, &labels);
        let dual = solved(None);
        let weights = [0, 1].map(|class| places(class).map(|place| dual.weight(place) as f32).collect());
        TrainedPair { pair: ClassPair { classes, offset: dual.offset(), slope, intercept }, weights }
    }
}

pub(super) fn nodes(row: &[f64]) -> Vec<SvmNode> {
    (1..).zip(row).map(|(index, &value)| SvmNode { index, value }).collect()
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
    use libsvm_rs::{KernelType, SvmType};
    use rand::RngExt;

    use super::super::scale::FEATURES;
    use super::*;
    use queuecast_core::seed::Seed;

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

    /// Two clouds that overlap, of sizes that fill no block.
    fn clouds(sizes: [usize; 2], seed: u64) -> [Vec<Row>; 2] {
        let mut rng = Seed(seed).stream("clouds");
        let mut row = |shift: f32| std::array::from_fn(|_| shift + 3.0 * (rng.random::<f32>() - 0.5));
        [(sizes[0], 0.4), (sizes[1], -0.4)].map(|(count, shift)| (0..count).map(|_| row(shift)).collect())
    }

    #[test]
    fn decisions_are_those_of_the_library() {
        for (seed, sizes) in [[1, 1], [3, 30], [61, 43], [200, 17], [150, 151]].into_iter().enumerate() {
            let rows = clouds(sizes, seed as u64);
            let training = Training::new(rows.iter().map(|rows| &rows[..]));
            let machine = training.machine(&Gram::new(&training.blocks), (0, 1));
            let all: Vec<Vec<f64>> = rows
                .iter()
                .flatten()
                .map(|row| row.iter().map(|&value| f64::from(value)).collect())
                .collect();
            let labels = (0..all.len()).map(|at| if at < sizes[0] { 1.0 } else { -1.0 }).collect();
            let problem = SvmProblem { labels, instances: all.iter().map(|row| nodes(row)).collect() };
            let parameters = SvmParameter {
                svm_type: SvmType::CSvc,
                kernel_type: KernelType::Rbf,
                c: 1.0,
                gamma: 1.0 / FEATURES as f64,
                ..SvmParameter::default()
            };
            let model = fitted(&problem, &parameters).unwrap();
            let sum: f32 = machine.weights.iter().flatten().sum();
            assert!(sum.abs() < 1e-4 && machine.weights[0].iter().all(|&one| (0.0..=1.0).contains(&one)));
            let supports = [0, 1].map(|class: usize| {
                let weights: Vec<_> = machine.weights[class].iter().map(|&one| [one; CLASSES - 1]).collect();
                ClassSupport { class, blocks: support_blocks(&rows[class], &weights) }
            });
            let mut apart = 0.0_f64;
            for (row, values) in rows.iter().flatten().zip(&all) {
                let mut decided = [0.0];
                predict_values(&model, &nodes(values), &mut decided);
                let own: f64 = supports.iter().map(|support| support.sums(row)[0]).sum();
                apart = apart.max((own - machine.pair.offset - decided[0]).abs());
            }
            // Both stop where the conditions of the optimum are violated by 0.001.
            assert!(apart < 4e-3, "{sizes:?}: {apart}");
        }
        // Control: jobs on the other side are decided otherwise.
        let rows = clouds([61, 43], 2);
        let training = Training::new(rows.iter().map(|rows| &rows[..]));
        let gram = Gram::new(&training.blocks);
        let [one, other] = [(0, 1), (1, 0)].map(|classes| training.machine(&gram, classes));
        assert!((one.pair.offset + other.pair.offset).abs() < 4e-3);
        assert!((one.weights[0][0] + other.weights[1][0]).abs() < 0.1);
    }

    #[test]
    fn rows_without_weight_are_left_out_and_the_rest_keep_theirs() {
        let rows = clouds([2 * LANES + 3, 1], 7)[0].clone();
        let weights: Vec<[f32; CLASSES - 1]> = (0..rows.len())
            .map(|at| if at % 2 == 0 { [at as f32 + 1.0; CLASSES - 1] } else { [0.0; CLASSES - 1] })
            .collect();
        let support = ClassSupport { class: 0, blocks: support_blocks(&rows, &weights) };
        assert_eq!(support.blocks.len(), (rows.len() / 2 + 1).div_ceil(LANES));
        let kernel = |one: &Row, other: &Row| {
            let square: f64 = one.iter().zip(other).map(|(x, y)| f64::from(x - y).powi(2)).sum();
            (-square / FEATURES as f64).exp()
        };
        let expected: f64 =
            rows.iter().zip(&weights).map(|(row, weight)| f64::from(weight[0]) * kernel(row, &rows[1])).sum();
        let found = support.sums(&rows[1]);
        assert!(found.iter().all(|sum| (sum - expected).abs() < 1e-4), "{found:?} {expected}");
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
