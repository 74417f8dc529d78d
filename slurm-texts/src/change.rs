//! Changes to a site's configuration: `KEY=VALUE` instead of what its texts have.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::known::WithoutRow;
use super::nearest::nearest;
use super::setting::Setting;
use super::table::{LISTS, NODE, PARTITION, of_association, of_cluster, of_qos};

/// A change to a site's configuration, written `KEY=VALUE`.
///
/// | key | what it changes |
/// | --- | --- |
/// | `PriorityWeightAge` | a setting of `slurm.conf` |
/// | `bf_interval`, `SchedulerParameters.bf_interval` | one word of a setting that is a list; a word without a value is there or not: `yes`, `no` |
/// | `partition.NAME.KEY` | a setting of a partition |
/// | `partition.NAME.nodes` | its nodes: a list, `+4` (copies of its commonest node), `+4:c07` (copies of that node), `-4` (without its last four) |
/// | `qos.NAME.KEY` | a QOS, as `sacctmgr modify qos` names its parts |
/// | `account.NAME.KEY`, `user.NAME.KEY` | an account, or a user in all accounts |
/// | `node.LIST.KEY` | nodes, as `slurm.conf` names their parts |
///
/// Names of keys are read without regard to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteChange {
    text: String,
    pub(super) target: ChangeTarget,
    pub(super) value: String,
}

/// What a change is made to. Keys are as Slurm spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChangeTarget {
    /// A setting for the whole cluster.
    Whole(&'static str),
    /// One word of a setting that is a list, and whether it has a value.
    Word {
        list: &'static str,
        word: &'static str,
        is_flag: bool,
    },
    Partition {
        name: String,
        key: &'static str,
    },
    Qos {
        name: String,
        key: &'static str,
    },
    Account {
        name: String,
        key: &'static str,
    },
    User {
        name: String,
        key: &'static str,
    },
    Nodes {
        names: String,
        key: &'static str,
    },
}

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// It is not of the form `KEY=VALUE`.
    #[error("{0:?} is not of the form KEY=VALUE")]
    NoPair(String),
    /// There is no such key.
    #[error("there is no {what} {key}{}", similar(near))]
    UnknownKey {
        /// A setting, a word of a list, or a part of a partition, QOS, account, user or node.
        what: String,
        /// As written.
        key: String,
        /// Those most like it.
        near: Vec<String>,
    },
    /// Slurm has such a setting, and simulations do not follow it.
    #[error("{0} is not modelled: changing it would change nothing")]
    NotModelled(String),
    /// Slurm has such a setting, and it does not matter to scheduling.
    #[error("{0} does not matter to when and where jobs start")]
    Unimportant(String),
    /// The site has nothing of this name.
    #[error("the site has no {what} {name}{}", similar(near))]
    UnknownPart {
        /// A partition, QOS, account, user or node.
        what: &'static str,
        /// As written.
        name: String,
        /// Those most like it.
        near: Vec<String>,
    },
    /// The value is not as it should be.
    #[error("{key}: {value:?} is not {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What was expected.
        expected: String,
    },
}

fn similar(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; similar: {}", near.join(", ")) }
}

/// A change that was made, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppliedChange {
    /// As written.
    pub change: String,
    /// The values that changed; none if it was so already.
    pub values: Vec<ChangedValue>,
}

/// A value that changed. Lengths of time are in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedValue {
    /// Its name as Slurm spells it, after the part that it belongs to: `bf_interval`, `partition debug.MaxTime`.
    pub name: String,
    /// What it was.
    pub from: String,
    /// What it is.
    pub to: String,
}

impl fmt::Display for SiteChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for SiteChange {
    type Err = ChangeError;

    fn from_str(text: &str) -> Result<SiteChange, ChangeError> {
        let text = text.trim();
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (text, None),
        };
        let target = target(key)?;
        // A word that is there or not needs no value.
        let is_flag = matches!(target, ChangeTarget::Word { is_flag: true, .. });
        let value = value.or(is_flag.then_some("yes")).filter(|_| !key.is_empty());
        let value = value.ok_or_else(|| ChangeError::NoPair(text.to_owned()))?.to_owned();
        Ok(SiteChange { text: text.to_owned(), target, value })
    }
}

/// The parts of a site that have names.
const PARTS: [&str; 5] = ["partition", "qos", "account", "user", "node"];

fn target(key: &str) -> Result<ChangeTarget, ChangeError> {
    let Some((first, rest)) = key.split_once('.') else { return plain(key) };
    if let Some(part) = PARTS.iter().find(|part| part.eq_ignore_ascii_case(first)) {
        // Names may have dots in them, keys have none.
        let Some((name, key)) = rest.rsplit_once('.').filter(|(name, _)| !name.is_empty()) else {
            return Err(ChangeError::NoPair(format!("{key} (expected {part}.NAME.KEY)")));
        };
        return of_part(part, name.to_owned(), key);
    }
    let Some((list, _)) = LISTS.iter().find(|(list, _)| list.eq_ignore_ascii_case(first)) else {
        let names = PARTS.iter().copied().chain(LISTS.map(|(list, _)| list));
        let near = nearest(first, names.map(str::to_owned));
        return Err(ChangeError::UnknownKey { what: "setting".into(), key: key.to_owned(), near });
    };
    let words = of_cluster().filter(|row| row.key.split('.').next() == Some(list) && row.key != row.name());
    known(of_cluster(), key)
        .map(of_cluster_key)
        .ok_or_else(|| unknown(format!("word of {list}"), rest, words))
}

