//! When running jobs leave enough nodes to a job, by their time limits.

use std::ops::Range;

use super::need_future::NeedFuture;
use super::releases::Releases;
use super::time_map::TimeMap;
use crate::controller::placement::{
    CachedNeed, Load, NodeLayout, NodeOffer, NodeOrder, NodeSet, WeightShift,
};

/// Length, in seconds, of the first window in which ends of jobs are looked at, and the grid on which windows begin.
const WINDOW: i64 = 30;

/// What a test for one job looks at.
pub struct StartTest<'t> {
    /// The nodes.
    pub layout: &'t NodeLayout,
    /// What of them is in use.
    pub load: &'t Load,
    /// Running jobs in the order of their ends.
    pub releases: &'t mut Releases,
    /// What the job needs.
    pub kept: &'t CachedNeed,
    /// Nodes of its partition that are in service; it is tested on some of them.
    pub open: &'t NodeSet,
    /// How weights of nodes differ from those configured.
    pub shift: Option<&'t WeightShift>,
    /// In seconds.
    pub now: i64,
    /// How long jobs past their limit are given: `OverTimeLimit` and `KillWait`.
    pub kill_wait: i64,
    /// The step, in seconds, by which windows grow; `None`: each is twice as wide as the one before.
    pub linear: Option<i64>,
    /// Whether jobs past their limits count as gone where plans are tried for now.
    pub late_are_gone: bool,
}

