//! Distributions made of classes of waits, each with a probability.

use queuecast_core::distribution::Distribution;

/// Knots (share of the class, wait) of the waits in a class, its ends included.
pub(super) type ClassShape = Vec<(f64, f64)>;

/// Shares of a class at which its quantiles are taken.
const SHARES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// A class less probable than this is left out of the distribution.
const LEAST: f64 = 1e-9;

/// The waits of a class, in ascending order, with these ends. Where there are none, linear from its beginning to its end.
pub(super) fn shape(waits: &[f64], from: f64, to: f64) -> ClassShape {
    let at =
        |share: f64| waits.get(((share * waits.len() as f64) as usize).min(waits.len().saturating_sub(1)));
    let inner = SHARES.into_iter().filter_map(|share| at(share).map(|&wait| (share, wait)));
    let first = waits.first().copied().unwrap_or(from);
    [(0.0, first)].into_iter().chain(inner).chain([(1.0, to)]).collect()
}

/// A distribution with these probabilities of classes in ascending order, which sum to one.
pub(super) fn distribution(probabilities: &[f64], within: &[ClassShape]) -> Option<Distribution> {
    let mut knots: Vec<(f64, f64)> = Vec::with_capacity(within.len() * (SHARES.len() + 2));
    let mut below = 0.0;
    for (&own, shape) in probabilities.iter().zip(within) {
        if own < LEAST {
            continue;
        }
        for &(share, wait) in shape {
            // A class begins just above the end of the one before.
            let share = below + own * if share == 0.0 && below > 0.0 { 1e-9 } else { share };
            let share = share.min(1.0);
            if knots.last().is_none_or(|last| last.0 < share && last.1 <= wait) {
                knots.push((share, wait));
            }
        }
        below += own;
    }
    Distribution::quantiles(&knots)
}
