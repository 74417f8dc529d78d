//! Specs on the command line: parsers, help texts, shell completion and errors, made from the library's forms.

mod languages;
mod list;
mod numbers;
mod templates;
mod window;

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

pub use languages::{
    backfill_order, correction, depth, dimension, event_order, formula, limit, policy, predictor, ruleset,
    strategy, time_zone,
};
pub use list::{Several, SpecList};
pub use numbers::{at_least, at_least_one, positive, seeds};
pub use queuecast::spec::Form;
use queuecast::spec::name_in;
pub use window::{window, written};

/// A form with what follows its name and what it means.
pub const fn form(name: &'static str, parameters: &'static str, meaning: &'static str) -> Form {
    Form { parameters, ..Form::new(name, meaning) }
}

/// A parser of command-line values for one kind of spec. Help, completion and the errors for unknown names are made
/// from the forms.
#[derive(Clone)]
pub struct SpecParser<T> {
    forms: Vec<Form>,
    note: &'static str,
    read: fn(&str) -> Result<T, String>,
}

/// The parser of a library type.
pub fn of<T: queuecast::spec::Spec>() -> SpecParser<T> {
    SpecParser { forms: T::forms(), note: T::NOTE, read: |text| T::parse(text).map_err(|error| error.why) }
}

impl<T> SpecParser<T> {
    /// A parser with forms and a reader of its own.
    pub fn new(forms: &[Form], read: fn(&str) -> Result<T, String>) -> SpecParser<T> {
        SpecParser { forms: forms.to_vec(), note: "", read }
    }

    /// The same forms with another reader.
    pub fn read_by(self, read: fn(&str) -> Result<T, String>) -> SpecParser<T> {
        SpecParser { read, ..self }
    }

    /// Help on one line: what it is, and the forms.
    pub fn help(&self, what: &str) -> String {
        let names: Vec<String> = self.forms.iter().map(Form::shown).collect();
        format!("{what}: {}", names.join(", "))
    }

    /// Help in full: the meaning of each form, and the note.
    pub fn long_help(&self, what: &str) -> String {
        let widest = self.forms.iter().map(|form| form.shown().len()).max().unwrap_or(0);
        let lines = self.forms.iter().map(|form| format!("\n  {:<widest$}  {}", form.shown(), form.meaning));
        let note = if self.note.is_empty() { String::new() } else { format!("\n{}", self.note) };
        format!("{what}:{}{note}", lines.collect::<String>())
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for SpecParser<T> {
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
        Some(Box::new(self.forms.iter().map(|form| PossibleValue::new(form.name).help(form.meaning))))
    }
}

impl<T> SpecParser<T> {
    /// Whether the text can be read.
    fn reads(&self, text: &str) -> bool {
        (self.read)(text).is_ok()
    }

    fn knows(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.name == name_in(text))
    }

    fn unknown(&self, command: &Command, place: String, text: String) -> Error {
        let shown = self.forms.iter().map(Form::shown).collect();
        let name = name_in(&text).to_lowercase();
        let similarity = |form: &Form| strsim::jaro_winkler(&name, form.name);
        let similar = self.forms.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
        error.insert(ContextKind::InvalidArg, ContextValue::String(place));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(shown));
        if let Some(similar) = similar.filter(|form| similarity(form) > 0.7) {
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

    fn said<T: Clone + Send + Sync + ToString + 'static>(spec: SpecParser<T>, value: &str) -> String {
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
        let expected = "invalid value 'constant:x' for '--spec <SPEC>': x: give a whole number of seconds";
        assert!(error.contains(expected), "{error}");
        assert!(said(policy(), "conservative:depth=2").contains("use form=replan"));
        assert!(said(policy(), "fcfs,easy").contains("queuecast compare takes several"));
        assert!(said(ruleset(), "default,+nonsense").contains("unknown cleaning rule"));
    }

    #[test]
    fn every_example_of_a_form_can_be_read() {
        fn check<T: Clone + Send + Sync + ToString + 'static>(spec: SpecParser<T>) {
            for form in spec.forms.clone() {
                assert!(spec.reads(form.example), "{}: {}", form.name, said(spec.clone(), form.example));
            }
        }
        check(policy());
        check(predictor());
        check(correction());
        check(event_order());
        check(limit());
        check(backfill_order());
    }

    #[test]
    fn help_comes_from_the_same_table() {
        assert_eq!(limit().help("Who"), "Who: kill, ignore");
        let long = "Who:\n  kill    the job is killed, as on most systems\n  \
                    ignore  the job runs on to its recorded end";
        assert_eq!(limit().long_help("Who"), long);
    }
}
