//! Nodes that are configured alike.

use super::node_set::NodeSet;
use crate::cluster::{Cluster, ClusterNode};

/// Nodes that are configured alike, the lightest first.
pub(super) fn alike_by_weight(cluster: &Cluster) -> Vec<NodeSet> {
    let is_alike = |one: &ClusterNode, other: &ClusterNode| {
        let numbers = |node: &ClusterNode| {
            (node.cpus, node.sockets, node.cores_per_socket, node.threads_per_core, node.memory_mb)
        };
        one.weight == other.weight
            && numbers(one) == numbers(other)
            && one.features == other.features
            && one.gres == other.gres
    };
    let mut alike: Vec<(usize, NodeSet)> = Vec::new();
    for (node, one) in cluster.nodes.iter().enumerate() {
        let known = alike.iter_mut().find(|(first, _)| is_alike(&cluster.nodes[*first], one));
        match known {
            Some((_, nodes)) => nodes.insert(node),
            None => alike.push((node, NodeSet::of(cluster.nodes.len(), [node]))),
        }
    }
    alike.sort_by_key(|(first, _)| cluster.nodes[*first].weight);
    alike.into_iter().map(|(_, nodes)| nodes).collect()
}
