//! When running jobs leave enough nodes to a job, by their time limits.

use super::layout::{Load, NodeLayout, NodeShare};
use super::need::Need;
use super::node_set::NodeSet;
use super::select::select;

/// A running job as plans see it.
#[derive(Debug, Clone)]
pub struct RunningPlan {
    /// When it reaches its time limit, in seconds.
    pub end: i64,
    /// Its nodes.
    pub nodes: NodeSet,
    /// What it has of them.
    pub shares: Vec<NodeShare>,
}

/// Ends are looked at in windows that begin on this grid, the first so long.
const WINDOW: i64 = 30;

/// What a test for one job looks at.
pub struct StartTest<'t> {
    /// The nodes.
    pub layout: &'t NodeLayout,
    /// What of them is in use.
    pub load: &'t Load,
    /// Running jobs in the order of their ends.
    pub running: &'t [RunningPlan],
    /// What the job needs.
    pub need: &'t Need,
    /// Nodes whose weight is lowered slightly.
    pub lighter: &'t NodeSet,
    /// In seconds.
    pub now: i64,
    /// How long jobs past their limit are given.
    pub kill_wait: i64,
    /// The steps in which it looks ahead; `None`: each twice the one before.
    pub linear: Option<i64>,
}

impl StartTest<'_> {
    /// When the job could start on these nodes, and on which of them, if running jobs ran into their limits.
    pub fn will_run(&self, usable: &NodeSet) -> Option<(i64, Vec<usize>)> {
        let chosen = |load: &Load| select(self.layout, load, usable, self.need, self.lighter);
        if let Some(nodes) = chosen(self.load) {
            return Some((self.now, nodes));
        }
        let mut load = self.load.clone();
        let mut running = self.running.iter().peekable();
        let (mut base, mut width) = (None, WINDOW);
        loop {
            let (mut last, mut next, mut more) = (None, None, false);
            while let Some(one) = running.next() {
                if !one.nodes.meets(usable) {
                    continue;
                }
                let base = *base.get_or_insert(one.end + (WINDOW - one.end.rem_euclid(WINDOW)));
                one.shares.iter().for_each(|share| load.release(share));
                last = Some(one.end);
                next = running.peek().map(|one| one.end);
                more = next.is_some();
                if next.is_some_and(|next| next > base + width) {
                    break;
                }
            }
            let last = last?;
            let base = base.unwrap_or(0);
            loop {
                width = match self.linear {
                    Some(step) => width + step.max(1),
                    None => width * 2,
                };
                if next.is_none_or(|next| next <= base + width) {
                    break;
                }
            }
            if let Some(nodes) = chosen(&load) {
                let start = if last > self.now { last } else { (last + self.kill_wait).max(self.now + 1) };
                return Some((start, nodes));
            }
            if !more {
                return None;
            }
        }
    }
}
