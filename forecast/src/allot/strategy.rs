//! When a job holds out for more processors than are free: the strategies of the paper, what changes them, and how all of it
//! is written: `bias+lock-in+averse=0.2`.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use queuecast_core::spec::{Also, Form, SettingKey, Settings, Spec, SpecError, conversions};
use queuecast_wait::{Outlook, QueueTime};

/// What makes the job at the head hold out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// Nothing: it starts on what is free, on no more than it prefers. The paper's AVG.
    Never,
    /// A shorter turnaround by the plans of the running jobs: with exact run times the paper's OPT.
    Planned,
    /// A shorter turnaround by predicted queue times: PRED; corrected by what became of earlier predictions: BIAS.
    Predicted {
        /// How queue times are predicted.
        by: QueueTime,
        /// Where the remaining run times of running jobs come from.
        outlook: Outlook,
        /// Equation 5 as printed: the time it is solved for is a lifetime of the running jobs, which counts from their
        /// starts, and is taken for the queue time as it is.
        literal: bool,
        /// How bias is corrected.
        line: BiasLine,
        /// What predictions, corrected or not, are multiplied by before they are used: above 1 a job is more cautious.
        stretch: f64,
    },
    /// The job alone decides, not the state of the machine: HEUR. Long and parallel jobs hold for a fraction of the
    /// processors they prefer, and give up after waiting for a part of the time they could save.
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

/// The line by which predicted queue times are corrected, in natural logarithms of seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BiasLine {
    /// None: PRED.
    None,
    /// Fitted to earlier predictions: BIAS.
    Fitted,
    /// A given one.
    Given {
        /// Its value at zero.
        intercept: f64,
        /// Its slope, at least 0.
        slope: f64,
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
    /// Whether it predicts with the distribution fitted to past run times.
    pub(super) fn fits_lifetimes(&self) -> bool {
        matches!(self.hold, Hold::Predicted { outlook: Outlook::Fitted, .. })
    }

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
}

/// The values the paper found best for HEUR (section 5.5).
const HEURISTIC: [(&str, f64); 4] = [("longer", 0.0), ("wider", 1.0), ("fraction", 1.0), ("patience", 0.2)];

const LITERAL: SettingKey = SettingKey::flag("literal");
const LEAST: SettingKey = SettingKey::new("least", "SHARE");
const LOCK_IN: SettingKey = SettingKey::flag("lock-in");
const AVERSE: SettingKey = SettingKey::new("averse", "SHARE");
const SOCIAL: SettingKey = SettingKey::flag("social");
const DEPARTURES: SettingKey = SettingKey::flag("departures");

const ANY: &[SettingKey] = &[LEAST, LOCK_IN, AVERSE, SOCIAL, DEPARTURES];

const PREDICTED: &[SettingKey] = &[
    SettingKey::spec("by", QueueTime::forms),
    SettingKey::spec("outlook", Outlook::forms),
    SettingKey::new("stretch", "FACTOR"),
    LITERAL,
    LEAST,
    LOCK_IN,
    AVERSE,
    SOCIAL,
    DEPARTURES,
];

const CORRECTED: &[SettingKey] = &[
    SettingKey::spec("by", QueueTime::forms),
    SettingKey::spec("outlook", Outlook::forms),
    SettingKey::new("stretch", "FACTOR"),
    LITERAL,
    SettingKey::new("intercept", "NUMBER"),
    SettingKey::new("slope", "NUMBER"),
    LEAST,
    LOCK_IN,
    AVERSE,
    SOCIAL,
    DEPARTURES,
];

const HEURISTIC_KEYS: &[SettingKey] = &[
    SettingKey::new("longer", "SECONDS"),
    SettingKey::new("wider", "PROCESSORS"),
    SettingKey::new("fraction", "SHARE"),
    SettingKey::new("patience", "SHARE"),
    LEAST,
    LOCK_IN,
    AVERSE,
    SOCIAL,
    DEPARTURES,
];

