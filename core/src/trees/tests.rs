//! Trees worked by hand, and tables from which nothing can be learned.

use super::*;

fn table(rows: &[&[f32]]) -> Examples {
    let mut examples = Examples::new(rows[0].len());
    rows.iter().for_each(|row| examples.push(row));
    examples
}

/// One tree of two leaves.
fn stump() -> Boosting {
    Boosting {
        rounds: 1,
        leaves: 2,
        learning_rate: 0.1,
        least_rows: 1,
        l2: 1.0,
        bins: 255,
        ..Boosting::default()
    }
}

fn near(found: &[f64], wanted: &[f64]) {
    let same = found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(same, "{found:?} is not {wanted:?}");
}

#[test]
fn one_split_of_two_classes() {
    let examples = table(&[&[1.0, 7.0], &[2.0, 7.0], &[3.0, 7.0], &[4.0, 7.0]]);
    let trees = stump().classes(&examples, &[0, 0, 1, 1], 2);
    // Both classes have a probability of 1/2: slopes of ∓1/2 and, with two classes, curvatures of 2 · 1/4. Each side has a
    // slope of ∓1 and a curvature of 1: a value of ±1 / (1 + 1), of which a tenth is added. The other class has the
    // opposite, so the odds are e^0.1.
    let likely = 1.0 / (1.0 + (-0.1_f64).exp());
    near(&trees.probabilities(&[2.0, 7.0]), &[likely, 1.0 - likely]);
    near(&trees.probabilities(&[2.5, 7.0]), &[likely, 1.0 - likely]);
    near(&trees.probabilities(&[2.6, 0.0]), &[1.0 - likely, likely]);
    near(&trees.importance(), &[1.0, 0.0]);
}

#[test]
fn leaves_have_enough_rows() {
    let examples = table(&[&[1.0], &[2.0], &[3.0], &[4.0], &[5.0]]);
    let labels = [0, 1, 1, 1, 1];
    let fit = |least_rows| Boosting { least_rows, ..stump() }.classes(&examples, &labels, 2);
    let lowest = |trees: &ClassTrees, row: f32| trees.probabilities(&[row])[0];
    // With leaves of one row the first is alone; with two it is not.
    assert!(lowest(&fit(1), 1.0) > lowest(&fit(1), 2.0));
    assert_eq!(lowest(&fit(2), 1.0), lowest(&fit(2), 2.0));
    assert!(lowest(&fit(2), 2.0) > lowest(&fit(2), 3.0));
    // With three none can be split; what is left is the share, with half an example more of each class.
    near(&fit(3).probabilities(&[1.0]), &[1.5 / 6.0, 4.5 / 6.0]);
    assert_eq!(fit(3).importance(), [0.0]);
}

#[test]
fn missing_values_go_to_the_better_side() {
    for like in [1.0_f32, 4.0] {
        let label = u8::from(like > 2.0);
        let examples = table(&[&[1.0], &[2.0], &[3.0], &[4.0], &[f32::NAN], &[f32::NAN]]);
        let trees = stump().classes(&examples, &[0, 0, 1, 1, label, label], 2);
        assert_eq!(trees.probabilities(&[f32::NAN]), trees.probabilities(&[like]));
        assert_ne!(trees.probabilities(&[1.0]), trees.probabilities(&[4.0]));
    }
    // Where none were missing: to the side with more rows.
    let trees = stump().classes(&table(&[&[1.0], &[2.0], &[3.0]]), &[0, 1, 1], 2);
    assert_eq!(trees.probabilities(&[f32::NAN]), trees.probabilities(&[3.0]));
    assert_eq!(trees.probabilities(&[]), trees.probabilities(&[3.0]));
}

#[test]
fn one_split_for_a_median() {
    let examples = table(&[&[1.0], &[2.0], &[3.0], &[4.0]]);
    let trees = stump().quantiles(&examples, &[0.0, 0.0, 10.0, 20.0], &[0.5]);
    // The median of all is 0; on the right the rest is 10 and 20, its median 10, of which a tenth is added.
    near(&trees.quantiles(&[2.0]), &[0.0]);
    near(&trees.quantiles(&[3.0]), &[1.0]);
    let all = Boosting { rounds: 300, ..stump() }.quantiles(&examples, &[0.0, 0.0, 10.0, 20.0], &[0.5]);
    near(&all.quantiles(&[3.0]), &[10.0]);
}

#[test]
fn weights_count_as_repeated_examples() {
    let boosting = Boosting { rounds: 5, leaves: 4, l2: 0.0, ..stump() };
    let rows: [&[f32]; 5] = [&[1.0], &[2.0], &[3.0], &[4.0], &[5.0]];
    let repeated = table(&[rows[0], rows[0], rows[1], rows[2], rows[2], rows[3], rows[4], rows[4]]);
    let once = table(&rows);
    let weights = [2.0, 1.0, 2.0, 1.0, 2.0];
    let whole = boosting.quantiles(&repeated, &[1.0, 1.0, 5.0, 2.0, 2.0, 8.0, 9.0, 9.0], &[0.5, 0.9]);
    let weighted = boosting.quantiles_weighted(&once, &[1.0, 5.0, 2.0, 8.0, 9.0], &weights, &[0.5, 0.9]);
    assert_eq!(whole.quantiles(&[3.0]), weighted.quantiles(&[3.0]));
    // A weight of zero is no example; neither are weights that are no numbers.
    let labels = [0, 1, 0, 1, 1];
    let without = boosting.classes_weighted(&once, &labels, &[1.0, 0.0, 1.0, 1.0, 1.0], 2);
    let nonsense = boosting.classes_weighted(&once, &labels, &[1.0, -3.0, 1.0, 1.0, 1.0], 2);
    assert_eq!(without, nonsense);
    assert_ne!(without, boosting.classes(&once, &labels, 2));
}

