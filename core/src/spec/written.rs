//! The writer of settings: a name and the settings that differ from their defaults.

use std::fmt;

use super::form::Also;

/// A spec as it is written. Settings equal to their defaults are left out.
#[derive(Debug, Clone)]
pub struct Written {
    text: String,
    /// What comes before the next setting, and before those after it.
    next: char,
    then: char,
}

impl Written {
    /// A name, to be followed by `:setting,setting`.
    pub fn new(name: &str) -> Written {
        Written { text: name.to_owned(), next: ':', then: ',' }
    }

    /// With the separators of a form.
    pub fn also(self, also: Also) -> Written {
        let (next, then) = match also {
            Also::Nothing => (':', ','),
            Also::Colons => (':', ':'),
            Also::Comma => (',', ','),
            Also::Pluses => ('+', '+'),
        };
        Written { next, then, ..self }
    }

    /// A value without its key.
    pub fn value(mut self, value: impl fmt::Display) -> Written {
        self.text.push(self.next);
        self.next = self.then;
        self.text += &value.to_string();
        self
    }

    /// `key=value`, unless the value is the default.
    pub fn setting<T: PartialEq + fmt::Display>(self, key: &str, value: T, default: T) -> Written {
        if value == default { self } else { self.value(format_args!("{key}={value}")) }
    }

    /// A value without its key, if there is one.
    pub fn optional(self, value: Option<impl fmt::Display>) -> Written {
        match value {
            Some(value) => self.value(value),
            None => self,
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A flag, written `yes` or `no`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YesNo(pub bool);

impl fmt::Display for YesNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 { "yes" } else { "no" })
    }
}
