//! The reader of settings: takes a text apart by its form and reads values of known types.

use std::ops::RangeInclusive;

use super::error::SpecError;
use super::form::{Alone, Also, Form, SettingKey, name_in};
use crate::units::Seconds;

/// The settings of one spec. All keys are known; of a key that is given twice, the last value counts.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    kind: &'static str,
    text: &'a str,
    form: Form,
    given: Vec<OneSetting<'a>>,
}

/// One setting as written.
#[derive(Debug, Clone, Copy)]
struct OneSetting<'a> {
    key: &'static str,
    value: &'a str,
    written: &'a str,
}

impl<'a> Settings<'a> {
    /// Takes a text apart. The name must be one of the forms', the keys those of its form.
    pub fn read(kind: &'static str, forms: &[Form], text: &'a str) -> Result<Settings<'a>, SpecError> {
        let name = name_in(text);
        // Underscores, which papers and programs use in names, are read as hyphens.
        let hyphens = name.replace('_', "-");
        let Some(&form) = forms.iter().find(|form| form.name == name || form.name == hyphens) else {
            let known: Vec<String> = forms.iter().map(Form::shown).collect();
            return Err(SpecError::unknown(kind, text, &known));
        };
        let mut settings = Settings { kind, text, form, given: Vec::new() };
        let rest = &text[name.len()..];
        let Some(opener) = rest.chars().next() else { return Ok(settings) };
        if form.keys.is_empty() {
            return Err(settings.wrong(format!("{name} has no settings")));
        }
        let opens = match form.also {
            Also::Comma => [':', ','].contains(&opener),
            Also::Pluses => [':', '+'].contains(&opener),
            _ => opener == ':',
        };
        if !opens {
            return Err(settings.wrong(format!("settings follow a colon, as in {}", form.example)));
        }
        let separators: &[char] = match form.also {
            Also::Colons => &[',', ':'],
            Also::Pluses if opener == '+' => &['+'],
            _ => &[','],
        };
        for written in pieces(&rest[1..], separators) {
            let given = settings.given(written)?;
            settings.given.push(given);
        }
        Ok(settings)
    }

    /// Finds the key of one setting.
    fn given(&self, written: &'a str) -> Result<OneSetting<'a>, SpecError> {
        if let Some(key) = self.form.keys.iter().find(|key| key.claims(written)) {
            return Ok(OneSetting { key: key.name, value: written, written });
        }
        let pair = written.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let named = |name: &str| self.form.keys.iter().find(|key| key.name == name);
        if let Some((key, value)) = pair.and_then(|(name, value)| named(name).map(|key| (key, value))) {
            return Ok(OneSetting { key: key.name, value, written });
        }
        let free = |key: &&SettingKey| match key.alone {
            Alone::Place => !self.given.iter().any(|given| given.key == key.name),
            Alone::All => true,
            _ => false,
        };
        match self.form.keys.iter().find(free) {
            Some(key) if pair.is_none() || matches!(key.alone, Alone::All) => {
                Ok(OneSetting { key: key.name, value: written, written })
            }
            _ => {
                let known = self.form.known_keys();
                Err(self.wrong(format!("{written:?} is no setting; known are {known}")))
            }
        }
    }

    /// The name of the form.
    pub fn name(&self) -> &'static str {
        self.form.name
    }

    /// Everything after the name and its colon, for forms with a notation of their own.
    pub fn rest(&self) -> Result<&'a str, SpecError> {
        self.text.get(self.form.name.len() + 1..).ok_or_else(|| self.incomplete())
    }

    /// The error of a reader that does not know the form.
    pub fn unread(&self) -> SpecError {
        self.wrong(format!("no such {}", self.kind))
    }

    /// The whole text is wrong.
    pub fn wrong(&self, why: impl Into<String>) -> SpecError {
        SpecError::value(self.kind, self.text, why)
    }

    /// The value of a key, if it is given.
    pub fn value(&self, key: &str) -> Option<Value<'_>> {
        self.given.iter().rfind(|given| given.key == key).map(|&given| Value { settings: self, given })
    }

    /// Every value of a key, in order.
    pub fn values(&self, key: &str) -> impl Iterator<Item = Value<'_>> {
        let given = self.given.iter().filter(move |given| given.key == key);
        given.map(|&given| Value { settings: self, given })
    }

    /// The value of a key that must be given.
    pub fn required(&self, key: &str) -> Result<Value<'_>, SpecError> {
        self.value(key).ok_or_else(|| self.incomplete())
    }

    /// A setting that is needed is missing.
    pub fn incomplete(&self) -> SpecError {
        let needed = self.form.parameters.trim_start_matches(':');
        self.wrong(format!("give {needed}, as in {}", self.form.example))
    }

    /// Reads the value of a key into a field, if it is given.
    pub fn set<T>(
        &self,
        key: &str,
        field: &mut T,
        read: impl FnOnce(Value<'_>) -> Result<T, SpecError>,
    ) -> Result<(), SpecError> {
        if let Some(value) = self.value(key) {
            *field = read(value)?;
        }
        Ok(())
    }
}

