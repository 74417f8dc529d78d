//! When and where a job could start beside what is promised, from first principles: nothing is kept from one question to the next, and
//! nothing is told by bounds. Tests hold [`Future`] to it.

use super::ahead::Future;
use super::promise::{FirstStart, PartitionAsked};
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{Load, NodeOffer, NodeSet, NodeShare};

/// The nodes at an instant, if running jobs end as planned and promises are kept.
struct PlainState {
    load: Load,
    /// Parts of nodes that are held until an instant.
    held: Vec<(i64, Vec<NodeShare>)>,
    /// The next promise to start.
    next: usize,
    moved: Vec<(usize, Vec<usize>)>,
    is_every_promise_kept: bool,
    /// When something ended last.
    ended: Option<i64>,
}

/// One question about the time to come.
struct PlainQuestion<'q, 'a> {
    future: &'q Future<'a>,
    asked: PartitionAsked,
    /// The promise that does not count.
    without: Option<usize>,
}

/// [`Future::first_start`]: a job starts now, or when something ends.
pub fn first_start(
    future: &Future<'_>,
    asked: PartitionAsked,
    without: Option<usize>,
    before: i64,
) -> Option<FirstStart> {
    let question = PlainQuestion { future, asked, without };
    let now = future.controller.second();
    let reserved: Vec<i64> = future.controller.pool.reservations.iter().map(|one| one.end.0).collect();
    let mut instants: Vec<i64> = vec![now];
    instants.extend(future.ends.iter().map(|&(end, _)| end));
    instants.extend(future.promises.iter().map(|promise| promise.end));
    instants.extend(&reserved);
    instants.retain(|&instant| instant >= now && instant < before);
    instants.sort_unstable();
    instants.dedup();
    instants.into_iter().find_map(|instant| {
        let state = question.at(instant);
        let is_asked = instant == now || state.ended == Some(instant) || reserved.contains(&instant);
        if is_asked { question.start_at(state, instant) } else { None }
    })
}

impl PlainQuestion<'_, '_> {
    fn wanted(&self) -> &RequestedPartition {
        &self.future.controller.jobs[self.asked.job].partitions[self.asked.choice]
    }

    /// The nodes at an instant, from the present on.
    fn at(&self, instant: i64) -> PlainState {
        let Future { controller, ends, .. } = self.future;
        let running = ends.iter().map(|&(end, job)| (end, controller.jobs[job].last.shares.to_vec()));
        let mut state = PlainState {
            load: controller.pool.load.clone(),
            held: running.collect(),
            next: 0,
            moved: Vec::new(),
            is_every_promise_kept: true,
            ended: None,
        };
        self.advance(&mut state, instant);
        state
    }

    /// Goes on to an instant: at each, ends come before starts.
    fn advance(&self, state: &mut PlainState, to: i64) {
        loop {
            let end = state.held.iter().map(|one| one.0).min().unwrap_or(i64::MAX);
            let start = self.future.promises.get(state.next).map_or(i64::MAX, |promise| promise.start);
            if end.min(start) > to {
                return;
            }
            if end <= start {
                state.ended = Some(end);
                for (_, shares) in state.held.extract_if(.., |one| one.0 == end) {
                    shares.iter().for_each(|share| state.load.release(share));
                }
            } else {
                if self.without != Some(state.next) {
                    state.is_every_promise_kept &= self.begin(state);
                }
                state.next += 1;
            }
        }
    }

    /// The next promise starts: on the nodes thought of for it, else on others; whether there are enough.
    fn begin(&self, state: &mut PlainState) -> bool {
        let promise = &self.future.promises[state.next];
        let at = &self.future.controller.jobs[promise.job].partitions[promise.choice];
        let Some(free) = self.free(state, promise.job, at, promise.start) else { return false };
        let own = NodeSet::of(free.capacity(), promise.nodes.iter().copied());
        let is_enough = at.kept.need.is_exclusive || self.choose(state, at, &own).is_some();
        if own.is_subset(&free) && is_enough {
            self.hold(state, &promise.nodes, at, promise.end);
            return true;
        }
        let Some(nodes) = self.choose(state, at, &free) else { return false };
        self.hold(state, &nodes, at, promise.end);
        state.moved.push((state.next, nodes));
        true
    }

    fn hold(&self, state: &mut PlainState, nodes: &[usize], at: &RequestedPartition, end: i64) {
        let shares = self.offer(state, &NodeSet::none(0)).shares(nodes, &at.kept.need);
        shares.iter().for_each(|share| state.load.take(share));
        state.held.push((end, shares));
    }

    fn offer<'o>(&'o self, state: &'o PlainState, nodes: &'o NodeSet) -> NodeOffer<'o> {
        let layout = &self.future.controller.pool.layout;
        NodeOffer { layout, in_use: Some(state.load.in_use()), nodes, shift: None }
    }

    fn choose(&self, state: &PlainState, at: &RequestedPartition, nodes: &NodeSet) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        if nodes.len() < need.least_nodes() { None } else { self.offer(state, nodes).choose(need) }
    }

    /// Nodes that can run something of a job, and that no reservation keeps from it; `None` if the job cannot run then.
    fn free(
        &self,
        state: &PlainState,
        job: JobHandle,
        at: &RequestedPartition,
        from: i64,
    ) -> Option<NodeSet> {
        let (controller, need) = (self.future.controller, &at.kept.need);
        let mut nodes = controller.pool.open_nodes[at.partition.0].clone();
        if controller.pool.is_reserved_before(&controller.jobs[job].terms, from) {
            return None;
        }
        controller.now().unreserved((job, at.partition), &mut nodes, from, from + at.limit)?;
        let in_use = state.load.in_use();
        let gives = |node: usize| match need.is_exclusive {
            true => in_use.is_idle(node),
            false => in_use.is_idle(node) || in_use.usable(&controller.pool.layout, node, need) > 0,
        };
        let all: Vec<usize> = nodes.iter().collect();
        all.into_iter()
            .filter(|&node| !need.on.feasible.contains(node) || !gives(node))
            .for_each(|node| nodes.remove(node));
        Some(nodes)
    }

    /// Where the job could start: on nodes that no promise wants while it would run, else on others, if all promises are kept then.
    fn start_at(&self, mut state: PlainState, instant: i64) -> Option<FirstStart> {
        let (at, promises) = (self.wanted(), self.future.promises);
        let free = self.free(&state, self.asked.job, at, instant)?;
        let end = instant + self.asked.length;
        let mut unpromised = free.clone();
        for (index, promise) in promises.iter().enumerate().skip(state.next) {
            if self.without != Some(index) && promise.start < end {
                promise.nodes.iter().for_each(|&node| unpromised.remove(node));
            }
        }
        if let Some(nodes) = self.choose(&state, at, &unpromised) {
            return Some(FirstStart { start: instant, nodes, moved: state.moved });
        }
        let nodes = self.choose(&state, at, &free)?;
        self.hold(&mut state, &nodes, at, end);
        state.is_every_promise_kept = true;
        self.advance(&mut state, promises.last().map_or(instant, |last| last.start));
        state.is_every_promise_kept.then_some(FirstStart { start: instant, nodes, moved: state.moved })
    }
}
