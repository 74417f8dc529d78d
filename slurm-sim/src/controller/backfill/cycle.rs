//! A backfill cycle.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::candidates::Candidates;
use super::releases::Releases;
use super::start_bounds::StartBounds;
use super::test_counts::TestCounts;
use super::time_map::TimeMap;
use crate::cluster::BackfillSettings;
use crate::controller::handles::JobHandle;
use crate::controller::job::{JobStage, RequestedPartition, StartedBy};
use crate::controller::placement::{NodePool, NodeSet, WeightShift};
use crate::controller::queue::QueueRecord;
use crate::controller::state::Controller;

/// A cycle under way.
pub struct Cycle<'c> {
    pub settings: &'c BackfillSettings,
    pub map: TimeMap,
    /// When it began, in seconds.
    pub begin: i64,
    /// What running jobs hold.
    pub releases: Rc<RefCell<Releases>>,
    /// Whether `releases` is up to date; it is computed when first needed.
    knows_releases: bool,
    /// The node weights with which it plans.
    pub weights: Arc<WeightShift>,
    /// Until when group limits of each QOS are expected to keep jobs waiting, in seconds.
    pub blocked_qos: Vec<i64>,
    /// What its plans have shown so far.
    pub bounds: StartBounds,
    tests: usize,
    counts: TestCounts,
    started: u32,
    /// Jobs that it could still start.
    candidates: Candidates,
    /// Jobs whose plans begin only after every job that this cycle could still start has reached its limit, so they cannot affect
    /// these. They are planned when another plan needs to know.
    deferred: Vec<DeferredPlan>,
    /// Whether tasks of arrays may be deferred: the number of tests cannot reach its limit.
    defers_tasks: bool,
}

/// A job that is planned later.
struct DeferredPlan {
    job: JobHandle,
    at: RequestedPartition,
    /// What running jobs held then.
    releases: Rc<RefCell<Releases>>,
    /// The weights of nodes then.
    weights: Arc<WeightShift>,
}

/// What a cycle does about a job.
enum NextStep {
    /// No job can start any more.
    Stop,
    /// Its plan cannot affect which jobs start in this cycle, and is made later if needed.
    Defer,
    /// When and where it is planned, if it is.
    Plan(Option<(i64, Vec<usize>)>),
}

impl Cycle<'_> {
    /// Replaces what running jobs hold, after a change other than a start.
    pub fn renew(&mut self, releases: Releases) {
        self.releases = Rc::new(RefCell::new(releases));
        self.bounds = StartBounds::default();
        self.map.forget_idle();
    }

    /// Keeps nodes for a job from one instant of the grid to another. `are_idle` as for [`TimeMap::plan`].
    fn keep_for(&mut self, (from, to): (i64, i64), nodes: &[usize], are_idle: bool, pool: &NodePool) {
        let grid = self.settings.resolution.0.max(1);
        let set = NodeSet::of_list(pool.layout.nodes.len(), nodes);
        self.map.plan(from, to, &set, grid, are_idle);
        // A plan that begins at the end of the window or later is not kept.
        if from < self.map.end() {
            self.candidates.plan(nodes, from, pool);
        }
    }
}

