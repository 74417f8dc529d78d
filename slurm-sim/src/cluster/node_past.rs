//! Which nodes took jobs when, as far as that can be told from where jobs started.

use std::collections::BTreeMap;

use super::event::ClusterAction;
use super::node::NodeState;
use super::recorded::RecordedRun;
use super::whole::Cluster;
use queuecast_core::order;
use queuecast_core::units::{Micros, Time};

/// Which nodes take jobs, at one instant after the other. A cluster has its nodes in the states in which they were found; these
/// hold for earlier moments only as far as nothing tells otherwise.
#[derive(Debug)]
pub(super) struct NodePast {
    /// Instants at which a node closes (1) or opens again (-1), by instant.
    changes: Vec<(Micros, usize, i32)>,
    next: usize,
    /// How often each node is closed: outages may overlap.
    closed: BTreeMap<usize, i32>,
}

impl NodePast {
    /// Nodes that the run's own events name are in the state found until these change it. Others are closed during known
    /// outages; one that was found closed, without an outage that goes on, is closed since the last start of a job on it or the
    /// end of its last outage, and has always been if there is neither. An outage that goes on of a node that was found open is
    /// over.
    pub fn of(cluster: &Cluster, run: &RecordedRun) -> NodePast {
        let mut past = NodePast { changes: Vec::new(), next: 0, closed: BTreeMap::new() };
        let mut is_told = vec![false; cluster.nodes.len()];
        for event in &run.events {
            if let ClusterAction::Nodes(change) = &event.action {
                for &node in &change.nodes {
                    if let Some(told) = is_told.get_mut(node) {
                        *told = true;
                    }
                }
            }
        }
        let is_closed = |node: usize| cluster.nodes[node].state != NodeState::Up;
        // Since when nodes that were found closed are; `None` with an outage that tells.
        let mut since: BTreeMap<usize, Option<Micros>> = order::map_of(
            (0..is_told.len()).filter(|&node| is_closed(node)).map(|node| (node, Some(Micros(i64::MIN)))),
        );
        let untold = |node: usize| node < is_told.len() && !is_told[node];
        for outage in cluster.outages.iter().filter(|one| run.clock.is_unix && untold(one.node)) {
            let goes_on = outage.to == Time::NEVER;
            if goes_on && !is_closed(outage.node) {
                continue;
            }
            past.changes.push((outage.from.into(), outage.node, 1));
            if !goes_on {
                past.changes.push((outage.to.into(), outage.node, -1));
            }
            if let Some(since) = since.get_mut(&outage.node) {
                *since = since.filter(|_| !goes_on).map(|at| at.max(outage.to.into()));
            }
        }
        if since.keys().any(|&node| !is_told[node]) {
            for outcome in &run.outcomes {
                let Some(start) = outcome.start else { continue };
                for node in outcome.nodes.iter().filter_map(|name| cluster.node(name)) {
                    if let Some(Some(at)) = since.get_mut(&node).filter(|_| !is_told[node]) {
                        // The second of the start is over.
                        *at = (*at).max(Micros::from(start) + Micros::SECOND);
                    }
                }
            }
        }
        past.changes.extend(since.into_iter().filter_map(|(node, at)| Some((at?, node, 1))));
        past.changes.sort_unstable();
        past
    }

    /// Brings what is known of outages up to an instant.
    pub fn advance_to(&mut self, now: Micros) {
        while let Some(&(at, node, by)) = self.changes.get(self.next)
            && at <= now
        {
            *self.closed.entry(node).or_insert(0) += by;
            self.next += 1;
        }
    }

    /// An event of the run: nodes are in this state from now on.
    pub fn set(&mut self, nodes: &[usize], state: NodeState) {
        for &node in nodes {
            self.closed.insert(node, i32::from(state != NodeState::Up));
        }
    }

    /// The nodes that take no jobs, ascending.
    pub fn closed(&self) -> Vec<usize> {
        self.closed.iter().filter(|(_, times)| **times > 0).map(|(&node, _)| node).collect()
    }
}
