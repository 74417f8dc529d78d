//! Brokers by name.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::brokers::{Aim, AtHome, Broker, LeastLoaded, LeastTurnaround, Oracle, Redundant};
use super::member::WaitHistory;
use super::predicted::LeastPredictedWait;
use crate::forecast::{PlannedRuns, WaitMethod};
use queuecast_core::spec::{Also, Form, SettingKey, Settings, Spec, SpecError, Written, conversions};
use queuecast_wait::{FeatureDistance, Ranges};

/// How a job's site is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BrokerSpec {
    /// Where the log submitted it.
    Static,
    /// The least load (Subramani et al. 2002).
    LeastLoaded,
    /// Copies to the few least loaded; the first start wins.
    KDistributed {
        /// How many.
        copies: usize,
    },
    /// Copies to all; the first start wins (Casanova 2007).
    Redundant,
    /// The least predicted wait, quick starters first (Kumar & Vadhiyar 2014, section 4).
    LeastPredictedWait {
        /// How many jobs the history of each site has.
        window: usize,
        /// How far apart two jobs are.
        distance: FeatureDistance,
        /// Whether the remaining time of a job that overran its request counts as negative.
        overruns: bool,
        /// What the predictions learn from.
        history: WaitHistory,
        /// Whether predictions are also used for queues with a larger demand than any in the history, as in the paper.
        literal: bool,
    },
    /// The least expected turnaround time.
    Turnaround {
        /// How waits are predicted.
        by: WaitMethod,
    },
    /// The least turnaround time at a high quantile.
    RiskAverse {
        /// Which.
        quantile: f64,
        /// How waits are predicted.
        by: WaitMethod,
    },
    /// The earliest end, if nothing were submitted later, by true run times.
    Oracle,
}

impl BrokerSpec {
    /// How many copies K-distributed submits by default.
    pub const COPIES: usize = 2;

    /// The quantile that a risk-averse broker minimises by default.
    pub const QUANTILE: f64 = 0.9;

    /// How waits are predicted for turnaround times by default.
    pub const BY: WaitMethod = WaitMethod::Planned { runs: PlannedRuns::Requested };

    /// The least predicted wait as it is by default.
    pub const LEAST_PREDICTED_WAIT: BrokerSpec = BrokerSpec::LeastPredictedWait {
        window: Ranges::WINDOW,
        distance: FeatureDistance::Sums,
        overruns: false,
        history: WaitHistory::Sent,
        literal: false,
    };

    /// All, as they are by default.
    pub const ALL: [BrokerSpec; 8] = [
        BrokerSpec::Static,
        BrokerSpec::LeastLoaded,
        BrokerSpec::KDistributed { copies: BrokerSpec::COPIES },
        BrokerSpec::Redundant,
        BrokerSpec::LEAST_PREDICTED_WAIT,
        BrokerSpec::Turnaround { by: BrokerSpec::BY },
        BrokerSpec::RiskAverse { quantile: BrokerSpec::QUANTILE, by: BrokerSpec::BY },
        BrokerSpec::Oracle,
    ];

    /// A broker that has learned nothing.
    pub fn build(&self) -> Box<dyn Broker> {
        match self.clone() {
            BrokerSpec::Static => Box::new(AtHome),
            BrokerSpec::LeastLoaded => Box::new(LeastLoaded { copies: 1 }),
            BrokerSpec::KDistributed { copies } => Box::new(LeastLoaded { copies }),
            BrokerSpec::Redundant => Box::new(Redundant),
            BrokerSpec::LeastPredictedWait { window, distance, overruns, history, literal } => {
                Box::new(LeastPredictedWait { window, distance, overruns, history, literal })
            }
            BrokerSpec::Turnaround { by } => Box::new(LeastTurnaround { aim: Aim::Point, waits: by }),
            // Planned waits are points: the quantile is applied to the run times that are planned with.
            BrokerSpec::RiskAverse { quantile, by: WaitMethod::Planned { .. } } => {
                let runs = PlannedRuns::Share(quantile);
                Box::new(LeastTurnaround { aim: Aim::Point, waits: WaitMethod::Planned { runs } })
            }
            BrokerSpec::RiskAverse { quantile, by } => {
                Box::new(LeastTurnaround { aim: Aim::Quantile(quantile), waits: by })
            }
            BrokerSpec::Oracle => Box::new(Oracle),
        }
    }

