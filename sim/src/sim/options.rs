//! Options of a simulation other than its policy and its predictor.

use serde::Serialize;

use crate::predict::Correction;
use queuecast_core::job::{Job, Truth};
use queuecast_core::spec::choices;
use queuecast_core::units::Seconds;

/// The order of events that happen at one instant.
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

choices! { EventOrder, "event order":
    Textbook = "textbook", "all ends, overruns and arrivals of an instant, then one plan";
    Pyss = "pyss", "as in the PYSS simulator, to compare with its results";
}

/// What happens to a job that reaches its requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitRule {
    /// It is killed.
    #[default]
    Kill,
    /// It runs on.
    Ignore,
}

choices! { LimitRule, "limit rule":
    Kill = "kill", "the job is killed, as on most systems";
    Ignore = "ignore", "the job runs on to its recorded end";
}

/// Options of a simulation other than its policy and its predictor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Options {
    /// Order of events at one instant.
    pub event_order: EventOrder,
    /// Whether limits are enforced.
    pub limit: LimitRule,
    /// What replaces an outlived prediction.
    pub correction: Correction,
    /// Predictions are multiplied by this before planning ("doubling" at 2).
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
    /// The run time of a job under this rule, in its preferred shape.
    pub fn ran(self, job: &Job, truth: &Truth) -> Seconds {
        self.stopped(truth.run(), job.shape.limit)
    }

    /// A run time cut at a limit under this rule.
    pub(super) fn stopped(self, run: Seconds, limit: Option<Seconds>) -> Seconds {
        match (self, limit) {
            (LimitRule::Kill, Some(limit)) => run.min(limit),
            _ => run,
        }
    }
}
