//! What of the nodes is in use.

use super::apart::{ApartOnNodes, JobApart};
use super::layout::NodeLayout;
use super::need::{CappedPartition, GresIndex, Need};
use super::node_set::NodeSet;

/// A part of a node that a job has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeShare {
    /// The node.
    pub node: usize,
    /// Processors, as limits and bills count them.
    pub cpus: u32,
    /// Processors that no other job has: all threads of its cores, where threads count one by one too.
    pub held: u32,
    /// MB.
    pub memory: u64,
    /// Generic resources.
    pub gres: Vec<(GresIndex, u64)>,
    /// Its partition, if that limits the processors of a node.
    pub cap: Option<CappedPartition>,
    /// How it keeps jobs of other partitions from the node.
    pub apart: JobApart,
}

/// How much of each node is in use.
#[derive(Debug, Clone, Default)]
pub struct NodeUse {
    cpus: Vec<u32>,
    memory: Vec<u64>,
    gres: Vec<u64>,
    kinds: usize,
    jobs: Vec<u32>,
    /// Processors that jobs of each partition have which limits them, node by node.
    of_partitions: Vec<u32>,
    caps: usize,
    /// Jobs that keep others from each node.
    apart: ApartOnNodes,
}

impl NodeUse {
    fn none(layout: &NodeLayout) -> NodeUse {
        let (nodes, kinds) = (layout.nodes.len(), layout.kinds.len());
        let caps = layout.caps.iter().flatten().count();
        NodeUse {
            cpus: vec![0; nodes],
            memory: vec![0; nodes],
            gres: vec![0; nodes * kinds],
            kinds,
            jobs: vec![0; nodes],
            of_partitions: vec![0; nodes * caps],
            caps,
            apart: ApartOnNodes::none(&layout.apart, nodes),
        }
    }

    pub fn take(&mut self, share: &NodeShare) {
        let node = share.node;
        self.cpus[node] += share.held;
        self.memory[node] += share.memory;
        self.jobs[node] += 1;
        if let Some(partition) = share.cap {
            self.of_partitions[node * self.caps + partition.0] += share.held;
        }
        self.apart.take(node, share.apart);
        for &(resource, count) in &share.gres {
            self.gres[node * self.kinds + resource.0] += count;
        }
    }

    pub fn release(&mut self, share: &NodeShare) {
        let node = share.node;
        self.cpus[node] -= share.held;
        self.memory[node] -= share.memory;
        self.jobs[node] -= 1;
        if let Some(partition) = share.cap {
            self.of_partitions[node * self.caps + partition.0] -= share.held;
        }
        self.apart.release(node, share.apart);
        for &(resource, count) in &share.gres {
            self.gres[node * self.kinds + resource.0] -= count;
        }
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    pub fn is_idle(&self, node: usize) -> bool {
        self.jobs[node] == 0
    }

    /// Processors of a node that are in use.
    pub fn cpus(&self, node: usize) -> u32 {
        self.cpus[node]
    }

    /// How many jobs a node has.
    pub fn jobs(&self, node: usize) -> u32 {
        self.jobs[node]
    }

    /// How much of a generic resource of a node is in use.
    pub fn gres(&self, node: usize, resource: GresIndex) -> u64 {
        self.gres[node * self.kinds + resource.0]
    }

    /// MB of a node that are in use.
    pub fn memory(&self, node: usize) -> u64 {
        self.memory[node]
    }

    /// Processors of a node that a job can use.
    pub fn usable(&self, layout: &NodeLayout, node: usize, need: &Need) -> u32 {
        if self.apart.keeps_out(node, need.placing.apart) {
            return 0;
        }
        let gres = |resource: GresIndex| self.gres(node, resource);
        let of_partition = need.cap.map_or(0, |cap| self.of_partitions[node * self.caps + cap.of.0]);
        let cpus = [self.cpus[node], of_partition];
        layout.usable(node, cpus, self.memory[node], gres, self.jobs[node] == 0, need)
    }
}

/// How much of the nodes is in use now, and which nodes changed.
#[derive(Debug, Clone)]
pub struct Load {
    in_use: NodeUse,
    idle: NodeSet,
    /// Nodes whose load has changed since the list was begun; one may be in it several times.
    changes: Vec<u32>,
    epoch: u64,
    /// How many parts of nodes are in use.
    parts: usize,
}

impl Load {
    pub fn none(layout: &NodeLayout) -> Load {
        let count = layout.nodes.len();
        let idle = NodeSet::all(count);
        Load { in_use: NodeUse::none(layout), idle, changes: Vec::new(), epoch: 0, parts: 0 }
    }

    pub fn take(&mut self, share: &NodeShare) {
        self.in_use.take(share);
        self.parts += 1;
        self.idle.remove(share.node);
        self.has_changed(share.node);
    }

    pub fn release(&mut self, share: &NodeShare) {
        self.in_use.release(share);
        self.parts -= 1;
        if self.in_use.is_idle(share.node) {
            self.idle.insert(share.node);
        }
        self.has_changed(share.node);
    }

    fn has_changed(&mut self, node: usize) {
        if self.changes.len() > 8 * self.in_use.jobs.len() {
            self.changes.clear();
            self.epoch += 1;
        }
        self.changes.push(node as u32);
    }

    /// How much has changed so far.
    pub fn version(&self) -> LoadVersion {
        LoadVersion { epoch: self.epoch, changes: self.changes.len() }
    }

    /// Nodes whose load has changed since the epoch began, in the order of the changes.
    pub fn changes(&self) -> &[u32] {
        &self.changes
    }

    /// Nodes without a job.
    pub fn idle(&self) -> &NodeSet {
        &self.idle
    }

    pub fn in_use(&self) -> &NodeUse {
        &self.in_use
    }

    /// How many parts of nodes are in use.
    pub fn parts(&self) -> usize {
        self.parts
    }
}

/// How far the changes of a load have been looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadVersion {
    /// How often the list of changes was begun.
    pub epoch: u64,
    /// How many of its changes.
    pub changes: usize,
}
