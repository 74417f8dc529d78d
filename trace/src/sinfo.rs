//! The partitions of a Slurm site at this moment: text of `sinfo`, asked for as written here.

use std::collections::BTreeMap;

use super::sacct::seconds;
use super::squeue::NotAsAsked;
use queuecast_core::order;
use queuecast_core::units::{Procs, Seconds};

/// What to ask `sinfo`: one line for each node and partition, all partitions included.
pub const SINFO: [&str; 5] = ["-h", "-a", "-N", "-o", "%N|%C|%R|%a|%l|%s|%B|%p|%T"];

/// States of nodes that start no jobs, though jobs may still run there. Marks for what else is said of a node may follow.
const CLOSED: [&str; 6] = ["draining", "drained", "down", "fail", "inval", "future"];

/// The processors of a node, by what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeProcs {
    /// Held by jobs of any partition.
    pub held: u32,
    /// Idle and ready.
    pub idle: u32,
    /// All, those that are down or drained included.
    pub all: u32,
    /// Whether it takes no new jobs, whatever runs there: it is being drained, or is down. Earlier versions did not ask for that.
    pub is_closed: bool,
}

impl NodeProcs {
    /// Processors that jobs hold, and that will be free for others.
    fn held_in_service(&self) -> u32 {
        if self.is_closed { 0 } else { self.held }
    }
}

/// A partition of a site: its nodes, which other partitions may have too, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// Whether it starts jobs; `sinfo` calls it `up`.
    pub is_up: bool,
    /// The longest time a job may ask for; `None` without a limit.
    pub longest: Option<Seconds>,
    /// The most nodes of a job; `None` without a limit.
    pub most_nodes: Option<u32>,
    /// The most processors that its jobs may have on a node; `None` without a limit.
    pub most_on_node: Option<u32>,
    /// Waiting jobs of a higher tier come first, whatever their priority.
    pub tier: i64,
    /// Its nodes by name.
    pub nodes: BTreeMap<String, NodeProcs>,
}

/// Reads what [`SINFO`] asks for: the partitions by name.
pub fn sinfo(text: &str) -> Result<Vec<Partition>, NotAsAsked> {
    let mut partitions: BTreeMap<String, Partition> = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let (node, procs, partition) =
            read(text).ok_or_else(|| NotAsAsked { command: "sinfo", line, text: text.to_owned() })?;
        let known = partitions.entry(partition.name.clone()).or_insert(partition);
        known.nodes.insert(node, procs);
    }
    Ok(partitions.into_values().collect())
}

/// A node, its processors, and a partition it is in.
fn read(line: &str) -> Option<(String, NodeProcs, Partition)> {
    let fields: Vec<&str> = line.trim_end().split('|').collect();
    let (&[node, procs, name, state, longest, nodes, on_node, tier], rest) = fields.split_first_chunk()?;
    let is_closed = match rest {
        [] => false,
        [state] => CLOSED.iter().any(|closed| state.starts_with(closed)),
        _ => return None,
    };
    let counts: Vec<u32> = procs.trim().split('/').map(|count| count.parse().ok()).collect::<Option<_>>()?;
    let &[held, idle, other, all] = &counts[..] else { return None };
    held.checked_add(idle)?.checked_add(other)?;
    // "1-4", "4", "1-1K", "1-infinite", "infinite" or "n/a".
    let most = nodes.rsplit('-').next()?;
    let partition = Partition {
        name: name.to_owned(),
        is_up: state == "up",
        longest: match longest {
            "infinite" | "n/a" => None,
            length => Some(Seconds(seconds(length.as_bytes())?)),
        },
        most_nodes: unless(&["infinite", "n/a"], most)?,
        most_on_node: unless(&["UNLIMITED"], on_node)?,
        tier: number(tier)?.into(),
        nodes: BTreeMap::new(),
    };
    Some((node.to_owned(), NodeProcs { held, idle, all, is_closed }, partition))
}

/// A number, or none where there is no limit. `None` if it is neither.
fn unless(no_limit: &[&str], text: &str) -> Option<Option<u32>> {
    if no_limit.iter().any(|none| text.eq_ignore_ascii_case(none)) {
        return Some(None);
    }
    number(text).map(Some)
}

/// A whole number as Slurm prints it: multiples of 512 may have a suffix, as 1K for 1024 and 1.50K for 1536.
fn number(text: &str) -> Option<u32> {
    let unit = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 1024.0,
        'M' => 1024.0 * 1024.0,
        'G' => 1024.0 * 1024.0 * 1024.0,
        _ => return text.parse().ok(),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let value = (digits.parse::<f64>().ok()? * unit).round();
    (value <= f64::from(u32::MAX)).then_some(value as u32)
}

impl Partition {
    fn sum(&self, of: impl Fn(&NodeProcs) -> u32) -> Procs {
        Procs(self.nodes.values().fold(0_u32, |sum, node| sum.saturating_add(of(node))))
    }

    /// Processors of its nodes that jobs of any partition hold; not those of nodes that are being drained.
    pub fn held(&self) -> Procs {
        self.sum(NodeProcs::held_in_service)
    }

    /// Processors that are held or idle; not those of nodes that are down or drained, or are being drained: what ends there frees none.
    pub fn in_service(&self) -> Procs {
        self.sum(|node| node.held_in_service().saturating_add(if node.is_closed { 0 } else { node.idle }))
    }

