//! What is the same in every simulation of a cluster, found once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::layout::NodeLayout;
use super::need::Need;
use super::node_set::NodeSet;
use crate::cluster::{AssociationPlaces, Cluster, NodeState, PartitionIndex};

/// What a need is found by: its partition, itself without its nodes, and what else decides which nodes are feasible.
pub type NeedKey = (PartitionIndex, Need, String);

/// About this many bytes of sets of nodes are kept; with more, all are forgotten.
const MOST_BYTES: usize = 1 << 27;

/// A cluster, with what every simulation of it would find out again: its nodes in numbers, and the nodes that each request
/// could run on. Both take time with the number of nodes, whether they are in service or not. Associations by name, too.
#[derive(Debug)]
pub struct PreparedCluster<'c> {
    pub(in crate::controller) cluster: &'c Cluster,
    pub(in crate::controller) nodes: PreparedNodes,
    pub(in crate::controller) found: Arc<FoundNeeds>,
    pub(in crate::controller) associations: Arc<AssociationPlaces>,
}

/// The nodes of a cluster.
#[derive(Debug, Clone)]
pub struct PreparedNodes {
    pub layout: Arc<NodeLayout>,
    /// Those in service.
    pub up: NodeSet,
    /// Processors of all that jobs may have: without those that `CoreSpecCount` keeps.
    pub all_cpus: f64,
}

/// Needs whose nodes have been found.
#[derive(Debug, Default)]
pub struct FoundNeeds(Mutex<HashMap<NeedKey, Arc<Need>>>);

impl<'c> PreparedCluster<'c> {
    /// Prepares a cluster.
    pub fn of(cluster: &'c Cluster) -> PreparedCluster<'c> {
        let count = cluster.nodes.len();
        let is_up = |&node: &usize| cluster.nodes[node].state == NodeState::Up;
        let layout = NodeLayout::of(cluster);
        let nodes = PreparedNodes {
            up: NodeSet::of(count, (0..count).filter(is_up)),
            all_cpus: cluster.nodes.iter().map(|node| f64::from(node.unreserved_cpus())).sum(),
            layout: Arc::new(layout),
        };
        let associations = Arc::new(AssociationPlaces::of(&cluster.associations));
        PreparedCluster { cluster, nodes, found: Arc::default(), associations }
    }

    /// The cluster.
    pub fn cluster(&self) -> &'c Cluster {
        self.cluster
    }
}

impl FoundNeeds {
    /// A need with its nodes, which are found if that has not been done.
    pub fn get(&self, key: &NeedKey, find: impl FnOnce() -> Need) -> Arc<Need> {
        let found = |map: &HashMap<NeedKey, Arc<Need>>| map.get(key).cloned();
        let known = found(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(known) = known {
            return known;
        }
        // Found outside the lock: what two simulations find at once is the same.
        let need = Arc::new(find());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Two sets of its own, and one of what it requires in the key and in itself.
        let bytes = 4 * need.on.feasible.capacity() / 8 + 500;
        if all.len().saturating_mul(bytes) > MOST_BYTES {
            all.clear();
        }
        all.insert(key.clone(), Arc::clone(&need));
        need
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::LOOKS;
    use super::*;
    use crate::cluster::{
        ClusterMoment, ClusterNode, ClusterPartition, JobRequest, JobStanding, StandingState, SubmittedJob,
        TimeLimit, classes_of,
    };
    use crate::controller::moment::run_on_prepared;
    use crate::controller::{AssumedFuture, Phases, run_on};
    use queuecast_core::units::{Micros, Seconds, Time};

    /// A cluster of eight nodes in service and `down` that are down, all in one partition.
    fn site(down: usize) -> Cluster {
        let node = |number: usize| ClusterNode {
            name: format!("n{number:06}"),
            cpus: 4,
            cores_per_socket: 4,
            state: if number < 8 { NodeState::Up } else { NodeState::Down },
            ..ClusterNode::default()
        };
        let nodes: Vec<ClusterNode> = (0..8 + down).map(node).collect();
        let partition = ClusterPartition {
            name: "all".into(),
            nodes: (0..nodes.len()).collect(),
            is_default: true,
            ..ClusterPartition::default()
        };
        Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() }
    }

    fn job(number: usize) -> SubmittedJob {
        SubmittedJob {
            key: format!("j{number}"),
            id: None,
            submit: Micros::of_seconds(100),
            user: format!("u{}", number % 3),
            request: JobRequest {
                tasks: Some(1 + number as u32 % 12),
                time_limit: Some(TimeLimit::Of(Seconds(600))),
                ..JobRequest::default()
            }
            .into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    /// Starts of forty pending jobs in each of `times` simulations, and how often each simulation looked at a node.
    fn starts(cluster: &Cluster, times: usize) -> (Vec<Vec<Option<Time>>>, Vec<u64>) {
        let submissions: Vec<SubmittedJob> = (0..40).map(job).collect();
        let standing = |submission: usize| JobStanding {
            submission,
            task: None,
            state: StandingState::Waiting { eligible: Some(Time(100)) },
        };
        let closed = (0..cluster.nodes.len()).filter(|&node| cluster.nodes[node].state != NodeState::Up);
        let moment = ClusterMoment {
            now: Micros::of_seconds(200),
            submissions: submissions.clone(),
            standings: (0..40).map(standing).collect(),
            closed_nodes: closed.collect(),
            ..ClusterMoment::default()
        };
        let wanted: Vec<usize> = (0..40).collect();
        let prepared = PreparedCluster::of(cluster);
        let (mut all, mut looks) = (Vec::new(), Vec::new());
        for time in 0..times {
            let runs: Vec<Option<Seconds>> =
                (0..40).map(|job| Some(Seconds(60 + (job * 37 + time * 11) as i64 % 400))).collect();
            let phases = Phases::running_on(Micros::of_seconds(200), [0, 500_000, 1_000_000].map(Micros));
            let future = AssumedFuture { submissions: &submissions, runs: &runs, phases, since: [0; 3] };
            let before = LOOKS.get();
            all.push(run_on_prepared(&prepared, &moment, &future, &wanted));
            looks.push(LOOKS.get() - before);
            assert_eq!(all.last(), Some(&run_on(cluster, &moment, &future, &wanted)), "alone");
        }
        (all, looks)
    }

    #[test]
    fn nodes_that_are_down_are_looked_at_once_however_often_a_cluster_is_simulated() {
        let [(few, of_few), (many, of_many)] = [100, 4_000].map(|down| starts(&site(down), 6));
        assert_eq!(few, many, "they change no start");
        assert!(few[0].iter().all(Option::is_some) && few[0] != few[1], "control: {few:?}");
        assert!(of_many[0] > 10 * of_few[0], "control: once, each is: {of_few:?} {of_many:?}");
        assert_eq!(of_few[1..], of_many[1..]);
        assert!(of_many[1] > 0, "control: those in use are");
    }
}
