//! How near a neighbour has to be.

/// The step of the thresholds.
pub(super) const THRESHOLD: f64 = 0.05;

/// The threshold at or above the distance of the nearest job; `None` where there is none.
pub(super) fn threshold_above(nearest: f64) -> Option<f64> {
    // Rounding may put the distance just below a threshold.
    let steps = (nearest / THRESHOLD).floor().max(1.0);
    let thresholds = [steps, steps + 1.0, steps + 2.0].map(|steps| steps * THRESHOLD);
    thresholds.into_iter().find(|&threshold| nearest.is_finite() && nearest <= threshold)
}