    /// Relative cost of simulating it: start the costliest first when running in parallel.
    pub fn effort(&self) -> u8 {
        match self {
            BrokerSpec::Static => 0,
            BrokerSpec::LeastLoaded | BrokerSpec::KDistributed { .. } | BrokerSpec::Redundant => 1,
            BrokerSpec::Oracle => 2,
            BrokerSpec::Turnaround { .. } | BrokerSpec::RiskAverse { .. } => 3,
            BrokerSpec::LeastPredictedWait { .. } => 4,
        }
    }
}

impl fmt::Display for BrokerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.clone() {
            BrokerSpec::Static => f.write_str("static"),
            BrokerSpec::LeastLoaded => f.write_str("least-loaded"),
            BrokerSpec::KDistributed { copies } => match copies {
                BrokerSpec::COPIES => f.write_str("k-distributed"),
                copies => write!(f, "k-distributed:{copies}"),
            },
            BrokerSpec::Redundant => f.write_str("redundant"),
            BrokerSpec::LeastPredictedWait { window, distance, overruns, history, literal } => {
                let written = Written::new("least-predicted-wait");
                let written = written.optional((window != Ranges::WINDOW).then_some(window));
                let written = written.setting("distance", distance, FeatureDistance::default());
                let written = written.optional(overruns.then_some("overruns"));
                let written = written.setting("history", history, WaitHistory::default());
                write!(f, "{}", written.optional(literal.then_some("literal")))
            }
            BrokerSpec::Turnaround { by } => {
                let written = Written::new("turnaround").also(Also::Pluses);
                write!(f, "{}", written.setting("by", by, BrokerSpec::BY))
            }
            BrokerSpec::RiskAverse { quantile, by } => {
                let written = Written::new("risk-averse").also(Also::Pluses);
                let written = written.setting("quantile", quantile, BrokerSpec::QUANTILE);
                write!(f, "{}", written.setting("by", by, BrokerSpec::BY))
            }
            BrokerSpec::Oracle => f.write_str("oracle"),
        }
    }
}

const BY: SettingKey = SettingKey::spec("by", WaitMethod::forms);

