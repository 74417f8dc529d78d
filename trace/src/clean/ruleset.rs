//! Rulesets: an action for each rule, with a name and a text form.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::rule::{Action, Rule};
use queuecast_core::spec::{Alone, Also, Form, SettingKey, Settings, Spec, SpecError, conversions};

/// An action for each rule, written `NAME[,+rule|,-rule|,rule=action]…`, for instance
/// `default,run-zero=drop,-partial-execution`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Ruleset {
    base: Base,
    actions: Vec<Action>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    None,
    Default,
    Predictsim,
    Reference,
}

impl Base {
    const ALL: [Base; 4] = [Base::None, Base::Default, Base::Predictsim, Base::Reference];

    fn name(self) -> &'static str {
        match self {
            Base::None => "none",
            Base::Default => "default",
            Base::Predictsim => "predictsim",
            Base::Reference => "reference",
        }
    }

    fn choices(self) -> &'static [(Rule, Action)] {
        match self {
            Base::None => &[(Rule::Processors, Action::ByFormat)],
            Base::Default => &[
                (Rule::RunZero, Action::OneSecond),
                (Rule::PartialExecution, Action::Drop),
                (Rule::Processors, Action::ByFormat),
            ],
            Base::Predictsim => &[
                (Rule::RunZero, Action::Drop),
                (Rule::RequestMissing, Action::Drop),
                (Rule::RunAboveRequest, Action::Cut),
                (Rule::Ties, Action::ByNumber),
            ],
            Base::Reference => &[
                (Rule::RunZero, Action::OneSecond),
                (Rule::RequestMissing, Action::Run),
                (Rule::RunAboveRequest, Action::Cut),
                (Rule::TooLarge, Action::Cap),
            ],
        }
    }
}

/// Why a text is not a ruleset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesetError {
    /// No rule of this name.
    #[error("unknown cleaning rule \"{name}\"; known: {}", list(Rule::ALL, Rule::name))]
    UnknownRule {
        /// What was written.
        name: String,
    },
    /// The rule cannot do that.
    #[error("rule {rule} cannot be set to \"{action}\"; it can: {}", list(rule.actions(), Action::name))]
    WrongAction {
        /// Which rule.
        rule: Rule,
        /// What was written.
        action: String,
    },
    /// The rule has no choice.
    #[error(
        "rule {rule} cannot be switched off ({}): such a record cannot be used otherwise",
        rule.description()
    )]
    NoChoice {
        /// Which rule.
        rule: Rule,
    },
    /// Not of the form.
    #[error("\"{part}\" is not of the form +rule, -rule or rule=action (as in default,run-zero=drop)")]
    Form {
        /// What was written.
        part: String,
    },
}

fn list<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> String {
    all.iter().map(|&one| name(one)).collect::<Vec<_>>().join(", ")
}

impl Ruleset {
    fn from_base(base: Base) -> Ruleset {
        let mut actions: Vec<Action> = Rule::ALL.iter().map(|rule| rule.actions()[0]).collect();
        // Waiting before eligibility is the user's choice, not the queue's, under every ruleset.
        actions[Rule::Eligible.at()] = Action::UseEligible;
        // A repeated row is still one run of one job.
        actions[Rule::DuplicateRow.at()] = Action::Drop;
        for &(rule, action) in base.choices() {
            actions[rule.at()] = action;
        }
        Ruleset { base, actions }
    }

    /// Changes nothing optional; what cannot be a job at all (no submit time, no run time, no processors,
    /// larger than the machine, unreadable, unfinished) is still removed. Processors are those a job held in
    /// accounting records, which Slurm may have rounded up to whole nodes, and those it requested in SWF.
    pub fn none() -> Ruleset {
        Ruleset::from_base(Base::None)
    }

    /// The input rules of the SC'15 study (predictsim): jobs without run time, requested time or processors
    /// are dropped, run times are cut to requests, ties go by job number.
    pub fn predictsim() -> Ruleset {
        Ruleset::from_base(Base::Predictsim)
    }

    /// A common reference: zero runs last a second, missing requests are taken from run times (a leak of
    /// the future: for comparison only), runs are cut to requests, sizes to the machine.
    pub fn reference() -> Ruleset {
        Ruleset::from_base(Base::Reference)
    }

    /// The names of the rulesets.
    pub fn names() -> [&'static str; 4] {
        Base::ALL.map(Base::name)
    }

    /// What a rule does.
    pub fn action(&self, rule: Rule) -> Action {
        self.actions[rule.at()]
    }

    /// Whether a job's size is what it was allocated rather than what it requested, given whether it comes
    /// from accounting records.
    pub(crate) fn prefers_allocated(&self, accounting: bool) -> bool {
        match self.action(Rule::Processors) {
            Action::Allocated | Action::Held => true,
            Action::ByFormat => accounting,
            _ => false,
        }
    }

