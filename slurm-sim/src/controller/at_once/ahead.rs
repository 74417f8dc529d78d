//! Starts that waiting jobs are promised, and the one question about them: when and where could a job start beside them?
//!
//! A promise is a start and a limit. Its nodes may change until it starts, as long as every other promise is kept: where one node is as
//! good as another, a job finds room whenever enough of them are free, as on a machine that is only a number of processors. All
//! parts of nodes count: processors, memory, generic resources.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::choice_memo::ChoiceMemo;
use super::promise::{FirstStart, PartitionAsked, Promise};
use super::reach::Reach;
use super::shadow::PromiseShadow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{Load, NodeOffer, NodeSet, NodeShare};
use crate::controller::state::Controller;

/// What is known of the time to come.
#[derive(Clone, Copy)]
pub struct Future<'a> {
    pub controller: &'a Controller<'a>,
    /// Running jobs with their planned ends, in order.
    pub ends: &'a [(i64, JobHandle)],
    /// In the order of their starts.
    pub promises: &'a [Promise],
    /// What has been found out about the present.
    pub memo: &'a ChoiceMemo,
    /// Whether these are the promises that the memo knows refusals beside.
    pub knows_refusals: bool,
}

/// The machine at an instant to come, if running jobs end as planned and promises are kept.
#[derive(Clone)]
struct Ahead<'a> {
    future: Future<'a>,
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
    /// Nodes on which something has ended or started since this was last looked at.
    touched: Vec<usize>,
}

