//! Switches above nodes.

use super::node_set::NodeSet;
use crate::cluster::Topology;

/// Switches in the order in which they are configured.
#[derive(Debug, Clone, Default)]
pub struct SwitchTree(pub Vec<TreeSwitch>);

/// A switch of a tree.
#[derive(Debug, Clone)]
pub struct TreeSwitch {
    /// All nodes below it.
    pub nodes: NodeSet,
    /// How many switches lie between it and its nodes, at most.
    pub level: usize,
    parent: Option<usize>,
}

impl SwitchTree {
    pub fn of(topology: &Topology, nodes: usize) -> SwitchTree {
        let Topology::Tree(switches) = topology else { return SwitchTree::default() };
        let own = |nodes_below: &[usize]| NodeSet::of(nodes, nodes_below.iter().copied());
        let mut tree: Vec<TreeSwitch> = switches
            .iter()
            .map(|switch| TreeSwitch { nodes: own(&switch.nodes), level: 0, parent: None })
            .collect();
        for (above, switch) in switches.iter().enumerate() {
            for &below in switch.switches.iter().filter(|&&below| below < switches.len() && below != above) {
                tree[below].parent = Some(above);
            }
        }
        // Each round carries nodes one level up; a circle of switches ends after as many rounds as there are switches.
        for _ in 0..switches.len() {
            let mut has_changed = false;
            for switch in 0..tree.len() {
                let Some(above) = tree[switch].parent else { continue };
                let (level, below) = (tree[switch].level + 1, tree[switch].nodes.clone());
                let is_higher = level > tree[above].level && level < switches.len();
                if is_higher || !below.is_subset(&tree[above].nodes) {
                    tree[above].level = if is_higher { level } else { tree[above].level };
                    tree[above].nodes.add(&below);
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        SwitchTree(tree)
    }

    /// The one above a switch; itself if there is none.
    pub fn above(&self, switch: usize) -> usize {
        self.0[switch].parent.unwrap_or(switch)
    }

    /// How many links lie between two switches; `None` if there is no way.
    pub fn distance(&self, one: usize, other: usize) -> Option<usize> {
        let up = |from: usize| std::iter::successors(Some(from), |&at| self.0[at].parent).take(self.0.len());
        up(one).enumerate().find_map(|(ups, at)| Some(ups + up(other).position(|one| one == at)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Switch;

    fn switch(nodes: &[usize], switches: &[usize]) -> Switch {
        Switch { name: String::new(), nodes: nodes.to_vec(), switches: switches.to_vec() }
    }

    #[test]
    fn levels_nodes_and_distances() {
        let leaves = [switch(&[0, 1], &[]), switch(&[2], &[]), switch(&[3], &[])];
        let above = [switch(&[], &[0, 1]), switch(&[], &[2]), switch(&[], &[3, 4]), switch(&[4], &[])];
        let tree = SwitchTree::of(&Topology::Tree([&leaves[..], &above[..]].concat()), 5);
        assert_eq!(tree.0.iter().map(|one| one.level).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 2, 0]);
        assert_eq!(tree.0[5].nodes.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!([tree.distance(0, 1), tree.distance(0, 2), tree.distance(0, 6)], [Some(2), Some(4), None]);
        assert_eq!((tree.distance(1, 1), tree.distance(5, 0)), (Some(0), Some(2)));
    }

    #[test]
    fn circles_end() {
        let circle = vec![switch(&[0], &[1]), switch(&[1], &[0]), switch(&[2], &[2])];
        let tree = SwitchTree::of(&Topology::Tree(circle), 3);
        assert_eq!((tree.distance(0, 1), tree.distance(0, 2)), (Some(1), None));
    }
}
