//! The same metrics for every user, queue, size and so on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::summarize::summarize;
use super::{Selection, Summary};
use queuecast_core::job::Job;
use queuecast_core::spec::{SpecError, choices};
use queuecast_core::workload::Names;

/// What to tell jobs apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// The user.
    User,
    /// The user's group.
    Group,
    /// The account charged.
    Account,
    /// What is run.
    Executable,
    /// The queue.
    Queue,
    /// The partition.
    Partition,
    /// The quality of service.
    Qos,
    /// Processors, by powers of two: 1, 2-3, 4-7, 8-15 …
    SizeClass,
}

choices! { Dimension, "group":
    User = "user", "who submitted the job";
    Group = "group", "the user's group";
    Account = "account", "the account charged";
    Executable = "executable", "what is run";
    Queue = "queue", "the queue";
    Partition = "partition", "the partition";
    Qos = "qos", "the quality of service";
    SizeClass = "size-class", "processors, by powers of two: 1, 2-3, 4-7 and so on";
}

impl Dimension {
    /// Reads a name; former names too, which are not listed. The error says which there are.
    pub fn read(text: &str) -> Result<Dimension, String> {
        match text {
            "size" | "size_class" => Ok(Dimension::SizeClass),
            text => text.parse().map_err(|error: SpecError| error.why),
        }
    }

    /// The word in JSON and CSV, as `size_class`.
    pub fn word(self) -> &'static str {
        match self {
            Dimension::SizeClass => "size_class",
            other => other.name(),
        }
    }

    /// The number that tells a job's group from others; `None` if the log does not say.
    fn key(self, job: &Job) -> Option<u32> {
        match self {
            Dimension::User => job.user.map(|user| user.number()),
            Dimension::Group => job.group.map(|group| group.number()),
            Dimension::Account => job.account.map(|account| account.number()),
            Dimension::Executable => job.executable.map(|executable| executable.number()),
            Dimension::Queue => job.queue.map(|queue| queue.number()),
            Dimension::Partition => job.partition.map(|partition| partition.number()),
            Dimension::Qos => job.qos.map(|qos| qos.number()),
            Dimension::SizeClass => job.shape.procs.0.checked_ilog2(),
        }
    }

    fn group_name(self, key: u32, names: &Names) -> String {
        let known = match self {
            Dimension::User => &names.users,
            Dimension::Group => &names.groups,
            Dimension::Account => &names.accounts,
            Dimension::Executable => &names.executables,
            Dimension::Queue => &names.queues,
            Dimension::Partition => &names.partitions,
            Dimension::Qos => &names.qos,
            Dimension::SizeClass => return size_class(key),
        };
        known.get(&key).cloned().unwrap_or_else(|| key.to_string())
    }
}

/// Processors by powers of two: 1, 2-3, 4-7 and so on.
pub fn size_class(exponent: u32) -> String {
    let (from, until) = (1_u64 << exponent, 1_u64 << (exponent + 1));
    if until - from == 1 { from.to_string() } else { format!("{from}-{}", until - 1) }
}

/// The jobs of one user, queue, and so on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Its name if the workload has one, else its number; `unknown` for the jobs of which the log does not say.
    pub name: String,
    /// Its number in the log (for a size class, the power of two it starts at); `None` for `unknown`.
    pub number: Option<u32>,
    /// Every metric over its counted jobs. Its utilization is its part of the machine over the span of the
    /// whole window, so that the groups' utilizations add up to the whole's.
    #[serde(flatten)]
    pub summary: Summary,
}

/// Every job in exactly one group. Groups ascend by number, the unknown last; a group with no counted job
/// but excluded ones is present with `jobs` = 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Breakdown {
    /// What tells the groups apart.
    pub by: Dimension,
    /// The groups.
    pub groups: Vec<Group>,
}

impl Selection<'_> {
    /// Every metric for each user, queue and so on.
    pub fn by(&self, dimension: Dimension) -> Breakdown {
        break_down(self, dimension)
    }
}

fn break_down(selection: &Selection<'_>, by: Dimension) -> Breakdown {
    let workload = selection.evaluation().workload();
    // The flag before the number puts the unknown after every number.
    let mut members: BTreeMap<(bool, u32), Vec<usize>> = BTreeMap::new();
    for (index, job) in workload.jobs().iter().enumerate() {
        let key = by.key(job);
        members.entry((key.is_none(), key.unwrap_or_default())).or_default().push(index);
    }
    let span = selection.span();
    let group = |((unknown, key), members): ((bool, u32), Vec<usize>)| Group {
        name: if unknown { "unknown".into() } else { by.group_name(key, &workload.names) },
        number: (!unknown).then_some(key),
        summary: summarize(selection, span, &members),
    };
    Breakdown { by, groups: members.into_iter().map(group).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_are_named_by_their_ends() {
        let names: Vec<String> = [0, 1, 2, 8, 31].map(size_class).to_vec();
        assert_eq!(names, ["1", "2-3", "4-7", "256-511", "2147483648-4294967295"]);
    }

    #[test]
    fn a_dimension_is_written_as_its_word() {
        for dimension in Dimension::ALL {
            assert_eq!(serde_json::to_value(dimension).unwrap(), dimension.word());
        }
    }
}
