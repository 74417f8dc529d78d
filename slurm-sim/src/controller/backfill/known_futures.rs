//! What jobs that share nodes find as running jobs end, kept from one look at the running jobs to the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::need_future::{NeedFuture, NodeGain};
use crate::controller::handles::JobHandle;
use crate::controller::placement::{Load, LoadVersion, NodeSet};

/// Beyond this share of its nodes all of a class of needs is found again.
const MOST_CHANGED: usize = 4;

/// What was found for classes of needs, and on which nodes anything has changed since: what a node has as its jobs end depends on these
/// jobs alone.
#[derive(Debug, Default)]
pub struct KnownFutures {
    of_class: BTreeMap<u32, KnownFuture>,
    /// Nodes on which a job has started or ended, or ends at another time now; one may be in it several times.
    changes: Vec<u32>,
    /// How often that list was begun.
    epoch: u64,
    /// How far the changes of the load are in it.
    load: Option<LoadVersion>,
    /// Of each running job its index in the order of ends.
    index_of: Vec<u32>,
}

#[derive(Debug)]
struct KnownFuture {
    /// The nodes that it was found for.
    nodes: NodeSet,
    /// The epoch of the list of changes, and how many of them were known.
    seen: (u64, usize),
    future: Arc<NeedFuture>,
}

impl KnownFutures {
    /// The changes of the load are noted.
    pub fn begin(&mut self, load: &Load, all_jobs: usize) {
        let version = load.version();
        match self.load.filter(|known| known.epoch == version.epoch) {
            Some(known) => self.changes.extend_from_slice(&load.changes()[known.changes..]),
            None => self.forget(),
        }
        self.load = Some(version);
        self.index_of.resize(all_jobs, u32::MAX);
        if self.changes.len() > 8 * load.in_use().len() {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.changes.clear();
        self.epoch += 1;
    }

    /// The nodes are noted of jobs that ran before and do not now, that run now and did not before, and that end at another time. A job is
    /// told with its end and its nodes, in the order of ends.
    pub fn compare<'r>(
        &mut self,
        before: impl Iterator<Item = (JobHandle, i64, &'r [u32])>,
        now: impl Iterator<Item = (JobHandle, i64, &'r [u32])> + Clone,
    ) {
        let before: Vec<_> = before.collect();
        let mut stays = vec![false; before.len()];
        // The indices are those before.
        for (job, end, nodes) in now.clone() {
            let known = self.index_of[job.0] as usize;
            match stays.get_mut(known) {
                Some(stays) if (before[known].0, before[known].1) == (job, end) => *stays = true,
                _ => self.changes.extend_from_slice(nodes),
            }
        }
        for ((_, _, nodes), stays) in before.into_iter().zip(stays) {
            if !stays {
                self.changes.extend_from_slice(nodes);
            }
        }
        for ((job, _, _), index) in now.zip(0..) {
            self.index_of[job.0] = index;
        }
    }

    /// What a class of needs finds on these nodes; `find` looks at some of them.
    pub fn future(
        &mut self,
        class: u32,
        nodes: NodeSet,
        find: impl FnOnce(&NodeSet) -> (Vec<(u32, u32)>, Vec<NodeGain>),
    ) -> Arc<NeedFuture> {
        let seen = (self.epoch, self.changes.len());
        let known =
            self.of_class.get(&class).filter(|known| known.seen.0 == self.epoch && known.nodes == nodes);
        let changed = known.map(|known| {
            let changes = self.changes[known.seen.1..].iter().map(|&node| node as usize);
            NodeSet::of(nodes.capacity(), changes.filter(|&node| nodes.contains(node)))
        });
        let future = match (known, changed) {
            (Some(known), Some(changed)) if changed.len() * MOST_CHANGED <= nodes.len() => {
                let (now, gains) = if changed.is_empty() { Default::default() } else { find(&changed) };
                self.merged(&known.future, &changed, now, gains)
            }
            _ => {
                let (now, gains) = find(&nodes);
                NeedFuture::of(now, gains)
            }
        };
        let future = Arc::new(future);
        self.of_class.insert(class, KnownFuture { nodes, seen, future: future.clone() });
        future
    }

    /// What was known of all but the nodes that have changed, and what was found of these.
    fn merged(
        &self,
        known: &NeedFuture,
        changed: &NodeSet,
        now: Vec<(u32, u32)>,
        gains: Vec<NodeGain>,
    ) -> NeedFuture {
        let (known_now, known_gains) = known.parts();
        let stays = |node: u32| !changed.contains(node as usize);
        let index = |job: JobHandle| self.index_of[job.0];
        let kept_now = known_now.iter().copied().filter(|&(node, _)| stays(node));
        let kept_gains = known_gains.iter().filter(|gain| stays(gain.node));
        let kept_gains = kept_gains.map(|gain| NodeGain { release: index(gain.job), ..*gain });
        NeedFuture::of(in_order(kept_now, now, |one| one.0), in_order(kept_gains, gains, |one| one.release))
    }
}

/// Two ascending lists as one.
fn in_order<T, K: Ord>(first: impl Iterator<Item = T>, second: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut all = Vec::with_capacity(first.size_hint().1.unwrap_or(0) + second.len());
    let mut second = second.into_iter().peekable();
    for one in first {
        while let Some(other) = second.next_if(|other| key(other) < key(&one)) {
            all.push(other);
        }
        all.push(one);
    }
    all.extend(second);
    all
}
