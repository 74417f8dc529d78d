//! The small languages of the command line: policies, predictors, corrections, orders of events, rule sets.
//!
//! Every one is read here and nowhere else, so that the names people type, what `--help` and the shell
//! complete, and the error for a name nobody knows come from one table each.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

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

const fn form(name: &'static str, with: &'static str, means: &'static str) -> Form {
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
        let name = text.split(':').next().unwrap_or_default();
        let place = arg.map(ToString::to_string).unwrap_or_default();
        if !self.forms.iter().any(|form| form.name == name) {
            return Err(self.unknown(command, place, text));
        }
        (self.read)(&text).map_err(|why| {
            let said = format!("invalid value '{text}' for '{place}': {why}\n");
            Error::raw(ErrorKind::ValueValidation, said).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.forms.iter().map(|form| PossibleValue::new(form.name).help(form.means))))
    }
}

impl<T> Spec<T> {
    fn unknown(&self, command: &Command, place: String, text: String) -> Error {
        let shown = self.forms.iter().map(Form::shown).collect();
        let name = text.split(':').next().unwrap_or_default().to_lowercase();
        let likeness = |form: &Form| strsim::jaro_winkler(&name, form.name);
        let similar = self.forms.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
        error.insert(ContextKind::InvalidArg, ContextValue::String(place));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(shown));
        if let Some(similar) = similar.filter(|form| likeness(form) > 0.7) {
            error.insert(ContextKind::SuggestedValue, ContextValue::String(similar.name.to_owned()));
        }
        error.insert(ContextKind::InvalidValue, ContextValue::String(text));
        error
    }
}

/// Names as they are typed, until the library's own types take their place.
fn as_typed(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// What a scheduling policy is called.
pub type Policy = String;
/// What a run-time predictor is called.
pub type Predictor = String;
/// What a correction of outlived predictions is called.
pub type Correction = String;
/// What an order of simultaneous events is called.
pub type EventOrder = String;
/// What a set of cleaning rules is called.
pub type RuleSet = String;
/// What an order of backfill candidates is called.
pub type BackfillOrder = String;

/// `--policy`.
pub fn policy() -> Spec<Policy> {
    const FORMS: &[Form] = &[
        form("fcfs", "", "first come, first served: nobody overtakes"),
        form("easy", "", "EASY backfilling: overtake, but never delay the first in the queue"),
        form("sjbf", "", "EASY, trying the jobs predicted shortest first"),
        form("conservative", "", "overtake, but never delay anybody in the queue"),
    ];
    Spec::new(FORMS, as_typed)
}

/// `--predictor`.
pub fn predictor() -> Spec<Predictor> {
    const FORMS: &[Form] = &[
        form("requested", "", "the time the user asked for"),
        form("perfect", "", "the actual run time"),
        form("constant", ":SECONDS", "the same for every job"),
        form("recent", ":K[:median]", "mean (or median) of the user's last K run times"),
    ];
    Spec::new(FORMS, as_typed)
}

/// `--correction`.
pub fn correction() -> Spec<Correction> {
    const FORMS: &[Form] = &[
        form("requested", "", "fall back to the time the user asked for"),
        form("increments", "", "add ever larger fixed amounts"),
        form("factor", ":F", "multiply the outlived prediction by F"),
    ];
    Spec::new(FORMS, as_typed)
}

/// `--event-order`.
pub fn event_order() -> Spec<EventOrder> {
    const FORMS: &[Form] = &[
        form("textbook", "", "ends, overruns and arrivals of one instant first, then one plan"),
        form("pyss", "", "as the PYSS simulator orders them, to compare with its results"),
    ];
    Spec::new(FORMS, as_typed)
}

/// `--backfill-order`.
pub fn backfill_order() -> Spec<BackfillOrder> {
    const FORMS: &[Form] = &[
        form("arrival", "", "first come, first tried"),
        form("shortest", "", "predicted shortest first"),
        form("smallest", "", "fewest processors first"),
        form("largest", "", "most processors first"),
        form("area", "", "smallest processors times predicted time first"),
    ];
    Spec::new(FORMS, as_typed)
}

/// `--depth`: how many waiting jobs hold a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// This many, from the head of the queue.
    First(u32),
    /// Every one.
    All,
}

/// Reads `--depth`.
pub fn depth(text: &str) -> Result<Depth, String> {
    if text == "all" {
        return Ok(Depth::All);
    }
    text.parse().map(Depth::First).map_err(|_| "expected a whole number or \"all\"".to_owned())
}

/// Reads a positive, finite number.
pub fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("expected a number above zero".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(spec: Spec<String>, value: &str) -> String {
        let arg = Arg::new("spec").long("spec").value_name("SPEC").value_parser(spec);
        let parsed = Command::new("test").arg(arg).try_get_matches_from(["test", "--spec", value]);
        match parsed {
            Ok(matches) => matches.get_one::<String>("spec").cloned().unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn known_names_pass_with_their_parameters() {
        assert_eq!(said(policy(), "easy"), "easy");
        assert_eq!(said(predictor(), "recent:2:median"), "recent:2:median");
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_suggests_the_nearest() {
        let error = said(policy(), "easi");
        assert!(error.contains("invalid value 'easi' for '--spec <SPEC>'"), "{error}");
        assert!(error.contains("[possible values: fcfs, easy, sjbf, conservative]"), "{error}");
        assert!(error.contains("a similar value exists: 'easy'"), "{error}");
        let error = said(predictor(), "median:2");
        assert!(error.contains("requested, perfect, constant:SECONDS, recent:K[:median]"), "{error}");
        assert!(!said(policy(), "xyz").contains("similar"));
    }

    #[test]
    fn what_the_reader_refuses_says_why() {
        const FORMS: &[Form] = &[form("constant", ":SECONDS", "")];
        let error = said(Spec::new(FORMS, |_| Err("expected whole seconds".to_owned())), "constant:x");
        assert!(
            error.contains("invalid value 'constant:x' for '--spec <SPEC>': expected whole seconds"),
            "{error}"
        );
    }

    #[test]
    fn help_comes_from_the_same_table() {
        let short = "Who: requested, increments, factor:F";
        assert_eq!(correction().help("Who"), short);
        let long = "Who:\n  requested   fall back to the time the user asked for\n  \
                    increments  add ever larger fixed amounts\n  \
                    factor:F    multiply the outlived prediction by F";
        assert_eq!(correction().long_help("Who"), long);
    }

    #[test]
    fn depths_and_factors() {
        assert_eq!(depth("all"), Ok(Depth::All));
        assert_eq!(depth("3"), Ok(Depth::First(3)));
        assert!(depth("-1").is_err());
        assert_eq!(positive("1.5"), Ok(1.5));
        assert!(["0", "-1", "nan", "inf", "x"].iter().all(|text| positive(text).is_err()));
    }
}
