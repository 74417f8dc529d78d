//! Waits with weights.

use super::predictor::WaitForecast;
use crate::distribution::Distribution;

/// The weighted mean as the point, weighted quantiles as the distribution: each wait stands for the middle of its share. Pairs are (weight, wait), in ascending order of waits; nothing is known
/// of none.
pub(super) fn forecast(weighted: &[(f64, f64)]) -> WaitForecast {
    let all: f64 = weighted.iter().map(|one| one.0).sum();
    let point = weighted.iter().map(|(weight, wait)| weight * wait).sum::<f64>() / all;
    let mut upto = 0.0;
    let knots = weighted.iter().map(|(weight, wait)| {
        upto += weight / all;
        ((upto - weight / all / 2.0).clamp(0.0, 1.0), *wait)
    });
    let mut knots: Vec<(f64, f64)> = knots.collect();
    knots.dedup_by(|one, before| one.0 <= before.0);
    match Distribution::quantiles(&knots) {
        Some(wait) => WaitForecast { point, wait },
        None => WaitForecast::nothing_known(),
    }
}
