//! A backfilling cycle.

use std::collections::BTreeMap;

use super::job::{CtlState, JobPlace, StartedBy};
use super::node_set::NodeSet;
use super::select::shares;
use super::state::Controller;
use super::time_map::TimeMap;
use super::will_run::{RunningPlan, StartTest};
use crate::cluster::BackfillSettings;

/// How many instants a plan tries at most.
const MOST_TRIES: usize = 10_000;

impl Controller<'_> {
    /// A backfilling cycle; how many tests it took.
    pub(super) fn backfill(&mut self) -> usize {
        let Some(settings) = self.cluster.settings.backfill.clone() else { return 0 };
        let now = self.now();
        let (grid, window) = (settings.resolution.0.max(1), settings.window.0);
        let queue = self.queue();
        let mut map = TimeMap::new(now, window, grid, self.up.clone());
        let mut tests = 0;
        let mut of_user: BTreeMap<u32, u32> = BTreeMap::new();
        let mut of_partition: BTreeMap<usize, u32> = BTreeMap::new();
        for &(job, _) in &queue {
            self.jobs[job].planned = None;
        }
        let mut holdings: Vec<RunningPlan> = self.holdings();
        for (job, place) in queue {
            let first = job;
            let mut job = job;
            let mut planned_tasks = 0;
            loop {
                if self.jobs[job].state != CtlState::Waiting {
                    break;
                }
                if tests >= settings.max_job_test as usize {
                    return tests;
                }
                let at = self.jobs[job].places[place].clone();
                let counted = self.jobs[job].counted;
                if self.is_throttled(first, planned_tasks) || self.limits.before_selection(&counted).is_some()
                {
                    break;
                }
                if job == first {
                    let own = of_user.entry(counted.user).or_default();
                    if settings.max_job_user > 0 && *own >= settings.max_job_user {
                        break;
                    }
                    let here = of_partition.entry(at.partition).or_default();
                    if settings.max_job_part > 0 && *here >= settings.max_job_part {
                        break;
                    }
                    (*own, *here) = (*own + 1, *here + 1);
                }
                tests += 1;
                let found = self.plan(job, &at, &map, &holdings, &settings);
                let Some((start, nodes)) = found else { break };
                self.note_selection(&at.need, false);
                if start <= now {
                    let shares = shares(&self.layout, &self.load, &nodes, &at.need);
                    let amounts = self.limits.amounts(&shares);
                    if self.limits.after_selection(&counted, &amounts).is_some() {
                        break;
                    }
                    self.note_selection(&at.need, true);
                    self.start(job, place, shares, amounts, StartedBy::Backfill);
                    holdings = self.holdings();
                    match self.jobs[job].task.and_then(|_| self.next_task(job, planned_tasks)) {
                        Some(next) => job = next,
                        None => break,
                    }
                    continue;
                }
                let earlier = self.jobs[job].planned;
                self.jobs[job].planned = Some(earlier.map_or(start, |earlier| earlier.min(start)));
                if at.need.is_exclusive {
                    self.jobs[job].size_cpus = nodes.iter().map(|&node| self.layout.nodes[node].cpus).sum();
                }
                let least = self.least_amounts(&at.need);
                let over = self.limits.after_selection(&counted, &least).is_some();
                if start <= now + window && !over {
                    let set = NodeSet::of(self.cluster.nodes.len(), nodes.iter().copied());
                    let (from, to) =
                        (start.div_euclid(grid) * grid, (start + at.limit).div_euclid(grid) * grid);
                    map.plan(from, to, &set, grid);
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
        tests
    }

    pub(super) fn holdings(&self) -> Vec<RunningPlan> {
        let running = self.running.iter().map(|&job| &self.jobs[job]);
        running
            .map(|job| RunningPlan {
                end: job.limit_end,
                nodes: job.nodes.clone(),
                shares: job.shares.clone(),
            })
            .collect()
    }

    /// When and where a backfilling cycle would start a job.
    pub(super) fn plan(
        &self,
        job: usize,
        at: &JobPlace,
        map: &TimeMap,
        running: &[RunningPlan],
        settings: &BackfillSettings,
    ) -> Option<(i64, Vec<usize>)> {
        let now = self.now();
        let (grid, window) = (settings.resolution.0.max(1), settings.window.0);
        let lighter = self.lighter_for(&at.need);
        let test = StartTest {
            layout: &self.layout,
            load: &self.load,
            running,
            need: &at.need,
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
        for _ in 0..MOST_TRIES {
            let mut from = later;
            later = 0;
            if let Some(start) = own_start {
                from = from.max(start);
            }
            let to = from.max(now) + at.limit;
            let mut all = self.layout.partitions[at.partition].clone();
            all.keep(&self.up);
            let reserved = self.unreserved(job, &mut all, from, to)?;
            let mut usable = all.clone();
            for (place, interval) in map.0.iter().enumerate() {
                if interval.end > from
                    && later == 0
                    && let Some(next) = map.0.get(place + 1)
                    && !NodeSet::both_within([&all, &next.free], [&usable, &interval.free])
                {
                    later = interval.end;
                }
                if interval.end <= from {
                    continue;
                }
                if interval.begin > to {
                    break;
                }
                usable.keep(&interval.free);
            }
            if let Some(end) = reserved {
                let after = end.div_euclid(grid) * grid + i64::from(end.rem_euclid(grid) > 0) * grid + 1;
                if later == 0 || after < later {
                    later = after;
                }
            }
            usable.keep(&at.need.feasible);
            let found =
                if usable.len() < at.need.asked_nodes as usize { None } else { test.will_run(&usable) };
            let Some((start, nodes)) = found else {
                if later > 0 {
                    continue;
                }
                return None;
            };
            let start = start.max(from);
            if start <= now {
                return Some((now, nodes));
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