impl<'a> Ahead<'a> {
    fn new(future: Future<'a>, without: Option<usize>) -> Ahead<'a> {
        Ahead {
            future,
            without,
            load: Cow::Borrowed(&future.controller.pool.load),
            running: 0,
            next: 0,
            ends: BinaryHeap::new(),
            held: Vec::new(),
            moved: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// When something ends or starts next.
    fn next_change(&self) -> i64 {
        self.next_end().min(self.next_start())
    }

    fn next_start(&self) -> i64 {
        self.future.promises.get(self.next).map_or(i64::MAX, |promise| promise.start)
    }

    fn next_end(&self) -> i64 {
        let running = self.future.ends.get(self.running).map_or(i64::MAX, |&(end, _)| end);
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
        if let Some(&Reverse((at, promise))) = self.ends.peek()
            && at == end
        {
            self.ends.pop();
            let shares = std::mem::take(&mut self.held[promise]);
            self.release(&shares);
            return;
        }
        let Future { controller, ends, .. } = self.future;
        if let Some(&(_, job)) = ends.get(self.running) {
            self.release(&controller.jobs[job].last.shares);
        }
        self.running += 1;
    }

    fn release(&mut self, shares: &[NodeShare]) {
        let load = self.load.to_mut();
        shares.iter().for_each(|share| load.release(share));
        self.touched.extend(shares.iter().map(|share| share.node));
    }

    /// A promised job starts, on other nodes than were thought of if it has to; whether there are enough.
    fn begin(&mut self, index: usize) -> bool {
        let promise = &self.future.promises[index];
        let at = &self.future.controller.jobs[promise.job].partitions[promise.choice];
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
        let shares = self.offer(&NodeSet::none(0)).shares(nodes, &at.kept.need);
        let load = self.load.to_mut();
        shares.iter().for_each(|share| load.take(share));
        self.touched.extend(shares.iter().map(|share| share.node));
        self.ends.push(Reverse((end, self.held.len())));
        self.held.push(shares);
    }

    fn offer<'o>(&'o self, nodes: &'o NodeSet) -> NodeOffer<'o> {
        let layout = &self.future.controller.pool.layout;
        NodeOffer { layout, in_use: Some(self.load.in_use()), nodes, shift: None }
    }

    fn choose(&self, at: &RequestedPartition, nodes: &NodeSet) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        if nodes.len() < need.least_nodes() { None } else { self.offer(nodes).choose(need) }
    }

    /// Whether nothing has ended or started yet.
    fn is_now(&self) -> bool {
        matches!(self.load, Cow::Borrowed(_))
    }

    /// [`choose`](Ahead::choose), which is done once for each need as long as nothing ends or starts.
    fn choose_once(&self, at: &RequestedPartition, nodes: &NodeSet) -> Option<Vec<usize>> {
        match self.is_now() {
            true => self.future.memo.chosen(&at.kept, nodes, || self.choose(at, nodes)),
            false => self.choose(at, nodes),
        }
    }

    /// Nodes that a job may use from an instant on for as long as its limit, and that can run something of it at the instant.
    /// `None` if the job cannot run then.
    fn free(&self, job: JobHandle, at: &RequestedPartition, from: i64) -> Option<NodeSet> {
        let (controller, need) = (self.future.controller, &at.kept.need);
        let mut nodes = controller.pool.open_nodes[at.partition.0].clone();
        if controller.pool.is_reserved_before(&controller.jobs[job].terms, from) {
            return None;
        }
        controller.now().unreserved((job, at.partition), &mut nodes, from, from + at.limit)?;
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
    fn start_at(&self, asked: PartitionAsked, instant: i64) -> Option<FirstStart> {
        let Future { controller, promises, .. } = self.future;
        let at = &controller.jobs[asked.job].partitions[asked.choice];
        let free = self.free(asked.job, at, instant)?;
        if free.len() < at.kept.need.least_nodes() {
            return None;
        }
        let end = instant + asked.length;
        let mut unpromised = free.clone();
        let later = promises.iter().enumerate().skip(self.next);
        for (_, promise) in
            later.filter(|one| Some(one.0) != self.without).take_while(|one| one.1.start < end)
        {
            promise.nodes.iter().for_each(|&node| unpromised.remove(node));
        }
        if let Some(nodes) = self.choose_once(at, &unpromised) {
            return Some(FirstStart { start: instant, nodes, moved: self.moved.clone() });
        }
        if unpromised == free || self.knows_refusals() && self.are_all_tight(end) {
            return None;
        }
        let nodes = self.choose_once(at, &free)?;
        self.start_beside(at, nodes, (instant, end))
    }

    /// Whether what the memo knows of refusals holds here.
    fn knows_refusals(&self) -> bool {
        self.future.knows_refusals && self.is_now() && self.without.is_none()
    }

    /// Asks about the shadows of the first promises.
    fn with_shadows<T>(&self, ask: impl FnOnce(&mut [PromiseShadow]) -> T) -> T {
        let make = || {
            let mut ahead = self.clone();
            (0..self.future.promises.len().min(SHADOWS)).map_while(|index| ahead.shadow(index)).collect()
        };
        self.future.memo.with_shadows(make, ask)
    }

    /// Goes on to a promise, which starts then; how the nodes are right before. `None` if it starts on other nodes than were thought of.
    fn shadow(&mut self, index: usize) -> Option<PromiseShadow> {
        let Future { controller, promises, .. } = self.future;
        let promise = &promises[index];
        while self.next_end() <= promise.start {
            self.end_next(self.next_end());
        }
        let need = &controller.jobs[promise.job].partitions[promise.choice].kept.need;
        let reach = Reach::of(&controller.pool.layout, need, self.load.in_use());
        let shadow = PromiseShadow::of(self.load.clone().into_owned(), reach, promise.nodes.clone());
        self.next = index + 1;
        (self.begin(index) && self.moved.is_empty()).then_some(shadow)
    }

    /// Whether a job that runs until then is in the way of a promise if it has any part of a promised node.
    fn are_all_tight(&self, end: i64) -> bool {
        let wanted = self.future.promises.iter().take_while(|promise| promise.start < end).count();
        self.with_shadows(|shadows| {
            wanted <= shadows.len() && shadows[..wanted].iter().all(|one| one.is_tight)
        })
    }

    /// Whether a job on these parts of nodes until then leaves too few to the first promise whose nodes it wants, as far as the shadows
    /// tell. Promises before that one start as they would without the job.
    fn is_in_the_way(&self, shares: &[NodeShare], end: i64) -> bool {
        let wanted = self.future.promises.iter().take_while(|promise| promise.start < end).count();
        self.with_shadows(|shadows| {
            let mut first = shadows.iter_mut().take(wanted);
            first.find(|one| one.is_touched(shares)).is_some_and(|one| one.is_in_the_way(shares))
        })
    }

    /// Whether a job can have these nodes meanwhile and every promise is kept.
    fn start_beside(
        &self,
        at: &RequestedPartition,
        nodes: Vec<usize>,
        (start, end): (i64, i64),
    ) -> Option<FirstStart> {
        let Future { promises, memo, .. } = self.future;
        let last = promises.last().map_or(start, |last| last.start);
        let is_known = self.knows_refusals();
        if is_known {
            let shares = || self.offer(&NodeSet::none(0)).shares(&nodes, &at.kept.need);
            if memo.is_refused(&at.kept, &nodes, end) || self.is_in_the_way(&shares(), end) {
                return None;
            }
        }
        let mut beside = self.clone();
        beside.hold(&nodes, at, end);
        let (_, is_kept) = beside.advance(last);
        if is_kept {
            return Some(FirstStart { start, nodes, moved: beside.moved });
        }
        // If it ends after the last promised start, the instant of its end makes no difference to promises.
        if is_known && end > last {
            memo.refuse(&at.kept, nodes, last + 1);
        }
        None
    }

    /// The first start after an instant, which was reached, and before another.
    fn search(mut self, asked: PartitionAsked, from: i64, before: i64) -> Option<FirstStart> {
        let controller = self.future.controller;
        let need = &controller.jobs[asked.job].partitions[asked.choice].kept.need;
        self.touched.clear();
        let mut reach = Reach::of(&controller.pool.layout, need, self.load.in_use());
        let mut instant = from;
        loop {
            let reserved = controller.pool.reservations.iter().map(|one| one.end.0);
            let reserved = reserved.filter(|&end| end > instant).min();
            let next = self.next_change().min(reserved.unwrap_or(i64::MAX));
            if next >= before {
                return None;
            }
            let (has_ended, _) = self.advance(next);
            instant = next;
            for node in std::mem::take(&mut self.touched) {
                reach.look_at(node, self.load.in_use());
            }
            if (has_ended || reserved == Some(next))
                && reach.may_suffice()
                && let Some(found) = self.start_at(asked, instant)
            {
                return Some(found);
            }
        }
    }
}

/// How many promises have shadows.
const SHADOWS: usize = 8;

impl Future<'_> {
    /// When and where a job could start beside what is promised, before an instant. `None` if it cannot. One of the promises may be left
    /// out.
    pub fn first_start(
        &self,
        asked: PartitionAsked,
        without: Option<usize>,
        before: i64,
    ) -> Option<FirstStart> {
        let controller = self.controller;
        let (at, now) = (&controller.jobs[asked.job].partitions[asked.choice], controller.second());
        // Most jobs that are asked about cannot start now, and that is told by what is in use alone.
        let mut usable = controller.pool.open_nodes[at.partition.0].clone();
        at.kept.keep_usable(&mut usable, &controller.pool.layout, &controller.pool.load);
        let is_open = usable.len() >= at.kept.need.least_nodes();
        if before <= now || before == now + 1 && !is_open {
            return None;
        }
        let mut ahead = Ahead::new(*self, without);
        ahead.advance(now);
        let found = if is_open { ahead.start_at(asked, now) } else { None };
        if found.is_some() || before == now + 1 {
            return found;
        }
        // The time to come is as it was while nothing has started or ended.
        let is_known = without.is_none() && before == i64::MAX && controller.pool.reservations.is_empty();
        match is_known {
            true => self.memo.later(asked, self.promises, || ahead.search(asked, now, before)),
            false => ahead.search(asked, now, before),
        }
    }

    /// Where a job could start at an instant beside what is promised.
    pub fn start_then(&self, asked: PartitionAsked, instant: i64) -> Option<FirstStart> {
        let mut ahead = Ahead::new(*self, None);
        ahead.advance(instant);
        ahead.start_at(asked, instant)
    }

    /// Where a promised job can start now, as far as only running jobs are in its way.
    pub fn nodes_promised(&self, promise: &Promise) -> Option<Vec<usize>> {
        let mut ahead = Ahead::new(Future { promises: std::slice::from_ref(promise), ..*self }, None);
        ahead.begin(0).then(|| ahead.moved.pop().map_or_else(|| promise.nodes.clone(), |(_, nodes)| nodes))
    }
}
