//! Forecasts of starts moved by how late jobs were, those included that still wait.

use queuecast_core::distribution::{CORRECTED_LEVELS as LEVELS, Distribution, LevelQuantiles};

/// How many of the last forecasts count.
const WINDOW: usize = 200;

/// With fewer nothing is moved.
const FEWEST: usize = 20;

/// How late jobs were against their forecasts. A job that still waits is at least as late as it is by now: leaving it out would
/// let starts look sooner than they are while a queue grows.
#[derive(Debug, Clone, Default)]
pub(super) struct LateStarts {
    known: Vec<(LevelQuantiles, LateWait)>,
}

/// How long a job waited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LateWait {
    /// It started after this many seconds.
    Started(f64),
    /// It has waited this many seconds and has not started (censored).
    Longer(f64),
}

impl LateStarts {
    /// How late jobs were against their forecasts, the last one first; those beyond the window do not count and are not asked
    /// for.
    pub fn of(outcomes: impl Iterator<Item = (LevelQuantiles, LateWait)>) -> LateStarts {
        LateStarts { known: outcomes.take(WINDOW).collect() }
    }

    /// A forecast with each quantile moved by the same quantile of how late jobs were against it.
    pub fn moved(&self, forecast: &Distribution) -> Distribution {
        if self.known.len() < FEWEST {
            return forecast.clone();
        }
        let mut longest = 0.0_f64;
        let knots: Vec<(f64, f64)> = LEVELS
            .iter()
            .enumerate()
            .map(|(place, &level)| {
                let late = self.known.iter().map(|(quantiles, wait)| match *wait {
                    LateWait::Started(wait) => (wait - quantiles[place], true),
                    LateWait::Longer(wait) => (wait - quantiles[place], false),
                });
                longest = longest.max(forecast.quantile(level) + censored_quantile(late.collect(), level));
                (level, longest)
            })
            .collect();
        Distribution::quantiles(&knots).unwrap_or_else(|| forecast.clone())
    }
}

/// A quantile of values of which some are known to be greater only, by the product-limit estimate (Kaplan & Meier 1958); the
/// largest value where it is not reached.
fn censored_quantile(mut values: Vec<(f64, bool)>, level: f64) -> f64 {
    values.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    let mut above = 1.0;
    for (place, &(value, is_known)) in values.iter().enumerate() {
        if is_known {
            above *= 1.0 - 1.0 / (values.len() - place) as f64;
            if above <= 1.0 - level + 1e-12 {
                return value;
            }
        }
    }
    values.last().map_or(0.0, |last| last.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Conformal;

    #[test]
    fn what_still_waits_counts_as_late_at_least() {
        let values: Vec<(f64, bool)> = (1..=9).map(|value| (f64::from(value), true)).collect();
        assert_eq!(censored_quantile(values.clone(), 0.5), 5.0);
        // The first four are known to be greater only: of those above, half are above 7.
        let cut: Vec<(f64, bool)> = values.iter().map(|&(value, _)| (value, value > 4.0)).collect();
        assert_eq!(censored_quantile(cut, 0.5), 7.0);
        assert_eq!(censored_quantile(vec![(3.0, false), (8.0, false)], 0.5), 8.0, "none is known");
    }

    #[test]
    fn forecasts_that_are_too_early_are_moved() {
        let forecast = Distribution::interval(10.0, 20.0, 30.0, 0.8);
        let quantiles = Conformal::quantiles(&forecast);
        let longer = || std::iter::repeat_n((quantiles, LateWait::Longer(120.0)), 19);
        assert_eq!(LateStarts::of(longer()).moved(&forecast), forecast, "too few");
        let last = std::iter::once((quantiles, LateWait::Started(130.0)));
        let moved = LateStarts::of(last.chain(longer())).moved(&forecast);
        assert!((moved.quantile(0.5) - 130.0).abs() < 1.0, "{moved:?}");
        // Control: waits as they were forecast move nothing by much.
        let right = (0..200).map(|step| {
            let level = (f64::from(step) + 0.5) / 200.0;
            (quantiles, LateWait::Started(forecast.quantile(level)))
        });
        // What was before the last 200 does not count.
        let same = LateStarts::of(right.chain(longer())).moved(&forecast);
        for level in [0.1, 0.5, 0.9] {
            assert!((same.quantile(level) - forecast.quantile(level)).abs() < 1.0, "{level}");
        }
    }
}