    /// The same ruleset with another action for one rule.
    pub fn with(mut self, rule: Rule, action: Action) -> Result<Ruleset, RulesetError> {
        if !rule.actions().contains(&action) {
            return Err(RulesetError::WrongAction { rule, action: action.name().into() });
        }
        self.actions[rule.at()] = action;
        Ok(self)
    }

    fn modify(self, part: &str) -> Result<Ruleset, RulesetError> {
        let named =
            |name: &str| Rule::from_name(name).ok_or_else(|| RulesetError::UnknownRule { name: name.into() });
        if let Some(name) = part.strip_prefix('+') {
            let rule = named(name)?;
            let action = *rule.actions().get(1).unwrap_or(&rule.actions()[0]);
            return self.with(rule, action);
        }
        if let Some(name) = part.strip_prefix('-') {
            let rule = named(name)?;
            return match rule.actions() {
                [only] if *only != Action::Keep => Err(RulesetError::NoChoice { rule }),
                [off, ..] => self.with(rule, *off),
                [] => Err(RulesetError::NoChoice { rule }),
            };
        }
        let (name, action) = part.split_once('=').ok_or_else(|| RulesetError::Form { part: part.into() })?;
        let rule = named(name.trim())?;
        let wrong = || RulesetError::WrongAction { rule, action: action.trim().into() };
        let action = Action::from_name(action.trim()).ok_or_else(wrong)?;
        self.with(rule, action)
    }
}

impl Default for Ruleset {
    /// Like [`Ruleset::none`], and zero runs last a second and partial executions are dropped in favour of the line
    /// that sums them up. Runs above their request are kept: the engine enforces limits itself.
    fn default() -> Ruleset {
        Ruleset::from_base(Base::Default)
    }
}

impl Spec for Ruleset {
    const KIND: &'static str = "ruleset";
    const NOTE: &'static str = "Change single rules after a comma: default,run-zero=drop,-partial-execution";

    fn forms() -> Vec<Form> {
        const RULES: &[SettingKey] = &[SettingKey::new("rule", "+RULE|-RULE|RULE=ACTION").alone(Alone::All)];
        let form =
            |base: Base, meaning| Form { keys: RULES, ..Form::new(base.name(), meaning) }.also(Also::Comma);
        vec![
            form(Base::None, "removes only records that cannot be jobs"),
            form(Base::Default, "as none; runs of 0 s last 1 s, partial executions count once")
                .example("default,run-zero=drop,-partial-execution"),
            form(Base::Predictsim, "of the SC'15 study: no zero runs, runs cut to requested times"),
            form(Base::Reference, "for comparison only: missing requests are taken from run times"),
        ]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Ruleset, SpecError> {
        let base = Base::ALL.into_iter().find(|base| base.name() == settings.name());
        let ruleset = Ruleset::from_base(base.ok_or_else(|| settings.unread())?);
        settings.values("rule").try_fold(ruleset, |ruleset, rule| {
            ruleset.modify(rule.text()).map_err(|error| settings.wrong(error.to_string()))
        })
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.name())?;
        let plain = Ruleset::from_base(self.base);
        for &rule in Rule::ALL {
            if self.action(rule) != plain.action(rule) {
                write!(f, ",{rule}={}", self.action(rule))?;
            }
        }
        Ok(())
    }
}

conversions!(Ruleset);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruleset_reads_back_as_it_is_written() {
        for text in ["none", "default", "predictsim", "reference", "default,run-zero=drop,too-large=cap"] {
            assert_eq!(text.parse::<Ruleset>().unwrap().to_string(), text);
        }
        let tidied = "default, -run-zero, +request-missing".parse::<Ruleset>().unwrap();
        assert_eq!(tidied.to_string(), "default,run-zero=keep,request-missing=drop");
        let json = serde_json::to_string(&tidied).unwrap();
        assert_eq!(serde_json::from_str::<Ruleset>(&json).unwrap(), tidied);
    }

    #[test]
    fn mistakes_list_what_is_known() {
        let error = |text: &str| text.parse::<Ruleset>().unwrap_err().to_string();
        assert!(error("strictest").contains("known are none, default, predictsim, reference"));
        assert!(error("default,+no-such").contains("run-above-request"));
        assert!(error("default,run-zero=cap").contains("it can: keep, one-second, drop"));
        assert!(error("default,run-zero=nonsense").contains("it can: keep, one-second, drop"));
        assert!(error("default,-submit-missing").contains("cannot be switched off"));
        assert!(error("default,run-zero").contains("rule=action"));
        assert!(error("").contains("no such ruleset"));
    }

    #[test]
    fn every_rule_starts_with_an_action_it_can_do() {
        for base in Base::ALL {
            let ruleset = Ruleset::from_base(base);
            assert!(Rule::ALL.iter().all(|rule| rule.actions().contains(&ruleset.action(*rule))));
        }
    }
}
