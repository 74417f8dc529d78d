//! Corrections: what replaces a prediction that a running job has outlived, for any predictor.

use std::fmt;

use serde::{Deserialize, Serialize};

use queuecast_core::spec::{Also, Form, SettingKey, Settings, Spec, SpecError, Written, conversions};
use queuecast_core::units::Seconds;

const HOUR: i64 = 3600;

/// The longest time a workload may hold.
const LONGEST: i64 = 1_000_000_000_000_000;

/// 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours (Tsafrir, Etsion & Feitelson 2007,
/// section 3; Talby et al. 2005, section 4).
const INCREMENTS: [i64; 11] =
    [60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR];

/// Corrections of one job by the steps of its rule; each further one at least doubles what was outlived. By increments it
/// takes 57 years to get there.
pub const MOST_STEPS: u16 = 5_000;

/// How an outlived prediction is replaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// To the requested time at once; once that is outlived too (limits not enforced), or where there is none,
    /// by increments. (Talby et al. 2005, section 4.)
    Requested,
    /// To the prediction plus the next increment.
    Increments {
        /// Heeds the requested time: never past it while it is not outlived, and to it after the last
        /// increment (Tsafrir, Etsion & Feitelson 2007). Otherwise it is as without a request.
        heed: bool,
    },
    /// To a multiple of what was outlived. (Talby et al. 2005, section 6.)
    Factor {
        /// The multiple, above 1.
        factor: f64,
        /// Growth stops here; once this is outlived, by increments over it.
        until: Option<Seconds>,
        /// Heeds the requested time: never past it while it is not outlived.
        heed: bool,
    },
}

/// The rule for jobs with a requested time, and the rule for jobs without.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Correction {
    /// For jobs with a requested time.
    pub with_request: Rule,
    /// For jobs without.
    pub without_request: Rule,
}

impl Correction {
    /// To the requested time at once.
    pub const REQUESTED: Correction = Correction::same(Rule::Requested);
    /// By increments, never past a requested time not yet outlived.
    pub const INCREMENTS: Correction = Correction::same(Rule::Increments { heed: true });

    /// One rule for all jobs.
    pub const fn same(rule: Rule) -> Correction {
        Correction { with_request: rule, without_request: rule }
    }

    /// The prediction that replaces `outlived`, always longer than it.
    ///
    /// `first` is what the predictor said last, `limit` the requested time where there is one.
    pub fn corrected(self, first: Seconds, outlived: Seconds, limit: Option<Seconds>) -> Seconds {
        let rule = if limit.is_some() { self.with_request } else { self.without_request };
        rule.corrected(first, outlived, limit)
    }

    /// Like [`Correction::corrected`], for a job whose prediction was corrected `before` times: after `MOST_STEPS`, so that
    /// a run of any length needs few more, at least twice what was outlived, or a requested time ahead that the rule keeps to.
    pub fn corrected_again(
        self,
        before: u16,
        first: Seconds,
        outlived: Seconds,
        limit: Option<Seconds>,
    ) -> Seconds {
        let next = self.corrected(first, outlived, limit);
        if before < MOST_STEPS {
            return next;
        }
        let doubled = outlived + outlived;
        match limit.filter(|&limit| next <= limit) {
            Some(limit) => next.max(doubled.min(limit)),
            None => next.max(doubled),
        }
    }
}

impl Default for Correction {
    fn default() -> Correction {
        Correction::INCREMENTS
    }
}

impl Rule {
    fn corrected(self, first: Seconds, outlived: Seconds, limit: Option<Seconds>) -> Seconds {
        let ahead = limit.filter(|&limit| limit > outlived);
        let (raised, heed) = match self {
            Rule::Requested => match ahead {
                Some(limit) => return limit,
                None => return next_increment(limit.unwrap_or(first), outlived),
            },
            Rule::Increments { heed: true } if ahead.is_some() && (outlived - first).0 >= INCREMENTS[10] => {
                return ahead.unwrap_or(outlived);
            }
            Rule::Increments { heed } => (next_increment(first, outlived), heed),
            Rule::Factor { factor, until, heed } => {
                let grown = outlived.scaled(factor).max(outlived + Seconds(1));
                let raised = match until {
                    Some(until) if until <= outlived => next_increment(until, outlived),
                    Some(until) => grown.min(until),
                    None => grown,
                };
                (raised, heed)
            }
        };
        ahead.filter(|_| heed).map_or(raised, |limit| raised.min(limit))
    }
}

/// `base` plus the first increment that leads past `outlived`; after the last, by 100 hours each time.
fn next_increment(base: Seconds, outlived: Seconds) -> Seconds {
    let past = (outlived - base).0;
    let step = INCREMENTS.iter().copied().find(|&step| step > past);
    base + Seconds(step.unwrap_or_else(|| (past / (100 * HOUR) + 1) * 100 * HOUR))
}

