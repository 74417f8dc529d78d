//! Reading `key=value,key=value`: the settings of a predictor, with the values of each key.

use crate::spec::SpecError;
use crate::units::Seconds;

/// One setting of a spec. Commas inside brackets do not separate settings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting<'a> {
    /// The whole spec, for what is said of it.
    pub spec: &'a str,
    pub key: &'a str,
    pub value: &'a str,
}

/// The settings of a spec, in order. `bare` names the key of a value that stands alone, if it is known.
pub(super) fn each<'a>(
    spec: &'a str,
    settings: &'a str,
    bare: impl Fn(&str) -> Option<&'static str>,
) -> Vec<Setting<'a>> {
    let mut found = Vec::new();
    let (mut from, mut depth) = (0, 0_i32);
    for (at, letter) in settings.char_indices().chain([(settings.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth <= 0 || at == settings.len() => {
                let text = settings[from..at].trim();
                from = at + 1;
                let (key, value) = match (bare(text), text.split_once('=')) {
                    (Some(key), _) => (key, text),
                    (None, Some((key, value))) => (key.trim(), value.trim()),
                    (None, None) => ("", text),
                };
                found.push(Setting { spec, key, value });
            }
            _ => {}
        }
    }
    found
}

impl Setting<'_> {
    /// What is wrong with its value.
    pub fn wrong(&self, why: &str) -> SpecError {
        SpecError::value("predictor", self.spec, format!("{}={}: {why}", self.key, self.value))
    }

    /// It is no setting at all; these are.
    pub fn unknown(&self, known: &str) -> SpecError {
        let text =
            if self.key.is_empty() { self.value.to_owned() } else { format!("{}={}", self.key, self.value) };
        SpecError::value("predictor", self.spec, format!("{text:?} is no setting; known are {known}"))
    }

    /// A whole number in a range.
    pub fn number<T: TryFrom<i64>>(&self, least: i64, most: i64) -> Result<T, SpecError> {
        let number = self.value.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong(&format!("give a whole number from {least} to {most}")))
    }

    /// A length of time, at least one second.
    pub fn seconds(&self) -> Result<Seconds, SpecError> {
        self.number(1, u32::MAX.into()).map(Seconds)
    }

    /// Yes or no. The key alone means yes.
    pub fn flag(&self) -> Result<bool, SpecError> {
        match self.value {
            "no" => Ok(false),
            value if value == "yes" || value == self.key => Ok(true),
            _ => Err(self.wrong("say yes or no")),
        }
    }
}

/// Yes or no, as written.
pub(super) fn yes_or_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}