impl Spec for Strategy {
    const KIND: &'static str = "strategy";
    const NOTE: &'static str = "Changes of all: +least=SHARE, +lock-in, +averse=SHARE, +social, +departures";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] = &[
            Form::new("avg", "starts on the free processors, at most as many as it prefers")
                .with("", ANY, "avg+least=0.4")
                .also(Also::Pluses),
            Form::new("opt", "waits for the shortest turnaround, given the ends of running jobs")
                .with("", ANY, "opt+social")
                .also(Also::Pluses),
            Form::new("pred", "the same by predicted queue times")
                .with("[+by=…][+outlook=…][+stretch=…]", PREDICTED, "pred+by=exact")
                .also(Also::Pluses),
            Form::new("bias", "the same, corrected by earlier prediction errors")
                .with(
                    "[+by=…][+outlook=…][+stretch=…][+intercept=…+slope=…]",
                    CORRECTED,
                    "bias+lock-in+averse=0.2",
                )
                .also(Also::Pluses),
            Form::new("heur", "long and parallel jobs wait for a fraction of what they prefer")
                .with("[+longer=…][+wider=…][+fraction=…][+patience=…]", HEURISTIC_KEYS, "heur+patience=0.5")
                .also(Also::Pluses),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Strategy, SpecError> {
        let number = |key: &str, range: RangeInclusive<f64>, default: f64| {
            settings.value(key).map_or(Ok(default), |value| value.number(range))
        };
        let flag = |key: &str| settings.value(key).map_or(Ok(false), |value| value.flag());
        let hold = match settings.name() {
            "avg" => Hold::Never,
            "opt" => Hold::Planned,
            name @ ("pred" | "bias") => {
                let (mut by, mut outlook) = (QueueTime::default(), Outlook::default());
                settings.set("by", &mut by, |value| value.spec())?;
                settings.set("outlook", &mut outlook, |value| value.spec())?;
                let stretch = number("stretch", 0.001..=1000.0, 1.0)?;
                let line = match (settings.value("intercept"), settings.value("slope")) {
                    _ if name == "pred" => BiasLine::None,
                    (None, None) => BiasLine::Fitted,
                    (Some(intercept), Some(slope)) => BiasLine::Given {
                        intercept: intercept.number(-100.0..=100.0)?,
                        slope: slope.number(0.0..=100.0)?,
                    },
                    (Some(alone), None) | (None, Some(alone)) => {
                        return Err(alone.wrong("a line needs both, as in bias+intercept=1.7+slope=0.6"));
                    }
                };
                Hold::Predicted { by, outlook, literal: flag("literal")?, line, stretch }
            }
            "heur" => {
                let [longer, wider, fraction, patience] = HEURISTIC.map(|(_, paper)| paper);
                Hold::Heuristic {
                    longer: number("longer", 0.0..=1e15, longer)?,
                    wider: number("wider", 0.0..=f64::from(u32::MAX), wider)? as u32,
                    fraction: number("fraction", 0.0..=1.0, fraction)?,
                    patience: number("patience", 0.0..=1e6, patience)?,
                }
            }
            _ => return Err(settings.unread()),
        };
        let prompting = if flag("departures")? { Prompting::Departures } else { Prompting::default() };
        Ok(Strategy {
            hold,
            least: number("least", 0.0..=1.0, 0.0)?,
            lock_in: flag("lock-in")?,
            averse: number("averse", 0.0..=1.0, 0.0)?,
            social: flag("social")?,
            prompting,
        })
    }
}

conversions!(Strategy);

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hold {
            Hold::Never => f.write_str("avg")?,
            Hold::Planned => f.write_str("opt")?,
            Hold::Predicted { by, outlook, literal, line, stretch } => {
                f.write_str(if line == BiasLine::None { "pred" } else { "bias" })?;
                if by != QueueTime::default() {
                    write!(f, "+by={by}")?;
                }
                if outlook != Outlook::default() {
                    write!(f, "+outlook={outlook}")?;
                }
                if stretch != 1.0 {
                    write!(f, "+stretch={stretch}")?;
                }
                f.write_str(if literal { "+literal" } else { "" })?;
                if let BiasLine::Given { intercept, slope } = line {
                    write!(f, "+intercept={intercept}+slope={slope}")?;
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
