//! Every spec of the library: examples in help can be read, what is written is read back as the same value, and errors
//! name what is possible. Texts are made from the forms, so a new form is tested without a line here.

use std::fmt::Debug;

use queuecast_core::spec::{Alone, Also, Form, SettingKey, Spec, known};
use queuecast_eval::Window;
use queuecast_forecast::broker::{BrokerSpec, WaitHistory};
use queuecast_forecast::forecast::WaitMethod;
use queuecast_report::Format;
use queuecast_sim::predict::mixture::MixturePoint;
use queuecast_sim::predict::template::{Lifetime, Template, TemplateSet};
use queuecast_sim::predict::{Correction, Criteria, Learn, PredictorSpec, Rule, SessionSearch, Statistic};
use queuecast_sim::sim::{Backfill, Depth, EventOrder, Formula, LimitRule, Order, Persistence};
use queuecast_study::search::{Method, PredictedAt};
use queuecast_synth::synth::generate::Observed;
use queuecast_synth::synth::{DowneyArrivals, Law, LublinKinds, Rounding, ScaledQuantity};
use queuecast_trace::Ruleset;
use queuecast_wait::Regression;

/// A small generator of random numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.below(from.len())]
    }
}

/// Values to try for a key: what its placeholders stand for, its words, and the examples of its specs.
fn values(key: &SettingKey) -> Vec<String> {
    let placeholder = |part: &str| -> Vec<String> {
        let samples: &[&str] = match part {
            "" => &[],
            "JOBS" | "DRAWS" | "COPIES" => &["1", "50", "5000"],
            "QUANTILE" | "CONFIDENCE" => &["0.5", "0.95"],
            "N" => &["1", "2", "3", "7"],
            "SECONDS" => &["1", "60", "86400"],
            "TIME" => &["60", "90s", "36h", "3d"],
            "F" => &["1.5", "2", "1000"],
            "FORMULA" => &["wait", "max(wait, 60) / requested", "-procs"],
            "[PE,P,E,*]" => &["[PE,P,E,*]", "[X,*]", "[*]"],
            "(u,e),(q,u,n=4,lr)" => &["(u,e)", "(q,n=4,rel)", "()"],
            "WIDTH" => &["0.12", "1"],
            "NUMBER" => &["1", "1.5", "60", "86400"],
            "SHARE" => &["0", "1%", "0.25", "40%"],
            "DURATION" => &["0", "90", "7d", "1-12:00:00"],
            "+RULE" => &["+request-missing"],
            "-RULE" => &["-run-zero"],
            "RULE=ACTION" => &["run-zero=drop", "too-large=cap"],
            word if word.chars().all(|letter| letter.is_ascii_lowercase()) => return vec![word.to_owned()],
            other => panic!("values() does not know the placeholder {other}"),
        };
        samples.iter().map(|&sample| sample.to_owned()).collect()
    };
    let own = key.values.split('|').flat_map(placeholder);
    let specs = key.forms.into_iter().flat_map(|forms| forms()).map(|form| form.example.to_owned());
    own.chain(specs).collect()
}

/// A random text of a form.
fn random(form: &Form, dice: &mut Dice) -> String {
    let mut settings = Vec::new();
    for key in form.keys {
        if dice.below(3) == 0 && !matches!(key.alone, Alone::Place | Alone::All) {
            continue;
        }
        let values = values(key);
        let value = dice.pick(&values).to_owned();
        settings.push(match key.alone {
            Alone::All => {
                let more = (0..dice.below(3)).map(|_| dice.pick(&values).to_owned());
                std::iter::once(value).chain(more.collect::<Vec<_>>()).collect::<Vec<_>>().join(",")
            }
            Alone::Place if dice.below(2) == 0 => value,
            _ => format!("{}={value}", key.name),
        });
    }
    let (opener, separator) = match form.also {
        Also::Nothing => (":", ","),
        Also::Colons => (":", [":", ","][dice.below(2)]),
        Also::Comma => (",", ","),
        Also::Pluses => ("+", "+"),
    };
    match settings.is_empty() {
        true => form.name.to_owned(),
        false => format!("{}{opener}{}", form.name, settings.join(separator)),
    }
}

