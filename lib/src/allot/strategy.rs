//! When a job holds out for more processors than are free: the strategies of the paper, what changes them, and how all of it
//! is written: `bias+lock-in+averse=0.2`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spec::SpecError;
use crate::wait::{Outlook, QueueTime};

/// What makes the job at the head hold out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// Nothing: it starts on what is free, on no more than it prefers. The paper's AVG.
    Never,
    /// A shorter turnaround by the plans of the running jobs: with exact run times the paper's OPT.
    Planned,
    /// A shorter turnaround by predicted queue times: PRED; `corrected` by what became of earlier predictions: BIAS.
    Predicted {
        /// How queue times are predicted.
        by: QueueTime,
        /// Where the remaining run times of running jobs come from.
        outlook: Outlook,
        /// Whether bias is corrected.
        corrected: bool,
        /// What predictions, corrected or not, are multiplied by before they are used: above 1 a job is more cautious.
        stretch: f64,
    },
    /// What it is, whatever the machine is like: HEUR. Long and parallel jobs hold out for a fraction of what they
    /// prefer, and give in once they have waited for a part of what they could save.
    Heuristic {
        /// Jobs of more work than this hold out, in processor-seconds on their fewest processors: L_thresh.
        longer: f64,
        /// Jobs that prefer more processors than this hold out: A_thresh.
        wider: u32,
        /// For this share of what they prefer, 0 to 1: f.
        fraction: f64,
        /// As long as this part of what they would save: k.
        patience: f64,
    },
}

/// A strategy of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Strategy {
    /// What makes a job hold out.
    pub hold: Hold,
    /// The least a job accepts, as a share of what it prefers; 0 to 1. Section 5.1 has 0.4.
    pub least: f64,
    /// Whether a job that held out gets what it held out for and no more (section 6.1).
    pub lock_in: bool,
    /// It holds out only for a gain above this share of its run time on what is free; 0 to 1. Section 6.1 has 0.2.
    pub averse: f64,
    /// Whether it counts the time of all waiting jobs, its own included: q·Q(n) + R(n) (section 6.1).
    pub social: bool,
    /// When a job that holds out thinks again before the time it expected to wait has passed.
    pub prompting: Prompting,
}

/// What makes a job that holds out for a better turnaround think again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompting {
    /// A job arrives (section 5.3).
    #[default]
    Arrivals,
    /// A job arrives or ends, whatever the number of processors that become free.
    Departures,
}

impl Strategy {
    /// Every form, as shown in help.
    pub const KNOWN: [&'static str; 5] = [
        "avg",
        "opt",
        "pred[+by=…][+outlook=…][+stretch=…]",
        "bias[+by=…][+outlook=…][+stretch=…]",
        "heur[+longer=…][+wider=…][+fraction=…][+patience=…]",
    ];

