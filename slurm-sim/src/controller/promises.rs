//! Starts that waiting jobs are promised, and the one question about them: when and where could a job start beside them?
//!
//! A promise is a start and a limit. Its nodes may change until it starts, as long as every other promise is kept: where one node is as
//! good as another, a job finds room whenever enough of them are free, as on a machine that is only a number of processors. All
//! parts of nodes count: processors, memory, generic resources.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::job::RequestedPartition;
use super::state::Controller;
use crate::controller::handles::JobHandle;
use crate::controller::placement::{Load, NodeOffer, NodeSet, NodeShare};

/// A start that a waiting job is promised.
#[derive(Debug, Clone)]
pub struct Promise {
    pub job: JobHandle,
    /// The place of its partition among those of the job.
    pub place: usize,
    /// In seconds.
    pub start: i64,
    /// When it reaches its limit then.
    pub end: i64,
    /// Where it would start as far as is known now.
    pub nodes: Vec<usize>,
}

/// When and where a job could start.
#[derive(Debug, Clone)]
pub struct FirstStart {
    /// In seconds.
    pub start: i64,
    pub nodes: Vec<usize>,
    /// Promises that would get other nodes: their indices, and which.
    pub moved: Vec<(usize, Vec<usize>)>,
}

/// The machine at an instant to come, if running jobs run into their limits and promises are kept.
#[derive(Clone)]
struct Ahead<'a> {
    controller: &'a Controller<'a>,
    /// In the order of their starts.
    promises: &'a [Promise],
    /// The promise that does not count.
    without: Option<usize>,
    /// What is in use; the controller's own until something ends or starts.
    load: Cow<'a, Load>,
    /// The next running job to end, and the next promise to start.
    running: usize,
    next: usize,
    /// Ends of promises that have started, and what these hold.
    ends: BinaryHeap<Reverse<(i64, usize)>>,
    held: Vec<Vec<NodeShare>>,
    moved: Vec<(usize, Vec<usize>)>,
}

