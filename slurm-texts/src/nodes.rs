//! Nodes, from `slurm.conf`, `gres.conf` and `scontrol show node`.

use std::collections::{BTreeMap, BTreeSet};

use super::conf::{ConfEntry, with_defaults};
use super::forms::{COUNT, OPTIONAL_COUNT};
use super::known::WithoutRow;
use super::node_values::state_of;
use super::notes::{KeyValue, Notes, few};
use super::table::NODE;
use super::values::{is_null, tres};
use queuecast_slurm_sim::cluster::{ClusterNode, GenericResource, NodeState};
use queuecast_trace::hostlist::expanded;

/// The most nodes in a list; longer lists are taken for errors.
const MOST: usize = 1 << 20;

/// What is known of nodes while files are read, by name.
pub(super) type KnownNodes = BTreeMap<String, ClusterNode>;

/// The names in a list of nodes.
pub(super) fn node_names(said: &KeyValue, notes: &mut Notes) -> Vec<String> {
    if is_null(&said.value) {
        return Vec::new();
    }
    let names = expanded(&said.value);
    if names.is_none() {
        notes.unread(said, "a list of nodes such as n[01-04],m1");
    }
    names.unwrap_or_default()
}

/// The nodes of `slurm.conf`; `DEFAULT` lines hold for those after them, `DownNodes` for those named.
pub(super) fn configured(entries: &[ConfEntry], notes: &mut Notes) -> KnownNodes {
    let (mut nodes, mut twice) = (KnownNodes::new(), Vec::new());
    for (line, (head, said)) in (0..).zip(with_defaults(entries, "nodename")) {
        let mut node = ClusterNode { line: Some(line), ..ClusterNode::default() };
        apply(&mut node, &said, notes);
        // Slurm does not start with a key that it does not know.
        let is_known =
            |name: &str| NODE.iter().any(|row| row.key_like(name).is_some()) || WithoutRow::is_of_node(name);
        said.iter().filter(|one| !is_known(&one.name())).for_each(|one| notes.not_modelled(one));
        // As of a partition without a name: the next setting is taken for it.
        if is_null(&head.value) || head.value.contains('=') {
            notes.unread(head, "the names of nodes");
            continue;
        }
        let names = node_names(head, notes);
        if nodes.len().saturating_add(names.len()) > MOST {
            notes.unread(head, "at most a million nodes");
            continue;
        }
        for name in names {
            if nodes.insert(name.clone(), ClusterNode { name: name.clone(), ..node.clone() }).is_some() {
                twice.push(name);
            }
        }
    }
    if !twice.is_empty() {
        let names: Vec<&str> = twice.iter().map(String::as_str).collect();
        notes.warn(format!("configured twice, and the last counts: {}", few(&names)));
    }
    for entry in entries.iter().filter(|entry| entry.head().name() == "downnodes") {
        let state = entry.value("State").map_or(NodeState::Down, state_of);
        for name in node_names(entry.head(), notes) {
            if let Some(node) = nodes.get_mut(&name) {
                node.state = state;
            }
        }
    }
    nodes
}

/// Nodes as they are now: values of `scontrol` replace configured ones. Nodes that `scontrol` does not list get the state
/// `FUTURE` and take no jobs.
pub(super) fn live(records: &[ConfEntry], nodes: &mut KnownNodes, notes: &mut Notes) {
    let mut listed = BTreeSet::new();
    for record in records {
        let name = record.head().value.clone();
        if name.is_empty() {
            notes.unread(record.head(), "the name of a node");
            continue;
        }
        let mut node = nodes.remove(&name).unwrap_or_default();
        node.name.clone_from(&name);
        let said: Vec<&KeyValue> = record.0[1..].iter().collect();
        apply(&mut node, &said, notes);
        listed.insert(name.clone());
        nodes.insert(name, node);
    }
    let mut gone = Vec::new();
    for (name, node) in nodes.iter_mut().filter(|(name, _)| !listed.contains(*name)) {
        if node.state != NodeState::Future {
            gone.push(name.as_str());
            node.state = NodeState::Future;
        }
    }
    if !gone.is_empty() {
        let gone = few(&gone);
        notes.warn(format!("in slurm.conf and not in scontrol's list of nodes: {gone}; they take no jobs"));
    }
}

