//! What to believe of a job that outlived its prediction. Independent of who predicted it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spec::SpecError;
use crate::units::Seconds;

const HOUR: i64 = 3600;

/// 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours (Tsafrir, Etsion & Feitelson 2007).
const INCREMENTS: [i64; 11] =
    [60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR];

/// The rule that replaces an outlived prediction.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Correction {
    /// To the requested time at once; once that is outlived too (limits not enforced), by increments over it.
    Requested,
    /// To the first prediction plus the next increment, never past a requested time not yet outlived; to
    /// that requested time after the last increment.
    #[default]
    Increments,
    /// To this multiple (above 1) of the prediction, never past a requested time not yet outlived.
    Factor(f64),
}

impl Correction {
    /// The prediction that replaces `outlived`, always longer than it.
    ///
    /// `first` is what was predicted at arrival, `limit` the requested time where there is one.
    pub fn corrected(self, first: Seconds, outlived: Seconds, limit: Option<Seconds>) -> Seconds {
        let ahead = limit.filter(|&limit| limit > outlived);
        let raised = match (self, ahead) {
            (Correction::Requested, Some(limit)) => return limit,
            (Correction::Requested, None) => next_increment(limit.unwrap_or(first), outlived),
            (Correction::Increments, Some(limit)) if (outlived - first).0 >= INCREMENTS[10] => limit,
            (Correction::Increments, _) => next_increment(first, outlived),
            (Correction::Factor(factor), _) => outlived.scaled(factor).max(outlived + Seconds(1)),
        };
        ahead.map_or(raised, |limit| raised.min(limit))
    }
}

/// `base` plus the first increment that leads past `outlived`; after the last, by 100 hours each time.
fn next_increment(base: Seconds, outlived: Seconds) -> Seconds {
    let past = (outlived - base).0;
    let step = INCREMENTS.iter().copied().find(|&step| step > past);
    base + Seconds(step.unwrap_or_else(|| (past / (100 * HOUR) + 1) * 100 * HOUR))
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Correction::Requested => write!(f, "requested"),
            Correction::Increments => write!(f, "increments"),
            Correction::Factor(factor) => write!(f, "factor:{factor}"),
        }
    }
}

impl FromStr for Correction {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Correction, SpecError> {
        match text.split_once(':') {
            None if text == "requested" => Ok(Correction::Requested),
            None if text == "increments" => Ok(Correction::Increments),
            Some(("factor", factor)) => match factor.parse::<f64>() {
                Ok(factor) if factor > 1.0 && factor.is_finite() => Ok(Correction::Factor(factor)),
                _ => Err(SpecError::value(
                    "correction",
                    text,
                    "the factor must be a number above 1, as in factor:2",
                )),
            },
            _ => Err(SpecError::unknown("correction", text, &["requested", "increments", "factor:F"])),
        }
    }
}

impl TryFrom<String> for Correction {
    type Error = SpecError;
    fn try_from(text: String) -> Result<Correction, SpecError> {
        text.parse()
    }
}

impl From<Correction> for String {
    fn from(correction: Correction) -> String {
        correction.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(rule: Correction, first: i64, limit: Option<i64>, until: i64) -> Vec<i64> {
        let mut predictions = vec![first];
        while let Some(&last) = predictions.last().filter(|&&last| last < until) {
            predictions.push(rule.corrected(Seconds(first), Seconds(last), limit.map(Seconds)).0);
        }
        predictions
    }

    #[test]
    fn increments_count_from_the_first_prediction_and_stop_at_the_request() {
        assert_eq!(chain(Correction::Increments, 100, Some(1500), 1500), [100, 160, 400, 1000, 1500]);
        let long = chain(Correction::Increments, 100, Some(900 * HOUR), 900 * HOUR);
        assert_eq!(long[long.len() - 2..], [100 + 100 * HOUR, 900 * HOUR]);
    }

    #[test]
    fn the_request_at_once_then_increments_over_it() {
        assert_eq!(chain(Correction::Requested, 10, Some(1000), 1500), [10, 1000, 1060, 1300, 1900]);
        assert_eq!(chain(Correction::Requested, 10, None, 300), [10, 70, 310]);
    }

    #[test]
    fn a_factor_multiplies_what_was_outlived() {
        assert_eq!(chain(Correction::Factor(10.0), 3, Some(1000), 1000), [3, 30, 300, 1000]);
        assert_eq!(chain(Correction::Factor(1.001), 3, None, 5), [3, 4, 5]);
    }

    #[test]
    fn increments_never_run_out() {
        let predictions = chain(Correction::Increments, 1, None, 1_000 * HOUR);
        assert!(predictions.is_sorted_by(|a, b| a < b));
        assert_eq!(predictions.last(), Some(&(1 + 1_000 * HOUR)));
    }

    #[test]
    fn specs_are_read_as_written_and_name_what_is_known() {
        for text in ["requested", "increments", "factor:2.5"] {
            assert_eq!(text.parse::<Correction>().unwrap().to_string(), text);
        }
        let unknown = "incremental".parse::<Correction>().unwrap_err().to_string();
        assert!(unknown.contains("requested, increments, factor:F"), "{unknown}");
        assert!("factor:1".parse::<Correction>().is_err());
    }
}