impl<'c> Controller<'c> {
    /// A cycle that begins now; what running jobs hold is not looked up yet.
    pub fn begin_cycle(&mut self, settings: &'c BackfillSettings) -> Cycle<'c> {
        let (now, grid) = (self.second(), settings.resolution.0.max(1));
        Cycle {
            settings,
            map: std::mem::take(&mut self.spare).renewed(now, settings.window.0, grid, self.pool.up()),
            begin: now,
            releases: Rc::default(),
            knows_releases: false,
            weights: self.pool.weights.clone(),
            blocked_qos: vec![i64::MIN; self.cluster.qos.len()],
            bounds: StartBounds::default(),
            tests: 0,
            counts: TestCounts::default(),
            started: 0,
            candidates: Candidates::default(),
            deferred: Vec::new(),
            defers_tasks: false,
        }
    }

    /// Runs a backfill cycle; returns an upper bound of the queue records that it looks at.
    pub fn backfill(&mut self) -> usize {
        let Some(settings) = &self.cluster.settings.backfill else { return 0 };
        let queue = self.take_queue();
        let (records, of_arrays) = (queue.len(), queue.iter().filter(|record| record.is_task()).count());
        self.size_exclusive(&queue);
        let mut cycle = self.begin_cycle(settings);
        if !self.plan_mode.plans_all {
            self.find_candidates(&queue, 0, &mut cycle);
        }
        if self.plan_mode.plans_all || cycle.candidates.latest_end(self, &queue, 0).is_some() {
            let tests = queue.len() + of_arrays * settings.counts.max_job_array_resv as usize;
            cycle.defers_tasks = tests < settings.counts.max_job_test as usize;
            self.renew_core_holds();
            self.cycle(&queue, &mut cycle);
            self.renew_core_holds();
        }
        self.spare = cycle.map;
        self.queue.give_back(queue);
        records.min(settings.counts.max_job_test as usize)
    }

    fn find_candidates(&self, queue: &[QueueRecord], from: usize, cycle: &mut Cycle<'_>) {
        let Cycle { candidates, counts, tests, settings, .. } = cycle;
        candidates.find(self, queue, from, (counts, *tests), settings);
    }

    /// Plans a job, unless that makes no difference to which jobs start in this cycle.
    fn step(
        &self,
        queue: &[QueueRecord],
        record: usize,
        job: JobHandle,
        at: &RequestedPartition,
        cycle: &mut Cycle<'_>,
    ) -> NextStep {
        if self.plan_mode.plans_all {
            self.know_releases(queue, cycle);
            let planned = self.plan(job, at, cycle);
            #[cfg(test)]
            if let Some(check) = self.check_plan {
                check(self, job, at, &cycle.map, planned.as_ref());
            }
            return NextStep::Plan(planned);
        }
        let one = &self.jobs[job];
        let could_start = cycle.candidates.could_start(self, at);
        let others_end = cycle.candidates.latest_end(self, queue, record + 1);
        let is_sized = !self.is_sized_by_plan(job);
        if is_sized && !could_start && others_end.is_none() {
            return NextStep::Stop;
        }
        if self.can_defer(job, at, cycle) {
            if could_start
                && !at.is_barred
                && let Some(nodes) = self.start_beside_plans(job, at, cycle)
            {
                return NextStep::Plan(Some((self.second(), nodes)));
            }
            let Some(others_end) = others_end else { return NextStep::Stop };
            self.know_releases(queue, cycle);
            if (one.task.is_none() || cycle.defers_tasks) && self.begins_after(others_end, at, cycle) {
                return NextStep::Defer;
            }
        }
        self.know_releases(queue, cycle);
        self.catch_up(cycle);
        NextStep::Plan(self.plan(job, at, cycle))
    }

    /// Whether it can be told without a plan whether a job starts now: its size is known and does not depend on the plan, it has no
    /// reservation, and weights of nodes change nothing of whether those it shares are enough.
    fn can_defer(&self, job: JobHandle, at: &RequestedPartition, cycle: &Cycle<'_>) -> bool {
        let need = &at.kept.need;
        let is_whole_or_plain = need.is_exclusive
            || cycle.weights.is_none() && !at.limits.prefers_nodes() && !need.follows_nodes();
        is_whole_or_plain
            && !self.is_sized_by_plan(job)
            && self.jobs[job].terms.reservation.is_none()
            && (need.is_exclusive || self.pool.core_holds.is_empty())
    }

    /// Makes the deferred plans, with the running jobs and node weights that were known when each was deferred.
    fn catch_up(&self, cycle: &mut Cycle<'_>) {
        for DeferredPlan { job, at, releases, weights } in std::mem::take(&mut cycle.deferred) {
            let known = (cycle.releases.clone(), cycle.weights.clone());
            (cycle.releases, cycle.weights) = (releases, weights);
            let planned = self.plan(job, &at, cycle);
            (cycle.releases, cycle.weights) = known;
            if let Some((start, nodes)) = planned.filter(|one| one.0 <= cycle.begin + cycle.settings.window.0)
            {
                let kept = self.on_grid(start, at.limit, cycle.settings);
                cycle.keep_for(kept, &nodes, self.plans_idle(&at), &self.pool);
            }
        }
    }

    /// Whether a plan for a job has nodes only that are idle by its begin if the running jobs run into their limits.
    fn plans_idle(&self, at: &RequestedPartition) -> bool {
        let all_stay = !self.plan_mode.preempts && self.pool.core_holds.is_empty();
        at.kept.need.is_exclusive && all_stay && !self.pool.layout.is_linear
    }

    /// Nodes that no plan or reservation of others holds from now until the job's time limit, busy or not.
    pub fn free_of_plans(&self, job: JobHandle, at: &RequestedPartition, map: &TimeMap) -> Option<NodeSet> {
        let (now, to) = (self.second(), self.second() + at.limit);
        let mut nodes = self.pool.open_nodes[at.partition].clone();
        self.unreserved(job, &mut nodes, now, to)?;
        (map.ended_before(now + 1)..map.begun_before(to + 1)).for_each(|place| nodes.keep(map.free(place)));
        Some(nodes)
    }

    fn know_releases(&self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) {
        if !std::mem::replace(&mut cycle.knows_releases, true) {
            cycle.releases = Rc::new(RefCell::new(self.releases(queue)));
        }
    }

    fn releases(&self, queue: &[QueueRecord]) -> Releases {
        let is_shared = |record: &QueueRecord| {
            // A task that has started stands for those of its array that wait; jobs that are gone need nothing.
            let kept = &self.jobs[record.job].partitions[record.place].kept;
            !kept.need.is_exclusive && !Arc::ptr_eq(kept, self.needs.gone())
        };
        Releases::of(&self.jobs.running, &self.jobs.all, &self.pool.load, queue.iter().any(is_shared))
    }

    fn cycle(&mut self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) {
        let now = self.second();
        let settings = cycle.settings;
        let window = settings.window.0;
        for (at_record, &QueueRecord { key, job, place, user, .. }) in queue.iter().enumerate() {
            let has_no_reservation = key.0;
            if has_no_reservation && cycle.counts.is_full(user, settings) {
                continue;
            }
            let first = job;
            let mut job = job;
            let (mut planned_tasks, mut is_counted) = (0, true);
            let is_in_cores = self.lift_core_hold(job);
            cycle.knows_releases &= !is_in_cores;
            loop {
                if self.jobs[job].state != JobStage::Waiting || self.jobs[job].wait.eligible.is_none() {
                    break;
                }
                if cycle.tests >= settings.counts.max_job_test as usize {
                    return;
                }
                let at = &self.jobs[job].partitions[place];
                let is_limited = || self.limits.before_selection(&at.limits, at.limit).is_some();
                if self.jobs.is_throttled(first, planned_tasks)
                    || !self.plan_mode.plans_limited && is_limited()
                {
                    break;
                }
                if job == first && !cycle.counts.count(&self.jobs[job], at, settings) {
                    break;
                }
                if job == first {
                    is_counted = cycle.counts.reserves(at.partition, settings);
                }
                cycle.tests += 1;
                if self.lacks_licenses(job) {
                    break;
                }
                let at = at.clone();
                cycle.weights.clone_from(&self.pool.weights);
                let need = &at.kept.need;
                let planned = match self.step(queue, at_record, job, &at, cycle) {
                    NextStep::Stop => return,
                    NextStep::Plan(None) => break,
                    NextStep::Plan(planned) => planned,
                    NextStep::Defer => None,
                };
                self.note_selection(&at, false);
                let is_now = |one: &&(i64, Vec<usize>)| one.0 <= now && self.can_start(&one.1, &at);
                if let Some((_, nodes)) = planned.as_ref().filter(is_now) {
                    let shares = self.pool.given(nodes, need);
                    let amounts = self.limits.amounts(&shares, at.partition);
                    if self.is_over(&at, &amounts, &shares) {
                        break;
                    }
                    self.note_selection(&at, true);
                    self.start(job, place, shares, amounts, StartedBy::Backfill);
                    cycle.started += 1;
                    if settings.counts.max_job_start > 0 && cycle.started >= settings.counts.max_job_start {
                        return;
                    }
                    cycle.knows_releases = false;
                    if !self.plan_mode.plans_all {
                        self.find_candidates(queue, at_record + 1, cycle);
                    }
                    match self.jobs[job].task.and_then(|_| self.jobs.next_task(job, planned_tasks)) {
                        Some(next) => job = next,
                        None => break,
                    }
                    continue;
                }
                let over = !self.plan_mode.plans_limited && self.is_over_at_least(&at);
                // It is tried to start on the nodes that are planned for it.
                if self.plan_mode.preempts
                    && !over
                    && let Some((_, nodes)) = planned.as_ref().filter(|one| one.0 <= now && !at.is_barred)
                {
                    let usable = NodeSet::of_list(self.cluster.nodes.len(), nodes);
                    self.make_way(job, &at, &usable);
                    cycle.renew(self.releases(queue));
                    cycle.knows_releases = true;
                }
                if let Some((_, nodes)) =
                    planned.as_ref().filter(|_| job == first && self.takes_size_of(job, need))
                {
                    self.size_planned(job, need, nodes);
                }
                if !over && is_counted && self.is_reserved_for(job, &at) {
                    match planned {
                        None => {
                            let (releases, weights) = (cycle.releases.clone(), cycle.weights.clone());
                            cycle.deferred.push(DeferredPlan { job, at: at.clone(), releases, weights });
                        }
                        Some((start, nodes)) if start <= now + window => {
                            let kept = self.on_grid(start, at.limit, settings);
                            cycle.keep_for(kept, &nodes, self.plans_idle(&at), &self.pool);
                        }
                        Some(_) => {}
                    }
                }
                planned_tasks += 1;
                let more = self.jobs[job].task.is_some()
                    && planned_tasks < settings.counts.max_job_array_resv as usize
                    && !over;
                match more.then(|| self.jobs.next_task(job, planned_tasks)).flatten() {
                    Some(next) => job = next,
                    None => break,
                }
            }
            if is_in_cores {
                self.renew_core_holds();
                cycle.knows_releases = false;
            }
        }
    }

    /// Whether a job that is planned for now on these nodes starts on them. Where jobs past their limits or jobs that are to make way
    /// count as gone, they may still be there.
    fn can_start(&self, nodes: &[usize], at: &RequestedPartition) -> bool {
        let is_sure = !self.plan_mode.as_2411 && !self.plan_mode.preempts;
        let own = || NodeSet::of_list(self.cluster.nodes.len(), nodes);
        !at.is_barred && (is_sure || self.chosen_now(at, &mut own()).is_some())
    }

    /// Whether nodes are reserved for a job that cannot start yet (`bf_min_prio_reserve`, `bf_min_age_reserve`).
    fn is_reserved_for(&self, job: JobHandle, at: &RequestedPartition) -> bool {
        self.is_waited_for(job, at) && !self.is_unreserved(job)
    }
}
