//! Names that replace those of a header, where the numbers of a derived file mean something else.

use std::collections::BTreeMap;

use super::header::{Header, entry};
use queuecast_core::workload::Names;

/// The kinds of names that differ from those in the comments of a header.
#[derive(Debug, Clone, Default)]
pub struct Renamed {
    /// The names of the kinds that differ; the other kinds are empty.
    pub names: Names,
    users: bool,
    groups: bool,
    executables: bool,
    queues: bool,
    partitions: bool,
}

impl Renamed {
    /// The differences between a header and the names of a derived file.
    pub fn of(header: &Header, names: &Names) -> Renamed {
        let old = &header.names;
        let changed = |old: &BTreeMap<u32, String>, new: &BTreeMap<u32, String>| {
            if old == new { BTreeMap::new() } else { new.clone() }
        };
        Renamed {
            names: Names {
                users: changed(&old.users, &names.users),
                groups: changed(&old.groups, &names.groups),
                executables: changed(&old.executables, &names.executables),
                queues: changed(&old.queues, &names.queues),
                partitions: changed(&old.partitions, &names.partitions),
                ..Names::default()
            },
            users: old.users != names.users,
            groups: old.groups != names.groups,
            executables: old.executables != names.executables,
            queues: old.queues != names.queues,
            partitions: old.partitions != names.partitions,
        }
    }

    /// Whether a comment gives a name that no longer holds: `Queue: 3 normal`, `Note: User 3 = alice`.
    pub fn is_stale(&self, comment: &[u8]) -> bool {
        let Some((key, value)) = entry(comment) else { return false };
        match key.as_str() {
            "queue" => self.queues,
            "partition" => self.partitions,
            "note" => match named(&value) {
                Some("User") => self.users,
                Some("Group") => self.groups,
                Some("Executable") => self.executables,
                _ => false,
            },
            _ => false,
        }
    }
}

/// What a note of the form `User 3 = alice` names.
fn named(note: &str) -> Option<&str> {
    let (what, number) = note.split_once(" = ")?.0.split_once(' ')?;
    number.trim().parse::<u32>().is_ok().then_some(what)
}