    /// What every form can be followed by.
    pub const CHANGES: [&'static str; 5] = ["least=SHARE", "lock-in", "averse=SHARE", "social", "departures"];

    /// A strategy with nothing but its reason to hold out.
    pub fn new(hold: Hold) -> Strategy {
        Strategy {
            hold,
            least: 0.0,
            lock_in: false,
            averse: 0.0,
            social: false,
            prompting: Prompting::default(),
        }
    }

    /// One change to it, as written.
    fn changed(mut self, change: &str) -> Result<Strategy, SpecError> {
        let (key, value) = change.split_once('=').map_or((change, None), |(key, value)| (key, Some(value)));
        let wrong = |why: String| SpecError::value("strategy", change, why);
        let number = |most: f64| {
            let number = value
                .and_then(|value| value.parse::<f64>().ok())
                .filter(|number| (0.0..=most).contains(number));
            number.ok_or_else(|| wrong(format!("give a number from 0 to {most}")))
        };
        let alone = || value.map_or(Ok(true), |_| Err(wrong("it takes no value".into())));
        match (key, &mut self.hold) {
            ("least", _) => self.least = number(1.0)?,
            ("averse", _) => self.averse = number(1.0)?,
            ("lock-in", _) => self.lock_in = alone()?,
            ("social", _) => self.social = alone()?,
            ("departures", _) => {
                alone()?;
                self.prompting = Prompting::Departures;
            }
            ("by", Hold::Predicted { by, .. }) => *by = value.unwrap_or_default().parse()?,
            ("outlook", Hold::Predicted { outlook, .. }) => *outlook = value.unwrap_or_default().parse()?,
            ("stretch", Hold::Predicted { stretch, .. }) => {
                *stretch = number(1000.0)
                    .ok()
                    .filter(|&stretch| stretch >= 0.001)
                    .ok_or_else(|| wrong("give a number from 0.001 to 1000".into()))?;
            }
            ("longer", Hold::Heuristic { longer, .. }) => *longer = number(1e15)?,
            ("wider", Hold::Heuristic { wider, .. }) => *wider = number(f64::from(u32::MAX))? as u32,
            ("fraction", Hold::Heuristic { fraction, .. }) => *fraction = number(1.0)?,
            ("patience", Hold::Heuristic { patience, .. }) => *patience = number(1e6)?,
            _ => {
                let known = format!(
                    "no such change here; known are {}, and those of its form",
                    Strategy::CHANGES.join(", ")
                );
                return Err(wrong(known));
            }
        }
        Ok(self)
    }
}

/// The values the paper found best for HEUR (section 5.5).
const HEURISTIC: [(&str, f64); 4] = [("longer", 0.0), ("wider", 1.0), ("fraction", 1.0), ("patience", 0.2)];

impl FromStr for Strategy {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Strategy, SpecError> {
        let mut parts = text.split('+').map(str::trim);
        let predicted = |corrected| Hold::Predicted {
            by: QueueTime::default(),
            outlook: Outlook::default(),
            corrected,
            stretch: 1.0,
        };
        let hold = match parts.next().unwrap_or_default() {
            "avg" => Hold::Never,
            "opt" => Hold::Planned,
            "pred" => predicted(false),
            "bias" => predicted(true),
            "heur" => {
                let [longer, wider, fraction, patience] = HEURISTIC.map(|(_, paper)| paper);
                Hold::Heuristic { longer, wider: wider as u32, fraction, patience }
            }
            other => return Err(SpecError::unknown("strategy", other, &Strategy::KNOWN)),
        };
        parts.try_fold(Strategy::new(hold), |strategy, change| strategy.changed(change))
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hold {
            Hold::Never => f.write_str("avg")?,
            Hold::Planned => f.write_str("opt")?,
            Hold::Predicted { by, outlook, corrected, stretch } => {
                f.write_str(if corrected { "bias" } else { "pred" })?;
                if by != QueueTime::default() {
                    write!(f, "+by={by}")?;
                }
                if outlook != Outlook::default() {
                    write!(f, "+outlook={outlook}")?;
                }
                if stretch != 1.0 {
                    write!(f, "+stretch={stretch}")?;
                }
            }
            Hold::Heuristic { longer, wider, fraction, patience } => {
                f.write_str("heur")?;
                let own = [longer, f64::from(wider), fraction, patience];
                for ((key, _), own) in HEURISTIC.into_iter().zip(own).filter(|((_, paper), own)| own != paper)
                {
                    write!(f, "+{key}={own}")?;
                }
            }
        }
        let share = |f: &mut fmt::Formatter<'_>, key: &str, share: f64| {
            if share > 0.0 { write!(f, "+{key}={share}") } else { Ok(()) }
        };
        share(f, "least", self.least)?;
        f.write_str(if self.lock_in { "+lock-in" } else { "" })?;
        share(f, "averse", self.averse)?;
        f.write_str(if self.social { "+social" } else { "" })?;
        f.write_str(match self.prompting {
            Prompting::Arrivals => "",
            Prompting::Departures => "+departures",
        })
    }
}

impl TryFrom<String> for Strategy {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Strategy, SpecError> {
        text.parse()
    }
}

impl From<Strategy> for String {
    fn from(strategy: Strategy) -> String {
        strategy.to_string()
    }
}
