//! The parameters that are read, as a list for readers.

use super::setting::{Setting, SettingEffect};
use super::table::{NODE, PARTITION, of_association, of_cluster, of_qos};

/// A parameter that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSetting {
    /// What it is a parameter of: `slurm.conf`, `partition`, `node`, `qos` or `account` (and `user`).
    pub of: &'static str,
    /// Its key as Slurm spells it; of a word of a list, after the list.
    pub key: &'static str,
    /// Its value without any configuration.
    pub default: String,
    /// What it means.
    pub meaning: &'static str,
    /// Whether simulations follow it.
    pub effect: &'static str,
}

/// All parameters that are read and can be changed, in the order of the tables.
pub fn listed_settings() -> Vec<ListedSetting> {
    let mut all = listed("slurm.conf", of_cluster());
    all.extend(listed("partition", PARTITION.iter()));
    all.extend(listed("node", NODE.iter()));
    all.extend(listed("qos", of_qos()));
    all.extend(listed("account", of_association()));
    all
}

fn listed<'s, T: Default + 's>(
    of: &'static str,
    rows: impl Iterator<Item = &'s Setting<T>>,
) -> Vec<ListedSetting> {
    let mut default = T::default();
    let one = |row: &Setting<T>| ListedSetting {
        of,
        key: row.key,
        default: (row.tell)(&mut default),
        meaning: row.meaning.trim(),
        effect: match row.effect {
            SettingEffect::Followed => "followed",
            SettingEffect::Ignored => "read, without effect yet",
            SettingEffect::LeftOut => "named as not modelled",
        },
    };
    rows.map(one).collect()
}
