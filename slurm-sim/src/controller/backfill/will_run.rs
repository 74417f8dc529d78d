//! When running jobs leave enough nodes to a job, by their time limits.

use std::cell::RefCell;

use super::releases::Releases;
use crate::controller::placement::{CachedNeed, Load, NodeLayout, NodeOffer, NodeSet, WeightShift};

/// Length, in seconds, of the first window in which ends of jobs are looked at, and the grid on which windows begin.
const WINDOW: i64 = 30;

/// What a test for one job looks at.
pub struct StartTest<'t> {
    /// The nodes.
    pub layout: &'t NodeLayout,
    /// What of them is in use.
    pub load: &'t Load,
    /// Running jobs in the order of their ends.
    pub releases: &'t RefCell<Releases>,
    /// What the job needs.
    pub kept: &'t CachedNeed,
    /// How weights of nodes differ from those configured.
    pub shift: Option<&'t WeightShift>,
    /// In seconds.
    pub now: i64,
    /// How long jobs past their limit are given.
    pub kill_wait: i64,
    /// The step, in seconds, by which windows grow; `None`: each is twice as wide as the one before.
    pub linear: Option<i64>,
    /// Whether jobs past their limits count as gone where plans are tried for now.
    pub late_are_gone: bool,
}

/// Nodes that come free as running jobs end, of those that may be used.
struct FreedNodes<'f> {
    test: &'f StartTest<'f>,
    releases: &'f mut Releases,
    may_use: &'f NodeSet,
    /// Nodes that can run something of the job.
    nodes: NodeSet,
    count: usize,
    /// The first job that was not looked at.
    next: usize,
}

impl<'f> FreedNodes<'f> {
    fn new(test: &'f StartTest<'f>, releases: &'f mut Releases, may_use: &'f NodeSet) -> FreedNodes<'f> {
        let mut nodes = may_use.clone();
        test.kept.keep_usable(&mut nodes, test.layout, test.load);
        let count = nodes.len();
        FreedNodes { test, releases, may_use, nodes, count, next: 0 }
    }

    /// The next job ends: whether it holds a node that may be used.
    fn advance(&mut self) -> bool {
        let need = &self.test.kept.need;
        let mut meets = false;
        let (shares, in_use) = self.releases.held_by(self.next);
        for share in shares {
            let node = share.node;
            if !self.may_use.contains(node) {
                continue;
            }
            meets = true;
            in_use.release(share);
            if in_use.usable(self.test.layout, node, need) > 0 && !self.nodes.contains(node) {
                self.nodes.insert(node);
                self.count += 1;
            }
        }
        self.next += 1;
        meets
    }

    fn choose(&self) -> Option<Vec<usize>> {
        let need = &self.test.kept.need;
        if self.count < need.least_nodes() {
            return None;
        }
        let in_use = Some(&self.releases.in_use);
        let StartTest { layout, shift, .. } = *self.test;
        NodeOffer { layout, in_use, nodes: &self.nodes, shift }.choose(need)
    }

    /// Takes again what was released.
    fn undo(self) {
        for place in 0..self.next {
            let (shares, in_use) = self.releases.held_by(place);
            shares.iter().filter(|share| self.may_use.contains(share.node)).for_each(|share| in_use.take(share));
        }
    }
}

