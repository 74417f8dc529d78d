//! Tsafrir, Etsion & Feitelson 2005, "Modeling User Runtime Estimates": its logs, and how the model is set for them.

mod logs;

pub use logs::PaperLog;

/// The paper's title.
pub const TITLE: &str = "Modeling User Runtime Estimates";
