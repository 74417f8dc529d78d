//! Nodes of a job in little memory: jobs have neighbours mostly, and names belong to the cluster.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::whole::Cluster;

/// Indices of nodes in an order, as runs of neighbours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeRuns(Arc<[(u32, u32)]>);

impl NodeRuns {
    /// The indices in their order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone {
        self.0.iter().flat_map(|&(first, count)| (first..first + count).map(|node| node as usize))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.iter().map(|run| run.1 as usize).sum()
    }
}

impl FromIterator<u32> for NodeRuns {
    fn from_iter<I: IntoIterator<Item = u32>>(nodes: I) -> NodeRuns {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for node in nodes {
            match runs.last_mut() {
                Some((first, count)) if *first + *count == node => *count += 1,
                _ => runs.push((node, 1)),
            }
        }
        NodeRuns(runs.into())
    }
}

/// NamesKept of nodes in an order: of their own, or of nodes of a cluster whose names are kept once.
#[derive(Clone, Default)]
pub struct NodeNames(NamesKept);

#[derive(Clone)]
enum NamesKept {
    Own(Box<[String]>),
    OfCluster(Arc<[String]>, NodeRuns),
}

impl Default for NamesKept {
    fn default() -> NamesKept {
        NamesKept::Own(Box::default())
    }
}

impl NodeNames {
    /// The names of some nodes, out of those of all nodes of their cluster.
    pub fn of_cluster(all: &Arc<[String]>, nodes: NodeRuns) -> NodeNames {
        NodeNames(NamesKept::OfCluster(all.clone(), nodes))
    }

    /// These names: as nodes of a cluster, if it has all of them. `all` are the names of its nodes.
    pub fn within(cluster: &Cluster, all: &Arc<[String]>, names: Vec<String>) -> NodeNames {
        let mut last: Option<usize> = None;
        // Neighbours follow each other in a job mostly.
        let mut place = |name: &String| {
            let next = last
                .map(|last| last + 1)
                .filter(|&next| cluster.nodes.get(next).is_some_and(|one| one.name == *name));
            last = next.or_else(|| cluster.node(name));
            u32::try_from(last?).ok()
        };
        match names.iter().map(&mut place).collect::<Option<NodeRuns>>() {
            Some(nodes) => NodeNames::of_cluster(all, nodes),
            None => names.into(),
        }
    }

    /// The names in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (own, (all, runs)) = match &self.0 {
            NamesKept::Own(own) => (&**own, (&[][..], None)),
            NamesKept::OfCluster(all, runs) => (&[][..], (&**all, Some(runs))),
        };
        let of_cluster = runs.into_iter().flat_map(NodeRuns::iter).map(|node| all[node].as_str());
        own.iter().map(String::as_str).chain(of_cluster)
    }

    /// All in one text, with this between them.
    pub fn join(&self, between: &str) -> String {
        let mut text = String::new();
        for (index, name) in self.iter().enumerate() {
            if index > 0 {
                text.push_str(between);
            }
            text.push_str(name);
        }
        text
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.0 {
            NamesKept::Own(own) => own.len(),
            NamesKept::OfCluster(_, runs) => runs.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Vec<String>> for NodeNames {
    fn from(names: Vec<String>) -> NodeNames {
        NodeNames(NamesKept::Own(names.into()))
    }
}

impl PartialEq for NodeNames {
    fn eq(&self, other: &NodeNames) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for NodeNames {}

impl<const COUNT: usize> PartialEq<[&str; COUNT]> for NodeNames {
    fn eq(&self, other: &[&str; COUNT]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl fmt::Debug for NodeNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for NodeNames {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_every_order() {
        for nodes in [vec![], vec![7], vec![3, 4, 5, 9, 8, 7, 8, 0], vec![0, 0, 1]] {
            let runs: NodeRuns = nodes.iter().copied().collect();
            assert_eq!(runs.iter().map(|node| node as u32).collect::<Vec<u32>>(), nodes);
            assert_eq!(runs.len(), nodes.len());
        }
        let runs: NodeRuns = [3, 4, 5, 9, 8].into_iter().collect();
        assert_eq!(*runs.0, [(3, 3), (9, 1), (8, 1)]);
    }

    #[test]
    fn names_that_a_cluster_has_are_kept_as_its_nodes() {
        use crate::cluster::ClusterNode;
        let node = |number: u32| ClusterNode { name: format!("n{number}"), ..ClusterNode::default() };
        let cluster = Cluster { nodes: (0..5).map(node).collect(), ..Cluster::default() };
        let all: Arc<[String]> = cluster.nodes.iter().map(|node| node.name.clone()).collect();
        for (names, is_known) in
            [("n1 n2 n3", true), ("n4 n0 n3 n4", true), ("n4 n5", false), ("x", false), ("", false)]
        {
            let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
            let kept = NodeNames::within(&cluster, &all, names.clone());
            assert_eq!(matches!(kept.0, NamesKept::OfCluster(..)), is_known, "{names:?}");
            assert_eq!(kept, NodeNames::from(names));
        }
    }

    #[test]
    fn names_of_a_cluster_are_like_names_of_their_own() {
        let all: Arc<[String]> = (0..5).map(|node| format!("n{node}")).collect();
        let of_cluster = NodeNames::of_cluster(&all, [1, 2, 0].into_iter().collect());
        let own = NodeNames::from(["n1", "n2", "n0"].map(str::to_owned).to_vec());
        assert_eq!(of_cluster, own);
        assert_eq!(format!("{of_cluster:?}"), format!("{own:?}"));
        assert_eq!((of_cluster.len(), of_cluster.is_empty()), (3, false));
        assert_ne!(of_cluster, NodeNames::of_cluster(&all, [0, 1, 2].into_iter().collect()));
        assert_eq!(NodeNames::default(), NodeNames::of_cluster(&all, NodeRuns::default()));
    }
}