impl StartTest<'_> {
    /// When the job could start on these nodes, and on which of them, if running jobs ran into their limits. `None` if it cannot;
    /// it may be `None` too if it cannot before the latest instant that counts.
    ///
    /// Slurm 24.11 was the first to look from the instant on that a plan is tried for: jobs that reach their limits before it are gone
    /// then, those that do so after the latest instant are not looked at, and "now" stands for that instant. Before, nodes that
    /// are free now come first, and a window goes beyond the latest instant.
    pub fn will_run(
        &self,
        usable: &NodeSet,
        from: Option<i64>,
        latest: Option<i64>,
    ) -> Option<(i64, Vec<usize>)> {
        if self.layout.is_linear {
            return self.one_by_one(usable, latest);
        }
        if self.kept.need.is_exclusive {
            return self.whole_nodes(usable, from, latest);
        }
        let mut releases = self.releases.borrow_mut();
        let mut freed = FreedNodes::new(self, &mut releases, usable);
        let mut chosen = None;
        if from.is_none_or(|from| from <= self.now) {
            chosen = freed.choose();
        }
        if let Some(from) = from.filter(|_| chosen.is_none()) {
            while freed.releases.end(freed.next).is_some_and(|end| end < from) {
                freed.advance();
            }
            chosen = freed.choose();
        }
        let found = match chosen {
            Some(nodes) => Some((self.now, nodes)),
            None => self.look_ahead(&mut freed, latest.filter(|_| from.is_some())),
        };
        freed.undo();
        found
    }

    /// The nodes on which the job would start at once.
    pub fn at_once(&self, usable: &NodeSet) -> Option<Vec<usize>> {
        if self.kept.need.is_exclusive || self.layout.is_linear {
            let mut idle = usable.clone();
            self.kept.keep_usable(&mut idle, self.layout, self.load);
            return self.choose_whole(&idle);
        }
        let mut releases = self.releases.borrow_mut();
        let freed = FreedNodes::new(self, &mut releases, usable);
        freed.choose()
    }

    /// Jobs that reach their limits after the last instant are not looked at.
    fn look_ahead(&self, freed: &mut FreedNodes<'_>, until: Option<i64>) -> Option<(i64, Vec<usize>)> {
        let (mut base, mut width) = (None, WINDOW);
        let is_within = |end: &i64| until.is_none_or(|until| *end <= until);
        loop {
            let (mut last, mut next, mut more) = (None, None, false);
            while let Some(end) = freed.releases.end(freed.next).filter(is_within) {
                if !freed.advance() {
                    continue;
                }
                let base = *base.get_or_insert(end + (WINDOW - end.rem_euclid(WINDOW)));
                last = Some(end);
                next = freed.releases.end(freed.next);
                more = next.is_some();
                if next.is_some_and(|next| next > base + width) {
                    break;
                }
            }
            let last = last?;
            let base = base.unwrap_or(0);
            width = self.wider(width, next.map(|next| next - base));
            if let Some(nodes) = freed.choose() {
                return Some((self.after(last), nodes));
            }
            if !more {
                return None;
            }
        }
    }

    /// The width of the next window, in seconds: grown by steps or doubling until it reaches `next`, counted from its begin.
    fn wider(&self, width: i64, next: Option<i64>) -> i64 {
        let next = next.unwrap_or(0);
        match self.linear.map(|step| step.max(1)) {
            Some(step) => width + step * ((next - width + step - 1).div_euclid(step)).max(1),
            None => {
                let mut wider = width * 2;
                while wider < next {
                    wider *= 2;
                }
                wider
            }
        }
    }

    /// The widest window that ends before `end`, in seconds from its begin; the first window if none does.
    fn widest_before(&self, end: i64) -> i64 {
        match self.linear.map(|step| step.max(1)) {
            Some(step) => WINDOW + step * ((end - 1 - WINDOW).div_euclid(step)).max(0),
            None => {
                let mut width = WINDOW;
                while width * 2 < end {
                    width *= 2;
                }
                width
            }
        }
    }

    /// When a job starts that waits for this end. A running job past its time limit is given `KillWait` to stop.
    fn after(&self, end: i64) -> i64 {
        if end > self.now { end } else { (end + self.kill_wait).max(self.now + 1) }
    }

    /// No job that waits for this end starts earlier.
    fn not_before(&self, end: i64) -> i64 {
        end.max(if self.late_are_gone { self.now } else { self.now + 1 })
    }

    /// [`will_run`](StartTest::will_run) for a job that shares no node: then it counts when each node's last job ends.
    fn whole_nodes(
        &self,
        usable: &NodeSet,
        tried_from: Option<i64>,
        latest: Option<i64>,
    ) -> Option<(i64, Vec<usize>)> {
        let releases = &*self.releases.borrow();
        let need = &self.kept.need;
        let least = need.least_nodes();
        // It may wait for jobs on nodes that it cannot use.
        let mut fit = usable.clone();
        fit.keep(&need.on.feasible);
        // How many running jobs have reached their limits before the first instant that is tried.
        let gone = tried_from.map_or(0, |from| releases.first_after(from - 1));
        let mut at_once = None;
        if gone == 0 || tried_from.is_some_and(|from| from <= self.now) {
            at_once = self.choose_whole(&releases.idle_now(&fit));
        }
        if let Some(last) = gone.checked_sub(1).filter(|_| at_once.is_none()) {
            at_once = self.choose_whole(&releases.idle_after(last, &fit));
        }
        if let Some(nodes) = at_once {
            return Some((self.now, nodes));
        }
        let not_before = releases.not_before(&fit, least)?;
        // Jobs from this place on are not looked at.
        let until = tried_from.and(latest).map_or(releases.len(), |latest| releases.first_after(latest));
        let mut from = releases.next_on(gone, usable)?;
        let first = releases.end(from)?;
        let base = first + (WINDOW - first.rem_euclid(WINDOW));
        // Windows that end before are left out: where one ends depends on its width alone.
        let mut width = self.widest_before(releases.end(not_before)? - base);
        loop {
            // The window ends with the first of its jobs after which the next of all jobs ends beyond it, else with its last.
            let beyond = releases.first_after(base + width);
            let within = (beyond < releases.len()).then(|| from.max(beyond.saturating_sub(1)));
            let found =
                within.and_then(|within| releases.next_on(within, usable)).filter(|&last| last < until);
            let mut last = found;
            if last.is_none() {
                let mut place = from;
                while let Some(found) = releases.next_on(place, usable).filter(|&found| found < until) {
                    (last, place) = (Some(found), found + 1);
                }
            }
            let last = last?;
            let next = releases.end(last + 1);
            width = self.wider(width, next.map(|next| next - base));
            let ended = releases.end(last)?;
            if latest.is_some_and(|latest| ended > latest) {
                return None;
            }
            if last >= not_before
                && let Some(nodes) = self.choose_whole(&releases.idle_after(last, &fit))
            {
                return Some((self.after(ended), nodes));
            }
            next.and(found)?;
            from = last + 1;
        }
    }

    fn choose_whole(&self, nodes: &NodeSet) -> Option<Vec<usize>> {
        let StartTest { layout, shift, .. } = *self;
        NodeOffer { layout, in_use: None, nodes, shift }.choose(&self.kept.need)
    }

    /// A lower bound of the start of an exclusive job on these nodes; `None` if it could not start even if all others had ended.
    pub fn earliest_whole(&self, open: &NodeSet) -> Option<i64> {
        let need = &self.kept.need;
        let mut releases = self.releases.borrow_mut();
        let earliest =
            releases.class_earliest(self.kept.class, [open, &need.on.feasible], need.least_nodes())?;
        Some(if earliest == i64::MIN { self.now } else { self.not_before(earliest) })
    }

    /// Whether a job could start by an instant on these nodes, as far as that is easily told.
    pub fn may_start_by(&self, instant: i64, usable: &NodeSet) -> bool {
        let need = &self.kept.need;
        if !need.is_exclusive {
            return true;
        }
        self.releases.borrow().are_idle_by(instant, [usable, &need.on.feasible], need.least_nodes())
    }

    /// A lower bound of the start on these nodes or some of them; `None` if the job could not start even if all others had ended.
    pub fn earliest(&self, usable: &NodeSet) -> Option<i64> {
        let least = self.kept.need.least_nodes();
        if self.kept.need.is_exclusive {
            let releases = self.releases.borrow();
            if releases.idle_now(usable).len() >= least {
                return Some(self.now);
            }
            return releases.end(releases.not_before(usable, least)?).map(|end| self.not_before(end));
        }
        let mut releases = self.releases.borrow_mut();
        let mut freed = FreedNodes::new(self, &mut releases, usable);
        let mut earliest = (freed.count >= least).then_some(self.now);
        while let Some(end) = freed.releases.end(freed.next).filter(|_| earliest.is_none()) {
            freed.advance();
            if freed.count >= least {
                earliest = Some(self.not_before(end));
            }
        }
        freed.undo();
        earliest
    }
}
