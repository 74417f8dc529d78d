//! The number of distinct estimates (section 6).

use serde::{Deserialize, Serialize};

use super::range::{self, finite};
use crate::characterization::Growth;
use crate::synth::SynthError;

/// How *K*, the number of distinct estimates, is determined.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueCount {
    /// From the number of jobs, linear between the points of Table 3 and beyond its last point.
    #[default]
    Linear,
    /// From the number of jobs, `alpha · N ^ beta`; the paper's are 1.1 and 0.5.
    Power {
        /// The factor, above 0.
        alpha: f64,
        /// The exponent.
        beta: f64,
    },
    /// A given number: at most one per job, and one per minute up to the longest.
    Exactly(u64),
}

impl ValueCount {
    /// The power law with the coefficients of Figure 7.
    pub const POWER: ValueCount = ValueCount::Power { alpha: 1.1, beta: 0.5 };

    /// The number of values: at least `least`, which are supplied, and at most the number of jobs and of minutes. A given
    /// number outside that range is an error.
    pub(super) fn values(self, jobs: u64, minutes: u64, least: u64) -> Result<usize, SynthError> {
        let most = jobs.min(minutes);
        let wanted = match self {
            ValueCount::Linear => Growth::expected(jobs),
            ValueCount::Power { alpha, beta } => {
                range::within("values.alpha", alpha, f64::MIN_POSITIVE, f64::MAX, "above 0")?;
                finite("values.beta", beta)?;
                alpha * (jobs as f64).powf(beta)
            }
            ValueCount::Exactly(values) => {
                let expected = format!(
                    "from {least} (the modes supplied) to {most} (the jobs, or the minutes there are)"
                );
                range::within("values", values, least, most, &expected)?;
                values as f64
            }
        };
        Ok((wanted.round() as u64).min(most).max(least) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(values: ValueCount, jobs: u64) -> usize {
        values.values(jobs, 1_000_000, 1).unwrap()
    }

    #[test]
    fn the_linear_count_goes_through_table_3_and_on_with_its_last_slope() {
        for (jobs, values) in &Growth::TABLE_3[1..] {
            assert_eq!(count(ValueCount::Linear, *jobs), *values as usize);
        }
        assert_eq!(count(ValueCount::Linear, 110), 15);
        assert_eq!(count(ValueCount::Linear, 40_000), 215);
        assert_eq!(count(ValueCount::Linear, 1_050_000), 1565);
        assert_eq!(
            (1..10).map(|jobs| count(ValueCount::Linear, jobs)).collect::<Vec<_>>(),
            [1, 1, 2, 2, 3, 3, 4, 4, 5]
        );
    }

    #[test]
    fn the_slopes_are_those_the_table_prints() {
        let slopes = Growth::TABLE_3
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].0) as f64 / (pair[1].1 - pair[0].1) as f64);
        assert_eq!(slopes.map(|slope| slope.round() as u32).collect::<Vec<_>>(), [2, 18, 53, 164, 240, 800]);
    }

    #[test]
    fn the_power_law_is_that_of_figure_7() {
        assert_eq!(count(ValueCount::POWER, 10_000), 110);
        assert_eq!(count(ValueCount::POWER, 1), 1);
    }

    #[test]
    fn there_are_no_more_values_than_jobs_or_minutes_and_no_fewer_than_known() {
        assert_eq!(ValueCount::Linear.values(70_000, 240, 1), Ok(240));
        assert_eq!(ValueCount::Power { alpha: 100.0, beta: 1.0 }.values(50, 240, 1), Ok(50));
        assert_eq!(ValueCount::Linear.values(10, 240, 7), Ok(7));
    }

    #[test]
    fn what_was_asked_for_is_given_or_refused() {
        assert_eq!(ValueCount::Exactly(33).values(70_000, 240, 1), Ok(33));
        for (wrong, jobs) in [(0, 100), (101, 100), (241, 1000)] {
            let error = ValueCount::Exactly(wrong).values(jobs, 240, 1).unwrap_err().to_string();
            assert!(error.starts_with(&format!("values = {wrong}: must be from 1 ")), "{error}");
        }
        assert!(ValueCount::Power { alpha: f64::NAN, beta: 0.5 }.values(9, 9, 1).is_err());
        assert!(ValueCount::Power { alpha: 1.0, beta: f64::NAN }.values(9, 9, 1).is_err());
    }
}