fn of_part(part: &str, name: String, key: &str) -> Result<ChangeTarget, ChangeError> {
    let what = format!("key of a {part}");
    Ok(match part {
        "partition" => ChangeTarget::Partition { name, key: own_key(what, key, PARTITION.iter())? },
        "qos" => ChangeTarget::Qos { name, key: own_key(what, key, of_qos())? },
        "account" => ChangeTarget::Account { name, key: own_key(what, key, of_association())? },
        "user" => ChangeTarget::User { name, key: own_key(what, key, of_association())? },
        _ => ChangeTarget::Nodes { names: name, key: own_key(what, key, NODE.iter())? },
    })
}

/// A setting for the whole cluster, or a word of a list without the name of the list.
fn plain(key: &str) -> Result<ChangeTarget, ChangeError> {
    if let Some((list, _)) = LISTS.iter().find(|(list, _)| list.eq_ignore_ascii_case(key)) {
        return Ok(ChangeTarget::Whole(list));
    }
    match (known(of_cluster(), key), WithoutRow::setting(key)) {
        (Some(found), _) => Ok(of_cluster_key(found)),
        (None, Some(WithoutRow::Matters(_))) => Err(ChangeError::NotModelled(key.to_owned())),
        (None, Some(WithoutRow::Unimportant)) => Err(ChangeError::Unimportant(key.to_owned())),
        (None, None) => Err(unknown("setting".into(), key, of_cluster())),
    }
}

/// What a key of the whole cluster, with its list, and whether it is a flag, changes.
fn of_cluster_key((key, is_flag): (&'static str, bool)) -> ChangeTarget {
    match key.split_once('.') {
        Some((list, word)) => ChangeTarget::Word { list, word, is_flag },
        None => ChangeTarget::Whole(key),
    }
}

/// The key that is meant, as Slurm spells it, and whether it is a flag.
fn known<'s, T: 's>(
    mut rows: impl Iterator<Item = &'s Setting<T>>,
    key: &str,
) -> Option<(&'static str, bool)> {
    rows.find_map(|row| Some((row.key_like(key)?, row.example.is_empty())))
}

/// The key of a part that is meant.
fn own_key<'s, T: 's>(
    what: String,
    key: &str,
    rows: impl Iterator<Item = &'s Setting<T>> + Clone,
) -> Result<&'static str, ChangeError> {
    known(rows.clone(), key).map(|(key, _)| key).ok_or_else(|| unknown(what, key, rows))
}

fn unknown<'s, T: 's>(what: String, key: &str, rows: impl Iterator<Item = &'s Setting<T>>) -> ChangeError {
    let near = nearest(key, rows.map(|row| row.name().to_owned()));
    ChangeError::UnknownKey { what, key: key.to_owned(), near }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<SiteChange>().unwrap_err().to_string()
    }

    #[test]
    fn keys_are_found_without_regard_to_case() {
        let read = |text: &str| text.parse::<SiteChange>().unwrap();
        assert_eq!(read("priorityweightage=5").target, ChangeTarget::Whole("PriorityWeightAge"));
        let word = ChangeTarget::Word { list: "SchedulerParameters", word: "bf_interval", is_flag: false };
        assert_eq!(
            (read("bf_interval=60").target, read("SchedulerParameters.BF_interval=60").target),
            (word.clone(), word)
        );
        assert_eq!(
            (read("bf_continue").value.as_str(), read("bf_continue=no").value.as_str()),
            ("yes", "no")
        );
        let change = read("qos.a.b.MaxTRESPerUser=cpu=10,mem=5G");
        assert_eq!(change.target, ChangeTarget::Qos { name: "a.b".into(), key: "MaxTRESPerUser" });
        assert_eq!(
            (change.value.as_str(), change.to_string().as_str()),
            ("cpu=10,mem=5G", "qos.a.b.MaxTRESPerUser=cpu=10,mem=5G")
        );
        assert_eq!(
            read("node.c[01-04].State=DRAIN").target,
            ChangeTarget::Nodes { names: "c[01-04]".into(), key: "State" }
        );
    }

    #[test]
    fn unknown_keys_name_near_ones() {
        for (text, part) in [
            ("PriorityWeigthAge=5", "similar: PriorityWeightAge"),
            ("bf_intervall=5", "similar: bf_interval"),
            ("SchedulerParameters.bf_windw=5", "word of SchedulerParameters bf_windw; similar: bf_window"),
            ("partition.debug.MaxTimes=5", "key of a partition MaxTimes; similar: MaxTime"),
            ("partitions.debug.MaxTime=5", "similar: partition"),
            ("partition.debug=5", "partition.NAME.KEY"),
            ("KillWait", "not of the form KEY=VALUE"),
            ("=5", "there is no setting "),
            ("", "there is no setting "),
            ("PrologSlurmctld=/bin/x", "not modelled"),
            ("SlurmctldPort=5", "does not matter"),
        ] {
            assert!(error(text).contains(part), "{text}: {}", error(text));
        }
    }
}
