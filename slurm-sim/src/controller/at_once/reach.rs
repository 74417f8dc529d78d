//! How much of the nodes a job could use, kept up to date node by node: tells without a choice of nodes that there are too few.

use std::sync::Arc;

use crate::controller::placement::{Need, NodeLayout, NodeUse};

/// What each node could give a job, whichever partition, reservation or promise it is kept for.
#[derive(Debug, Clone)]
pub struct Reach {
    layout: Arc<NodeLayout>,
    need: Arc<Need>,
    /// Processors of each node that the job can use.
    usable: Vec<u32>,
    /// How many nodes give each number of processors.
    levels: Vec<usize>,
    /// How many nodes give any, and the processors of all.
    nodes: usize,
    cpus: u64,
}

impl Reach {
    pub fn of(layout: &Arc<NodeLayout>, need: &Arc<Need>, in_use: &NodeUse) -> Reach {
        let usable = vec![0; layout.nodes.len()];
        let (layout, need) = (Arc::clone(layout), Arc::clone(need));
        let feasible = need.on.feasible.clone();
        let mut reach = Reach { layout, need, usable, levels: Vec::new(), nodes: 0, cpus: 0 };
        feasible.iter().for_each(|node| reach.look_at(node, in_use));
        reach
    }

    /// Brings it up to date where the use of a node has changed.
    pub fn look_at(&mut self, node: usize, in_use: &NodeUse) {
        if !self.need.on.feasible.contains(node) {
            return;
        }
        let now = in_use.usable(&self.layout, node, &self.need);
        let before = std::mem::replace(&mut self.usable[node], now);
        if before == now {
            return;
        }
        if before > 0 {
            self.levels[before as usize] -= 1;
            self.nodes -= 1;
        }
        if now > 0 {
            let level = now as usize;
            self.levels.resize(self.levels.len().max(level + 1), 0);
            self.levels[level] += 1;
            self.nodes += 1;
        }
        self.cpus = self.cpus + u64::from(now) - u64::from(before);
    }

    /// Whether there may be enough: a choice of nodes finds none where this is `false`.
    pub fn may_suffice(&self) -> bool {
        if self.layout.is_linear {
            return true;
        }
        self.nodes >= self.need.least_nodes() && self.most_cpus() >= u64::from(self.need.cpus)
    }

    /// The processors of as many of the largest nodes as the job may have.
    fn most_cpus(&self) -> u64 {
        let mut left = self.need.nodes.1 as usize;
        if self.nodes <= left || self.cpus < u64::from(self.need.cpus) {
            return self.cpus;
        }
        let mut cpus = 0;
        for (level, &nodes) in self.levels.iter().enumerate().rev() {
            let taken = nodes.min(left);
            cpus += (taken * level) as u64;
            left -= taken;
            if left == 0 {
                break;
            }
        }
        cpus
    }
}
