//! Wait predictors by name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::spec::{Also, Form, SettingKey, Settings, Spec, SpecError, conversions};
use crate::units::Seconds;
use crate::wait::{BinomialBound, InstanceBased, Nearest, PastWaits, QueueAhead, WaitPredictor, ZeroWait};

/// How waits are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// The binomial bound on a quantile of past waits (QBETS, Nurmi, Brevik & Wolski 2007).
    Bound {
        /// Which quantile.
        quantile: f64,
        /// The probability that it is not above the bound.
        confidence: f64,
    },
    /// Instance-based learning (Li, Groep & Wolters 2004 to 2006).
    Instances {
        /// How many jobs the history has.
        window: usize,
    },
    /// The queue times of Downey 1997 for a job behind others.
    Ahead {
        /// From how many benefactors on predictor A is used; `None` for B alone.
        benefactors: Option<u32>,
    },
}

impl WaitMethod {
    /// A predictor that has learned nothing. `default_request` stands in for a missing requested time.
    pub fn build(&self, _default_request: Seconds) -> Box<dyn WaitPredictor> {
        match *self {
            WaitMethod::Zero => Box::new(ZeroWait),
            WaitMethod::Past { window } => Box::new(PastWaits::new(window)),
            WaitMethod::Nearest { window } => Box::new(Nearest::new(window)),
            WaitMethod::Bound { quantile, confidence } => Box::new(BinomialBound::new(quantile, confidence)),
            WaitMethod::Instances { window } => Box::new(InstanceBased::new(window)),
            WaitMethod::Ahead { benefactors } => Box::new(QueueAhead::new(benefactors)),
        }
    }
}

impl fmt::Display for WaitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WaitMethod::Zero => f.write_str("zero"),
            WaitMethod::Past { window: PastWaits::WINDOW } => f.write_str("past"),
            WaitMethod::Past { window } => write!(f, "past:{window}"),
            WaitMethod::Nearest { window: Nearest::WINDOW } => f.write_str("knn"),
            WaitMethod::Nearest { window } => write!(f, "knn:{window}"),
            WaitMethod::Bound { quantile, confidence } if confidence != BinomialBound::CONFIDENCE => {
                write!(f, "qbets:{quantile}:{confidence}")
            }
            WaitMethod::Bound { quantile: BinomialBound::QUANTILE, .. } => f.write_str("qbets"),
            WaitMethod::Bound { quantile, .. } => write!(f, "qbets:{quantile}"),
            WaitMethod::Instances { window: InstanceBased::WINDOW } => f.write_str("ibl"),
            WaitMethod::Instances { window } => write!(f, "ibl:{window}"),
            WaitMethod::Ahead { benefactors: None } => f.write_str("downey:b"),
            WaitMethod::Ahead { benefactors: Some(0 | 1) } => f.write_str("downey:a"),
            WaitMethod::Ahead { .. } => f.write_str("downey"),
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
                Form::new(
                    "qbets",
                    "the bound (confidence 0.95) on a quantile (0.95) of the waits of similar jobs",
                )
                .with(
                    "[:QUANTILE[:CONFIDENCE]]",
                    &[
                        SettingKey::new("quantile", "QUANTILE").placed(),
                        SettingKey::new("confidence", "CONFIDENCE").placed(),
                    ],
                    "qbets:0.9:0.8",
                )
                .also(Also::Colons),
                Form::new("ibl", "instance-based learning, tuned on the past, over the last jobs (5000)")
                    .with("[:JOBS]", &[SettingKey::new("window", "JOBS").placed()], "ibl:2000"),
                Form::new(
                    "downey",
                    "by the ages of running jobs, first come, first served: predictor a, b or both",
                )
                .with("[:a|b]", &[SettingKey::new("predictor", "a|b").placed()], "downey:b"),
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
        let share = |key: &str, default: f64| {
            let given = settings.value(key);
            given.map_or(Ok(default), |value| {
                let within = value.number(0.01..=0.999);
                within.map_err(|_| value.wrong("give a share from 0.01 to 0.999, as in qbets:0.9:0.8"))
            })
        };
        match settings.name() {
            "zero" => Ok(WaitMethod::Zero),
            "past" => Ok(WaitMethod::Past { window: window(PastWaits::WINDOW)? }),
            "knn" => Ok(WaitMethod::Nearest { window: window(Nearest::WINDOW)? }),
            "qbets" => Ok(WaitMethod::Bound {
                quantile: share("quantile", BinomialBound::QUANTILE)?,
                confidence: share("confidence", BinomialBound::CONFIDENCE)?,
            }),
            "ibl" => Ok(WaitMethod::Instances { window: window(InstanceBased::WINDOW)? }),
            "downey" => {
                let mut benefactors = Some(QueueAhead::BENEFACTORS);
                settings.set("predictor", &mut benefactors, |value| match value.text() {
                    "a" => Ok(Some(1)),
                    "b" => Ok(None),
                    _ => Err(value.wrong("give a or b, as in downey:b")),
                })?;
                Ok(WaitMethod::Ahead { benefactors })
            }
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
        for text in [
            "zero",
            "past",
            "past:50",
            "knn",
            "knn:10000",
            "qbets",
            "qbets:0.5",
            "qbets:0.95:0.8",
            "ibl",
            "ibl:100",
            "downey",
            "downey:a",
            "downey:b",
        ] {
            assert_eq!(text.parse::<WaitMethod>().unwrap().to_string(), text);
        }
        assert_eq!("qbets:0.95,0.95".parse::<WaitMethod>().unwrap().to_string(), "qbets");
        assert_eq!("knn:5000".parse::<WaitMethod>().unwrap().to_string(), "knn");
        for (text, expected) in [
            ("nearest", "no such wait predictor"),
            ("knn:0", "from 1 to 1000000"),
            ("zero:3", "no settings"),
            ("qbets:1", "from 0.01 to 0.999"),
            ("ibl:0", "from 1 to 1000000"),
            ("downey:c", "a or b"),
        ] {
            let error = text.parse::<WaitMethod>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
