//! Nodes that are configured alike.

use super::node_set::NodeSet;
use crate::cluster::Cluster;

/// Nodes of one line of the configuration, the lightest first, then in the order of the lines; where lines are not known, nodes
/// of one class in the order of their names.
pub fn alike_by_weight(cluster: &Cluster) -> Vec<NodeSet> {
    let nodes = &cluster.nodes;
    let mut alike: Vec<(usize, NodeSet)> = Vec::new();
    for (node, one) in nodes.iter().enumerate() {
        let is_alike = |first: usize| nodes[first].line == one.line && nodes[first].is_like(one);
        match alike.iter_mut().find(|(first, _)| is_alike(*first)) {
            Some((_, same)) => same.insert(node),
            None => alike.push((node, NodeSet::of(nodes.len(), [node]))),
        }
    }
    alike.sort_by_key(|(first, _)| (nodes[*first].weight, nodes[*first].line));
    alike.into_iter().map(|(_, nodes)| nodes).collect()
}
