//! The time limit to ask for.

use std::collections::BTreeSet;

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
    /// Whether even the limit asked for now exceeds the accepted risk.
    pub is_bounded: bool,
    /// Of how many past jobs the risk is known; `None` for the limit asked for now.
    pub tried: Option<usize>,
}

/// Rounded up to what people write: 5 min up to an hour, 10 min up to 3 h, 30 min up to 12 h, then hours.
pub(super) fn rounded_up(seconds: f64) -> Seconds {
    let seconds = seconds.ceil().clamp(1.0, 1e12) as i64;
    let step = ROUND.iter().find(|(upto, _)| seconds <= *upto).map_or(3_600, |one| one.1);
    Seconds((seconds + step - 1) / step * step)
}

/// The probability that a job is stopped at this limit: run times are whole seconds, and one that reaches the limit is
/// stopped.
pub(crate) fn stopped_at(run: &Distribution, limit: Seconds) -> f64 {
    run.survival((limit.0 - 1) as f64).clamp(0.0, 1.0)
}

/// Longer limits that are looked at, as multiples of the one asked for.
const LONGER: [f64; 3] = [1.5, 2.0, 4.0];

/// Longer limits to look at where the one asked for is too risky; none where it is not.
pub(crate) fn longer_limits(advice: &LimitAdvice) -> impl Iterator<Item = Seconds> {
    let asked = advice.limit;
    let tried = if advice.is_bounded { LONGER.as_slice() } else { &[] };
    let limits: BTreeSet<Seconds> = tried.iter().map(|times| rounded_up(times * asked.0 as f64)).collect();
    limits.into_iter().filter(move |longer| *longer > asked)
}

/// The run time under a longer limit. As long as it is below the limit asked for it is as predicted there; the jobs that would be
/// stopped run on as `longer`, the prediction for the longer limit, says of jobs that have run up to the shorter one.
pub(crate) fn longer_run(run: &Distribution, asked: Seconds, longer: &Distribution) -> Distribution {
    let stopped = stopped_at(run, asked);
    if stopped <= 0.0 {
        return run.clone();
    }
    let beyond = longer.given(asked.0 as f64);
    let places = 199;
    let knots: Vec<(f64, f64)> = (1..=places)
        .map(|place| f64::from(place) / f64::from(places + 1))
        .map(|level| match level < 1.0 - stopped {
            true => (level, run.quantile(level)),
            false => (level, beyond.quantile((level - (1.0 - stopped)) / stopped)),
        })
        .collect();
    Distribution::quantiles(&knots).unwrap_or_else(|| run.clone())
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
    fn jobs_that_would_be_stopped_run_on() {
        // A third of the jobs would be stopped at an hour; of a longer limit only half of what is predicted is beyond an hour.
        let run = Distribution::quantiles(&[(0.0, 60.0), (0.66, 3_000.0), (0.67, 3_600.0), (1.0, 3_600.0)])
            .unwrap();
        let asked = Seconds(3_600);
        let advice = |is_bounded| LimitAdvice { limit: asked, risk: 0.33, is_bounded, tried: None };
        let limits: Vec<Seconds> = longer_limits(&advice(true)).collect();
        assert_eq!(limits, [5_400, 7_200, 14_400].map(Seconds));
        let mut before = stopped_at(&run, asked);
        assert!(before > 0.3);
        for limit in limits {
            let end = limit.0 as f64;
            let longer =
                Distribution::quantiles(&[(0.0, 60.0), (0.5, 3_600.0), (0.9, end), (1.0, end)]).unwrap();
            let run = longer_run(&run, asked, &longer);
            let risk = stopped_at(&run, limit);
            assert!(risk <= before && risk < 0.1, "{limit:?}: {risk}, before {before}");
            assert!((run.quantile(0.3) - 1_390.0).abs() < 30.0, "short runs stay: {}", run.quantile(0.3));
            before = risk;
        }
        // Rounded to what people write, two may be the same, or that which was asked for.
        let of = |asked: i64| {
            let advice = LimitAdvice { limit: Seconds(asked), risk: 0.33, is_bounded: true, tried: None };
            longer_limits(&advice).map(|limit| limit.0).collect::<Vec<_>>()
        };
        assert_eq!((of(60), of(300)), (vec![300], vec![600, 1_200]));
        // Control: a limit that is safe needs no longer one.
        assert_eq!(longer_limits(&advice(false)).count(), 0);
    }
}