/// Applies the keys of a node.
pub(super) fn apply(node: &mut ClusterNode, said: &[&KeyValue], notes: &mut Notes) {
    let has = |names: &[&str]| said.iter().any(|one| names.contains(&one.name().as_str()));
    let (mut per_board, mut boards) = (None, 1);
    for &one in said {
        let (name, value) = (one.name(), one.value.as_str());
        match name.as_str() {
            "boards" => COUNT.set(&mut boards, one, notes),
            "socketsperboard" => OPTIONAL_COUNT.set(&mut per_board, one, notes),
            // Available features that are not active do not count.
            "availablefeatures" if has(&["activefeatures"]) => {}
            "cfgtres" if !has(&["realmemory"]) => {
                if let Some(mb) = tres(value).and_then(|amounts| amounts.mem()) {
                    node.memory_mb = mb;
                }
            }
            // Follows from the number of cores, where that is told.
            "cpuspeclist" if has(&["corespeccount"]) => {}
            "cpuspeclist" | "restrictedcorespergpu" if !is_null(value) => notes.not_modelled(one),
            _ => {
                if let Some(row) = NODE.iter().find(|row| row.key_like(&name).is_some()) {
                    (row.set)(node, one, notes);
                }
            }
        }
    }
    if let Some(per_board) = per_board {
        node.sockets = per_board.saturating_mul(boards.max(1));
    }
    if has(&["cfgtres", "cputot"]) && !has(&["sockets"]) && has(&["cputot"]) {
        // A truncated record has no sockets: derived from processors, cores and threads.
        let of_socket = node.cores_per_socket.saturating_mul(node.threads_per_core).max(1);
        if node.sockets.saturating_mul(of_socket) != node.cpus && node.cpus.is_multiple_of(of_socket) {
            node.sockets = node.cpus / of_socket;
        }
    }
    let counted = node.sockets.saturating_mul(node.cores_per_socket).saturating_mul(node.threads_per_core);
    if !has(&["cpus", "procs", "cputot"])
        && has(&["sockets", "corespersocket", "threadspercore", "socketsperboard"])
    {
        node.cpus = counted.max(1);
    } else if has(&["cpus", "procs"])
        && !has(&["sockets", "corespersocket", "threadspercore", "socketsperboard"])
    {
        // Slurm then takes each processor for a socket.
        node.sockets = node.cpus.max(1);
    }
}

/// `gres.conf`: a GRES that a node's `Gres` lists without a type gets the type given here. A GRES that no node lists is
/// ignored.
pub(super) fn gres_conf(entries: &[ConfEntry], nodes: &mut KnownNodes, notes: &mut Notes) {
    for entry in entries {
        for said in &entry.0 {
            match said.name().as_str() {
                "cores" | "cpus" | "links" if !is_null(&said.value) => {
                    notes.part_not_modelled(said, "gres.conf:Cores", &said.value);
                }
                "flags" if !is_null(&said.value) => {
                    notes.part_not_modelled(said, "gres.conf:Flags", &said.value)
                }
                "name" if ["shard", "mps"].contains(&said.value.to_ascii_lowercase().as_str()) => {
                    notes.part_not_modelled(said, "gres.conf:Name", &said.value);
                }
                _ => {}
            }
        }
        let Some(name) = entry.value("Name") else { continue };
        let kind = entry.value("Type").filter(|kind| !is_null(kind));
        let count = match (entry.pair("Count"), entry.pair("File").or_else(|| entry.pair("MultipleFiles"))) {
            (Some(said), _) => match super::values::count(&said.value) {
                Some(count) => count,
                None => {
                    notes.unread(said, "a whole number");
                    continue;
                }
            },
            (None, Some(file)) => expanded(&file.value).map_or(1, |files| files.len() as u64),
            (None, None) => 1,
        };
        let on = entry.pair("NodeName").map(|said| node_names(said, notes));
        let on: Option<BTreeSet<String>> = on.map(|names| names.into_iter().collect());
        for node in nodes.values_mut().filter(|node| on.as_ref().is_none_or(|on| on.contains(&node.name))) {
            give(node, name, kind, count);
        }
    }
}

