//! Waits with weights.

use super::predictor::WaitForecast;
use queuecast_core::distribution::Distribution;

/// The weighted mean as the point, weighted quantiles as the distribution: each wait stands for the middle of its share. Pairs
/// are (weight, wait), in ascending order of waits; nothing is known of none.
pub(super) fn forecast(weighted: &[(f64, f64)]) -> WaitForecast {
    let all: f64 = weighted.iter().map(|one| one.0).sum();
    let point = weighted.iter().map(|(weight, wait)| weight * wait).sum::<f64>() / all;
    let unit = 1.0 / all;
    let mut knots: Vec<(f64, f64)> = Vec::with_capacity(weighted.len());
    // How many of the last knots have the same wait.
    let (mut upto, mut same) = (0.0, 0);
    for &(weight, wait) in weighted {
        let own = weight * unit;
        let middle = (upto + own / 2.0).clamp(0.0, 1.0);
        upto += own;
        let Some(last) = knots.last_mut() else {
            (same, knots) = (1, vec![(middle, wait)]);
            continue;
        };
        if middle <= last.0 {
            continue;
        }
        same = if last.1 == wait { same + 1 } else { 1 };
        // Of equal waits the first and the last knot say it all.
        if same > 2 {
            last.0 = middle;
        } else {
            knots.push((middle, wait));
        }
    }
    match Distribution::quantiles(&knots) {
        Some(wait) => WaitForecast::new(point, wait),
        None => WaitForecast::nothing_known(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every wait as a knot of its own.
        #[test]
        fn equal_waits_are_the_same_in_two_knots(
            weighted in prop::collection::vec((0.01..10.0_f64, 0..6_i64), 1..40),
            share in 0.0..=1.0_f64,
        ) {
            let mut weighted: Vec<(f64, f64)> = weighted.iter().map(|one| (one.0, one.1 as f64)).collect();
            weighted.sort_by(|one, other| one.1.total_cmp(&other.1));
            let all: f64 = weighted.iter().map(|one| one.0).sum();
            let mut upto = 0.0;
            let each = weighted.iter().map(|(weight, wait)| {
                upto += weight / all;
                (upto - weight / all / 2.0, *wait)
            });
            let slow = Distribution::quantiles(&each.collect::<Vec<_>>()).unwrap();
            let found = forecast(&weighted);
            prop_assert!((found.wait.quantile(share) - slow.quantile(share)).abs() < 1e-6);
            prop_assert!((found.point - weighted.iter().map(|one| one.0 * one.1).sum::<f64>() / all).abs() < 1e-9);
        }
    }
}
