//! What jobs were given of their nodes in a recorded run, out of `scontrol -d show job`.

use std::collections::BTreeMap;

use super::notes::Notes;
use super::values::digits;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Cluster, GivenPart, JobNumber, RunClock};
use queuecast_trace::hostlist::expanded;

/// Reads rows of job, start, nodes, numbers of processors, memory and generic resources.
pub(super) fn given_parts(
    (file, text): (&str, &str),
    (clock, cluster, raw): (&RunClock, &Cluster, &BTreeMap<u64, JobNumber>),
    notes: &mut Notes,
) -> Vec<GivenPart> {
    let mut given = Vec::new();
    let rows = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    for (number, line) in rows {
        let cells: Vec<&str> = line.split('|').collect();
        let read = || -> Option<Vec<GivenPart>> {
            let [job, start, nodes, cpus, memory, ..] = cells[..] else { return None };
            let own = digits(job)?;
            let part = GivenPart {
                job: raw.get(&own).copied().unwrap_or(JobNumber { id: own, task: None }),
                start: clock.zero + Seconds(start.parse().ok()?),
                node: 0,
                cpus: count(cpus)?,
                memory: digits(memory)?,
            };
            let names = expanded(nodes)?;
            names.iter().map(|name| Some(GivenPart { node: cluster.node(name)?, ..part.clone() })).collect()
        };
        match read() {
            Some(parts) => given.extend(parts),
            None => notes.unread_line(file, number, line, "JOBID|START|NODES|CPU_IDS|MEM|GRES"),
        }
    }
    given
}

/// How many numbers a list of numbers and ranges has: `0-3,8` has five.
fn count(list: &str) -> Option<u32> {
    let number = |text: &str| digits(text).and_then(|number| u32::try_from(number).ok());
    let counts = list.split(',').map(|part| match part.split_once('-') {
        Some((first, last)) => number(last)?.checked_sub(number(first)?)?.checked_add(1),
        None => number(part).map(|_| 1),
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Time;
    use queuecast_slurm_sim::cluster::ClusterNode;

    #[test]
    fn each_node_of_a_group_is_a_part() {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let cluster = Cluster { nodes: ["c1", "c2"].map(node).to_vec(), ..Cluster::default() };
        let clock = RunClock { zero: Time(1_000), ..RunClock::default() };
        let raw = [(8, JobNumber { id: 7, task: Some(2) })].into();
        let text = "# JOBID|START|NODES|CPU_IDS|MEM|GRES\n8|5|c[1-2]|0-3,8|100|\n9|x|c1|0|0|\n";
        let mut notes = Notes::default();
        let given = given_parts(("snap-nodes.txt", text), (&clock, &cluster, &raw), &mut notes);
        assert_eq!(given.iter().map(|one| (one.node, one.cpus)).collect::<Vec<_>>(), [(0, 5), (1, 5)]);
        assert_eq!((given[0].start, given[0].job), (Time(1_005), JobNumber { id: 7, task: Some(2) }));
        assert_eq!(notes.misread.len(), 1, "the line without a start");
    }
}