fn reads_back<T: Spec + PartialEq + Debug>(value: &T) {
    let written = value.to_string();
    let again = T::parse(&written).unwrap_or_else(|error| panic!("{written} is not read back: {error}"));
    assert_eq!(&again, value, "{written}");
    assert_eq!(again.to_string(), written);
}

/// The properties of one kind of spec.
fn check<T: Spec + PartialEq + Debug>() {
    let mut dice = Dice(7);
    for form in T::forms() {
        let example = T::parse(form.example);
        reads_back(&example.unwrap_or_else(|error| panic!("the example of {}: {error}", form.name)));
        if form.keys.is_empty() {
            continue;
        }
        let texts: Vec<String> = (0..300).map(|_| random(&form, &mut dice)).collect();
        let accepted: Vec<T> = texts.iter().filter_map(|text| T::parse(text).ok()).collect();
        assert!(accepted.len() > 20, "{} of 300 {} accepted, as {:?}", accepted.len(), form.name, texts[0]);
        accepted.iter().for_each(reads_back);
        if form.keys.iter().any(|key| matches!(key.alone, Alone::All)) {
            continue;
        }
        let separator = match form.also {
            _ if form.example == form.name => ":",
            Also::Pluses if form.example.contains('+') => "+",
            _ => ",",
        };
        // After the example, which has all that the form needs.
        let error =
            |setting: &str| T::parse(&format!("{}{separator}{setting}", form.example)).unwrap_err().why;
        for key in form.keys {
            let unknown = error("nonsense=1");
            assert!(unknown.contains(&key.shown()), "{unknown} does not name {}", key.shown());
            let wrong = error(&format!("{}=nonsense", key.name));
            assert!(wrong.contains(&format!("{}=nonsense", key.name)), "{wrong}");
        }
    }
    let unknown = T::parse("no-such-name").unwrap_err();
    assert!(unknown.known.is_empty() || unknown.known == known::<T>(), "{unknown}");
    assert!(!unknown.why.is_empty());
}

#[test]
fn predictors_and_their_settings() {
    check::<PredictorSpec>();
    check::<Statistic>();
    check::<Learn>();
    check::<SessionSearch>();
    check::<Criteria>();
    check::<Template>();
    check::<TemplateSet>();
    check::<Lifetime>();
    check::<MixturePoint>();
    check::<WaitMethod>();
    check::<Regression>();
}

#[test]
fn corrections() {
    check::<Rule>();
    check::<Correction>();
}

#[test]
fn policies_and_options_of_simulations() {
    check::<Backfill>();
    check::<Depth>();
    check::<Persistence>();
    check::<Order>();
    check::<Formula>();
    check::<EventOrder>();
    check::<LimitRule>();
}

#[test]
fn laws_rulesets_windows_and_formats() {
    check::<Law>();
    check::<Ruleset>();
    check::<Window>();
    check::<Format>();
    check::<BrokerSpec>();
    check::<WaitHistory>();
}

#[test]
fn choices_of_searches_and_models() {
    check::<Method>();
    check::<PredictedAt>();
    check::<LublinKinds>();
    check::<DowneyArrivals>();
    check::<Rounding>();
    check::<Observed>();
    check::<ScaledQuantity>();
}

#[test]
fn unknown_names_list_every_form() {
    let why = PredictorSpec::parse("nonsense").unwrap_err().why;
    assert!(known::<PredictorSpec>().iter().all(|form| why.contains(form.as_str())), "{why}");
}

#[test]
#[should_panic(expected = "is not read back")]
fn control_a_spec_that_is_written_wrongly_is_found() {
    #[derive(Debug, PartialEq)]
    struct Careless(Order);
    impl std::fmt::Display for Careless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "the {}", self.0)
        }
    }
    impl Spec for Careless {
        const KIND: &'static str = "careless spec";
        fn forms() -> Vec<Form> {
            Order::forms()
        }
        fn from_settings(
            settings: &queuecast_core::spec::Settings<'_>,
        ) -> Result<Careless, queuecast_core::spec::SpecError> {
            Order::from_settings(settings).map(Careless)
        }
    }
    check::<Careless>();
}
