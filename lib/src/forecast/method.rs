//! Wait predictors by name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::spec::{Form, SettingKey, Settings, Spec, SpecError, conversions};
use crate::units::Seconds;
use crate::wait::{Nearest, PastWaits, WaitPredictor, ZeroWait};

/// How waits are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WaitMethod {
    /// Every job starts at once.
    Zero,
    /// The distribution of the last waits in the job's queue.
    Past {
        /// How many.
        window: usize,
    },
    /// Dynamic-k nearest neighbours (Kumar & Vadhiyar 2014).
    Nearest {
        /// How many jobs the history has.
        window: usize,
    },
}

impl WaitMethod {
    /// A predictor that has learned nothing. `default_request` stands in for a missing requested time.
    pub fn build(&self, _default_request: Seconds) -> Box<dyn WaitPredictor> {
        match *self {
            WaitMethod::Zero => Box::new(ZeroWait),
            WaitMethod::Past { window } => Box::new(PastWaits::new(window)),
            WaitMethod::Nearest { window } => Box::new(Nearest::new(window)),
        }
    }
}

impl fmt::Display for WaitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitMethod::Zero => f.write_str("zero"),
            WaitMethod::Past { window: PastWaits::WINDOW } => f.write_str("past"),
            WaitMethod::Past { window } => write!(f, "past:{window}"),
            WaitMethod::Nearest { window: Nearest::WINDOW } => f.write_str("knn"),
            WaitMethod::Nearest { window } => write!(f, "knn:{window}"),
        }
    }
}

impl Spec for WaitMethod {
    const KIND: &'static str = "wait predictor";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] =
            &[
                Form::new("zero", "every job starts at once"),
                Form::new("past", "the distribution of the last waits (200) in the job's queue").with(
                    "[:JOBS]",
                    &[SettingKey::new("window", "JOBS").placed()],
                    "past:500",
                ),
                Form::new("knn", "the waits of similar jobs in similar states among the last jobs (5000)")
                    .with("[:JOBS]", &[SettingKey::new("window", "JOBS").placed()], "knn:10000"),
            ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<WaitMethod, SpecError> {
        let window = |default: usize| {
            let given = settings.value("window");
            given.map_or(Ok(default), |value| {
                value.whole(1..=1_000_000).map_err(|_| value.wrong("give how many jobs, from 1 to 1000000"))
            })
        };
        match settings.name() {
            "zero" => Ok(WaitMethod::Zero),
            "past" => Ok(WaitMethod::Past { window: window(PastWaits::WINDOW)? }),
            "knn" => Ok(WaitMethod::Nearest { window: window(Nearest::WINDOW)? }),
            _ => Err(settings.unread()),
        }
    }
}

conversions!(WaitMethod);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written() {
        for text in ["zero", "past", "past:50", "knn", "knn:10000"] {
            assert_eq!(text.parse::<WaitMethod>().unwrap().to_string(), text);
        }
        assert_eq!("knn:5000".parse::<WaitMethod>().unwrap().to_string(), "knn");
        for (text, expected) in
            [("nearest", "no such wait predictor"), ("knn:0", "from 1 to 1000000"), ("zero:3", "no settings")]
        {
            let error = text.parse::<WaitMethod>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