impl StartTest<'_> {
    /// When the job could start on these nodes, and on which of them, if running jobs ran into their limits. `None` if it cannot;
    /// it may be `None` too if it cannot before the latest instant that counts.
    ///
    /// Slurm 24.11 was the first to look from the instant on that a plan is tried for: jobs that reach their limits before it are gone
    /// then, those that do so after the latest instant are not looked at, and "now" stands for that instant. Before, nodes that
    /// are free now come first, and a window goes beyond the latest instant.
    pub fn will_run(
        &mut self,
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
        self.shared_nodes(usable, from, latest)
    }

    /// The nodes on which the job would start at once.
    pub fn at_once(&mut self, usable: &NodeSet) -> Option<Vec<usize>> {
        if self.kept.need.is_exclusive || self.layout.is_linear {
            let mut idle = usable.clone();
            self.kept.keep_usable(&mut idle, self.layout, self.load);
            return self.choose_whole(&idle);
        }
        let future = self.releases.future(self.kept, self.layout, self.open);
        self.choose_shared(0, usable, &future)
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

    /// When a job starts that waits for this end. A running job past its time limit is given more time to stop.
    fn after(&self, end: i64) -> i64 {
        if end > self.now { end } else { (end + self.kill_wait).max(self.now + 1) }
    }

    /// No job that waits for this end starts earlier.
    fn not_before(&self, end: i64) -> i64 {
        end.max(if self.late_are_gone { self.now } else { self.now + 1 })
    }

    /// [`will_run`](StartTest::will_run) for a job that shares no node: then it counts when each node's last job ends.
    fn whole_nodes(
        &mut self,
        usable: &NodeSet,
        tried_from: Option<i64>,
        latest: Option<i64>,
    ) -> Option<(i64, Vec<usize>)> {
        let need = &self.kept.need;
        // It may wait for jobs on nodes that it cannot use.
        let mut fit = usable.clone();
        fit.keep(&need.on.feasible);
        let choose = |test: &mut Self, ended: usize| match ended.checked_sub(1) {
            None if !test.releases.are_idle_now(&fit, need.least_nodes()) => None,
            None => test.choose_whole(&test.releases.idle_now(&fit)),
            Some(last) if !test.releases.are_idle_after(last, &fit, need.least_nodes()) => None,
            Some(last) => test.choose_whole(&test.releases.idle_after(last, &fit)),
        };
        let class = self.kept.class;
        let not_before = |releases: &Releases| releases.not_before((&fit, class), need.least_nodes());
        self.in_windows(usable, (tried_from, latest), choose, not_before)
    }

    /// [`will_run`](StartTest::will_run) for a job that shares nodes.
    fn shared_nodes(
        &mut self,
        usable: &NodeSet,
        tried_from: Option<i64>,
        latest: Option<i64>,
    ) -> Option<(i64, Vec<usize>)> {
        let releases = &mut *self.releases;
        let gone = tried_from.map_or(0, |from| releases.first_after(from - 1));
        let most = latest.map_or(releases.len(), |latest| releases.first_after(latest).max(gone));
        let future = releases.future(self.kept, self.layout, self.open);
        // Before this many jobs have ended there never is enough.
        let ended = future.ended_before(usable, &self.kept.need, most)?;
        let choose = |test: &mut Self, now: usize| {
            if now >= ended { test.choose_shared(now, usable, &future) } else { None }
        };
        self.in_windows(usable, (tried_from, latest), choose, |_| Some(ended.saturating_sub(1)))
    }

    /// The nodes that a job which shares nodes is given of these once a number of running jobs has ended.
    fn choose_shared(&mut self, ended: usize, usable: &NodeSet, future: &NeedFuture) -> Option<Vec<usize>> {
        let StartTest { layout, shift, .. } = *self;
        let (nodes, cpus) = future.usable_after(ended, usable, layout.nodes.len());
        let need = &self.kept.need;
        // The least loaded nodes are known only by what is in use of them.
        if need.asks_for_no_gres() && need.placing.order != NodeOrder::LeastLoaded {
            return NodeOffer { layout, in_use: None, nodes: &nodes, shift }
                .choose_known(&self.kept.need, cpus);
        }
        self.releases.while_released(ended, (self.kept, self.open), &nodes, |in_use| {
            NodeOffer { layout, in_use: Some(in_use), nodes: &nodes, shift }.choose(&self.kept.need)
        })
    }

    /// Looks for a start at the ends of windows in which running jobs reach their limits. `choose` has the nodes that the job is given
    /// once a number of jobs has ended, `not_before` a job before whose end there are too few; `None` if there always are.
    fn in_windows(
        &mut self,
        usable: &NodeSet,
        (tried_from, latest): (Option<i64>, Option<i64>),
        choose: impl Fn(&mut Self, usize) -> Option<Vec<usize>>,
        not_before: impl FnOnce(&Releases) -> Option<usize>,
    ) -> Option<(i64, Vec<usize>)> {
        // How many running jobs have reached their limits before the first instant that is tried.
        let gone = tried_from.map_or(0, |from| self.releases.first_after(from - 1));
        let mut at_once = None;
        if gone == 0 || tried_from.is_some_and(|from| from <= self.now) {
            at_once = choose(self, 0);
        }
        if gone > 0 && at_once.is_none() {
            at_once = choose(self, gone);
        }
        if let Some(nodes) = at_once {
            return Some((self.now, nodes));
        }
        let not_before = not_before(self.releases)?;
        let releases = &*self.releases;
        // Jobs from this one on are not looked at.
        let until = tried_from.and(latest).map_or(releases.len(), |latest| releases.first_after(latest));
        let mut from = releases.next_on(gone, usable)?;
        let first = releases.end(from)?;
        let base = first + (WINDOW - first.rem_euclid(WINDOW));
        // Windows that end before are left out: where one ends depends on its width alone.
        let mut width = self.widest_before(releases.end(not_before)? - base);
        loop {
            let releases = &*self.releases;
            // The window ends with the first of its jobs after which the next of all jobs ends beyond it, else with its last.
            let beyond = releases.first_after(base + width);
            let within = (beyond < releases.len()).then(|| from.max(beyond.saturating_sub(1)));
            let found =
                within.and_then(|within| releases.next_on(within, usable)).filter(|&last| last < until);
            let last = found.or_else(|| releases.last_on(from, until, usable))?;
            let (next, ended) = (releases.end(last + 1), releases.end(last)?);
            width = self.wider(width, next.map(|next| next - base));
            if latest.is_some_and(|latest| ended > latest) {
                return None;
            }
            if last >= not_before
                && let Some(nodes) = choose(self, last + 1)
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
    pub fn earliest_whole(&mut self, open: &NodeSet) -> Option<i64> {
        let need = &self.kept.need;
        let nodes = [open, &need.on.feasible];
        let earliest = self.releases.class_earliest(self.kept.class, nodes, need.least_nodes())?;
        Some(if earliest == i64::MIN { self.now } else { self.not_before(earliest) })
    }

    /// A lower bound of the start of a job that shares nodes, on any of them; `None` if it could not start even if all others had ended.
    pub fn earliest_shared(&mut self) -> Option<i64> {
        let future = self.releases.future(self.kept, self.layout, self.open);
        self.once_ended(future.ended_anywhere(&self.kept.need)?)
    }

    /// No start that waits for a number of running jobs to end is earlier.
    fn once_ended(&self, ended: usize) -> Option<i64> {
        match ended.checked_sub(1) {
            None => Some(self.now),
            Some(last) => self.releases.end(last).map(|end| self.not_before(end)),
        }
    }

    /// Whether one of these intervals has too few nodes for the job that are free in it and idle by its end. Then it cannot start by
    /// the end of the first of them, if it needs all of them.
    pub fn lacks_idle(&self, intervals: Range<usize>, map: &mut TimeMap) -> bool {
        self.kept.need.is_exclusive
            && intervals.start < intervals.end
            && map
                .lacks_idle(intervals, self.kept.need.least_nodes(), |instant| self.releases.idle_by(instant))
    }

    /// Whether a job could start by an instant on these nodes, as far as that is easily told.
    pub fn may_start_by(&mut self, instant: i64, usable: &NodeSet) -> bool {
        let (need, releases) = (&self.kept.need, &mut *self.releases);
        if need.is_exclusive {
            return releases.are_idle_by(instant, [usable, &need.on.feasible], need.least_nodes());
        }
        let most = releases.first_after(instant);
        releases.future(self.kept, self.layout, self.open).ended_before(usable, need, most).is_some()
    }

    /// A lower bound of the start on these nodes or some of them; `None` if the job could not start even if all others had ended.
    #[cfg(test)]
    pub fn earliest(&mut self, usable: &NodeSet) -> Option<i64> {
        let (need, releases) = (&self.kept.need, &mut *self.releases);
        let ended = if need.is_exclusive {
            match releases.idle_now(usable).len() >= need.least_nodes() {
                true => 0,
                false => releases.not_before((usable, self.kept.class), need.least_nodes())? + 1,
            }
        } else {
            let most = releases.len();
            releases.future(self.kept, self.layout, self.open).ended_before(usable, need, most)?
        };
        self.once_ended(ended)
    }
}