/// Assigns a type to up to `count` units of a node's untyped GRES of this name.
fn give(node: &mut ClusterNode, name: &str, kind: Option<&str>, count: u64) {
    let Some(kind) = kind else { return };
    let typed = node.gres.iter().any(|one| one.name == name && one.kind.as_deref() == Some(kind));
    let Some(bare) = node.gres.iter().position(|one| one.name == name && one.kind.is_none()) else { return };
    if typed {
        return;
    }
    let taken = count.min(node.gres[bare].count);
    node.gres[bare].count -= taken;
    let kind = Some(kind.to_owned());
    node.gres.push(GenericResource { name: name.to_owned(), kind, count: taken });
    node.gres.retain(|one| one.count > 0);
}

#[cfg(test)]
mod tests {
    use super::super::conf::{entries, records};
    use super::*;

    fn conf(text: &str) -> (KnownNodes, Notes) {
        let mut notes = Notes::default();
        let entries = entries("slurm.conf", text, &mut notes);
        (configured(&entries, &mut notes), notes)
    }

    #[test]
    fn defaults_hold_for_the_lines_after_them() {
        let (nodes, notes) = conf(
            "NodeName=DEFAULT CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=16000\nNodeName=c[1-2] Feature=old,ib Weight=10\nNodeName=DEFAULT RealMemory=64000\nNodeName=c3 Gres=gpu:a100:2(S:0-1),gpu:v100:1\nDownNodes=c2 State=DRAIN\n",
        );
        assert_eq!((nodes.len(), nodes["c1"].cpus, nodes["c1"].memory_mb), (3, 8, 16_000));
        assert_eq!((nodes["c3"].memory_mb, nodes["c3"].cores_per_socket), (64_000, 8));
        assert_eq!(
            (nodes["c3"].gres_count("gpu", None), nodes["c3"].gres_count("gpu", Some("a100"))),
            (3, 2)
        );
        assert_eq!((nodes["c1"].features.join(" ").as_str(), nodes["c1"].weight), ("old ib", 10));
        assert_eq!((nodes["c1"].state, nodes["c2"].state), (NodeState::Up, NodeState::Drained));
        assert!(notes.misread.is_empty() && notes.unmodelled.is_empty());
    }

    #[test]
    fn processors_follow_from_sockets_and_back() {
        let (nodes, _) = conf(
            "NodeName=a Sockets=2 CoresPerSocket=6 ThreadsPerCore=2\nNodeName=b CPUs=4\nNodeName=c Boards=2 SocketsPerBoard=2 CoresPerSocket=3\n",
        );
        assert_eq!(
            (nodes["a"].cpus, nodes["b"].sockets, nodes["c"].cpus, nodes["c"].sockets),
            (24, 4, 12, 4)
        );
    }

    #[test]
    fn what_scontrol_says_counts() {
        let (mut nodes, mut notes) = conf("NodeName=a,b CPUs=4 RealMemory=100 Weight=3\n");
        let text = "NodeName=a CPUTot=8 RealMemory=200 State=IDLE+DRAIN AvailableFeatures=x,y ActiveFeatures=x Gres=gpu:2\n";
        live(&records("n", text, "NodeName", &mut notes), &mut nodes, &mut notes);
        let a = &nodes["a"];
        assert_eq!((a.cpus, a.memory_mb, a.weight, a.state), (8, 200, 3, NodeState::Drained));
        assert_eq!((a.features.as_slice(), a.gres_count("gpu", None)), (&["x".to_owned()][..], 2));
        assert_eq!((nodes["b"].state, notes.warnings.len()), (NodeState::Future, 1));
    }

    #[test]
    fn gres_conf_tells_types() {
        let (mut nodes, mut notes) = conf("NodeName=a Gres=gpu:4\nNodeName=b\n");
        let text = "AutoDetect=off\nNodeName=a Name=gpu Type=a100 File=/dev/nvidia[0-2]\nNodeName=a,b Name=gpu Type=v100 Count=1 Cores=0-7\n";
        let entries = entries("gres.conf", text, &mut notes);
        gres_conf(&entries, &mut nodes, &mut notes);
        assert_eq!(
            (nodes["a"].gres_count("gpu", Some("a100")), nodes["a"].gres_count("gpu", Some("v100"))),
            (3, 1)
        );
        assert_eq!((nodes["a"].gres_count("gpu", None), nodes["b"].gres_count("gpu", None)), (4, 0));
        assert_eq!(notes.unmodelled.len(), 1);
    }
}
