//! Cleaning: which records become jobs, what is changed on the way, and the account of it.
//!
//! Every rule has a name, fires visibly and is counted; nothing is dropped or altered silently. Rules judge
//! one record at a time and know nothing of file formats, schedulers or predictions.

pub(super) mod cleaner;
mod report;
mod rule;
mod ruleset;

pub use cleaner::{Cleaner, Disposition};
pub use report::{CleaningReport, Example, Ledger, RuleReport, Withdrawals};
pub use rule::{Action, Effect, Rule};
pub use ruleset::{Ruleset, RulesetError};
