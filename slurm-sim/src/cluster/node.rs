//! The nodes of a cluster.

use serde::Serialize;

use super::rows::settings_struct;

/// The table of [`ClusterNode`].
#[doc(hidden)]
#[macro_export]
macro_rules! node_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// A node. The default is one of which only the name is configured.
    ClusterNode {
        /// Its name.
        name: String = String::new();
        /// Processors, those of reserved cores included: cores, or threads where these are counted.
        cpus: u32 = 1, ["CPUs" = "64", COUNT, Followed, "Procs", "CPUTot"];
        /// Sockets.
        sockets: u32 = 1, ["Sockets" = "2", COUNT, Followed];
        /// Cores of each socket.
        cores_per_socket: u32 = 1, ["CoresPerSocket" = "16", COUNT, Followed];
        /// Hardware threads of each core.
        threads_per_core: u32 = 1, ["ThreadsPerCore" = "2", COUNT, Followed];
        /// Memory in MB.
        memory_mb: u64 = 1, ["RealMemory" = "256000", MEGABYTES, Followed];
        /// Of the memory, MB that jobs never get.
        reserved_memory_mb: u64 = 0, ["MemSpecLimit" = "1000", MEGABYTES, Followed];
        /// Cores that jobs never get.
        reserved_cores: u32 = 0, ["CoreSpecCount" = "2", COUNT, Followed];
        /// Generic resources, in the order they are configured.
        gres: Vec<GenericResource> = Vec::new(), ["Gres" = "gpu:4", GRES, Followed];
        /// Features, in the order they are configured.
        features: Vec<String> = Vec::new(), ["Feature" = "new", NAMES, Followed, "Features", "ActiveFeatures", "AvailableFeatures"];
        /// Nodes of lower weight are taken first.
        weight: u32 = 1, ["Weight" = "50", COUNT, Followed];
        /// Whether it takes jobs.
        state: NodeState = NodeState::Up, ["State" = "DRAIN", NODE_STATE, Followed];
        /// The line of `slurm.conf` that configures it, counted among those of nodes; `None` where that is not known.
        #[serde(skip)]
        line: Option<u32> = None;
    } } };
}
node_settings!(settings_struct[Eq]);

impl ClusterNode {
    /// Whether it has a feature.
    pub fn has_feature(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }

    /// Its processors without those of reserved cores.
    pub(crate) fn unreserved_cpus(&self) -> u32 {
        self.cpus.saturating_sub(self.reserved_cores.saturating_mul(self.threads_per_core.max(1)))
    }

    /// How many of a generic resource it has; of any type if none is named.
    pub fn gres_count(&self, name: &str, kind: Option<&str>) -> u64 {
        let of_kind = |one: &&GenericResource| {
            one.name == name && kind.is_none_or(|kind| one.kind.as_deref() == Some(kind))
        };
        self.gres.iter().filter(of_kind).fold(0, |sum, one| sum.saturating_add(one.count))
    }

    /// Whether both are of one class: alike in everything but name, state and the line that says it.
    pub fn is_like(&self, other: &ClusterNode) -> bool {
        let sizes = |node: &ClusterNode| {
            let parts = [node.cpus, node.sockets, node.cores_per_socket, node.threads_per_core];
            (parts, node.memory_mb, node.reserved_memory_mb, node.reserved_cores, node.weight)
        };
        sizes(self) == sizes(other) && self.gres == other.gres && self.features == other.features
    }
}

/// Units of a generic resource, such as GPUs, of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GenericResource {
    /// Its name: `gpu`.
    pub name: String,
    /// Its type, where types are told apart: `a100`.
    pub kind: Option<String>,
    /// How many.
    pub count: u64,
}

/// Whether a node takes jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// It does.
    Up,
    /// Jobs that run on it go on; it takes no new ones.
    Drained,
    /// It is down, and no job runs on it.
    Down,
    /// It is configured and not there yet.
    Future,
}

/// Nodes that are alike in everything but name and state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeClass {
    /// Indices of its nodes, ascending; never empty.
    pub nodes: Vec<usize>,
}

/// The classes of some nodes, in the order of their first nodes.
pub fn classes_of(nodes: &[ClusterNode]) -> Vec<NodeClass> {
    let mut classes: Vec<NodeClass> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match classes.iter_mut().find(|class| nodes[class.nodes[0]].is_like(node)) {
            Some(class) => class.nodes.push(index),
            None => classes.push(NodeClass { nodes: vec![index] }),
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_alike_but_for_name_and_state_are_one_class() {
        let node =
            |name: &str, memory_mb| ClusterNode { name: name.into(), memory_mb, ..ClusterNode::default() };
        let down = ClusterNode { state: NodeState::Down, ..node("c", 5) };
        let classes = classes_of(&[node("a", 5), node("b", 9), down.clone()]);
        let other: [fn(&mut ClusterNode); 10] = [
            |node| node.cpus += 1,
            |node| node.sockets += 1,
            |node| node.cores_per_socket += 1,
            |node| node.threads_per_core += 1,
            |node| node.memory_mb += 1,
            |node| node.reserved_memory_mb += 1,
            |node| node.reserved_cores += 1,
            |node| node.weight += 1,
            |node| node.features.push("x".into()),
            |node| node.gres.push(GenericResource { name: "gpu".into(), kind: None, count: 1 }),
        ];
        for change in other {
            let mut changed = down.clone();
            change(&mut changed);
            assert!(!changed.is_like(&down), "{changed:?}");
        }
        assert_eq!(classes, [NodeClass { nodes: vec![0, 2] }, NodeClass { nodes: vec![1] }]);
    }

    #[test]
    fn generic_resources_are_counted_by_type() {
        let gres = |kind: Option<&str>, count| GenericResource {
            name: "gpu".into(),
            kind: kind.map(str::to_owned),
            count,
        };
        let node = ClusterNode {
            gres: vec![gres(Some("a100"), 2), gres(Some("v100"), 3)],
            ..ClusterNode::default()
        };
        assert_eq!((node.gres_count("gpu", None), node.gres_count("gpu", Some("a100"))), (5, 2));
        assert_eq!((node.gres_count("gpu", Some("h100")), node.gres_count("fpga", None)), (0, 0));
    }
}
