//! The time limit to ask for.

use serde::Serialize;

use crate::distribution::Distribution;
use crate::units::Seconds;

/// Round limits are whole multiples of the second number up to the first, in seconds.
const ROUND: [(i64, i64); 4] = [(3_600, 300), (3 * 3_600, 600), (12 * 3_600, 1_800), (i64::MAX, 3_600)];

/// The shortest limit with no more than a stated risk of being stopped before the end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LimitAdvice {
    /// Seconds to ask for.
    pub limit: Seconds,
    /// The probability that the job runs into it.
    pub risk: f64,
    /// Whether the risk asked for cannot be kept within the time asked for now: runs beyond it are not known.
    pub is_bounded: bool,
}

/// Rounded up to what people write: 5 min up to an hour, 10 min up to 3 h, 30 min up to 12 h, then hours.
fn rounded_up(seconds: f64) -> Seconds {
    let seconds = seconds.ceil().clamp(1.0, 1e12) as i64;
    let step = ROUND.iter().find(|(upto, _)| seconds <= *upto).map_or(3_600, |one| one.1);
    Seconds(seconds.div_euclid(step) * step + if seconds.rem_euclid(step) > 0 { step } else { 0 })
}

/// The shortest round limit, not above what is asked for now, at which the job is stopped with at most this probability.
pub fn shortest_limit(run: &Distribution, asked: Seconds, risk: f64) -> LimitAdvice {
    let safe = rounded_up(run.quantile(1.0 - risk));
    let limit = safe.min(asked).max(Seconds(1));
    let stopped = stopped_at(run, limit);
    LimitAdvice { limit, risk: stopped, is_bounded: stopped > risk }
}

/// The probability that a job is stopped at this limit: runs that end with the very second of it are.
pub(super) fn stopped_at(run: &Distribution, limit: Seconds) -> f64 {
    run.survival((limit.0 as f64).next_down()).clamp(0.0, 1.0)
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

    #[test]
    fn the_shortest_limit_keeps_the_risk() {
        // One to a hundred minutes, evenly.
        let minutes: Vec<f64> = (1..=100).map(|minute| f64::from(minute) * 60.0).collect();
        let run = Distribution::observed(minutes.into(), 1.0).unwrap();
        let advice = shortest_limit(&run, Seconds(4 * 3600), 0.02);
        assert_eq!((advice.limit, advice.is_bounded), (Seconds(100 * 60), false));
        assert!(advice.risk <= 0.02, "{advice:?}");
        let risky = shortest_limit(&run, Seconds(4 * 3600), 0.5);
        assert_eq!(risky.limit, Seconds(55 * 60), "51 min rounded up");
        // Half of the runs would need more than is asked for.
        let short = shortest_limit(&run, Seconds(50 * 60), 0.02);
        assert_eq!((short.limit, short.is_bounded), (Seconds(50 * 60), true));
        assert!(short.risk > 0.4, "control: {short:?}");
    }
}
