//! Resources that running jobs free when they reach their time limits.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::known_futures::KnownFutures;
use super::need_future::{NeedFuture, NodeGain};
use crate::controller::handles::JobHandle;
use crate::controller::job::ControlledJob;
use crate::controller::placement::{
    CachedNeed, Load, Need, NodeLayout, NodeSet, NodeShare, NodeUse, NodeWord, NodeWords,
};

/// The most jobs per block: the set of idle nodes is stored after each block only.
const LARGEST_BLOCK: usize = 8;

/// The number of blocks up to which these are smaller.
const BLOCKS: usize = 64;

/// Running jobs in the order of their limits' ends, and what they hold. What a job releases is named by its index in this order.
#[derive(Debug, Default)]
pub struct Releases {
    /// Jobs per block.
    block: usize,
    jobs: Vec<JobHandle>,
    ends: Vec<i64>,
    /// The index of each job's first entry in `nodes`; one further entry holds the end.
    begins: Vec<u32>,
    /// What each has of its nodes.
    shares: Vec<Arc<[NodeShare]>>,
    /// Their nodes.
    nodes: Vec<u32>,
    /// For each node, the index of its last job to end; beyond the last job for nodes without jobs. Empty where each node has one job at
    /// most.
    last_of_node: Vec<u32>,
    /// The nodes that are idle now.
    idle_now: NodeSet,
    /// By number of blocks whose jobs have ended: the nodes that are idle then. Filled on demand.
    idle: OnceLock<Vec<NodeSet>>,
    /// The nodes of each job, where each node has one job at most.
    held: NodeWords,
    /// Where a node has several jobs: the nodes that are idle once a job has ended, and not before. Filled on demand.
    freed: OnceLock<NodeWords>,
    /// By class of needs, for each number of ended blocks: how many of its nodes are idle. Filled on demand.
    idle_counts: BTreeMap<u32, Vec<u32>>,
    /// What is in use now. A test releases what it needs and takes it again. Empty where only whole nodes are asked for, as are
    /// the shares.
    in_use: NodeUse,
    /// By class of needs that share nodes: what they find as jobs end. Filled on demand.
    futures: BTreeMap<u32, Arc<NeedFuture>>,
    /// By class of needs that share nodes: the jobs that hold parts of its nodes, in their order, and which part. Filled on demand.
    holders: BTreeMap<u32, Vec<(u32, u32)>>,
    /// What earlier looks at the running jobs have found, brought up to date for this one; `None` if there were none.
    known: Option<KnownFutures>,
}

impl Releases {
    /// Of these running jobs, in the order of their ends; with what they have of each node, or only which nodes.
    pub fn of(running: &[JobHandle], jobs: &[ControlledJob], load: &Load, with_shares: bool) -> Releases {
        let block = running.len().div_ceil(BLOCKS).clamp(1, LARGEST_BLOCK);
        let mut releases = Releases { block, begins: vec![0], ..Releases::default() };
        releases.nodes.reserve(load.parts());
        if with_shares {
            releases.in_use = load.in_use().clone();
        }
        let count = load.in_use().len();
        for &job in running {
            let last = &jobs[job.0].last;
            releases.jobs.push(job);
            releases.ends.push(last.limit_end);
            // What has been released already is held no more.
            if !last.shares.is_empty() {
                releases.nodes.extend_from_slice(&last.nodes);
            }
            if with_shares {
                releases.shares.push(last.shares.clone());
            }
            releases.begins.push(releases.nodes.len() as u32);
        }
        releases.idle_now = load.idle().clone();
        // Where each node has one job at most, as it mostly is where jobs have whole nodes.
        let is_alone =
            releases.nodes.len() == load.parts() && releases.nodes.len() + load.idle().len() == count;
        if !is_alone {
            releases.last_of_node = vec![u32::MAX; count];
            for release in 0..running.len() {
                let own = releases.begins[release] as usize..releases.begins[release + 1] as usize;
                for &node in &releases.nodes[own] {
                    releases.last_of_node[node as usize] = release as u32;
                }
            }
            if releases.nodes.len() != load.parts() {
                releases.leave_out_stopped(load);
            }
        }
        if is_alone {
            for release in 0..releases.len() {
                let own = releases.begins[release] as usize..releases.begins[release + 1] as usize;
                releases.held.push(releases.nodes[own].iter().copied());
            }
        }
        releases
    }

    /// Whether each node has one job at most.
    fn is_alone(&self) -> bool {
        self.last_of_node.is_empty()
    }

    /// The nodes that come idle as these jobs end.
    fn freed(&self, releases: Range<usize>) -> &[NodeWord] {
        if self.is_alone() {
            return self.held.of_all(releases);
        }
        let freed = self.freed.get_or_init(|| {
            let mut freed = NodeWords::default();
            for release in 0..self.len() {
                let own = self.nodes(release).iter().copied();
                freed.push(own.filter(|&node| self.last_of_node[node as usize] == release as u32));
            }
            freed
        });
        freed.of_all(releases)
    }