    /// The most processors that a job may ask for.
    ///
    /// # Formula
    /// The sum of the `most_nodes` largest nodes, each with at most `most_on_node` processors.
    pub fn most(&self) -> Procs {
        let usable = |node: &NodeProcs| node.all.min(self.most_on_node.unwrap_or(u32::MAX));
        let mut nodes: Vec<u32> = self.nodes.values().map(usable).collect();
        nodes.sort_unstable_by(|one, other| other.cmp(one));
        let taken = nodes.iter().take(self.most_nodes.map_or(usize::MAX, |most| most as usize));
        Procs(taken.fold(0_u32, |sum, procs| sum.saturating_add(*procs)))
    }

    /// The share of its processors that are on nodes of another partition too.
    pub fn shared(&self, other: &Partition) -> f64 {
        let common = self.nodes.iter().filter(|(name, _)| other.nodes.contains_key(*name));
        let common: u64 = common.map(|(_, node)| u64::from(node.all)).sum();
        let all: u64 = self.nodes.values().map(|node| u64::from(node.all)).sum();
        if all > 0 { common as f64 / all as f64 } else { 0.0 }
    }

    /// Whether both have the same nodes, limits and tier, so that one answer serves both.
    pub fn is_like(&self, other: &Partition) -> bool {
        Partition { name: other.name.clone(), ..self.clone() } == *other
    }
}

/// All processors of a site, each node counted once, those that are down or drained included.
pub fn all_procs(partitions: &[Partition]) -> Procs {
    let nodes: BTreeMap<&String, u32> =
        order::map_of(partitions.iter().flat_map(|one| &one.nodes).map(|(name, node)| (name, node.all)));
    Procs(nodes.values().fold(0_u32, |sum, procs| sum.saturating_add(*procs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two partitions that share nodes, as a site printed them.
    const SITE: &str = "\
node01|4/0/0/4|short|up|10:00|1-infinite|UNLIMITED|10
node01|4/0/0/4|long|up|1-00:00:00|1-2|UNLIMITED|10
node02|1/3/0/4|long|up|1-00:00:00|1-2|UNLIMITED|10
node03|0/0/8/8|long|up|1-00:00:00|1-2|UNLIMITED|10
node03|0/0/8/8|test|drain|infinite|1|2|1
";

    #[test]
    fn partitions_have_their_nodes_and_limits() {
        let partitions = sinfo(SITE).unwrap();
        let [long, short, test] = &partitions[..] else { panic!("{partitions:?}") };
        assert_eq!((long.held(), long.in_service(), short.in_service()), (Procs(5), Procs(8), Procs(4)));
        assert_eq!(
            (long.longest, short.longest, test.longest),
            (Some(Seconds(86_400)), Some(Seconds(600)), None)
        );
        // Two nodes at most: the two largest. Two processors of one node.
        assert_eq!((long.most(), short.most(), test.most()), (Procs(12), Procs(4), Procs(2)));
        assert!(long.is_up && !test.is_up);
        assert_eq!((short.shared(long), long.shared(short)), (1.0, 0.25));
        assert_eq!(all_procs(&partitions), Procs(16));
        assert!(!long.is_like(short) && long.is_like(&Partition { name: "other".into(), ..long.clone() }));
    }

    /// A node that is being drained has no processors in service, though jobs still hold all of them.
    #[test]
    fn nodes_that_are_being_drained_are_not_in_service() {
        let with = |state: &str| {
            let line = |node: &str, state: &str| {
                format!("{node}|4/0/0/4|batch|up|1:00:00|1-2|UNLIMITED|1|{state}\n")
            };
            let partitions = sinfo(&(line("n1", state) + &line("n2", "allocated"))).unwrap();
            (partitions[0].held(), partitions[0].in_service())
        };
        for closed in ["draining", "draining*", "draining@", "drained", "down~", "failing"] {
            assert_eq!(with(closed), (Procs(4), Procs(4)), "{closed}");
        }
        for open in ["allocated", "mixed-", "idle~", "completing", "reserved", "maint", "planned"] {
            assert_eq!(with(open), (Procs(8), Procs(8)), "{open}");
        }
        assert!(sinfo("n1|4/0/0/4|batch|up|1:00:00|1-2|UNLIMITED|1|idle|x\n").is_err());
    }

    #[test]
    fn numbers_may_have_suffixes_and_limits_may_be_missing() {
        let one = |limits: &str| {
            let line = format!("n1|4/0/0/4|batch|up|1:00:00|{limits}\n");
            sinfo(&line).map(|partitions| (partitions[0].most_nodes, partitions[0].tier))
        };
        assert_eq!(one("1-1K|UNLIMITED|1K"), Ok((Some(1024), 1024)));
        assert_eq!(one("1K-1.50K|UNLIMITED|2"), Ok((Some(1536), 2)));
        assert_eq!(one("1-2M|UNLIMITED|1"), Ok((Some(2_097_152), 1)));
        for none in ["infinite", "n/a", "1-infinite", "1K-infinite"] {
            assert_eq!(one(&format!("{none}|UNLIMITED|1")), Ok((None, 1)), "{none}");
        }
        for wrong in ["1-K", "1-1X", "1-.K", "1-9G", "1-1.5", "1-é", "1-infK", "1-"] {
            assert!(one(&format!("{wrong}|UNLIMITED|1")).is_err(), "{wrong}");
        }
    }
}
