//! Specs: short texts that name a policy, a predictor, a correction, a rule set or another choice.
//!
//! One grammar for all of them: `NAME[:setting[,setting…]]`. A setting is `key=value`; some keys may be left out
//! ([`Alone`]), as in `recent:2` or `ruh:5,mean,propagate`. Commas inside brackets and parentheses do not separate
//! settings. Some forms accept other separators ([`Also`]). A type lists its [`Form`]s once; reading, error messages,
//! help texts and shell completion use that list.

mod choices;
mod error;
mod form;
mod list;
mod settings;
mod text;
mod written;

pub use crate::{choices, conversions};
pub use error::SpecError;
pub use form::{Alone, Also, Form, SettingKey, name_in};
pub use list::{help, is_known, long_help, split_list};
pub use settings::{Settings, Value, written_duration};
pub use text::{Spec, known};
pub use written::{Written, YesNo};

#[cfg(test)]
mod tests;
