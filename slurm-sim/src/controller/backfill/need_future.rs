//! What running jobs leave to jobs that share nodes, as they reach their time limits.

use std::sync::OnceLock;

use crate::controller::handles::JobHandle;
use crate::controller::placement::{Need, NodeSet};

/// Gains between two stored numbers of processors.
const STORED: usize = 128;

/// A running job ends, and a node has more processors for the need.
#[derive(Debug, Clone, Copy)]
pub struct NodeGain {
    /// The job.
    pub job: JobHandle,
    /// Its index among those that run, in the order of their ends.
    pub release: u32,
    pub node: u32,
    /// How many more.
    pub cpus: u32,
    /// Whether the node could run nothing of the need before.
    pub is_new: bool,
}

/// How much of a machine a job finds: nodes that can run something of it, and their processors that it can use.
#[derive(Debug, Clone, Copy, Default)]
struct UsableSum {
    nodes: usize,
    cpus: u64,
}

impl UsableSum {
    fn add(&mut self, cpus: u32, is_new: bool) {
        self.nodes += usize::from(is_new);
        self.cpus += u64::from(cpus);
    }

    /// Whether the sum could meet a need; if not, no choice of nodes meets it.
    fn suffices(&self, need: &Need) -> bool {
        self.nodes >= need.least_nodes() && self.cpus >= u64::from(need.cpus)
    }
}

/// What nodes have for all needs of a class: now, and as running jobs reach their limits. It is found once for all tests of a cycle,
/// so that a test releases nothing before enough can be free.
#[derive(Debug, Default)]
pub struct NeedFuture {
    now: Vec<(u32, u32)>,
    gains: Vec<NodeGain>,
    /// Of all nodes, after each gain.
    sums: Vec<UsableSum>,
    sum_now: UsableSum,
    /// The processors of each node, now and after every [`STORED`] gains. Filled on demand.
    stored: OnceLock<Vec<Vec<u32>>>,
}

impl NeedFuture {
    /// Of the processors that a job could use of nodes now, and of what they gain as jobs end, in that order.
    pub fn of(now: Vec<(u32, u32)>, gains: Vec<NodeGain>) -> NeedFuture {
        let mut sum = UsableSum::default();
        now.iter().for_each(|&(_, cpus)| sum.add(cpus, true));
        let sum_now = sum;
        let sums = gains.iter().map(|gain| {
            sum.add(gain.cpus, gain.is_new);
            sum
        });
        NeedFuture { sums: sums.collect(), now, gains, sum_now, stored: OnceLock::new() }
    }

    /// The processors that a job can use now, by node, and what nodes gain as jobs end.
    pub fn parts(&self) -> (&[(u32, u32)], &[NodeGain]) {
        (&self.now, &self.gains)
    }

    /// How many running jobs have to end before these nodes could have enough for a need; `None` if they never have, or not once
    /// this number of jobs has ended.
    pub fn ended_before(&self, nodes: &NodeSet, need: &Need, most: usize) -> Option<usize> {
        let mut sum = UsableSum::default();
        for &(node, cpus) in &self.now {
            if nodes.contains(node as usize) {
                sum.add(cpus, true);
            }
        }
        if sum.suffices(need) {
            return Some(0);
        }
        for gain in self.gains.iter().take_while(|gain| (gain.release as usize) < most) {
            if nodes.contains(gain.node as usize) {
                sum.add(gain.cpus, gain.is_new);
                if sum.suffices(need) {
                    return Some(gain.release as usize + 1);
                }
            }
        }
        None
    }

    /// How many running jobs have to end before all nodes together could have enough for a need.
    pub fn ended_anywhere(&self, need: &Need) -> Option<usize> {
        if self.sum_now.suffices(need) {
            return Some(0);
        }
        let first = self.sums.partition_point(|sum| !sum.suffices(need));
        self.gains.get(first).map(|gain| gain.release as usize + 1)
    }

    /// Those of these nodes that can run something of a need once this number of jobs has ended, and the processors of each that it
    /// can use then, by node.
    pub fn usable_after(&self, ended: usize, nodes: &NodeSet, all: usize) -> (NodeSet, Vec<u32>) {
        let gains = self.gains.partition_point(|gain| (gain.release as usize) < ended);
        let known = &self.stored(all)[gains / STORED];
        let (mut usable, mut cpus) = (NodeSet::none(all), vec![0; all]);
        for node in nodes.iter().filter(|&node| known[node] > 0) {
            usable.insert(node);
            cpus[node] = known[node];
        }
        for gain in &self.gains[gains / STORED * STORED..gains] {
            let node = gain.node as usize;
            if nodes.contains(node) {
                usable.insert(node);
                cpus[node] += gain.cpus;
            }
        }
        (usable, cpus)
    }

    fn stored(&self, all: usize) -> &[Vec<u32>] {
        self.stored.get_or_init(|| {
            let mut cpus = vec![0; all];
            self.now.iter().for_each(|&(node, now)| cpus[node as usize] = now);
            let mut stored = Vec::with_capacity(self.gains.len() / STORED + 1);
            for gains in self.gains.chunks(STORED) {
                stored.push(cpus.clone());
                gains.iter().for_each(|gain| cpus[gain.node as usize] += gain.cpus);
            }
            stored.push(cpus);
            stored
        })
    }
}
