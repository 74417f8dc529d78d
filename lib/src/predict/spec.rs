//! Predictors as data: what is written on a command line or in an experiment file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Constant, Perfect, Recent, Requested, RuntimePredictor, Statistic};
use crate::spec::SpecError;
use crate::units::Seconds;

/// Which predictor, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PredictorSpec {
    /// The requested time.
    #[default]
    Requested,
    /// What will happen.
    Perfect,
    /// One length for all.
    Constant(Seconds),
    /// The user's last jobs.
    Recent {
        /// How many.
        window: usize,
        /// Combined how.
        statistic: Statistic,
    },
}

impl PredictorSpec {
    /// Every form, as shown to people.
    pub const KNOWN: [&'static str; 4] = ["requested", "perfect", "constant:SECONDS", "recent:K[:median]"];

    /// The predictor. `runs` says how long each job will run, in arrival order, and is read for
    /// [`PredictorSpec::Perfect`] only; `default_request` stands in for a missing requested time.
    pub fn build(
        self,
        runs: impl FnOnce() -> Vec<Seconds>,
        default_request: Seconds,
    ) -> Box<dyn RuntimePredictor> {
        let requested = Requested { default: default_request };
        match self {
            PredictorSpec::Requested => Box::new(requested),
            PredictorSpec::Perfect => Box::new(Perfect::new(runs())),
            PredictorSpec::Constant(length) => Box::new(Constant(length)),
            PredictorSpec::Recent { window, statistic } => {
                Box::new(Recent::new(window, statistic, requested))
            }
        }
    }
}

impl fmt::Display for PredictorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PredictorSpec::Requested => write!(f, "requested"),
            PredictorSpec::Perfect => write!(f, "perfect"),
            PredictorSpec::Constant(length) => write!(f, "constant:{length}"),
            PredictorSpec::Recent { window, statistic: Statistic::Mean } => write!(f, "recent:{window}"),
            PredictorSpec::Recent { window, statistic: Statistic::Median } => {
                write!(f, "recent:{window}:median")
            }
        }
    }
}

impl FromStr for PredictorSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PredictorSpec, SpecError> {
        let wrong = |why: &str| Err(SpecError::value("predictor", text, why));
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["requested"] => Ok(PredictorSpec::Requested),
            ["perfect"] => Ok(PredictorSpec::Perfect),
            ["constant", seconds] => match seconds.parse::<i64>() {
                Ok(seconds) if (1..=i64::from(u32::MAX)).contains(&seconds) => {
                    Ok(PredictorSpec::Constant(Seconds(seconds)))
                }
                _ => wrong("give a whole number of seconds, from 1 to 4294967295, as in constant:3600"),
            },
            ["recent", window, rest @ ..] => {
                let statistic = match rest {
                    [] | ["mean"] => Statistic::Mean,
                    ["median"] => Statistic::Median,
                    _ => return wrong("the statistic is mean or median, as in recent:5:median"),
                };
                match window.parse::<usize>() {
                    Ok(window) if (1..=100_000).contains(&window) => {
                        Ok(PredictorSpec::Recent { window, statistic })
                    }
                    _ => wrong("give how many jobs to look back, from 1 to 100000, as in recent:2"),
                }
            }
            ["constant"] => wrong("give the seconds, as in constant:3600"),
            ["recent"] => wrong("give how many jobs to look back, as in recent:2"),
            _ => Err(SpecError::unknown("predictor", text, &PredictorSpec::KNOWN)),
        }
    }
}

impl TryFrom<String> for PredictorSpec {
    type Error = SpecError;
    fn try_from(text: String) -> Result<PredictorSpec, SpecError> {
        text.parse()
    }
}

impl From<PredictorSpec> for String {
    fn from(spec: PredictorSpec) -> String {
        spec.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written() {
        for text in ["requested", "perfect", "constant:3600", "recent:2", "recent:7:median"] {
            assert_eq!(text.parse::<PredictorSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        for text in ["", "recent", "recent:0", "recent:-1", "recent:2:mode", "constant", "constant:0", "ave2"]
        {
            assert!(text.parse::<PredictorSpec>().is_err(), "{text}");
        }
        let unknown = "ave2".parse::<PredictorSpec>().unwrap_err();
        assert!(unknown.to_string().contains("recent:K[:median]"));
        assert_eq!(unknown.known, PredictorSpec::KNOWN);
    }
}
