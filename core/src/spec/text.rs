//! The interface of specs: values that are read from and written as short texts.

use std::fmt;

use super::error::SpecError;
use super::form::Form;
use super::settings::{Settings, Value};

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

/// Every form of `T` as help shows it: the name and what may follow it.
pub fn known<T: Spec>() -> Vec<String> {
    T::forms().iter().map(Form::shown).collect()
}

impl Value<'_> {
    /// Another spec.
    pub fn spec<T: Spec>(&self) -> Result<T, SpecError> {
        T::parse(self.text()).map_err(|error| self.wrong(error.why))
    }
}