impl Spec for BrokerSpec {
    const KIND: &'static str = "broker";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] = &[
            Form::new("static", "each job runs where its log submitted it"),
            Form::new("least-loaded", "the site with the least processor time asked for per processor"),
            Form::new(
                "k-distributed",
                "copies to the least loaded sites (2); once one starts, the others are withdrawn",
            )
            .with(
                "[:COPIES]",
                &[SettingKey::new("copies", "COPIES").placed()],
                "k-distributed:3",
            ),
            Form::new("redundant", "copies to all sites; once one starts, the others are withdrawn"),
            Form::new(
                "least-predicted-wait",
                "quick starters first, then the least expected wait over ranges (Kumar & Vadhiyar 2014)",
            )
            .with(
                "[:JOBS,distance=…,history=…,…]",
                &[
                    SettingKey::new("window", "JOBS").placed(),
                    SettingKey::spec("distance", FeatureDistance::forms),
                    SettingKey::flag("overruns"),
                    SettingKey::spec("history", WaitHistory::forms),
                    SettingKey::flag("literal"),
                ],
                "least-predicted-wait:2000",
            ),
            Form::new("turnaround", "the least expected wait and run time, by planned waits")
                .with("[+by=WAITS]", &[BY], "turnaround+by=knn:2000")
                .also(Also::Pluses),
            Form::new("risk-averse", "the least wait and run time that nine in ten do not exceed")
                .with(
                    "[+quantile=QUANTILE][+by=WAITS]",
                    &[SettingKey::new("quantile", "QUANTILE"), BY],
                    "risk-averse+quantile=0.8+by=ranges:quick",
                )
                .also(Also::Pluses),
            Form::new("oracle", "the earliest end by true run times: a yardstick, not a choice"),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<BrokerSpec, SpecError> {
        let by = || settings.value("by").map_or(Ok(BrokerSpec::BY), |value| value.spec());
        match settings.name() {
            "static" => Ok(BrokerSpec::Static),
            "least-loaded" => Ok(BrokerSpec::LeastLoaded),
            "k-distributed" => {
                let copies = settings.value("copies").map_or(Ok(BrokerSpec::COPIES), |value| {
                    value.whole(1..=1000).map_err(|_| value.wrong("give how many copies, from 1 to 1000"))
                })?;
                Ok(BrokerSpec::KDistributed { copies })
            }
            "redundant" => Ok(BrokerSpec::Redundant),
            "least-predicted-wait" => {
                let window = settings.value("window").map_or(Ok(Ranges::WINDOW), |value| {
                    let window = value.whole(1..=1_000_000);
                    window.map_err(|_| value.wrong("give how many jobs, from 1 to 1000000"))
                })?;
                let literal = settings.value("literal").map_or(Ok(false), |value| value.flag())?;
                let overruns = settings.value("overruns").map_or(Ok(false), |value| value.flag())?;
                let distance = settings
                    .value("distance")
                    .map_or(Ok(FeatureDistance::default()), |value| value.spec())?;
                let history =
                    settings.value("history").map_or(Ok(WaitHistory::default()), |value| value.spec())?;
                Ok(BrokerSpec::LeastPredictedWait { window, distance, overruns, history, literal })
            }
            "turnaround" => Ok(BrokerSpec::Turnaround { by: by()? }),
            "risk-averse" => {
                let quantile = settings.value("quantile").map_or(Ok(BrokerSpec::QUANTILE), |value| {
                    let share = value.number(0.01..=0.999);
                    share.map_err(|_| value.wrong("give a share from 0.01 to 0.999"))
                })?;
                Ok(BrokerSpec::RiskAverse { quantile, by: by()? })
            }
            "oracle" => Ok(BrokerSpec::Oracle),
            _ => Err(settings.unread()),
        }
    }
}

conversions!(BrokerSpec);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written() {
        for text in [
            "static",
            "least-loaded",
            "k-distributed",
            "k-distributed:3",
            "redundant",
            "least-predicted-wait:100",
            "least-predicted-wait:literal",
            "least-predicted-wait:100,history=own,literal",
            "least-predicted-wait:distance=element,overruns,history=own",
            "turnaround",
            "turnaround+by=knn:2000,by=linear",
            "risk-averse+quantile=0.8",
            "risk-averse+quantile=0.8+by=ranges:quick",
            "oracle",
        ] {
            assert_eq!(text.parse::<BrokerSpec>().unwrap().to_string(), text);
        }
        let underscored = "least_predicted_wait:100".parse::<BrokerSpec>().unwrap();
        assert_eq!(underscored.to_string(), "least-predicted-wait:100");
        for spec in BrokerSpec::ALL {
            assert_eq!(spec.to_string().parse::<BrokerSpec>().unwrap(), spec);
        }
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        for (text, expected) in [
            ("fastest", "no such broker"),
            ("k-distributed:0", "from 1 to 1000"),
            ("risk-averse+quantile=2", "from 0.01 to 0.999"),
            ("turnaround+by=crystal", "no such wait predictor"),
            ("least-predicted-wait:x", "how many jobs"),
        ] {
            let error = text.parse::<BrokerSpec>().expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
