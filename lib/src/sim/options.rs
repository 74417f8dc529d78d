//! How a simulation runs, besides its policy and its predictor.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::job::{Job, Truth};
use crate::predict::Correction;
use crate::spec::SpecError;
use crate::units::Seconds;

/// What happens first at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventOrder {
    /// All ends (in order of start), all overruns, all arrivals (in arrival order), then one plan. An
    /// overrun alone brings no plan, as in the simulators this order agrees with; the next plan sees it.
    #[default]
    Textbook,
    /// As pyss and its descendants do it: all overruns; each arrival, with a plan after it; each end, with a
    /// plan after it. A job planned to end at this instant counts as gone in those plans already; if it does
    /// end, its prediction is not revised any more.
    Pyss,
}

/// What becomes of a job that reaches its requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitRule {
    /// It is killed.
    #[default]
    Kill,
    /// It runs on.
    Ignore,
}

/// How a simulation runs, besides its policy and predictor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Options {
    /// Order of events at one instant.
    pub event_order: EventOrder,
    /// Whether limits are enforced.
    pub limit: LimitRule,
    /// What replaces an outlived prediction.
    pub correction: Correction,
    /// Plans are made with predictions times this ("doubling" at 2).
    pub factor: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            event_order: EventOrder::default(),
            limit: LimitRule::default(),
            correction: Correction::default(),
            factor: 1.0,
        }
    }
}

impl LimitRule {
    /// How long a job really runs under this rule, in the shape it prefers.
    pub fn ran(self, job: &Job, truth: &Truth) -> Seconds {
        self.stopped(truth.run(), job.shape.limit)
    }

    /// When a job of this run time ends that has this limit.
    pub(super) fn stopped(self, run: Seconds, limit: Option<Seconds>) -> Seconds {
        match (self, limit) {
            (LimitRule::Kill, Some(limit)) => run.min(limit),
            _ => run,
        }
    }
}

impl fmt::Display for EventOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EventOrder::Textbook => "textbook",
            EventOrder::Pyss => "pyss",
        })
    }
}

impl FromStr for EventOrder {
    type Err = SpecError;
    fn from_str(text: &str) -> Result<EventOrder, SpecError> {
        match text {
            "textbook" => Ok(EventOrder::Textbook),
            "pyss" => Ok(EventOrder::Pyss),
            _ => Err(SpecError::unknown("event order", text, &["textbook", "pyss"])),
        }
    }
}

impl fmt::Display for LimitRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitRule::Kill => "kill",
            LimitRule::Ignore => "ignore",
        })
    }
}

impl FromStr for LimitRule {
    type Err = SpecError;
    fn from_str(text: &str) -> Result<LimitRule, SpecError> {
        match text {
            "kill" => Ok(LimitRule::Kill),
            "ignore" => Ok(LimitRule::Ignore),
            _ => Err(SpecError::unknown("limit rule", text, &["kill", "ignore"])),
        }
    }
}
