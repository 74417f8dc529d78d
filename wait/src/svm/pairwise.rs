//! Probabilities of several classes from those of each pair (Wu, Lin & Weng 2004, second approach).

use super::super::class::CLASSES;

/// The most rounds.
const ROUNDS: usize = 100;

/// The probabilities of the first `count` classes; `wins[s][t]` is that of class s if it is s or t, and neither 0 nor 1.
///
/// # Formula
/// Minimises `Σₛ Σₜ≠ₛ (rₜₛpₛ − rₛₜpₜ)²` with `Σ pₛ = 1`: the fixed point of their algorithm 2, to 0.005 / count as in LIBSVM.
pub(super) fn combined(count: usize, wins: &[[f64; CLASSES]; CLASSES]) -> [f64; CLASSES] {
    let mut matrix = [[0.0; CLASSES]; CLASSES];
    for (one, line) in matrix.iter_mut().enumerate().take(count) {
        for other in (0..count).filter(|&other| other != one) {
            line[one] += wins[other][one] * wins[other][one];
            line[other] = -wins[other][one] * wins[one][other];
        }
    }
    let enough = 0.005 / count as f64;
    let mut found = [0.0; CLASSES];
    found[..count].fill(1.0 / count as f64);
    for _ in 0..ROUNDS {
        let mut product: [f64; CLASSES] =
            std::array::from_fn(|one| matrix[one].iter().zip(&found).map(|(value, p)| value * p).sum());
        let mut square: f64 = found.iter().zip(&product).map(|(p, value)| p * value).sum();
        if product[..count].iter().all(|value| (value - square).abs() < enough) {
            break;
        }
        for one in 0..count {
            let own = matrix[one][one];
            let change = (square - product[one]) / own;
            let shrink = 1.0 / (1.0 + change);
            found[one] += change;
            square = (square + change * (change * own + 2.0 * product[one])) * shrink * shrink;
            for other in 0..CLASSES {
                product[other] = (product[other] + change * matrix[one][other]) * shrink;
                found[other] *= shrink;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use libsvm_rs::probability::multiclass_probability;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_those_of_the_library(values in prop::collection::vec(1e-7..1.0 - 1e-7, 15), count in 2..=CLASSES) {
            let mut wins = [[0.0; CLASSES]; CLASSES];
            let mut values = values.into_iter();
            let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
            for (one, other) in pairs {
                let won = values.next().unwrap_or(0.5);
                (wins[one][other], wins[other][one]) = (won, 1.0 - won);
            }
            let found = combined(count, &wins);
            let lines: Vec<Vec<f64>> = wins.iter().map(|line| line[..count].to_vec()).collect();
            let mut expected = vec![0.0; count];
            multiclass_probability(count, &lines, &mut expected);
            for (one, other) in found.iter().zip(&expected) {
                prop_assert!((one - other).abs() < 1e-9, "{:?} {:?}", found, expected);
            }
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(found[count..].iter().all(|&p| p == 0.0));
        }
    }

    #[test]
    fn the_class_that_wins_is_the_most_probable() {
        let mut wins = [[0.5; CLASSES]; CLASSES];
        (0..CLASSES).for_each(|other| (wins[3][other], wins[other][3]) = (0.9, 0.1));
        let found = combined(CLASSES, &wins);
        assert!((0..CLASSES).all(|class| class == 3 || found[class] < found[3]), "{found:?}");
        // Control: where none wins all are as probable.
        let even = combined(CLASSES, &[[0.5; CLASSES]; CLASSES]);
        assert!(even.iter().all(|p| (p - 1.0 / CLASSES as f64).abs() < 1e-12), "{even:?}");
    }
}
