//! The small languages of the command line: policies, predictors, corrections, orders of events, rule sets.
//!
//! Every one is read here and nowhere else, so that the names people type, what `--help` and the shell
//! complete, and the error for a name nobody knows come from one table each.

mod languages;
mod list;
mod templates;
mod window;

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

pub use languages::{at_least, at_least_one, depth, formula, seeds};
pub use languages::{
    backfill_order, correction, dimension, event_order, limit, policy, positive, predictor, ruleset,
    strategy, time_zone,
};
pub use list::{Several, SpecList};
pub use window::{window, written};

/// One name of a language, and what may follow it after a colon.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What people type.
    pub name: &'static str,
    /// What follows, as help shows it: `:SECONDS`.
    pub with: &'static str,
    /// What it means.
    pub means: &'static str,
}

impl Form {
    /// With what follows it.
    fn shown(&self) -> String {
        format!("{}{}", self.name, self.with)
    }
}

/// A name, what follows it, what it means.
pub const fn form(name: &'static str, with: &'static str, means: &'static str) -> Form {
    Form { name, with, means }
}

/// A parser for one language: known names first, then whatever the library's own reader says.
#[derive(Clone)]
pub struct Spec<T> {
    forms: &'static [Form],
    read: fn(&str) -> Result<T, String>,
}

impl<T> Spec<T> {
    /// The language of these names.
    pub const fn new(forms: &'static [Form], read: fn(&str) -> Result<T, String>) -> Spec<T> {
        Spec { forms, read }
    }

    /// Help on one line: what it is, and the names.
    pub fn help(&self, what: &str) -> String {
        let names: Vec<String> = self.forms.iter().map(Form::shown).collect();
        format!("{what}: {}", names.join(", "))
    }

    /// Help in full: what each name means.
    pub fn long_help(&self, what: &str) -> String {
        let widest = self.forms.iter().map(|form| form.shown().len()).max().unwrap_or(0);
        let lines = self.forms.iter().map(|form| format!("\n  {:<widest$}  {}", form.shown(), form.means));
        format!("{what}:{}", lines.collect::<String>())
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Spec<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        let place = arg.map(ToString::to_string).unwrap_or_default();
        // Former names are read, but not listed.
        if !self.knows(&text) && !self.reads(&text) {
            return Err(self.unknown(command, place, text));
        }
        (self.read)(&text).map_err(|why| {
            let several = text.split(',').skip(1).any(|piece| self.knows(piece));
            // The list of a comparison takes its values apart before it comes here.
            let why = match several {
                true if command.get_name() == "compare" => "one at a time here".to_owned(),
                true => "one at a time here; queuecast compare takes several".to_owned(),
                false => why,
            };
            let said = format!("invalid value '{text}' for '{place}': {why}\n");
            Error::raw(ErrorKind::ValueValidation, said).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.forms.iter().map(|form| PossibleValue::new(form.name).help(form.means))))
    }
}

/// The name a text begins with; parameters follow a colon, changes a comma or a plus, alternatives a slash.
fn name_in(text: &str) -> &str {
    text.split([':', ',', '/', '+']).next().unwrap_or_default()
}

impl<T> Spec<T> {
    /// Whether it makes sense as it stands.
    fn reads(&self, text: &str) -> bool {
        (self.read)(text).is_ok()
    }

    fn knows(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.name == name_in(text))
    }

    fn unknown(&self, command: &Command, place: String, text: String) -> Error {
        let shown = self.forms.iter().map(Form::shown).collect();
        let name = name_in(&text).to_lowercase();
        let likeness = |form: &Form| strsim::jaro_winkler(&name, form.name);
        let similar = self.forms.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
        error.insert(ContextKind::InvalidArg, ContextValue::String(place));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(shown));
        if let Some(similar) = similar.filter(|form| likeness(form) > 0.7) {
            let suggested = format!("{}{}", similar.name, &text[name_in(&text).len()..]);
            error.insert(ContextKind::SuggestedValue, ContextValue::String(suggested));
        }
        error.insert(ContextKind::InvalidValue, ContextValue::String(text));
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<T: Clone + Send + Sync + ToString + 'static>(spec: Spec<T>, value: &str) -> String {
        let arg = Arg::new("spec").long("spec").value_name("SPEC").value_parser(spec);
        let parsed = Command::new("test").arg(arg).try_get_matches_from(["test", "--spec", value]);
        match parsed {
            Ok(matches) => matches.get_one::<T>("spec").map(ToString::to_string).unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn known_names_pass_with_their_parameters() {
        assert_eq!(said(policy(), "easy"), "easy");
        assert_eq!(said(policy(), "easy:depth=4,order=largest"), "easy:depth=4,order=largest");
        assert_eq!(said(predictor(), "recent:2:median"), "recent:2:median");
        assert_eq!(said(ruleset(), "default,run-zero=drop"), "default,run-zero=drop");
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_suggests_the_nearest() {
        let error = said(policy(), "easi");
        assert!(error.contains("invalid value 'easi' for '--spec <SPEC>'"), "{error}");
        assert!(error.contains("[possible values: fcfs, easy, sjbf, conservative]"), "{error}");
        assert!(error.contains("a similar value exists: 'easy'"), "{error}");
        let error = said(predictor(), "median:2");
        assert!(
            error.contains("requested, perfect, constant:SECONDS, recent:K[:STATISTIC], ruh[:K,SETTINGS]"),
            "{error}"
        );
        assert!(said(predictor(), "recnt:2").contains("a similar value exists: 'recent:2'"));
        assert!(!said(policy(), "xyz").contains("similar"));
    }

    #[test]
    fn what_the_library_refuses_says_why() {
        let error = said(predictor(), "constant:x");
        let expected = "invalid value 'constant:x' for '--spec <SPEC>': give a whole number of seconds";
        assert!(error.contains(expected), "{error}");
        assert!(said(policy(), "conservative:depth=2").contains("use form=replan"));
        assert!(said(policy(), "fcfs,easy").contains("queuecast compare takes several"));
        assert!(said(ruleset(), "default,+nonsense").contains("unknown cleaning rule"));
    }

    #[test]
    fn every_name_the_library_knows_is_offered_and_every_name_offered_is_known() {
        use queuecast::sim::{Backfill, Order};
        use queuecast::trace::Ruleset;
        let offered = |forms: &[Form]| forms.iter().map(|form| form.name).collect::<Vec<_>>();
        assert_eq!(offered(policy().forms), Backfill::KNOWN);
        assert_eq!(offered(backfill_order().forms), Order::KNOWN);
        assert_eq!(offered(ruleset().forms), Ruleset::names());
        let shown: Vec<String> = predictor().forms.iter().map(Form::shown).collect();
        assert_eq!(shown, queuecast::predict::PredictorSpec::KNOWN);
        let shown: Vec<String> = strategy().forms.iter().map(Form::shown).collect();
        assert_eq!(shown, queuecast::allot::Strategy::KNOWN);
    }

    #[test]
    fn help_comes_from_the_same_table() {
        assert_eq!(limit().help("Who"), "Who: kill, ignore");
        let long = "Who:\n  kill    it is killed, as most systems do\n  \
                    ignore  it runs on to its recorded end";
        assert_eq!(limit().long_help("Who"), long);
    }
}
