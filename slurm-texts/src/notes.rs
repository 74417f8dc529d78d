//! Remarks about texts besides their meaning: what is not modelled, what is odd, what could not be read.

use std::fmt;

use serde::Serialize;

/// Something that is used, matters to scheduling, and is left out of simulations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unmodelled {
    /// The setting, option or feature.
    pub name: String,
    /// Its value; empty where it has none or several.
    pub value: String,
    /// The file; `None` where it follows from several texts, or from values that the types represent.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<usize>,
}

impl Unmodelled {
    /// Of something that has no one place in the texts.
    pub(super) fn nowhere(name: String) -> Unmodelled {
        Unmodelled { name, value: String::new(), file: None, line: None }
    }

    /// Where it is: the file and the line.
    pub fn place(&self) -> Option<String> {
        Some(format!("{}:{}", self.file.as_ref()?, self.line?))
    }
}

/// A place that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Misread {
    /// The file.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// What is there, shortened.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: \"{}\": expected {}", self.file, self.line, self.found, self.expected)
    }
}

impl fmt::Display for Unmodelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.value.is_empty() { String::new() } else { format!("={}", self.value) };
        let place = self.place().map_or(String::new(), |place| format!("{place}: "));
        write!(f, "{place}{}{value}", self.name)
    }
}

/// A key and its value where a text has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyValue {
    pub file: String,
    pub line: usize,
    /// As written.
    pub key: String,
    pub value: String,
}

impl KeyValue {
    /// The key in lower case.
    pub fn name(&self) -> String {
        self.key.to_ascii_lowercase()
    }
}

/// What is collected while texts are read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub unmodelled: Vec<Unmodelled>,
    pub warnings: Vec<String>,
    pub misread: Vec<Misread>,
}

impl Notes {
    /// Puts what was read into its place, or notes that it could not be read.
    pub fn take<T>(&mut self, place: &mut T, read: Option<T>, pair: &KeyValue, expected: &str) {
        match read {
            Some(value) => *place = value,
            None => self.unread(pair, expected),
        }
    }

    /// A value that could not be read.
    pub fn unread(&mut self, pair: &KeyValue, expected: &str) {
        let found = short(&format!("{}={}", pair.key, pair.value));
        self.misread.push(Misread {
            file: pair.file.clone(),
            line: pair.line,
            found,
            expected: expected.to_owned(),
        });
    }

    /// A line that could not be read.
    pub fn unread_line(&mut self, file: &str, line: usize, text: &str, expected: &str) {
        let (file, found, expected) = (file.to_owned(), short(text), expected.to_owned());
        self.misread.push(Misread { file, line, found, expected });
    }

    /// A setting that is not modelled.
    pub fn not_modelled(&mut self, pair: &KeyValue) {
        self.part_not_modelled(pair, &pair.key, &pair.value);
    }

    /// A part of a setting that is not modelled.
    pub fn part_not_modelled(&mut self, pair: &KeyValue, name: &str, value: &str) {
        let one = Unmodelled {
            name: short(name),
            value: short(value),
            file: Some(pair.file.clone()),
            line: Some(pair.line),
        };
        if !self.unmodelled.iter().any(|known| known.name == one.name && known.value == one.value) {
            self.unmodelled.push(one);
        }
    }

    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// At most 60 characters, safe to print.
pub(super) fn short(text: &str) -> String {
    let mut short: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().count() > 60 {
        short.push('…');
    }
    short
}

/// The first names, and how many more there are.
pub(super) fn few(names: &[&str]) -> String {
    let listed = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{listed} and {} more", names.len() - 3) } else { listed }
}
