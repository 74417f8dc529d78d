//! What a job held of its nodes, in little memory: it mostly held an equal amount of each.

use super::placement::{GresIndex, NodeShare};
use crate::cluster::{Cluster, NodeRuns};

/// What a job held of each of `nodes` nodes, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HeldAmounts {
    nodes: u32,
    cpus: u32,
    memory_mb: u64,
    gres: Box<[(GresIndex, u64)]>,
}

/// What a job held of its nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldParts {
    nodes: NodeRuns,
    amounts: Box<[HeldAmounts]>,
}

/// Nodes of which a job held equal amounts.
#[derive(Debug, Clone, Copy)]
pub struct HeldAlike<'a> {
    /// How many nodes.
    pub nodes: u32,
    /// Processors of each.
    pub cpus: u32,
    /// Memory of each in MB.
    pub memory_mb: u64,
    /// Generic resources of each, named by their places in [`SimulatedRun::gres`](super::SimulatedRun::gres), and how many.
    pub gres: &'a [(GresIndex, u64)],
}

impl HeldParts {
    pub(super) fn of(shares: &[NodeShare]) -> HeldParts {
        let mut parts = HeldParts::of_nodes(shares.iter().map(|share| share.node as u32));
        let mut amounts: Vec<HeldAmounts> = Vec::new();
        for NodeShare { cpus, memory, gres, .. } in shares {
            match amounts.last_mut() {
                Some(last) if (last.cpus, last.memory_mb, &*last.gres) == (*cpus, *memory, &**gres) => {
                    last.nodes += 1;
                }
                _ => {
                    let (cpus, memory_mb, gres) = (*cpus, *memory, gres.clone().into());
                    amounts.push(HeldAmounts { nodes: 1, cpus, memory_mb, gres });
                }
            }
        }
        parts.amounts = amounts.into();
        parts
    }

    /// Equal amounts of each of some nodes.
    pub fn alike(
        nodes: impl Iterator<Item = u32>,
        (cpus, memory_mb, gres): (u32, u64, &[(GresIndex, u64)]),
    ) -> HeldParts {
        let mut parts = HeldParts::of_nodes(nodes);
        let nodes = parts.nodes.len() as u32;
        parts.amounts = Box::new([HeldAmounts { nodes, cpus, memory_mb, gres: gres.into() }]);
        parts
    }

    /// Nodes alone, without amounts.
    pub(super) fn of_nodes(nodes: impl Iterator<Item = u32>) -> HeldParts {
        HeldParts { nodes: nodes.collect(), amounts: Box::default() }
    }

    /// The nodes, in the order in which the job has them.
    pub fn nodes(&self) -> &NodeRuns {
        &self.nodes
    }

    /// The amounts, of nodes in the same order.
    pub fn amounts(&self) -> impl Iterator<Item = HeldAlike<'_>> {
        self.amounts.iter().map(|one| HeldAlike {
            nodes: one.nodes,
            cpus: one.cpus,
            memory_mb: one.memory_mb,
            gres: &one.gres,
        })
    }

    /// Every node with the processors held of it.
    fn cpus_by_node(&self) -> impl Iterator<Item = (usize, u32)> {
        let cpus = self.amounts.iter().flat_map(|one| std::iter::repeat_n(one.cpus, one.nodes as usize));
        self.nodes.iter().zip(cpus)
    }
}

/// The processors of each node that jobs hold.
#[derive(Debug, Clone)]
pub struct HeldCpus {
    /// Of each node, all and those held.
    of: Vec<(i64, i64)>,
    busy: i64,
    partly_idle: i64,
}

impl HeldCpus {
    /// None are held.
    pub fn none(cluster: &Cluster) -> HeldCpus {
        let of = cluster.nodes.iter().map(|node| (i64::from(node.cpus), 0)).collect();
        HeldCpus { of, busy: 0, partly_idle: 0 }
    }

    /// A job takes its parts.
    pub fn take(&mut self, parts: &HeldParts) {
        self.change(parts, 1);
    }

    /// A job gives its parts back.
    pub fn give_back(&mut self, parts: &HeldParts) {
        self.change(parts, -1);
    }

    fn change(&mut self, parts: &HeldParts, sign: i64) {
        for (node, cpus) in parts.cpus_by_node() {
            let (all, held) = &mut self.of[node];
            let left = |held: i64| if held > 0 { (*all - held).max(0) } else { 0 };
            let after = *held + sign * i64::from(cpus);
            self.partly_idle += left(after) - left(*held);
            self.busy += after - *held;
            *held = after;
        }
    }

    /// How many are held.
    pub fn busy(&self) -> i64 {
        self.busy
    }

    /// Processors that are not held, of nodes of which other processors are.
    pub fn partly_idle(&self) -> i64 {
        self.partly_idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterNode;
    use crate::controller::placement::JobApart;

    #[test]
    fn parts_are_those_put_in() {
        let share = |node: usize, cpus: u32, gres: &[(GresIndex, u64)]| NodeShare {
            node,
            cpus,
            held: cpus,
            memory: 10 * u64::from(cpus),
            gres: gres.to_vec(),
            cap: None,
            apart: JobApart::default(),
        };
        let all = [
            share(3, 4, &[]),
            share(4, 4, &[]),
            share(7, 4, &[(GresIndex(0), 1)]),
            share(6, 2, &[]),
            share(5, 4, &[]),
        ];
        let held = HeldParts::of(&all);
        assert_eq!(held.amounts.len(), 4);
        let amounts = held.amounts().flat_map(|one| std::iter::repeat_n(one, one.nodes as usize));
        let told = held.nodes().iter().zip(amounts).map(|(node, one)| share(node, one.cpus, one.gres));
        assert_eq!(told.collect::<Vec<_>>(), all);
        assert_eq!(held.cpus_by_node().collect::<Vec<_>>(), [(3, 4), (4, 4), (7, 4), (6, 2), (5, 4)]);
        assert_eq!(HeldParts::default().cpus_by_node().count(), 0);
        assert_eq!(HeldParts::alike(3..5, (4, 40, &[])), HeldParts::of(&all[..2]));
        let nodes = vec![ClusterNode { cpus: 4, ..ClusterNode::default() }; 8];
        let cluster = Cluster { nodes, ..Cluster::default() };
        let mut cpus = HeldCpus::none(&cluster);
        cpus.take(&held);
        assert_eq!((cpus.busy(), cpus.partly_idle()), (18, 2));
        cpus.give_back(&held);
        assert_eq!((cpus.busy(), cpus.partly_idle()), (0, 0));
    }
}
