//! Specs: short texts that name a policy, a predictor, a correction, a rule set or another choice.
//!
//! One grammar for all of them: `NAME[:setting[,setting…]]`. A setting is `key=value`; some keys may be left out
//! ([`Alone`]), as in `recent:2` or `ruh:5,mean,propagate`. Commas inside brackets and parentheses do not separate
//! settings. Some forms accept other separators ([`Also`]). A type lists its [`Form`]s once; reading, error messages,
//! help texts and shell completion use that list.

mod choices;
mod error;
mod form;
mod settings;
mod written;

use std::fmt;

pub(crate) use choices::{choices, conversions};
pub use error::SpecError;
pub use form::{Alone, Also, Form, Key};
pub use settings::{Settings, Value};
pub use written::{Written, YesNo};

/// A type that is read from and written as a short text. [`Display`](fmt::Display) writes a text that
/// [`Spec::parse`] reads as the same value.
pub trait Spec: Sized + fmt::Display {
    /// What the text specifies, as error messages call it: `policy`.
    const KIND: &'static str;

    /// A line for the end of the long help, or nothing.
    const NOTE: &'static str = "";

    /// Every form, in the order help lists them.
    fn forms() -> Vec<Form>;

    /// The value of one form with these settings.
    fn from_settings(settings: &Settings<'_>) -> Result<Self, SpecError>;

    /// Reads a text. Errors list the possible names, keys or values.
    fn parse(text: &str) -> Result<Self, SpecError> {
        Self::from_settings(&Settings::read(Self::KIND, &Self::forms(), text)?)
    }
}

/// The name at the beginning of a text: everything before the first separator.
pub fn name_in(text: &str) -> &str {
    text.split([':', ',', '/', '+']).next().unwrap_or_default()
}

/// Every form of `T` as help shows it: the name and what may follow it.
pub fn known<T: Spec>() -> Vec<String> {
    T::forms().iter().map(Form::shown).collect()
}

#[cfg(test)]
mod tests;