impl Spec for Rule {
    const KIND: &'static str = "correction";

    fn forms() -> Vec<Form> {
        const FREE: SettingKey = SettingKey::flag("free");
        const FORMS: &[Form] = &[
            Form::new("requested", "to the requested time"),
            Form::new("increments", "by growing increments").with("[:free]", &[FREE], "increments:free"),
            Form::new("factor", "by a factor each time")
                .with(
                    ":F[:until=SECONDS][:free]",
                    &[SettingKey::new("factor", "F").placed(), SettingKey::new("until", "SECONDS"), FREE],
                    "factor:10:until=360000:free",
                )
                .also(Also::Colons),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Rule, SpecError> {
        let mut free = false;
        settings.set("free", &mut free, |value| value.flag())?;
        match settings.name() {
            "requested" => Ok(Rule::Requested),
            "increments" => Ok(Rule::Increments { heed: !free }),
            "factor" => {
                let value = settings.required("factor")?;
                let factor = value.number(1.0..=f64::MAX).ok().filter(|&factor| factor > 1.0);
                let factor = factor.ok_or_else(|| value.wrong("give a number above 1, as in factor:2"))?;
                let mut until = None;
                settings.set("until", &mut until, |value| value.seconds(LONGEST).map(Some))?;
                Ok(Rule::Factor { factor, until, heed: !free })
            }
            _ => Err(settings.unread()),
        }
    }
}

impl Spec for Correction {
    const KIND: &'static str = "correction";
    const NOTE: &'static str =
        "Two with a slash are for jobs with and without a requested time: requested/factor:10";

    fn forms() -> Vec<Form> {
        Rule::forms()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Correction, SpecError> {
        Rule::from_settings(settings).map(Correction::same)
    }

    /// One rule, or two with a slash between them: for jobs with a requested time, and for those without.
    fn parse(text: &str) -> Result<Correction, SpecError> {
        match text.split_once('/') {
            None => Rule::parse(text).map(Correction::same),
            Some((with, without)) => {
                Ok(Correction { with_request: Rule::parse(with)?, without_request: Rule::parse(without)? })
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, factor, until, heed) = match *self {
            Rule::Requested => ("requested", None, None, true),
            Rule::Increments { heed } => ("increments", None, None, heed),
            Rule::Factor { factor, until, heed } => ("factor", Some(factor), until, heed),
        };
        let until = until.map(|until| format!("until={until}"));
        let free = (!heed).then_some("free");
        Written::new(name).also(Also::Colons).optional(factor).optional(until).optional(free).fmt(f)
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.with_request)?;
        if self.with_request == self.without_request {
            Ok(())
        } else {
            write!(f, "/{}", self.without_request)
        }
    }
}

conversions!(Rule);
conversions!(Correction);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chain(rule: Correction, first: i64, limit: Option<i64>, until: i64) -> Vec<i64> {
        let mut predictions = vec![first];
        while let Some(&last) = predictions.last().filter(|&&last| last < until) {
            predictions.push(rule.corrected(Seconds(first), Seconds(last), limit.map(Seconds)).0);
        }
        predictions
    }

    #[test]
    fn increments_count_from_the_first_prediction_and_stop_at_the_request() {
        assert_eq!(chain(Correction::INCREMENTS, 100, Some(1500), 1500), [100, 160, 400, 1000, 1500]);
        let long = chain(Correction::INCREMENTS, 100, Some(900 * HOUR), 900 * HOUR);
        assert_eq!(long[long.len() - 2..], [100 + 100 * HOUR, 900 * HOUR]);
    }

    #[test]
    fn the_request_at_once_then_increments_over_it() {
        assert_eq!(chain(Correction::REQUESTED, 10, Some(1000), 1500), [10, 1000, 1060, 1300, 1900]);
        assert_eq!(chain(Correction::REQUESTED, 10, None, 300), [10, 70, 310]);
    }

    fn rule(text: &str) -> Correction {
        text.parse().unwrap()
    }

    #[test]
    fn a_factor_multiplies_what_was_outlived() {
        assert_eq!(chain(rule("factor:10"), 3, Some(1000), 1000), [3, 30, 300, 1000]);
        assert_eq!(chain(rule("factor:1.001"), 3, None, 5), [3, 4, 5]);
        assert_eq!(chain(rule("factor:10:free"), 3, Some(1000), 1001), [3, 30, 300, 3000]);
    }

    #[test]
    fn growth_stops_where_it_is_told_to_and_goes_on_by_increments() {
        let stopped = rule("factor:10:until=5000:free");
        assert_eq!(chain(stopped, 3, Some(4000), 6000), [3, 30, 300, 3000, 5000, 5060, 5300, 5900, 6800]);
        assert_eq!(chain(stopped, 7000, None, 9000), [7000, 8600, 12200]);
    }

    #[test]
    fn free_increments_never_ask_what_was_requested() {
        assert_eq!(chain(rule("increments:free"), 1, Some(100), 400), [1, 61, 301, 901]);
    }

    #[test]
    fn jobs_with_and_without_a_request_may_go_by_different_rules() {
        let mixed = rule("requested/factor:10");
        assert_eq!(chain(mixed, 5, Some(700), 700), [5, 700]);
        assert_eq!(chain(mixed, 5, None, 700), [5, 50, 500, 5000]);
    }

    #[test]
    fn increments_never_run_out() {
        let predictions = chain(Correction::INCREMENTS, 1, None, 1_000 * HOUR);
        assert!(predictions.is_sorted_by(|a, b| a < b));
        assert_eq!(predictions.last(), Some(&(1 + 1_000 * HOUR)));
    }

    #[test]
    fn runs_of_any_length_need_a_bounded_number_of_corrections() {
        for text in ["increments", "requested", "factor:1.0000001", "factor:2:until=60", "increments:free"] {
            for limit in [None, Some(Seconds(60)), Some(Seconds(LONGEST))] {
                let (first, correction) = (Seconds(60), rule(text));
                let (mut last, mut count) = (first, 0_u16);
                while last < Seconds(LONGEST) {
                    let next = correction.corrected_again(count, first, last, limit);
                    assert!(next > last);
                    // By its own steps for as long as any real job needs.
                    assert!(count >= MOST_STEPS || next == correction.corrected(first, last, limit));
                    (last, count) = (next, count + 1);
                }
                assert!(count <= MOST_STEPS + 60, "{text}: {count}");
            }
        }
    }

    #[test]
    fn specs_are_read_as_written_and_name_what_is_known() {
        for text in [
            "requested",
            "increments",
            "increments:free",
            "factor:2.5",
            "factor:10:until=360000:free",
            "requested/factor:10",
            "increments/increments:free",
        ] {
            assert_eq!(text.parse::<Correction>().unwrap().to_string(), text);
        }
        let unknown = "incremental".parse::<Correction>().unwrap_err().to_string();
        assert!(unknown.contains("requested, increments[:free], factor:F"), "{unknown}");
        for text in [
            "factor:1",
            "factor",
            "factor:-2",
            "factor:2:until=0",
            "factor:2:u",
            "requested:free",
            "/",
            "requested/",
        ] {
            assert!(text.parse::<Correction>().is_err(), "{text}");
        }
    }

    fn rules() -> impl Strategy<Value = Rule> {
        let factor = prop_oneof![Just(1.0 + f64::EPSILON), Just(1.000_001), 1.1..100.0, Just(f64::MAX)];
        prop_oneof![
            Just(Rule::Requested),
            any::<bool>().prop_map(|heed| Rule::Increments { heed }),
            (factor, prop::option::of(lengths()), any::<bool>())
                .prop_map(|(factor, until, heed)| Rule::Factor { factor, until, heed }),
        ]
    }

    /// Short, long, round, and as long as a workload may hold.
    fn lengths() -> impl Strategy<Value = Seconds> {
        let round = prop::sample::select(vec![1, 60, HOUR, 100 * HOUR, 100 * HOUR + 1, LONGEST - 1, LONGEST]);
        prop_oneof![1..500_i64, 1..500 * HOUR, 1..=LONGEST, round].prop_map(Seconds)
    }

    fn heeds(rule: Rule) -> bool {
        match rule {
            Rule::Requested => true,
            Rule::Increments { heed } | Rule::Factor { heed, .. } => heed,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(
            if std::env::var_os("QUEUECAST_THOROUGH").is_some() { 20_000 } else { 2_000 }
        ))]

        #[test]
        fn a_correction_outlasts_what_was_outlived_and_keeps_to_a_request_it_heeds(
            with_request in rules(), without_request in rules(),
            first in lengths(), outlived in lengths(), limit in prop::option::of(lengths()),
        ) {
            let correction = Correction { with_request, without_request };
            let corrected = correction.corrected(first, outlived, limit);
            prop_assert!(corrected > outlived);
            if let Some(limit) = limit.filter(|&limit| limit > outlived && heeds(with_request)) {
                prop_assert!(corrected <= limit);
            }
            // So it goes on to any end there is.
            let mut last = corrected;
            for _ in 0..20 {
                let next = correction.corrected(first, last, limit);
                prop_assert!(next > last);
                last = next;
            }
        }
    }

    #[test]
    fn control_a_free_rule_goes_past_a_request() {
        for text in ["increments:free", "factor:10:free"] {
            let free = rule(text);
            assert!(!heeds(free.with_request));
            assert!(free.corrected(Seconds(50), Seconds(50), Some(Seconds(60))) > Seconds(60), "{text}");
        }
    }
}
