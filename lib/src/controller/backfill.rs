//! A backfilling cycle.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::job::{CtlState, JobPlace, StartedBy};
use super::node_set::NodeSet;
use super::queue_record::QueueRecord;
use super::releases::Releases;
use super::state::Controller;
use super::time_map::{FreeStretch, TimeMap};
use super::will_run::StartTest;
use crate::cluster::BackfillSettings;

/// How many instants a plan tries at most.
const MOST_TRIES: usize = 10_000;

/// A cycle under way.
pub(super) struct Cycle<'c> {
    pub settings: &'c BackfillSettings,
    pub map: TimeMap,
    /// When it began, in seconds.
    pub begin: i64,
    /// What running jobs hold.
    pub releases: RefCell<Releases>,
    tests: usize,
    of_user: BTreeMap<u32, u32>,
    of_partition: BTreeMap<usize, u32>,
    of_user_here: BTreeMap<(u32, usize), u32>,
    of_association: BTreeMap<Option<usize>, u32>,
    started: u32,
    /// The first record, from the one that is planned on, at which a job could still start when that was last looked at.
    next_candidate: usize,
}

impl<'c> Controller<'c> {
    /// A cycle that begins now; what running jobs hold is not looked up yet.
    pub(super) fn begin_cycle(&self, settings: &'c BackfillSettings) -> Cycle<'c> {
        let (now, grid) = (self.now(), settings.resolution.0.max(1));
        Cycle {
            settings,
            map: TimeMap::new(now, settings.window.0, grid, self.up.clone()),
            begin: now,
            releases: RefCell::new(Releases::default()),
            tests: 0,
            of_user: BTreeMap::new(),
            of_partition: BTreeMap::new(),
            of_user_here: BTreeMap::new(),
            of_association: BTreeMap::new(),
            started: 0,
            next_candidate: 0,
        }
    }

    /// A backfilling cycle; how many records of the queue it looks at at most.
    pub(super) fn backfill(&mut self) -> usize {
        let Some(settings) = &self.cluster.settings.backfill else { return 0 };
        let queue = self.take_queue();
        let records = queue.iter().filter(|record| self.jobs[record.job].state == CtlState::Waiting).count();
        self.size_exclusive();
        let mut cycle = self.begin_cycle(settings);
        if self.plans_all || self.any_could_start(&queue, 0, &mut cycle) {
            cycle.releases = RefCell::new(self.releases(&queue));
            self.cycle(&queue, &mut cycle);
        }
        self.give_back(queue);
        records.min(settings.max_job_test as usize)
    }

    /// Whether a job at this record or behind it could start now, beside all that is planned. Once none can, none will in this
    /// cycle: plans and starts only take nodes away.
    fn any_could_start(&self, queue: &[QueueRecord], from: usize, cycle: &mut Cycle<'_>) -> bool {
        cycle.next_candidate = cycle.next_candidate.max(from);
        while let Some(&QueueRecord { job, place, .. }) = queue.get(cycle.next_candidate) {
            let one = &self.jobs[job];
            if one.state == CtlState::Waiting && !one.is_sized && self.layout.equal_cpus.is_none() {
                return true;
            }
            if one.state == CtlState::Waiting
                && self.limits.before_selection(&one.limits, one.places[place].limit).is_none()
                && self.could_start(&one.places[place], &cycle.map)
            {
                return true;
            }
            cycle.next_candidate += 1;
        }
        false
    }

    /// Whether there are enough nodes now that no plan takes before a job would end, as far as their number goes.
    fn could_start(&self, at: &JobPlace, map: &TimeMap) -> bool {
        let least = at.kept.need.least_nodes();
        let mut nodes = self.open_nodes[at.partition].clone();
        at.kept.keep_usable(&mut nodes, &self.layout, &self.load);
        let (now, to) = (self.now(), self.now() + at.limit);
        if nodes.len() < least {
            return false;
        }
        for interval in
            map.intervals.iter().filter(|interval| interval.end > now).take_while(|one| one.begin <= to)
        {
            nodes.keep(&interval.free);
        }
        map.intervals.len() == 1 || nodes.len() >= least
    }

    /// The nodes that a job may use from now on for as long as its limit, whatever runs on them.
    fn free_of_plans(&self, job: usize, at: &JobPlace, map: &TimeMap) -> Option<NodeSet> {
        let (now, to) = (self.now(), self.now() + at.limit);
        let mut nodes = self.open_nodes[at.partition].clone();
        self.unreserved(job, &mut nodes, now, to)?;
        let intervals = map.intervals.iter().filter(|interval| interval.end > now);
        intervals.take_while(|one| one.begin <= to).for_each(|interval| nodes.keep(&interval.free));
        Some(nodes)
    }

    fn releases(&self, queue: &[QueueRecord]) -> Releases {
        let is_shared = |record: &QueueRecord| {
            // A task that has started stands for those of its array that wait; jobs that are gone need nothing.
            let kept = &self.jobs[record.job].places[record.place].kept;
            !kept.need.is_exclusive && !Rc::ptr_eq(kept, &self.no_need)
        };
        Releases::of(&self.running, &self.jobs, &self.load, queue.iter().any(is_shared))
    }

    fn cycle(&mut self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) {
        let now = self.now();
        let settings = cycle.settings;
        let (grid, window) = (settings.resolution.0.max(1), settings.window.0);
        for (at_record, &QueueRecord { job, place, .. }) in queue.iter().enumerate() {
            let first = job;
            let mut job = job;
            let mut planned_tasks = 0;
            loop {
                if self.jobs[job].state != CtlState::Waiting || self.jobs[job].eligible.is_none() {
                    break;
                }
                if cycle.tests >= settings.max_job_test as usize {
                    return;
                }
                let limits = self.jobs[job].limits.clone();
                let at = self.jobs[job].places[place].clone();
                if self.is_throttled(first, planned_tasks)
                    || self.limits.before_selection(&limits, at.limit).is_some()
                {
                    break;
                }
                if job == first {
                    let own = cycle.of_user.entry(self.jobs[job].user).or_default();
                    if settings.max_job_user > 0 && *own >= settings.max_job_user {
                        break;
                    }
                    let here = cycle.of_partition.entry(at.partition).or_default();
                    if settings.max_job_part > 0 && *here >= settings.max_job_part {
                        break;
                    }
                    let own_here = cycle.of_user_here.entry((self.jobs[job].user, at.partition)).or_default();
                    if settings.max_job_user_part > 0 && *own_here >= settings.max_job_user_part {
                        break;
                    }
                    let same = cycle.of_association.entry(self.jobs[job].association).or_default();
                    if settings.max_job_assoc > 0 && *same >= settings.max_job_assoc {
                        break;
                    }
                    (*own, *here, *own_here, *same) = (*own + 1, *here + 1, *own_here + 1, *same + 1);
                }
                cycle.tests += 1;
                // Of an array, its further tasks are not in the queue.
                let could_go_on = self.plans_all
                    || job != first && self.could_start(&at, &cycle.map)
                    || self.any_could_start(queue, at_record, cycle);
                if !could_go_on {
                    return;
                }
                let need = &at.kept.need;
                let Some((start, nodes)) = self.plan(job, &at, cycle) else { break };
                self.note_selection(need, false);
                if start <= now {
                    let shares = self.given(&nodes, need);
                    let amounts = self.limits.amounts(&shares, at.partition);
                    if self.limits.after_selection(&limits, &amounts).is_some() {
                        break;
                    }
                    self.note_selection(need, true);
                    self.start(job, place, shares, amounts, StartedBy::Backfill);
                    cycle.started += 1;
                    if settings.max_job_start > 0 && cycle.started >= settings.max_job_start {
                        return;
                    }
                    cycle.releases = RefCell::new(self.releases(queue));
                    match self.jobs[job].task.and_then(|_| self.next_task(job, planned_tasks)) {
                        Some(next) => job = next,
                        None => break,
                    }
                    continue;
                }
                if self.preempts_any
                    && let Some(usable) = self.free_of_plans(job, &at, &cycle.map)
                {
                    self.make_way(job, &at, &usable);
                    cycle.releases = RefCell::new(self.releases(queue));
                }
                if job == first && (self.size_varies(need) || !self.jobs[job].is_sized) {
                    self.size_planned(job, &nodes);
                }
                let least = self.least_amounts(need, at.partition);
                let over = self.limits.after_selection(&limits, &least).is_some();
                if start <= now + window && !over && self.is_reserved_for(job, &at, settings) {
                    let set = NodeSet::of(self.cluster.nodes.len(), nodes.iter().copied());
                    let (from, to) =
                        (start.div_euclid(grid) * grid, (start + at.limit).div_euclid(grid) * grid);
                    cycle.map.plan(from, to, &set, grid);
                }
                planned_tasks += 1;
                let more = self.jobs[job].task.is_some()
                    && planned_tasks < settings.max_job_array_resv as usize
                    && !over;
                match more.then(|| self.next_task(job, planned_tasks)).flatten() {
                    Some(next) => job = next,
                    None => break,
                }
            }
        }
    }

    /// Whether nodes are kept for a job that cannot start yet: for those of some priority and age only.
    fn is_reserved_for(&self, job: usize, at: &JobPlace, settings: &BackfillSettings) -> bool {
        let age = self.jobs[job].eligible.map_or(0, |since| self.now() - since);
        at.priority >= u64::from(settings.min_prio_reserve) && age >= settings.min_age_reserve.0
    }

    /// Whether it is certain that a job cannot start by an instant on these nodes.
    fn starts_after(
        &self,
        instant: i64,
        test: &StartTest<'_>,
        nodes: &NodeSet,
        anywhere: &mut Option<Option<i64>>,
    ) -> bool {
        let need = &test.kept.need;
        let earliest = if need.is_exclusive {
            let mut nodes = nodes.clone();
            nodes.keep(&need.feasible);
            test.earliest(&nodes)
        } else {
            // That takes longer to find out, so it is done once for all nodes.
            *anywhere.get_or_insert_with(|| test.earliest(&need.feasible))
        };
        earliest.is_none_or(|earliest| earliest > instant)
    }

    /// When and where a backfilling cycle would start a job.
    pub(super) fn plan(&self, job: usize, at: &JobPlace, cycle: &Cycle<'_>) -> Option<(i64, Vec<usize>)> {
        let (now, map, settings) = (self.now(), &cycle.map, cycle.settings);
        let (grid, window) = (settings.resolution.0.max(1), settings.window.0);
        let need = &at.kept.need;
        let lighter = self.lighter_for(need);
        let test = StartTest {
            layout: &self.layout,
            load: &self.load,
            releases: &cycle.releases,
            kept: &at.kept,
            lighter: &lighter,
            now,
            kill_wait: self.cluster.settings.kill_wait.0,
            linear: settings.window_linear.map(|step| step.0),
        };
        let mut later = now;
        let own_start = self.jobs[job]
            .reservation
            .as_ref()
            .and_then(|name| self.reservations.iter().find(|one| one.name == *name).map(|one| one.start.0));
        // No start is earlier; found when it is first needed.
        let mut earliest = None;
        let mut all = self.open_nodes[at.partition].clone();
        let mut usable = all.clone();
        let mut stretch = FreeStretch::new(map, &all);
        // The intervals that the job would run in.
        let (mut first, mut end) = (0, 0);
        for _ in 0..MOST_TRIES {
            let mut from = later;
            later = 0;
            if let Some(start) = own_start {
                from = from.max(start);
            }
            let to = from.max(now) + at.limit;
            while map.intervals.get(first).is_some_and(|interval| interval.end <= from) {
                first += 1;
            }
            while map.intervals.get(end).is_some_and(|interval| interval.begin <= to) {
                end += 1;
            }
            all.copy_from(&self.open_nodes[at.partition]);
            let reserved = self.unreserved(job, &mut all, from, to)?;
            usable.copy_from(&all);
            let mut is_too_early = false;
            for place in first..(end + 1).min(map.intervals.len() - 1) {
                let (interval, next) = (&map.intervals[place], &map.intervals[place + 1]);
                if !NodeSet::both_within([&all, &next.free], [&usable, &interval.free]) {
                    later = interval.end;
                    if place < end {
                        usable.keep(&interval.free);
                    }
                    is_too_early =
                        reserved.is_none() && self.starts_after(later, &test, &usable, &mut earliest);
                    break;
                }
                if place < end {
                    usable.keep(&interval.free);
                }
            }
            if is_too_early {
                continue;
            }
            stretch.keep(first, end, &mut usable);
            if let Some(end) = reserved {
                let after = end.div_euclid(grid) * grid + i64::from(end.rem_euclid(grid) > 0) * grid + 1;
                if later == 0 || after < later {
                    later = after;
                }
            }
            usable.keep(&need.considered);
            let found = if usable.len() < need.asked_nodes as usize {
                None
            } else {
                test.will_run(&usable, (later > 0).then_some(later))
            };
            let Some((start, nodes)) = found else {
                if later > 0 {
                    continue;
                }
                return None;
            };
            let start = start.max(from);
            if start <= now {
                // A start selects again, with weights as configured.
                let is_same = lighter.is_empty() && !self.layout.is_linear;
                let again = if is_same { None } else { self.chosen_now(at, &mut usable) };
                return Some((now, again.unwrap_or(nodes)));
            }
            if later > 0 && start > later {
                continue;
            }
            if start > now + window {
                return Some((start, nodes));
            }
            let set = NodeSet::of(self.cluster.nodes.len(), nodes.iter().copied());
            let (first, last) = (start.div_euclid(grid) * grid, (start + at.limit).div_euclid(grid) * grid);
            if !map.are_free(first, last, &set) {
                later = start;
                continue;
            }
            return Some((start, nodes));
        }
        None
    }
}
