//! The parser of command-line values for one kind of spec.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use queuecast_core::spec::{self, Form, Spec, name_in};

/// A parser of command-line values for one kind of spec. Help, completion and the errors for unknown names are made
/// from the forms.
#[derive(Clone)]
pub struct SpecParser<T> {
    forms: Vec<Form>,
    note: &'static str,
    read: fn(&str) -> Result<T, String>,
}

/// Reads a spec of the library; the error says what is possible.
pub fn read<T: Spec>(text: &str) -> Result<T, String> {
    T::parse(text).map_err(|error| error.why)
}

/// The parser of a spec of the library.
pub fn of<T: Spec>() -> SpecParser<T> {
    SpecParser { forms: T::forms(), note: T::NOTE, read }
}

/// The parser of an enumeration of the library: help lists every value with its meaning.
pub fn choice<T: Spec + Clone + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    let value = |form: Form| {
        let (first, rest) = form.meaning.split_at(1);
        PossibleValue::new(form.name).help(first.to_uppercase() + rest)
    };
    PossibleValuesParser::new(T::forms().into_iter().map(value)).try_map(|name| T::parse(&name))
}

impl<T> SpecParser<T> {
    /// Without the forms of these names.
    pub fn without(mut self, names: &[&str]) -> SpecParser<T> {
        self.forms.retain(|form| !names.contains(&form.name));
        self
    }

    /// The same forms with another reader.
    pub fn read_by<U>(self, read: fn(&str) -> Result<U, String>) -> SpecParser<U> {
        SpecParser { forms: self.forms, note: self.note, read }
    }

    /// Help on one line: what it is, and the forms.
    pub fn help(&self, what: &str) -> String {
        spec::help(what, &self.forms)
    }

    /// Help in full: the meaning of each form, and the note.
    pub fn long_help(&self, what: &str) -> String {
        spec::long_help(what, &self.forms, self.note)
    }

    /// The specs of a list.
    pub fn split<'a>(&self, list: &'a str) -> Vec<&'a str> {
        spec::split_list(list, &self.forms, |text| self.reads(text))
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for SpecParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        let place = arg.map(ToString::to_string).unwrap_or_default();
        // Former names are read, but not listed.
        if !spec::is_known(&text, &self.forms) && !self.reads(&text) {
            return Err(self.unknown(command, place, text));
        }
        (self.read)(&text).map_err(|why| {
            let several = text.split(',').skip(1).any(|piece| spec::is_known(piece, &self.forms));
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
    /// Reads a text; the error says what is possible.
    pub fn value(&self, text: &str) -> Result<T, String> {
        (self.read)(text)
    }

    /// Whether the text can be read.
    pub fn reads(&self, text: &str) -> bool {
        (self.read)(text).is_ok()
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
    use queuecast_sim::sim::Backfill;
    use queuecast_trace::Ruleset;

    use super::super::predictor;
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
        assert_eq!(said(of::<Backfill>(), "easy"), "easy");
        assert_eq!(said(of::<Backfill>(), "easy:depth=4,order=largest"), "easy:depth=4,order=largest");
        assert_eq!(said(predictor(), "recent:2:median"), "recent:2:median");
        assert_eq!(said(of::<Ruleset>(), "default,run-zero=drop"), "default,run-zero=drop");
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_suggests_the_nearest() {
        let error = said(of::<Backfill>(), "easi");
        assert!(error.contains("invalid value 'easi' for '--spec <SPEC>'"), "{error}");
        assert!(error.contains("[possible values: fcfs, easy, sjbf, conservative, likely]"), "{error}");
        assert!(error.contains("a similar value exists: 'easy'"), "{error}");
        let error = said(predictor(), "median:2");
        assert!(
            error.contains("requested, perfect, constant:SECONDS, recent:K[:STATISTIC], ruh[:K,SETTINGS]"),
            "{error}"
        );
        assert!(said(predictor(), "recnt:2").contains("a similar value exists: 'recent:2'"));
        assert!(!said(of::<Backfill>(), "xyz").contains("similar"));
    }

    #[test]
    fn what_the_library_refuses_says_why() {
        let error = said(predictor(), "constant:x");
        let expected = "invalid value 'constant:x' for '--spec <SPEC>': x: give a whole number of seconds";
        assert!(error.contains(expected), "{error}");
        assert!(said(of::<Backfill>(), "conservative:depth=2").contains("use form=replan"));
        assert!(said(of::<Backfill>(), "fcfs,easy").contains("queuecast compare takes several"));
        assert!(said(of::<Ruleset>(), "default,+nonsense").contains("unknown cleaning rule"));
    }
}