/// The parts of a text between separators outside brackets and parentheses, without blanks around them.
fn pieces<'a>(text: &'a str, separators: &[char]) -> Vec<&'a str> {
    let (mut found, mut from, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ if depth <= 0 && separators.contains(&letter) => {
                found.push(text[from..at].trim());
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found
}

/// The value of one setting.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    settings: &'a Settings<'a>,
    given: OneSetting<'a>,
}

impl<'a> Value<'a> {
    /// As written.
    pub fn text(&self) -> &'a str {
        self.given.value
    }

    /// It is impossible, and why.
    pub fn wrong(&self, why: impl std::fmt::Display) -> SpecError {
        self.settings.wrong(format!("{}: {why}", self.given.written))
    }

    /// A whole number in a range.
    pub fn whole<T: TryFrom<i64>>(&self, range: RangeInclusive<i64>) -> Result<T, SpecError> {
        let (least, most) = (*range.start(), *range.end());
        let number = self.text().parse::<i64>().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong(format!("give a whole number from {least} to {most}")))
    }

    /// A number in a range.
    pub fn number(&self, range: RangeInclusive<f64>) -> Result<f64, SpecError> {
        let (least, most) = (*range.start(), *range.end());
        let number = self.text().parse::<f64>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.wrong(format!("give a number from {least} to {most}")))
    }

    /// A length of time in whole seconds, at least one.
    pub fn seconds(&self, most: i64) -> Result<Seconds, SpecError> {
        let length = self.whole(1..=most).map(Seconds);
        length.map_err(|_| self.wrong(format!("give a whole number of seconds from 1 to {most}")))
    }

    /// A length of time, at least one second: plain seconds, or whole seconds, minutes, hours or days (`90s`, `15m`, `36h`, `2d`).
    pub fn duration(&self, most: i64) -> Result<Seconds, SpecError> {
        let text = self.text();
        let (number, unit) = UNITS
            .iter()
            .find_map(|&(letter, unit)| Some((text.strip_suffix(letter)?, unit)))
            .unwrap_or((text, 1));
        let length = number.parse::<i64>().ok().and_then(|number| number.checked_mul(unit));
        length.filter(|length| (1..=most).contains(length)).map(Seconds).ok_or_else(|| {
            self.wrong(format!(
                "give whole seconds, minutes, hours or days, up to {most} s: 90s, 15m, 36h, 2d"
            ))
        })
    }

    /// Yes or no. The key alone means yes.
    pub fn flag(&self) -> Result<bool, SpecError> {
        match self.text() {
            "no" => Ok(false),
            value if value == "yes" || value == self.given.key => Ok(true),
            _ => Err(self.wrong("say yes or no")),
        }
    }
}
/// Units of lengths of time, the largest first.
const UNITS: [(char, i64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// A length of time as [`Value::duration`] reads it, in the largest unit that divides it; two days stay 48 hours.
pub fn written_duration(length: Seconds) -> String {
    let whole = |unit: i64| length.0 % unit == 0 && length.0 / unit >= if unit == 86_400 { 3 } else { 1 };
    let (letter, unit) = UNITS.into_iter().find(|&(_, unit)| whole(unit)).unwrap_or(('s', 1));
    format!("{}{letter}", length.0 / unit)
}
