//! Switches, from `topology.conf`.

use super::conf::ConfEntry;
use super::notes::{Notes, few};
use super::partitions::NodePlaces;
use queuecast_slurm_sim::cluster::{Switch, Topology};
use queuecast_trace::hostlist::expanded;

/// The switches of `topology.conf`, in its order.
pub(super) fn topology(entries: &[ConfEntry], nodes: &NodePlaces<'_>, notes: &mut Notes) -> Topology {
    let described: Vec<&ConfEntry> =
        entries.iter().filter(|entry| entry.head().name() == "switchname").collect();
    for entry in
        entries.iter().filter(|entry| ["blockname", "blocksizes"].contains(&entry.head().name().as_str()))
    {
        notes.part_not_modelled(entry.head(), "topology.conf:blocks", &entry.head().value);
    }
    let place = |name: &str| described.iter().position(|entry| entry.head().value == name);
    let mut switches = Vec::new();
    for entry in &described {
        let name = entry.head().value.clone();
        let whose = format!("switch {name}");
        // `scontrol show topology` names the nodes of switches above others too; those are not directly below.
        let leaf = entry.pair("Nodes").filter(|_| entry.pair("Switches").is_none());
        let of_switch = leaf.map_or(Vec::new(), |pair| nodes.indices(pair, &whose, notes));
        let mut below = Vec::new();
        if let Some(pair) = entry.pair("Switches") {
            match expanded(&pair.value) {
                None => notes.unread(pair, "a list of switches such as s[0-3]"),
                Some(names) => {
                    for one in names {
                        match place(&one) {
                            Some(at) => below.push(at),
                            None => notes.warn(format!("{whose} names an unknown switch: {one}")),
                        }
                    }
                }
            }
        }
        switches.push(Switch { name, nodes: of_switch, switches: below });
    }
    if switches.is_empty() {
        return Topology::Flat;
    }
    let mut covered = vec![0_usize; nodes.nodes.len()];
    switches.iter().flat_map(|switch| &switch.nodes).for_each(|&node| covered[node] += 1);
    let without: Vec<&str> =
        (0..covered.len()).filter(|&at| covered[at] == 0).map(|at| nodes.nodes[at].name.as_str()).collect();
    if !without.is_empty() {
        notes.warn(format!("topology.conf has no switch for {}", few(&without)));
    }
    Topology::Tree(switches)
}

#[cfg(test)]
mod tests {
    use super::super::conf::entries;
    use super::*;
    use queuecast_slurm_sim::cluster::ClusterNode;

    #[test]
    fn switches_keep_their_order() {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let (nodes, mut notes) = (["a1", "a2", "b1", "c1"].map(node).to_vec(), Notes::default());
        let text = "SwitchName=s2 Nodes=b1,x9 LinkSpeed=5\nSwitchName=s1 Nodes=a[1-2]\nSwitchName=top Level=1 Nodes=a[1-2],b1 Switches=s[1-3]\n";
        let entries = entries("topology.conf", text, &mut notes);
        let places = NodePlaces::of(&nodes, &[], &mut notes);
        let topology = topology(&entries, &places, &mut notes);
        let names: Vec<&str> = topology.leaves().map(|leaf| leaf.name.as_str()).collect();
        assert_eq!(names, ["s2", "s1"]);
        let Topology::Tree(switches) = &topology else { panic!("{topology:?}") };
        assert_eq!(
            (switches[1].nodes.as_slice(), switches[2].switches.as_slice()),
            (&[0, 1][..], &[1, 0][..])
        );
        assert_eq!(notes.warnings.len(), 3);
    }
}
