//! Cleaning: which records become jobs, what is changed, and the report.
//!
//! Every rule has a name and is counted and reported when it fires; nothing is dropped or altered silently. Rules look
//! at one record at a time and do not depend on schedulers or predictions.

pub(super) mod cleaner;
mod report;
mod rule;
mod ruleset;

pub use cleaner::{Cleaner, Disposition};
pub(crate) use report::WithdrawnKind;
pub use report::{CleaningReport, Example, RuleCounts, RuleReport, Withdrawals, WithdrawnKinds};
pub use rule::{Action, Effect, Rule};
pub use ruleset::{Ruleset, RulesetError};
