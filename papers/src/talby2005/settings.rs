//! The paper's schedulers and predictors, written as specs.

use queuecast_core::spec::SpecError;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::sim::{LimitRule, Options};
use queuecast_study::Experiment;

/// A policy, a predictor and what becomes of an outlived prediction. Limits are not enforced: jobs that ran
/// past their estimate do so here too (Table 3 shows one).
#[derive(Debug, Clone, PartialEq)]
pub struct SchedulerSetting {
    /// What the paper calls it.
    pub name: String,
    policy: &'static str,
    predictor: String,
    correction: String,
    factor: f64,
    default_request: Seconds,
}

/// By gradual increments, no estimate consulted (section 4: EASY, ESTIMATE and CONSTANT).
const GRADUAL: &str = "increments:free";

/// To the estimate, then by gradual increments (section 4: all others).
const TO_ESTIMATE: &str = "requested";

/// Where the growth of Balanced stops, which the paper does not print: 60 hours, the longest request of KTH; few
/// jobs of any log ask for more. The table `threshold` shows what other choices come to.
const THRESHOLD_HOURS: u32 = 60;

/// Growth by ten never stops (section 6).
const UNBALANCED: &str = "factor:10:free";

/// Jobs with an estimate as above, jobs without as under Balanced.
const MIXED: &str = "requested/factor:10:until=216000:free";

impl SchedulerSetting {
    fn new(
        name: &str,
        policy: &'static str,
        predictor: impl Into<String>,
        correction: impl Into<String>,
    ) -> SchedulerSetting {
        let (name, predictor, correction) = (name.to_owned(), predictor.into(), correction.into());
        SchedulerSetting {
            name,
            policy,
            predictor,
            correction,
            factor: 1.0,
            default_request: DEFAULT_REQUEST,
        }
    }

    /// What every improvement of Tables 2 and 6 is over.
    pub fn easy() -> SchedulerSetting {
        SchedulerSetting::new("EASY", "easy", "requested", GRADUAL)
    }

    pub fn perfect() -> SchedulerSetting {
        SchedulerSetting::new("Perfect", "sjbf", "perfect", TO_ESTIMATE)
    }

    pub fn estimate() -> SchedulerSetting {
        SchedulerSetting::new("Estimate", "sjbf", "requested", GRADUAL)
    }

    pub fn constant(seconds: u32) -> SchedulerSetting {
        let unit = if seconds == 1 { "Second" } else { "Seconds" };
        SchedulerSetting::new(
            &format!("Constant {seconds} {unit}"),
            "sjbf",
            format!("constant:{seconds}"),
            GRADUAL,
        )
    }

    pub fn ruh() -> SchedulerSetting {
        SchedulerSetting::new("RUH without Propagation", "sjbf", "ruh", TO_ESTIMATE)
    }

    /// The best RUH: what every improvement of Tables 4 and 5 is over.
    pub fn ruh_propagation() -> SchedulerSetting {
        SchedulerSetting::new("RUH with Propagation", "sjbf", "ruh:propagate=yes", TO_ESTIMATE)
    }

    /// This setting with no prediction above the estimate, under the same name.
    #[must_use]
    pub fn capped(self) -> SchedulerSetting {
        let joint = if self.predictor.contains(':') { "," } else { ":" };
        SchedulerSetting { predictor: format!("{}{joint}cap=yes", self.predictor), ..self }
    }

    pub fn sbh_pe() -> SchedulerSetting {
        SchedulerSetting::new(
            "Unlimited DFS, [PE,P,E,*], Propagation",
            "sjbf",
            "sbh:[PE,P,E,*],propagate=yes",
            TO_ESTIMATE,
        )
    }

    pub fn sbh_e() -> SchedulerSetting {
        SchedulerSetting::new(
            "Unlimited DFS, [E,P,X], Propagation",
            "sjbf",
            "sbh:[E,P,X],propagate=yes",
            TO_ESTIMATE,
        )
    }

    /// Any SBH.
    pub fn sbh(settings: &str) -> SchedulerSetting {
        SchedulerSetting::new(settings, "sjbf", format!("sbh:{settings}"), TO_ESTIMATE)
    }

    pub fn balanced() -> SchedulerSetting {
        SchedulerSetting::balanced_at(THRESHOLD_HOURS)
    }

    /// Balanced with another threshold.
    pub fn balanced_at(hours: u32) -> SchedulerSetting {
        let correction = format!("factor:10:until={}:free", hours * 3600);
        SchedulerSetting::new("Balanced, DFS, [PX,P,X,*]", "sjbf", "sbh:[PX,P,X,*],new=1", correction)
    }

    pub fn unbalanced() -> SchedulerSetting {
        SchedulerSetting::new("Unbalanced, DFS, [PX,P,X,*]", "sjbf", "sbh:[PX,P,X,*],new=1", UNBALANCED)
    }

    /// One predictor for jobs with and without estimates and histories.
    pub fn mixed() -> SchedulerSetting {
        let mixed = SchedulerSetting::new("Mixed", "sjbf", "sbh:[PE,P,E,*],propagate=yes", MIXED);
        SchedulerSetting { default_request: Seconds(1), ..mixed }
    }

    /// EASY with exact run times (Figure 3).
    pub fn easy_perfect() -> SchedulerSetting {
        SchedulerSetting::new("actual run times", "easy", "perfect", GRADUAL)
    }

    /// This setting under another name.
    #[must_use]
    pub fn named(self, name: &str) -> SchedulerSetting {
        SchedulerSetting { name: name.into(), ..self }
    }

    /// This setting with predictions doubled before planning.
    #[must_use]
    pub fn doubled(self) -> SchedulerSetting {
        SchedulerSetting { name: format!("{}, doubled", self.name), factor: 2.0, ..self }
    }

    /// As an experiment.
    pub fn experiment(&self) -> Result<Experiment, SpecError> {
        let mut experiment = Experiment::new(self.policy.parse()?, self.predictor.parse()?);
        experiment.options = Options {
            limit: LimitRule::Ignore,
            correction: self.correction.parse()?,
            factor: self.factor,
            ..Options::default()
        };
        experiment.default_request = self.default_request;
        Ok(experiment)
    }
}