    /// Whether a job holds one of these nodes.
    fn holds(&self, release: usize, nodes: &NodeSet) -> bool {
        if self.is_alone() {
            return nodes.meets_words(self.held.of(release));
        }
        self.nodes(release).iter().any(|&node| nodes.contains(node as usize))
    }

    /// By number of blocks whose jobs have ended: the nodes that are idle then.
    fn idle(&self) -> &[NodeSet] {
        self.idle.get_or_init(|| {
            let blocks = self.len().div_ceil(self.block.max(1));
            let mut all = Vec::with_capacity(blocks + 1);
            let mut idle = self.idle_now.clone();
            for block in 0..blocks {
                all.push(idle.clone());
                let jobs = block * self.block..((block + 1) * self.block).min(self.len());
                idle.add_all(self.freed(jobs));
            }
            all.push(idle);
            all
        })
    }

    /// Nodes that are still held by jobs which have been stopped do not come free in a test.
    fn leave_out_stopped(&mut self, load: &Load) {
        let mut jobs = vec![0; self.last_of_node.len()];
        self.nodes.iter().for_each(|&node| jobs[node as usize] += 1);
        let held = (0..jobs.len()).filter(|&node| jobs[node] < load.in_use().jobs(node));
        held.for_each(|node| self.last_of_node[node] = u32::MAX);
    }

    /// Continues from an earlier look at the running jobs of the same nodes, of which this is in use now: what has not changed since
    /// is not found again.
    pub fn follow(&mut self, before: &mut Releases, load: &Load, all_jobs: usize) {
        let mut known = before.known.take().unwrap_or_default();
        known.begin(load, all_jobs);
        known.compare(before.jobs(), self.jobs());
        self.known = Some(known);
    }

    /// Whether something is known that a later look at the running jobs can continue from.
    pub fn has_known(&self) -> bool {
        self.known.is_some()
    }

    /// A job by its index.
    pub fn job(&self, release: usize) -> Option<JobHandle> {
        self.jobs.get(release).copied()
    }

    /// The jobs, each with its end and its nodes.
    pub fn jobs(&self) -> impl Iterator<Item = (JobHandle, i64, &[u32])> + Clone {
        let ends = self.jobs.iter().zip(&self.ends);
        ends.enumerate().map(|(release, (&job, &end))| (job, end, self.nodes(release)))
    }

    /// How many jobs.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// When a job reaches its limit; `None` beyond the last.
    pub fn end(&self, release: usize) -> Option<i64> {
        self.ends.get(release).copied()
    }

    /// The first job that reaches its limit after this instant.
    pub fn first_after(&self, at: i64) -> usize {
        self.ends.partition_point(|&end| end <= at)
    }

    /// What jobs that share nodes find as running jobs end, on nodes of their partition that are in service.
    pub fn future(&mut self, kept: &CachedNeed, layout: &NodeLayout, open: &NodeSet) -> Arc<NeedFuture> {
        if let Some(known) = self.futures.get(&kept.class) {
            return known.clone();
        }
        let feasible = kept.need.on.feasible.both(open);
        let mut known = self.known.take();
        let future = match &mut known {
            Some(known) => {
                known.future(kept.class, feasible, |nodes| self.found_on(nodes, &kept.need, layout))
            }
            None => {
                let (now, gains) = self.found_on(&feasible, &kept.need, layout);
                Arc::new(NeedFuture::of(now, gains))
            }
        };
        self.known = known;
        self.futures.insert(kept.class, future.clone());
        future
    }

    /// What of these nodes a need can use now, and what they gain as jobs end.
    fn found_on(
        &mut self,
        nodes: &NodeSet,
        need: &Need,
        layout: &NodeLayout,
    ) -> (Vec<(u32, u32)>, Vec<NodeGain>) {
        let mut usable: Vec<u32> = vec![0; self.in_use.len()];
        let mut now = Vec::new();
        for node in nodes.iter() {
            usable[node] = self.in_use.usable(layout, node, need);
            if usable[node] > 0 {
                now.push((node as u32, usable[node]));
            }
        }
        let mut gains = Vec::new();
        let on_one = |&release: &usize| self.nodes(release).iter().any(|&node| nodes.contains(node as usize));
        let on_them: Vec<usize> = (0..self.len()).filter(on_one).collect();
        for &release in &on_them {
            for share in self.shares[release].iter().filter(|share| nodes.contains(share.node)) {
                self.in_use.release(share);
                let (before, after) = (usable[share.node], self.in_use.usable(layout, share.node, need));
                if after > before {
                    let (job, release, node) = (self.jobs[release], release as u32, share.node as u32);
                    gains.push(NodeGain { job, release, node, cpus: after - before, is_new: before == 0 });
                    usable[share.node] = after;
                }
            }
        }
        let held = on_them.iter().flat_map(|&release| &*self.shares[release]);
        held.filter(|share| nodes.contains(share.node)).for_each(|share| self.in_use.take(share));
        (now, gains)
    }

