//! The time limit to ask for.

use serde::Serialize;

use queuecast_core::distribution::Distribution;
use queuecast_core::units::Seconds;

/// Round limits are whole multiples of the second number up to the first, in seconds.
const ROUND: [(i64, i64); 4] = [(3_600, 300), (3 * 3_600, 600), (12 * 3_600, 1_800), (i64::MAX, 3_600)];

/// A time limit to ask for, and the risk of being stopped at it before the end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LimitAdvice {
    /// Seconds to ask for.
    pub limit: Seconds,
    /// The share of past jobs that would have been stopped at limits chosen in this way; for the limit asked for now, the
    /// predicted probability.
    pub risk: f64,
    /// Whether even the limit asked for now exceeds the accepted risk; run times beyond it cannot be predicted.
    pub is_bounded: bool,
    /// Of how many past jobs the risk is known; `None` for the limit asked for now.
    pub tried: Option<usize>,
}

/// Rounded up to what people write: 5 min up to an hour, 10 min up to 3 h, 30 min up to 12 h, then hours.
pub(super) fn rounded_up(seconds: f64) -> Seconds {
    let seconds = seconds.ceil().clamp(1.0, 1e12) as i64;
    let step = ROUND.iter().find(|(upto, _)| seconds <= *upto).map_or(3_600, |one| one.1);
    Seconds(seconds.div_euclid(step) * step + if seconds.rem_euclid(step) > 0 { step } else { 0 })
}

/// The probability that a job is stopped at this limit: run times are whole seconds, and one that reaches the limit is
/// stopped.
pub(super) fn stopped_at(run: &Distribution, limit: Seconds) -> f64 {
    run.survival((limit.0 - 1) as f64).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_to_what_people_write() {
        let rounded =
            [61.0, 300.0, 3_601.0, 10_801.0, 43_201.0, 90_001.0].map(|seconds| rounded_up(seconds).0);
        assert_eq!(rounded, [300, 300, 4_200, 12_600, 46_800, 93_600]);
    }
}
