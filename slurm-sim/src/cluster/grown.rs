//! A cluster with more nodes.

use super::event::ClusterAction;
use super::node::{ClusterNode, classes_of};
use super::order::name_order;
use super::recorded::RecordedRun;
use super::topology::Topology;
use super::whole::Cluster;
use queuecast_core::order;

impl Cluster {
    /// Adds nodes of names that are not there yet. Nodes are kept in the order of their names, so their indices change: the
    /// answer has the new index of each node there was, and the cluster's own parts are renumbered.
    pub fn add_nodes(&mut self, more: Vec<ClusterNode>) -> Vec<usize> {
        let before: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        self.nodes.extend(more);
        order::sort_by(&mut self.nodes, |one, other| name_order(&one.name, &other.name));
        self.classes = classes_of(&self.nodes);
        let indices: Vec<usize> =
            before.iter().enumerate().map(|(old, name)| self.node(name).unwrap_or(old)).collect();
        for partition in &mut self.partitions {
            renumber(&mut partition.nodes, &indices);
        }
        if let Topology::Tree(switches) = &mut self.topology {
            switches.iter_mut().for_each(|switch| renumber(&mut switch.nodes, &indices));
        }
        for reservation in &mut self.reservations {
            renumber(&mut reservation.nodes, &indices);
        }
        for outage in &mut self.outages {
            outage.node = indices.get(outage.node).copied().unwrap_or(outage.node);
        }
        indices
    }
}

impl RecordedRun {
    /// Nodes have these new indices, by their old ones.
    pub fn renumber_nodes(&mut self, indices: &[usize]) {
        for event in &mut self.events {
            match &mut event.action {
                ClusterAction::Reserve(reservation) => renumber(&mut reservation.nodes, indices),
                ClusterAction::Nodes(change) => renumber(&mut change.nodes, indices),
                ClusterAction::Cancel { .. }
                | ClusterAction::Unreserve { .. }
                | ClusterAction::Job { .. } => {}
            }
        }
    }
}

fn renumber(nodes: &mut [usize], indices: &[usize]) {
    nodes.iter_mut().for_each(|node| *node = indices.get(*node).copied().unwrap_or(*node));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterEvent, ClusterPartition, NodeChange, NodeState, Switch};
    use queuecast_core::units::Micros;

    #[test]
    fn what_named_a_node_still_names_it() {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let nodes = vec![node("c1"), node("c3"), node("c10")];
        let mut cluster = Cluster {
            partitions: vec![ClusterPartition { nodes: vec![1, 2], ..ClusterPartition::default() }],
            topology: Topology::Tree(vec![Switch { nodes: vec![0, 2], ..Switch::default() }]),
            classes: classes_of(&nodes),
            nodes,
            ..Cluster::default()
        };
        let action = ClusterAction::Nodes(NodeChange { nodes: vec![0, 1, 2], state: NodeState::Drained });
        let mut run =
            RecordedRun { events: vec![ClusterEvent { at: Micros::ZERO, action }], ..RecordedRun::default() };
        let indices = cluster.add_nodes(vec![node("c2"), node("c11")]);
        assert_eq!(indices, [0, 2, 3]);
        assert_eq!(cluster.partitions[0].nodes, [2, 3]);
        assert_eq!(cluster.topology.leaves().next().unwrap().nodes, [0, 3]);
        assert_eq!(
            (cluster.node("c10"), cluster.node("c11"), cluster.classes[0].nodes.len()),
            (Some(3), Some(4), 5)
        );
        run.renumber_nodes(&indices);
        assert!(matches!(&run.events[0].action, ClusterAction::Nodes(one) if one.nodes == [0, 2, 3]));
    }
}
