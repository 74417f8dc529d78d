//! One setting that two configurations have different.

use serde::Serialize;

use super::setting::SettingEffect;

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingChange {
    /// What it is a setting of: `slurm.conf`, `partition`, `node`, `qos`, `account`, `user`, `switch` or `reservation`.
    pub of: &'static str,
    /// The name of the part; empty for the whole cluster. Nodes that change alike are one list.
    pub part: String,
    /// Its key as Slurm spells it, of a word of a list after the list; empty if the part was added or removed.
    pub key: String,
    /// What it was, lengths of time in seconds; `None` if it was not there.
    pub from: Option<String>,
    /// What it is; `None` if it is not there.
    pub to: Option<String>,
    /// Whether simulations follow it.
    pub effect: ChangeEffect,
}

/// Whether simulations follow a setting that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeEffect {
    /// They do.
    Simulated,
    /// It matters, or may matter, to when and where jobs start, and they do not.
    NotModelled,
    /// It does not matter to when and where jobs start.
    Unimportant,
}

impl From<SettingEffect> for ChangeEffect {
    fn from(effect: SettingEffect) -> ChangeEffect {
        match effect {
            SettingEffect::Followed => ChangeEffect::Simulated,
            SettingEffect::Ignored | SettingEffect::LeftOut => ChangeEffect::NotModelled,
        }
    }
}
