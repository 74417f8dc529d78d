//! Wait predictors by name.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::simulated::SimulatedWaits;
use crate::spec::{Form, SettingKey, Settings, Spec, SpecError, conversions};
use crate::units::Seconds;
use crate::wait::{
    Nearest, NearestRegression, PastWaits, QuickStarters, Ranges, Regression, WaitPredictor, ZeroWait,
};

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
    /// Nearest neighbours for the point and a support vector machine for the probabilities of classes (Kumar & Vadhiyar 2014).
    Ranges {
        /// How many jobs the history has.
        window: usize,
        /// Whether quick starters are looked for first.
        quick: bool,
    },
    /// Simulations of the queue, corrected by past answers.
    Simulated {
        /// How many simulations make an answer.
        draws: u32,
    },
    /// Quick starters: jobs that start within an hour.
    Quick {
        /// How many jobs the history has.
        window: usize,
    },
    /// Dynamic-k nearest neighbours (Kumar & Vadhiyar 2014).
    Nearest {
        /// How many jobs the history has.
        window: usize,
        /// Regression over the neighbours for the point; else their weighted mean.
        by: Option<Regression>,
    },
}

impl WaitMethod {
    /// A predictor that has learned nothing. `default_request` stands in for a missing requested time.
    pub fn build(&self, default_request: Seconds) -> Box<dyn WaitPredictor> {
        match *self {
            WaitMethod::Zero => Box::new(ZeroWait),
            WaitMethod::Past { window } => Box::new(PastWaits::new(window)),
            WaitMethod::Ranges { window, quick } => {
                let ranges = Ranges::new(Box::new(Nearest::new(window)), window, window);
                Box::new(if quick { ranges.with_quick_starters() } else { ranges })
            }
            WaitMethod::Simulated { draws } => Box::new(SimulatedWaits::new(draws, default_request)),
            WaitMethod::Quick { window } => Box::new(QuickStarters::new(window)),
            WaitMethod::Nearest { window, by: None } => Box::new(Nearest::new(window)),
            WaitMethod::Nearest { window, by: Some(by) } => Box::new(NearestRegression::new(window, by)),
        }
    }
}

impl fmt::Display for WaitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut settings = Vec::new();
        let mut size = |window: usize, default: usize| {
            if window != default {
                settings.push(window.to_string());
            }
        };
        let name = match *self {
            WaitMethod::Zero => "zero",
            WaitMethod::Past { window } => {
                size(window, PastWaits::WINDOW);
                "past"
            }
            WaitMethod::Ranges { window, quick } => {
                size(window, Ranges::WINDOW);
                settings.extend(quick.then(|| "quick".to_owned()));
                "ranges"
            }
            WaitMethod::Simulated { draws } => {
                size(draws as usize, SimulatedWaits::DRAWS as usize);
                "simulated"
            }
            WaitMethod::Quick { window } => {
                size(window, QuickStarters::WINDOW);
                "quick"
            }
            WaitMethod::Nearest { window, by } => {
                size(window, Nearest::WINDOW);
                settings.extend(by.map(|by| format!("by={by}")));
                "knn"
            }
        };
        f.write_str(name)?;
        if settings.is_empty() { Ok(()) } else { write!(f, ":{}", settings.join(",")) }
    }
}

impl Spec for WaitMethod {
    const KIND: &'static str = "wait predictor";

    fn forms() -> Vec<Form> {
        const WINDOW: SettingKey = SettingKey::new("window", "JOBS").placed();
        const FORMS: &[Form] = &[
            Form::new("zero", "every job starts at once"),
            Form::new("past", "the last waits (200) in the job's queue").with(
                "[:JOBS]",
                &[WINDOW],
                "past:500",
            ),
            Form::new(
                "knn",
                "the waits of similar jobs in similar states among the last 5000, or a regression over them",
            )
            .with(
                "[:JOBS,by=REGRESSION]",
                &[WINDOW, SettingKey::spec("by", Regression::forms)],
                "knn:10000",
            ),
            Form::new(
                "ranges",
                "knn, with the probabilities of a support vector machine trained every 5000 starts",
            )
            .with("[:JOBS,quick]", &[WINDOW, SettingKey::flag("quick")], "ranges:quick"),
            Form::new(
                "quick",
                "whether it starts within an hour, by similar jobs while the machine was occupied alike",
            )
            .with("[:JOBS]", &[WINDOW], "quick:2000"),
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
            "ranges" => Ok(WaitMethod::Ranges {
                window: window(Ranges::WINDOW)?,
                quick: settings.value("quick").map_or(Ok(false), |value| value.flag())?,
            }),
            "simulated" => {
                let draws = settings
                    .value("draws")
                    .map_or(Ok(SimulatedWaits::DRAWS), |value| value.whole(1..=100_000))?;
                Ok(WaitMethod::Simulated { draws })
            }
            "quick" => Ok(WaitMethod::Quick { window: window(QuickStarters::WINDOW)? }),
            "knn" => Ok(WaitMethod::Nearest {
                window: window(Nearest::WINDOW)?,
                by: settings
                    .value("by")
                    .map(|value| {
                        value.text().parse().map_err(|_| value.wrong("give linear, poly, rbf or sigmoid"))
                    })
                    .transpose()?,
            }),
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
            "knn:by=poly",
            "ranges",
            "ranges:quick",
            "ranges:2000,quick",
            "quick",
            "quick:100",
            "knn:10000,by=linear",
        ] {
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
