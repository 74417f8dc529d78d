//! Needs that jobs share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::asked::NodeBounds;
use super::in_use::{Load, LoadVersion};
use super::layout::NodeLayout;
use super::need::Need;
use super::node_set::NodeSet;
use super::prepared::{FoundNeeds, NeedKey};
use crate::cluster::{Cluster, JobRequest, PartitionIndex};

/// A need, and the nodes on which something of it could run now.
#[derive(Debug)]
pub struct CachedNeed {
    /// The need.
    pub need: Arc<Need>,
    /// Exclusive needs of one partition with equal feasible nodes have one class. So have needs that share nodes and can use as much
    /// of every node as each other, however many nodes and processors they are in all.
    pub class: u32,
    usable: Mutex<UsableNodes>,
}

#[derive(Debug)]
struct UsableNodes {
    nodes: NodeSet,
    seen: LoadVersion,
}

impl CachedNeed {
    pub fn new(need: Arc<Need>, class: u32) -> CachedNeed {
        let nodes = NodeSet::none(need.on.feasible.capacity());
        let seen = LoadVersion { epoch: u64::MAX, changes: 0 };
        CachedNeed { need, class, usable: Mutex::new(UsableNodes { nodes, seen }) }
    }

    /// Keeps of these nodes those that could run something of it now.
    pub fn keep_usable(&self, nodes: &mut NodeSet, layout: &NodeLayout, load: &Load) {
        if self.need.is_exclusive {
            nodes.keep(&self.need.on.feasible);
            nodes.keep(load.idle());
            return;
        }
        let mut usable = self.usable.lock().unwrap_or_else(PoisonError::into_inner);
        let version = load.version();
        if usable.seen.epoch != version.epoch {
            usable.nodes.copy_from(&self.need.on.feasible);
            // An idle node that is feasible is usable; nodes that are not in service are idle, however many there are.
            let mut busy = self.need.on.feasible.clone();
            busy.take_away(load.idle());
            for node in busy.iter() {
                if load.in_use().usable(layout, node, &self.need) == 0 {
                    usable.nodes.remove(node);
                }
            }
        } else {
            for &node in &load.changes()[usable.seen.changes..] {
                let node = node as usize;
                if self.need.on.feasible.contains(node) && load.in_use().usable(layout, node, &self.need) > 0
                {
                    usable.nodes.insert(node);
                } else {
                    usable.nodes.remove(node);
                }
            }
        }
        usable.seen = version;
        nodes.keep(&usable.nodes);
    }
}

/// The needs of jobs that are there, each once.
#[derive(Debug)]
pub struct NeedCache {
    kept: HashMap<NeedKey, Weak<CachedNeed>>,
    /// Needs of all simulations of the cluster.
    found: Arc<FoundNeeds>,
    /// At this number of entries, those that are not in use any more are removed.
    most: usize,
    /// Classes of needs for whole nodes, by partition and nodes.
    classes: HashMap<(PartitionIndex, NodeSet), u32>,
    /// Classes of needs that share nodes, by partition and what they can use of a node.
    shared_classes: HashMap<(PartitionIndex, Need), u32>,
    /// How many classes there are.
    class_count: u32,
    /// The need of jobs that are gone.
    gone: Arc<CachedNeed>,
}

impl NeedCache {
    /// With needs that other simulations of the same cluster have found.
    pub fn with(found: Arc<FoundNeeds>, nodes: usize) -> NeedCache {
        NeedCache {
            kept: HashMap::new(),
            found,
            most: 0,
            classes: HashMap::new(),
            shared_classes: HashMap::new(),
            class_count: 0,
            gone: Arc::new(CachedNeed::new(Arc::new(Need::nothing(nodes)), u32::MAX)),
        }
    }

    /// The need of jobs that are gone.
    pub fn gone(&self) -> &Arc<CachedNeed> {
        &self.gone
    }

    /// The need of a request in a partition.
    pub fn get(
        &mut self,
        request: &JobRequest,
        bounds: NodeBounds,
        partition: PartitionIndex,
        layout: &NodeLayout,
        cluster: &Cluster,
    ) -> Arc<CachedNeed> {
        let need = Need::of(request, bounds, partition, layout, cluster);
        // What decides which nodes are feasible and is not in the need itself.
        let nodes = match (&request.wishes.constraint, request.wishes.exclude.is_empty()) {
            (None, true) => String::new(),
            (constraint, _) => format!("{constraint:?} {:?}", request.wishes.exclude),
        };
        let key = (partition, need, nodes);
        if let Some(kept) = self.kept.get(&key).and_then(Weak::upgrade) {
            return kept;
        }
        if self.kept.len() >= self.most {
            self.kept.retain(|_, kept| kept.strong_count() > 0);
            self.most = (2 * self.kept.len()).max(1_000);
        }
        let need = self.found.get(&key, || {
            let mut need = key.1.clone();
            need.find_feasible(request, partition, layout, cluster);
            need
        });
        let class = self.class(partition, &need);
        let kept = Arc::new(CachedNeed::new(need, class));
        self.kept.insert(key, Arc::downgrade(&kept));
        kept
    }

    fn class(&mut self, partition: PartitionIndex, need: &Need) -> u32 {
        let next = self.class_count;
        let class = match need.is_exclusive {
            true => *self.classes.entry((partition, need.on.feasible.clone())).or_insert(next),
            false => *self.shared_classes.entry((partition, need.of_a_node())).or_insert(next),
        };
        self.class_count += u32::from(class == next);
        class
    }
}