#[test]
fn nothing_to_learn_from() {
    let boosting = Boosting::default();
    let none = Examples::new(3);
    near(&boosting.classes(&none, &[], 4).probabilities(&[1.0, 2.0, 3.0]), &[0.25; 4]);
    assert_eq!(boosting.quantiles(&none, &[], &[0.1, 0.9]).quantiles(&[1.0, 2.0, 3.0]), [0.0, 0.0]);
    assert_eq!(boosting.quantiles(&none, &[], &[]).quantiles(&[]), Vec::<f64>::new());
    // Features that never differ, one class only, targets of one value.
    let same = table(&[&[5.0, f32::NAN, f32::INFINITY][..]; 50]);
    let trees = boosting.classes(&same, &[2; 50], 3);
    near(&trees.probabilities(&[5.0, 0.0, 0.0]), &[0.5 / 51.5, 0.5 / 51.5, 50.5 / 51.5]);
    near(&boosting.quantiles(&same, &[7.0; 50], &[0.1, 0.9]).quantiles(&[5.0]), &[7.0, 7.0]);
    // Targets that are not finite are left out.
    let mut targets = [1.0; 50];
    targets[..20].fill(f32::NAN);
    targets[20] = f32::INFINITY;
    near(&boosting.quantiles(&same, &targets, &[0.01, 0.99]).quantiles(&[5.0]), &[1.0, 1.0]);
    // No features at all.
    let empty = table(&[&[][..]; 30]);
    near(&boosting.classes(&empty, &[0; 30], 1).probabilities(&[]), &[1.0]);
}

#[test]
fn settings_that_make_no_sense_do_no_harm() {
    let examples = table(&[&[1.0], &[2.0], &[3.0], &[4.0]]);
    for odd in [
        Boosting { rounds: 0, ..stump() },
        Boosting { leaves: 0, ..stump() },
        Boosting { bins: 0, ..stump() },
        Boosting { bins: 10_000, ..stump() },
        Boosting { l2: -1.0, least_rows: 0, ..stump() },
        Boosting { l2: 0.0, learning_rate: 1e9, rounds: 50, ..stump() },
    ] {
        let found = odd.classes(&examples, &[0, 0, 1, 1], 2).probabilities(&[1.0]);
        near(&[found.iter().sum()], &[1.0]);
        assert!(found.iter().all(|one| one.is_finite()), "{odd:?}: {found:?}");
        odd.quantiles(&examples, &[1.0, 2.0, 3.0, 4.0], &[-1.0, f64::NAN, 2.0]).quantiles(&[1.0]);
    }
}

#[test]
fn after_screening_only_useful_features_divide() {
    // The label is told by the third feature and by the others, alike; the first of these is taken.
    let rows: Vec<[f32; 3]> =
        (0..200_u16).map(|n| [f32::from(n % 40 / 10), f32::from(n % 40), f32::from(n % 7)]).collect();
    let examples = table(&rows.iter().map(|row| &row[..]).collect::<Vec<&[f32]>>());
    let labels: Vec<u8> = (0..200_u16).map(|n| u8::from(n % 40 >= 20) + u8::from(n % 7 >= 5)).collect();
    let fit = |screening, features| {
        let boosting = Boosting { rounds: 20, leaves: 4, screening, features, ..stump() };
        boosting.classes(&examples, &labels, 3)
    };
    let all = fit(usize::MAX, 1);
    assert!(all.importance().iter().filter(|share| **share > 0.0).count() > 1, "{:?}", all.importance());
    // With all features the screened table gives the same trees.
    assert_eq!(fit(5, 3), all);
    let one = fit(1, 1);
    assert_ne!(one, all);
    // The first round has splits of both, all others of the third only.
    assert!(one.importance()[2] > all.importance()[2], "{:?} {:?}", one.importance(), all.importance());
    assert!(one.importance()[0] > 0.0);
}

#[test]
fn examples_that_are_foreseen_are_sampled_without_bias() {
    let rows: Vec<[f32; 2]> = (0..4_000_u32).map(|n| [(n * 37 % 100) as f32, (n * 91 % 17) as f32]).collect();
    let examples = table(&rows.iter().map(|row| &row[..]).collect::<Vec<&[f32]>>());
    // One in ten by chance, and the more the higher the first feature is.
    let labels: Vec<u8> = (0..4_000_u32)
        .map(|n| u8::from(n.wrapping_mul(0x9e37_79b9) >> 22 < 20 + 3 * (n * 37 % 100)))
        .collect();
    let fit = |slight| {
        let boosting = Boosting { rounds: 30, leaves: 4, least_rows: 50, slight, ..Boosting::default() };
        boosting.classes(&examples, &labels, 2)
    };
    let (all, sampled) = (fit(0.0), fit(0.2));
    assert_ne!(all, sampled, "a control");
    assert_eq!(sampled, fit(0.2), "the same each time");
    for row in [[5.0, 3.0], [50.0, 16.0], [95.0, 0.0]] {
        let [all, sampled] = [&all, &sampled].map(|trees| trees.probabilities(&row)[1]);
        assert!((all - sampled).abs() < 0.05, "{row:?}: {all} and {sampled}");
    }
}
