//! The nodes at the instant at which a promised start comes: tells quickly that a job which still runs then is in its way.

use super::reach::Reach;
use crate::controller::placement::{JobApart, Load, NodeShare};

/// The nodes right before a promised job starts, if everything goes as planned.
#[derive(Debug)]
pub struct PromiseShadow {
    load: Load,
    /// What the promised job could use.
    reach: Reach,
    /// The nodes thought of for it.
    nodes: Vec<usize>,
    /// Whether there are too few nodes for it if any of these has one processor less.
    pub is_tight: bool,
}

impl PromiseShadow {
    pub fn of(load: Load, reach: Reach, nodes: Vec<usize>) -> PromiseShadow {
        let mut shadow = PromiseShadow { load, reach, nodes: Vec::new(), is_tight: false };
        let least = |node: usize| NodeShare {
            node,
            cpus: 1,
            held: 1,
            memory: 0,
            gres: Vec::new(),
            cap: None,
            apart: JobApart::default(),
        };
        shadow.is_tight = nodes.iter().all(|&node| shadow.is_in_the_way(&[least(node)]));
        shadow.nodes = nodes;
        shadow
    }

    /// Whether the promised job finds too few nodes beside these parts of nodes.
    pub fn is_in_the_way(&mut self, shares: &[NodeShare]) -> bool {
        let PromiseShadow { load, reach, .. } = self;
        for share in shares {
            load.take(share);
            reach.look_at(share.node, load.in_use());
        }
        let is_in_the_way = !reach.may_suffice();
        for share in shares {
            load.release(share);
            reach.look_at(share.node, load.in_use());
        }
        is_in_the_way
    }

    /// Whether one of these parts is of a node thought of for the promised job.
    pub fn is_touched(&self, shares: &[NodeShare]) -> bool {
        shares.iter().any(|share| self.nodes.contains(&share.node))
    }
}