    /// What the first jobs hold of some nodes that a need can use is released for a question, and taken again.
    pub fn while_released<R>(
        &mut self,
        ended: usize,
        (kept, open): (&CachedNeed, &NodeSet),
        nodes: &NodeSet,
        ask: impl FnOnce(&NodeUse) -> R,
    ) -> R {
        let Releases { shares, in_use, holders, .. } = self;
        let holders = holders.entry(kept.class).or_insert_with(|| {
            let feasible = kept.need.on.feasible.both(open);
            let parts = (0..).zip(shares.iter()).flat_map(|(release, shares)| {
                let parts = (0..).zip(shares.iter());
                parts.filter(|one| feasible.contains(one.1.node)).map(move |(part, _)| (release, part))
            });
            parts.collect()
        });
        let ended = holders.partition_point(|&(release, _)| (release as usize) < ended);
        let held = || {
            let parts = holders[..ended].iter();
            let parts = parts.map(|&(release, part)| &shares[release as usize][part as usize]);
            parts.filter(|share| nodes.contains(share.node))
        };
        held().for_each(|share| in_use.release(share));
        let answer = ask(in_use);
        held().for_each(|share| in_use.take(share));
        answer
    }

    fn nodes(&self, release: usize) -> &[u32] {
        &self.nodes[self.begins[release] as usize..self.begins[release + 1] as usize]
    }

    /// The first job from one on that holds one of these nodes.
    pub fn next_on(&self, from: usize, nodes: &NodeSet) -> Option<usize> {
        (from..self.len()).find(|&release| self.holds(release, nodes))
    }

    /// The last job before `until`, and not before `from`, that holds one of these nodes.
    pub fn last_on(&self, from: usize, until: usize, nodes: &NodeSet) -> Option<usize> {
        (from..until.min(self.len())).rev().find(|&release| self.holds(release, nodes))
    }

    /// A lower bound for the job at whose end `least` nodes are idle that a class of needs can use: some of these nodes. `None` if that
    /// many are never idle.
    pub fn not_before(&self, (nodes, class): (&NodeSet, u32), least: usize) -> Option<usize> {
        let block = match self.idle_counts.get(&class) {
            Some(counts) => counts.partition_point(|&count| (count as usize) < least),
            None => self.idle().partition_point(|idle| NodeSet::missing(least, [nodes, nodes, idle]) > 0),
        };
        (block < self.idle().len()).then(|| block.saturating_sub(1) * self.block)
    }

    /// Whether at least `least` of these nodes are idle now.
    pub fn are_idle_now(&self, nodes: &NodeSet, least: usize) -> bool {
        NodeSet::missing(least, [nodes, nodes, &self.idle_now]) == 0
    }

    /// The nodes that are idle by an instant, and perhaps some that are idle soon after it.
    pub fn idle_by(&self, at: i64) -> &NodeSet {
        &self.idle()[self.first_after(at).div_ceil(self.block)]
    }

    /// An instant, in seconds, before which fewer than `least` nodes of a class of needs are idle; `None` if that many never are.
    /// The smallest value if they are idle now.
    pub fn class_earliest(&mut self, class: u32, nodes: [&NodeSet; 2], least: usize) -> Option<i64> {
        if !self.idle_counts.contains_key(&class) {
            let both = nodes[0].both(nodes[1]);
            let counts = self.idle().iter().map(|idle| idle.shared(&both) as u32).collect();
            self.idle_counts.insert(class, counts);
        }
        let counts = &self.idle_counts[&class];
        let block = counts.partition_point(|&count| (count as usize) < least);
        match block.checked_sub(1) {
            Some(before) if block < counts.len() => self.ends.get(before * self.block).copied(),
            Some(_) => None,
            None => Some(i64::MIN),
        }
    }

    /// Whether at least `least` nodes of both sets are idle once all jobs have ended that reach their time limits by `at`.
    pub fn are_idle_by(&self, at: i64, nodes: [&NodeSet; 2], least: usize) -> bool {
        let ended = self.first_after(at);
        let before = ended / self.block;
        let missing = NodeSet::missing(least, [nodes[0], nodes[1], &self.idle()[before]]);
        missing == 0 || NodeSet::shared_words(self.freed(before * self.block..ended), nodes) >= missing
    }

    /// Whether at least `least` of these nodes are idle once all jobs up to this one have ended.
    pub fn are_idle_after(&self, release: usize, nodes: &NodeSet, least: usize) -> bool {
        let block = (release + 1) / self.block;
        let missing = NodeSet::missing(least, [nodes, nodes, &self.idle()[block]]);
        let freed = self.freed(block * self.block..release + 1);
        missing == 0 || NodeSet::shared_words(freed, [nodes, nodes]) >= missing
    }

    /// These nodes as far as they are idle once all jobs up to this one have ended.
    pub fn idle_after(&self, release: usize, nodes: &NodeSet) -> NodeSet {
        let block = (release + 1) / self.block;
        let mut idle = self.idle()[block].clone();
        idle.keep(nodes);
        idle.add_shared(self.freed(block * self.block..release + 1), nodes);
        idle
    }

    /// Those of these nodes that are idle now.
    pub fn idle_now(&self, nodes: &NodeSet) -> NodeSet {
        let mut idle = nodes.clone();
        idle.keep(&self.idle_now);
        idle
    }
}
