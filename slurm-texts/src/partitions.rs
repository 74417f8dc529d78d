//! Partitions, from `slurm.conf` and `scontrol show partition`.

use std::collections::{BTreeMap, BTreeSet};

use super::conf::{ConfEntry, with_defaults};
use super::forms::COUNT;
use super::known::WithoutRow;
use super::nodes::node_names;
use super::notes::{KeyValue, Notes, few};
use super::table::PARTITION;
use super::values::{allowed, yes_no};
use queuecast_core::order;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Allowed, ClusterNode, ClusterPartition, Sharing};

/// Places of nodes by name, and sets of nodes that a configuration names.
pub(super) struct NodePlaces<'a> {
    pub places: BTreeMap<&'a str, usize>,
    pub sets: BTreeMap<String, Vec<usize>>,
    pub nodes: &'a [ClusterNode],
}

impl<'a> NodePlaces<'a> {
    /// The places of these nodes, and the node sets of `slurm.conf`.
    pub fn of(nodes: &'a [ClusterNode], entries: &[ConfEntry], notes: &mut Notes) -> NodePlaces<'a> {
        let places = order::map_of(nodes.iter().enumerate().map(|(at, node)| (node.name.as_str(), at)));
        let mut known = NodePlaces { places, sets: BTreeMap::new(), nodes };
        for entry in entries.iter().filter(|entry| entry.head().name() == "nodeset") {
            let mut set =
                entry.pair("Nodes").map_or(Vec::new(), |said| known.indices(said, "node set", notes));
            if let Some(feature) = entry.value("Feature") {
                set.extend((0..nodes.len()).filter(|&at| nodes[at].has_feature(feature)));
            }
            known.sets.insert(entry.head().value.clone(), sorted(set));
        }
        known
    }

    /// The nodes of a list, ascending; those that are not known are warned of.
    pub fn indices(&self, said: &KeyValue, whose: &str, notes: &mut Notes) -> Vec<usize> {
        if said.value.eq_ignore_ascii_case("ALL") {
            return (0..self.nodes.len()).collect();
        }
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for name in node_names(said, notes) {
            match (self.places.get(name.as_str()), self.sets.get(&name)) {
                (Some(&at), _) => found.push(at),
                (None, Some(set)) => found.extend(set),
                (None, None) => unknown.push(name),
            }
        }
        if !unknown.is_empty() {
            let named: Vec<&str> = unknown.iter().map(String::as_str).collect();
            notes.warn(format!("{whose} names unknown nodes: {}", few(&named)));
        }
        sorted(found)
    }
}

fn sorted(indices: Vec<usize>) -> Vec<usize> {
    indices.into_iter().collect::<BTreeSet<usize>>().into_iter().collect()
}

/// What a line of a partition begins with.
const NAME: &str = "the name of a partition";

/// The partitions of `slurm.conf`, `DEFAULT` lines applied. A line without a name is noted.
pub(super) fn configured(
    entries: &[ConfEntry],
    nodes: &NodePlaces<'_>,
    notes: &mut Notes,
) -> Vec<ClusterPartition> {
    let mut partitions = Vec::<ClusterPartition>::new();
    for (head, said) in with_defaults(entries, "partitionname") {
        // Blanks around the = do not count: of a line without a name, the next setting is taken for it.
        let is_name = |name: &&str| !name.is_empty() && !name.contains('=');
        let names: Vec<&str> = head.value.split(',').filter(is_name).collect();
        if names.is_empty() {
            notes.unread(head, NAME);
        }
        // Slurm does not start with a key that it does not know.
        let is_known = |name: &str| {
            PARTITION.iter().any(|row| row.key_like(name).is_some()) || WithoutRow::is_of_partition(name)
        };
        said.iter().filter(|one| !is_known(&one.name())).for_each(|one| notes.not_modelled(one));
        for name in names {
            add(&mut partitions, partition(name, &said, nodes, notes), notes);
        }
    }
    partitions
}

/// The partitions that `scontrol` lists.
pub(super) fn live(
    records: &[ConfEntry],
    nodes: &NodePlaces<'_>,
    notes: &mut Notes,
) -> Vec<ClusterPartition> {
    let mut partitions = Vec::new();
    for record in records {
        if record.head().value.is_empty() {
            notes.unread(record.head(), NAME);
            continue;
        }
        let said: Vec<&KeyValue> = record.0[1..].iter().collect();
        add(&mut partitions, partition(&record.head().value, &said, nodes, notes), notes);
    }
    partitions
}

fn add(partitions: &mut Vec<ClusterPartition>, partition: ClusterPartition, notes: &mut Notes) {
    match partitions.iter_mut().find(|one| one.name == partition.name) {
        Some(known) => {
            notes.warn(format!("partition {} is described twice; the last counts", partition.name));
            *known = partition;
        }
        None => partitions.push(partition),
    }
}

fn partition(name: &str, said: &[&KeyValue], nodes: &NodePlaces<'_>, notes: &mut Notes) -> ClusterPartition {
    let mut partition = ClusterPartition { name: name.to_owned(), ..ClusterPartition::default() };
    // Wherever they stand, a list of what is allowed counts before one of what is denied, unless it allows all.
    let allows_all = |one: &KeyValue| one.name().starts_with("allow") && allowed(&one.value) == Allowed::All;
    let counting = said.iter().copied().filter(|one| !allows_all(one));
    let (denials, others): (Vec<_>, Vec<_>) = counting.partition(|one| one.name().starts_with("deny"));
    for one in denials.into_iter().chain(others) {
        apply(&mut partition, one, nodes, notes);
    }
    partition
}

/// Applies a setting to a partition.
pub(super) fn apply(
    partition: &mut ClusterPartition,
    said: &KeyValue,
    nodes: &NodePlaces<'_>,
    notes: &mut Notes,
) {
    let name = said.name();
    match (name.as_str(), PARTITION.iter().find(|row| row.key_like(&name).is_some())) {
        ("nodes", _) => {
            partition.nodes = nodes.indices(said, &format!("partition {}", partition.name), notes);
        }
        // Before 16.05 one key set both the job factor and the tier.
        ("priority", _) => {
            COUNT.set(&mut partition.priority_tier, said, notes);
            partition.priority_job_factor = partition.priority_tier;
        }
        ("exclusive", _) => match said.value.to_ascii_uppercase().as_str() {
            "NO" => {}
            "USER" => partition.exclusive_user = true,
            "NODE" | "YES" => partition.sharing = Sharing::Exclusive,
            _ => notes.not_modelled(said),
        },
        (_, Some(row)) => (row.set)(partition, said, notes),
        (_, None) if WithoutRow::of_partition(&name).matters(&said.value) => notes.not_modelled(said),
        (_, None) => {}
    }
}

/// Adds to the live partitions those of `slurm.conf` that are hidden from `scontrol`; others that it does not list are left
/// out with a warning.
pub(super) fn merged(
    configured: Vec<ClusterPartition>,
    live: Vec<ClusterPartition>,
    hidden: &BTreeSet<String>,
    notes: &mut Notes,
) -> Vec<ClusterPartition> {
    let mut all = live;
    for one in configured {
        if all.iter().any(|known| known.name == one.name) {
            continue;
        }
        if hidden.contains(&one.name) {
            all.push(one);
        } else {
            notes.warn(format!(
                "partition {} is in slurm.conf and not in scontrol's list; it is left out",
                one.name
            ));
        }
    }
    all
}

/// Names of the partitions that `slurm.conf` hides from `scontrol`.
pub(super) fn hidden(entries: &[ConfEntry]) -> BTreeSet<String> {
    let partitions = entries.iter().filter(|entry| entry.head().name() == "partitionname");
    let hidden = partitions.filter(|entry| entry.value("Hidden").and_then(yes_no) == Some(true));
    hidden.map(|entry| entry.head().value.clone()).collect()
}

/// Caps the default time at the longest allowed time, as Slurm does; a default time of zero is none.
pub(super) fn sensible_times(partition: &mut ClusterPartition) {
    if let (Some(default), Some(longest)) = (partition.default_time, partition.max_time)
        && default > longest
    {
        partition.default_time = Some(longest);
    }
    if partition.default_time == Some(Seconds::ZERO) {
        partition.default_time = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::conf::{entries, records};
    use super::*;
    use queuecast_slurm_sim::cluster::{MemoryAmount, PreemptAction};

    fn nodes() -> Vec<ClusterNode> {
        let node = |name: &str| ClusterNode {
            name: name.into(),
            features: vec![name[..1].into()],
            ..ClusterNode::default()
        };
        ["a1", "a2", "b1", "b2"].map(node).to_vec()
    }

    #[test]
    fn a_partition_without_a_name_is_noted() {
        let (nodes, mut notes) = (nodes(), Notes::default());
        let text = "PartitionName=\nPartitionName= Nodes=a1 Default=YES\nPartitionName=x,y Nodes=a2\n";
        let entries = entries("slurm.conf", text, &mut notes);
        let places = NodePlaces::of(&nodes, &entries, &mut notes);
        let partitions = configured(&entries, &places, &mut notes);
        assert_eq!(partitions.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        let misread: Vec<String> = notes.misread.iter().map(ToString::to_string).collect();
        assert_eq!(
            misread,
            [
                "slurm.conf:1: \"PartitionName=\": expected the name of a partition",
                "slurm.conf:2: \"PartitionName=Nodes=a1\": expected the name of a partition"
            ]
        );
    }

    #[test]
    fn partitions_have_defaults_limits_and_node_sets() {
        let (nodes, mut notes) = (nodes(), Notes::default());
        let text = "NodeSet=bees Feature=b\nPartitionName=DEFAULT MaxTime=1-0 State=UP PriorityTier=3\nPartitionName=x Nodes=a[1-2],bees,z9 Default=YES DefaultTime=90 OverSubscribe=FORCE:2 DenyAccounts=p,q TRESBillingWeights=\"CPU=1.0,Mem=0.25G\" DefMemPerCPU=100\nPartitionName=y Nodes=ALL MaxTime=INFINITE AllowQos=high PreemptMode=GANG,SUSPEND JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=5 AllocNodes=login\n";
        let entries = entries("slurm.conf", text, &mut notes);
        let places = NodePlaces::of(&nodes, &entries, &mut notes);
        let partitions = configured(&entries, &places, &mut notes);
        let [x, y] = &partitions[..] else { panic!("{partitions:?}") };
        assert_eq!((x.nodes.as_slice(), y.nodes.len()), (&[0, 1, 2, 3][..], 4));
        assert_eq!(
            (x.max_time, x.default_time, y.max_time),
            (Some(Seconds(86_400)), Some(Seconds(5_400)), None)
        );
        assert_eq!((x.priority_tier, x.is_default, y.is_default), (3, true, false));
        assert_eq!((x.sharing, x.default_memory), (Sharing::Force(2), Some(MemoryAmount::PerCpu(100))));
        assert_eq!((x.accounts.allows("P"), x.accounts.allows("r")), (false, true));
        assert_eq!(y.allowed_qos, Allowed::Only(vec!["high".into()]));
        assert_eq!(
            (y.preempt, y.per_gpu.cpus, y.per_gpu.memory_mb),
            (Some(PreemptAction::Suspend), Some(2), Some(5))
        );
        assert_eq!(notes.warnings, ["partition x names unknown nodes: z9"]);
        assert_eq!(notes.unmodelled.len(), 1);
        assert!(notes.misread.is_empty());
    }

    #[test]
    fn scontrol_prints_words_for_what_is_not_set() {
        let (nodes, mut notes) = (nodes(), Notes::default());
        let text = "PartitionName=short\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n   AllocNodes=ALL Default=YES QoS=N/A\n   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO\n   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n   Nodes=a[1-2]\n   PriorityJobFactor=40 PriorityTier=20 RootOnly=NO ReqResv=NO OverSubscribe=NO\n   OverTimeLimit=NONE PreemptMode=OFF\n   State=UP TotalCPUs=2 TotalNodes=2 SelectTypeParameters=NONE\n   JobDefaults=(null)\n   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n";
        let records = records("p", text, "PartitionName", &mut notes);
        let places = NodePlaces::of(&nodes, &[], &mut notes);
        let partitions = live(&records, &places, &mut notes);
        let plain = ClusterPartition {
            name: "short".into(),
            nodes: vec![0, 1],
            is_default: true,
            priority_tier: 20,
            priority_job_factor: 40,
            preempt: Some(PreemptAction::Off),
            ..ClusterPartition::default()
        };
        assert_eq!(partitions, [plain]);
        assert!(notes.misread.is_empty() && notes.warnings.is_empty(), "{notes:?}");
    }
}
