//! The nodes of a controller: which are in service, what of them is in use, and what reservations keep.

use std::sync::Arc;

use super::in_use::{Load, NodeShare};
use super::layout::NodeLayout;
use super::need::Need;
use super::node_set::NodeSet;
use super::select::NodeOffer;
use super::weights::WeightShift;
use crate::cluster::{AdvanceReservation, NodeState};

/// What a reservation keeps of nodes now: its cores that none of its own jobs has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreHold {
    pub reservation: String,
    pub shares: Vec<NodeShare>,
}

/// The nodes, and all that changes about them.
#[derive(Debug)]
pub struct NodePool {
    pub layout: Arc<NodeLayout>,
    pub load: Load,
    /// Nodes of jobs that are being stopped, as often as there are such jobs: nothing else is started there.
    completing: Vec<usize>,
    up: NodeSet,
    /// Nodes of each partition that are up.
    pub open_nodes: Vec<NodeSet>,
    pub reservations: Vec<AdvanceReservation>,
    /// Since when there are those that were made meanwhile, in seconds.
    made: Vec<(String, i64)>,
    /// Whether reservations of cores keep their nodes whole.
    keeps_whole_nodes: bool,
    /// What reservations of cores keep now; it counts as in use.
    pub core_holds: Vec<CoreHold>,
    /// How weights differ from those configured once nodes have been chosen for a job: plans are made with these.
    pub weights: Arc<WeightShift>,
    /// Nodes of each line of the configuration, where nodes count for a limit.
    pub lines: Vec<NodeSet>,
}

impl NodePool {
    /// Idle nodes, some of them in service.
    pub fn idle(
        layout: Arc<NodeLayout>,
        up: NodeSet,
        reservations: &[AdvanceReservation],
        lines: Vec<NodeSet>,
    ) -> NodePool {
        let mut pool = NodePool {
            load: Load::none(&layout),
            completing: Vec::new(),
            open_nodes: layout.partitions.clone(),
            reservations: reservations.to_vec(),
            made: Vec::new(),
            keeps_whole_nodes: false,
            core_holds: Vec::new(),
            weights: Arc::new(WeightShift::none(layout.nodes.len())),
            lines,
            up: NodeSet::default(),
            layout,
        };
        pool.set_up(up);
        pool
    }

    /// The nodes in service.
    pub fn up(&self) -> &NodeSet {
        &self.up
    }

    /// From now on these nodes are in service, and no others.
    pub fn set_up(&mut self, up: NodeSet) {
        self.up = up;
        self.open_nodes.clone_from(&self.layout.partitions);
        self.open_nodes.iter_mut().for_each(|nodes| nodes.keep(&self.up));
    }

    /// The state of some nodes changes.
    pub fn change_state(&mut self, nodes: &[usize], state: NodeState) {
        let mut up = std::mem::take(&mut self.up);
        for &node in nodes {
            match state {
                NodeState::Up => up.insert(node),
                _ => up.remove(node),
            }
        }
        self.set_up(up);
    }

    /// From now on reservations of cores keep their nodes whole.
    pub fn keep_whole_nodes(&mut self) {
        self.keeps_whole_nodes = true;
        self.reservations.iter_mut().for_each(|one| one.cores = None);
    }

    /// Makes a reservation, in place of any of its name.
    pub fn reserve(&mut self, reservation: &AdvanceReservation, now: i64) {
        self.unreserve(&reservation.name);
        self.made.push((reservation.name.clone(), now));
        let cores = reservation.cores.filter(|_| !self.keeps_whole_nodes);
        self.reservations.push(AdvanceReservation { cores, ..reservation.clone() });
    }

    /// Removes a reservation.
    pub fn unreserve(&mut self, name: &str) {
        self.reservations.retain(|one| one.name != name);
        self.made.retain(|one| one.0 != name);
    }

    /// Since when there is a reservation, in seconds.
    pub fn made_at(&self, name: &str) -> i64 {
        self.made.iter().find(|one| one.0 == name).map_or(i64::MIN, |one| one.1)
    }

    /// From now on there are these reservations, and no others.
    pub fn set_reservations(&mut self, reservations: &[AdvanceReservation]) {
        reservations.clone_into(&mut self.reservations);
    }

    /// A job takes these parts of nodes.
    pub fn take(&mut self, shares: &[NodeShare]) {
        shares.iter().for_each(|share| self.load.take(share));
    }

    /// A job gives these parts of nodes back.
    pub fn release(&mut self, shares: &[NodeShare]) {
        shares.iter().for_each(|share| self.load.release(share));
    }

    /// A job with these parts of nodes is being stopped, or (`is_done`) has been.
    pub fn completes(&mut self, shares: &[NodeShare], is_done: bool) {
        for node in shares.iter().map(|share| share.node) {
            if !is_done {
                self.completing.push(node);
            } else if let Some(at) = self.completing.iter().position(|&one| one == node) {
                self.completing.swap_remove(at);
            }
        }
    }

    /// Nodes of jobs that are being stopped.
    pub fn completing(&self) -> &[usize] {
        &self.completing
    }

    /// What a job has of the nodes that it is given now.
    pub fn given(&self, nodes: &[usize], need: &Need) -> Vec<NodeShare> {
        let none = NodeSet::none(0);
        let in_use = Some(self.load.in_use());
        NodeOffer { layout: &self.layout, in_use, nodes: &none, shift: None }.shares(nodes, need)
    }

    /// What a job has of these nodes in any case: as if nothing else ran there, where too little of them is free.
    pub fn given_in_any_case(&self, nodes: &[usize], need: &Need) -> Vec<NodeShare> {
        let given = self.given(nodes, need);
        if given.iter().map(|share| share.cpus).sum::<u32>() >= need.cpus {
            return given;
        }
        let none = NodeSet::none(0);
        NodeOffer { layout: &self.layout, in_use: None, nodes: &none, shift: None }.shares(nodes, need)
    }
}