impl<'a> Ahead<'a> {
    fn new(controller: &'a Controller<'a>, promises: &'a [Promise], without: Option<usize>) -> Ahead<'a> {
        Ahead {
            controller,
            promises,
            without,
            load: Cow::Borrowed(&controller.pool.load),
            running: 0,
            next: 0,
            ends: BinaryHeap::new(),
            held: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// When something ends or starts next.
    fn next_change(&self) -> i64 {
        self.next_end().min(self.next_start())
    }

    fn next_start(&self) -> i64 {
        self.promises.get(self.next).map_or(i64::MAX, |promise| promise.start)
    }

    fn next_end(&self) -> i64 {
        let controller = self.controller;
        let running = controller
            .jobs
            .running
            .get(self.running)
            .map_or(i64::MAX, |&job| controller.jobs[job].last.limit_end);
        self.ends.peek().map_or(running, |Reverse((end, _))| running.min(*end))
    }

    /// Goes on to an instant: ends, then starts. Whether something has ended, and whether every promise was kept.
    fn advance(&mut self, to: i64) -> (bool, bool) {
        let (mut has_ended, mut is_kept) = (false, true);
        loop {
            let (end, start) = (self.next_end(), self.next_start());
            if end.min(start) > to {
                return (has_ended, is_kept);
            }
            if end <= start {
                has_ended = true;
                self.end_next(end);
            } else {
                is_kept &= self.without == Some(self.next) || self.begin(self.next);
                self.next += 1;
            }
        }
    }

    fn end_next(&mut self, end: i64) {
        if let Some(&Reverse((at, place))) = self.ends.peek()
            && at == end
        {
            self.ends.pop();
            let load = self.load.to_mut();
            std::mem::take(&mut self.held[place]).iter().for_each(|share| load.release(share));
            return;
        }
        let controller = self.controller;
        if let Some(&job) = controller.jobs.running.get(self.running) {
            let load = self.load.to_mut();
            controller.jobs[job].last.shares.iter().for_each(|share| load.release(share));
        }
        self.running += 1;
    }

    /// A promised job starts, on other nodes than were thought of if it has to; whether there are enough.
    fn begin(&mut self, index: usize) -> bool {
        let promise = &self.promises[index];
        let at = &self.controller.jobs[promise.job].partitions[promise.place];
        let Some(free) = self.free(promise.job, at, promise.start) else { return false };
        let own = NodeSet::of(free.capacity(), promise.nodes.iter().copied());
        let is_own = own.is_subset(&free) && (at.kept.need.is_exclusive || self.choose(at, &own).is_some());
        if is_own {
            let nodes = promise.nodes.clone();
            self.hold(&nodes, at, promise.end);
            return true;
        }
        let Some(nodes) = self.choose(at, &free) else { return false };
        self.hold(&nodes, at, promise.end);
        self.moved.push((index, nodes));
        true
    }

    fn hold(&mut self, nodes: &[usize], at: &RequestedPartition, end: i64) {
        let none = NodeSet::none(0);
        let shares = self.offer(&none).shares(nodes, &at.kept.need);
        let load = self.load.to_mut();
        shares.iter().for_each(|share| load.take(share));
        self.ends.push(Reverse((end, self.held.len())));
        self.held.push(shares);
    }

    fn offer<'o>(&'o self, nodes: &'o NodeSet) -> NodeOffer<'o> {
        let layout = &self.controller.pool.layout;
        NodeOffer { layout, in_use: Some(self.load.in_use()), nodes, shift: None }
    }

    fn choose(&self, at: &RequestedPartition, nodes: &NodeSet) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        if nodes.len() < need.least_nodes() { None } else { self.offer(nodes).choose(need) }
    }

    /// Nodes that a job may use from an instant on for as long as its limit, and that can run something of it at the instant.
    /// `None` if the job cannot run then.
    fn free(&self, job: JobHandle, at: &RequestedPartition, from: i64) -> Option<NodeSet> {
        let (controller, need) = (self.controller, &at.kept.need);
        let mut nodes = controller.pool.open_nodes[at.partition].clone();
        controller.unreserved(job, &mut nodes, from, from + at.limit)?;
        if let Cow::Borrowed(load) = self.load {
            at.kept.keep_usable(&mut nodes, &controller.pool.layout, load);
            return Some(nodes);
        }
        nodes.keep(&need.on.feasible);
        if need.is_exclusive {
            nodes.keep(self.load.idle());
            return Some(nodes);
        }
        let in_use = self.load.in_use();
        let is_full =
            |&node: &usize| !in_use.is_idle(node) && in_use.usable(&controller.pool.layout, node, need) == 0;
        let full: Vec<usize> = nodes.iter().filter(is_full).collect();
        full.into_iter().for_each(|node| nodes.remove(node));
        Some(nodes)
    }

    /// Where a job could start at the instant that was reached: on nodes that no promise wants while it would run, else on others, if all
    /// promises are kept then.
    fn start_at(&self, job: JobHandle, at: &RequestedPartition, instant: i64) -> Option<FirstStart> {
        let free = self.free(job, at, instant)?;
        if free.len() < at.kept.need.least_nodes() {
            return None;
        }
        let end = instant + at.limit;
        let mut unpromised = free.clone();
        let later = self.promises.iter().enumerate().skip(self.next);
        for (_, promise) in
            later.filter(|one| Some(one.0) != self.without).take_while(|one| one.1.start < end)
        {
            promise.nodes.iter().for_each(|&node| unpromised.remove(node));
        }
        if let Some(nodes) = self.choose(at, &unpromised) {
            return Some(FirstStart { start: instant, nodes, moved: self.moved.clone() });
        }
        if unpromised == free {
            return None;
        }
        let nodes = self.choose(at, &free)?;
        let mut beside = self.clone();
        beside.hold(&nodes, at, end);
        let (_, is_kept) = beside.advance(self.promises.last().map_or(instant, |last| last.start));
        is_kept.then_some(FirstStart { start: instant, nodes, moved: beside.moved })
    }
}

impl Controller<'_> {
    /// When and where a job could start in one of its partitions beside what is promised, before an instant; running jobs are taken to
    /// run into their limits. `None` if it cannot. One of the promises may be left out.
    pub fn first_start(
        &self,
        (job, place): (JobHandle, usize),
        promises: &[Promise],
        without: Option<usize>,
        before: i64,
    ) -> Option<FirstStart> {
        let (at, now) = (&self.jobs[job].partitions[place], self.second());
        // Most jobs that are asked about cannot start now, and that is told by what is in use alone.
        let mut usable = self.pool.open_nodes[at.partition].clone();
        at.kept.keep_usable(&mut usable, &self.pool.layout, &self.pool.load);
        let is_open = usable.len() >= at.kept.need.least_nodes();
        if before <= now || before == now + 1 && !is_open {
            return None;
        }
        let mut ahead = Ahead::new(self, promises, without);
        ahead.advance(now);
        let (mut instant, mut is_tested) = (now, is_open);
        loop {
            if is_tested && let Some(found) = ahead.start_at(job, at, instant) {
                return Some(found);
            }
            let reserved =
                self.pool.reservations.iter().map(|one| one.end.0).filter(|&end| end > instant).min();
            let next = ahead.next_change().min(reserved.unwrap_or(i64::MAX));
            if next >= before {
                return None;
            }
            let (has_ended, _) = ahead.advance(next);
            (instant, is_tested) = (next, has_ended || reserved == Some(next));
        }
    }

    /// Where a job could start at an instant beside what is promised.
    pub fn start_then(
        &self,
        (job, place): (JobHandle, usize),
        promises: &[Promise],
        instant: i64,
    ) -> Option<FirstStart> {
        let mut ahead = Ahead::new(self, promises, None);
        ahead.advance(instant);
        ahead.start_at(job, &self.jobs[job].partitions[place], instant)
    }

    /// Where a promised job can start now.
    pub fn nodes_promised(&self, promise: &Promise) -> Option<Vec<usize>> {
        let mut ahead = Ahead::new(self, std::slice::from_ref(promise), None);
        ahead.begin(0).then(|| ahead.moved.pop().map_or_else(|| promise.nodes.clone(), |(_, nodes)| nodes))
    }
}
