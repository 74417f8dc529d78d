//! Waits in bins, and a distribution by their probabilities.

use queuecast_core::order;
use serde::{Deserialize, Serialize};

use queuecast_core::distribution::Distribution;

/// How many bins.
pub(super) const BINS: usize = 9;

/// The longest wait of each bin but the last, in seconds: 1 and 10 min, 1, 3, 6, 12, 24 and 48 h. The ends of all classes of
/// waits are among them.
const ENDS: [f64; BINS - 1] = [60.0, 600.0, 3_600.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0];

/// Points of the quantile function within a bin, at most.
const POINTS: usize = 12;

/// Probabilities up to this count as zero.
const NONE: f64 = 1e-6;

/// The bin of a wait.
pub(super) fn bin_of(wait: f64) -> usize {
    ENDS.iter().map(|&end| usize::from(end < wait)).sum()
}

/// The waits of a history by bin: how waits are spread within each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WaitBins {
    /// Ascending waits at equally likely places within each bin.
    points: [Vec<f64>; BINS],
}

impl WaitBins {
    pub fn of(waits: impl Iterator<Item = f64>) -> WaitBins {
        let mut each: [Vec<f64>; BINS] = Default::default();
        waits.for_each(|wait| each[bin_of(wait)].push(wait));
        let mut bin = 0;
        let points = each.map(|mut waits| {
            let from = if bin == 0 { 0.0 } else { ENDS[bin - 1] };
            let to = ENDS.get(bin).copied().unwrap_or(2.0 * from);
            bin += 1;
            order::sort_floats(&mut waits);
            let count = POINTS.min(waits.len());
            let spread = |place: usize| waits[(2 * place + 1) * waits.len() / (2 * count)];
            if count == 0 { vec![(from + to) / 2.0] } else { (0..count).map(spread).collect() }
        });
        WaitBins { points }
    }

    /// The distribution with these probabilities of the bins.
    pub fn distribution(&self, probabilities: &[f64]) -> Distribution {
        let mut knots: Vec<(f64, f64)> = Vec::with_capacity(BINS * POINTS);
        let sum: f64 = probabilities.iter().filter(|&&one| one > NONE).sum();
        let mut below = 0.0;
        for (points, &probability) in self.points.iter().zip(probabilities) {
            if probability <= NONE || sum <= 0.0 {
                continue;
            }
            let share = probability / sum;
            let count = points.len() as f64;
            for (place, &wait) in points.iter().enumerate() {
                knots.push((below + share * (place as f64 + 0.5) / count, wait));
            }
            below += share;
        }
        knots.dedup_by(|later, earlier| later.0 <= earlier.0);
        Distribution::quantiles(&knots).unwrap_or_else(|| Distribution::point(0.0))
    }
}
