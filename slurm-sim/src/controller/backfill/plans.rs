//! When and where a backfill cycle would start a job.

use super::cycle::Cycle;
use super::emptied::EmptiedNodes;
use super::limited::LIMITED_FOR;
use super::planner::BackfillPlanner;
use super::releases::Releases;
use super::will_run::StartTest;
use crate::cluster::{BackfillSettings, PartitionIndex};
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{CachedNeed, NodeSet, WeightShift};
use crate::controller::preemption::Preemption;

/// The largest number of instants that a plan tries.
const MOST_TRIES: usize = 10_000;

impl BackfillPlanner<'_> {
    /// An instant, in seconds, before which too few nodes are idle for the job, whatever is planned.
    fn earliest_anywhere(&self, test: &mut StartTest<'_>, open: &NodeSet) -> i64 {
        let earliest =
            if test.kept.need.is_exclusive { test.earliest_whole(open) } else { test.earliest_shared() };
        earliest.unwrap_or(i64::MAX)
    }

    /// When and where a backfill cycle would start a job; `None` if it would not.
    ///
    /// It tries to start the job now, and again at each instant at which nodes come free of plans, until the instant that running
    /// jobs leave enough nodes is not after the next such instant. Tries that cannot succeed are passed over: no start is before
    /// what is known of it, and a try that ends with the next instant can only give a start that is not later.
    pub fn plan(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
        cycle: &mut Cycle<'_>,
    ) -> Option<(i64, Vec<usize>)> {
        let Cycle { map, settings, releases, bounds, weights, blocked_qos, .. } = cycle;
        let now = self.now.second;
        let (grid, window) = (settings.resolution.0.max(1), settings.window.0);
        let need = &at.kept.need;
        let mut test = self.start_test(&at.kept, at.partition, releases, settings, weights);
        let ClusterNow { jobs, pool, .. } = self.now;
        let emptied = Preemption { now: self.now }.emptied_for(job, at);
        let mut emptied = emptied.map(|(left, load)| EmptiedNodes::with(&left, jobs, load, at));
        let mut emptied = emptied.as_mut().map(|EmptiedNodes { kept, load, releases }| StartTest {
            load,
            ..self.start_test(kept, at.partition, releases, settings, weights)
        });
        let without_holds = pool.without_holds(&jobs[job].terms);
        let mut without_holds =
            without_holds.map(|(end, load)| (end, EmptiedNodes::with(jobs.running(), jobs, load, at)));
        let mut after_holds = without_holds.as_mut().map(|(end, EmptiedNodes { kept, load, releases })| {
            (*end, StartTest { load, ..self.start_test(kept, at.partition, releases, settings, weights) })
        });
        // Limits of QOS keep it waiting until then.
        let mut later = now.max(self.blocked_until(job, at, blocked_qos));
        let limit = self.planned_limit(job, at);
        let own = jobs[job].terms.reservation.as_ref();
        let own = own.and_then(|name| pool.reservations_named(name).next());
        let own_start = own.map(|one| if one.flags.flexible { now } else { one.start.0 });
        let open = &self.now.pool.open_nodes[at.partition.0];
        // No start is earlier. When enough nodes are idle at all is found when it is first needed.
        let mut not_before = bounds.not_before(&at.kept, limit).unwrap_or(now);
        let mut knows_earliest = false;
        // Whether every try so far was passed over or could not find enough nodes, whatever windows it looks at.
        let mut is_bound = later == now;
        let mut unreserved = NodeSet::default();
        let mut usable = open.clone();
        let last = map.len() - 1;
        for _ in 0..MOST_TRIES {
            let from = own_start.map_or(later, |start| later.max(start));
            let to = from.max(now) + limit;
            // The intervals that the job would run in.
            let (first, end) = (map.ended_before(from + 1), map.begun_before(to + 1));
            let (mut all, mut reserved) = (open, None);
            if !self.now.pool.reservations.is_empty() {
                unreserved.clone_from(open);
                let reserved_to = if self.mode.as_2411 { from.max(now) + at.limit } else { to };
                reserved = self.now.unreserved((job, at.partition), &mut unreserved, from, reserved_to)?;
                all = &unreserved;
            }
            let is_plain = reserved.is_none()
                && own_start.is_none()
                && limit >= grid
                && emptied.is_none()
                && after_holds.is_none();
            // A try is followed by one at the next instant at which nodes come free, so it passes through all of these up to the
            // last that it reaches; what cannot succeed before is left out.
            if is_plain && from < not_before {
                let near = map.ended_before(not_before);
                let reached =
                    (first..near.min(end + 1).min(last)).rev().find(|&interval| map.gains(interval, all));
                if let Some(interval) = reached {
                    later = map.end_of(interval);
                    continue;
                }
            }
            // When nodes come free next.
            let gain = (first..(end + 1).min(last)).find(|&interval| map.gains(interval, all));
            later = gain.map_or(0, |interval| map.end_of(interval));
            // Since 24.11 a try goes beyond the intervals that it has looked at.
            if later == 0 && self.mode.as_2411 && end + 1 < last {
                later = map.end_of(end + 1);
            }
            if is_plain && later > 0 && !std::mem::replace(&mut knows_earliest, true) {
                not_before = not_before.max(self.earliest_anywhere(&mut test, open));
                if later < not_before {
                    continue;
                }
            }
            // The intervals before the instant of the grid at which the job would end: nodes of any start up to the next instant
            // are free in these. Between two instants at which nodes come free, free nodes have been free since the first.
            let inner = map.begun_before(to.div_euclid(grid) * grid);
            if is_plain && gain.is_some_and(|gain| test.lacks_idle(gain..inner, map)) {
                continue;
            }
            usable.copy_from(all);
            map.keep_free(first, inner, &mut usable);
            if is_plain && later > 0 && !test.may_start_by(later, &usable) {
                continue;
            }
            if std::mem::take(&mut is_bound) && is_plain {
                not_before = not_before.max(from);
                bounds.note(&at.kept, limit, not_before.min(now + window));
            }
            (inner..end).for_each(|interval| usable.keep(map.free(interval)));
            if let Some(end) = reserved {
                let after = end.div_euclid(grid) * grid + i64::from(end.rem_euclid(grid) > 0) * grid + 1;
                if later == 0 || after < later {
                    later = after;
                }
            }
            usable.keep(&need.on.considered);
            let tried_from = self.mode.as_2411.then_some(from);
            let latest = (later > 0).then_some(later);
            let free_of_holds = after_holds.as_mut().filter(|(end, _)| from >= *end);
            let test = free_of_holds.map_or(&mut test, |(_, test)| test);
            let found = match &mut emptied {
                _ if usable.has_fewer(need.asked_nodes as usize) => None,
                None => test.will_run(&usable, tried_from, latest),
                // If it cannot start beside the jobs that it may preempt, all of these count as gone.
                Some(emptied) => {
                    match test.at_once(&usable).filter(|_| from <= now || tried_from.is_none()) {
                        Some(nodes) => Some((now, nodes)),
                        None => emptied.will_run(&usable, tried_from, latest),
                    }
                }
            };
            let Some((start, nodes)) = found else {
                if later > 0 {
                    continue;
                }
                return None;
            };
            let mut start = start.max(from);
            if start <= now {
                // A start selects again, with weights of its own.
                let is_same =
                    weights.is_none() && !at.limits.prefers_nodes() && !self.now.pool.layout.is_linear;
                let again = if is_same { None } else { self.now.chosen_now(at, &mut usable) };
                let given = again.unwrap_or_else(|| nodes.clone());
                let Some(limited) = self.limited_on(at, &given) else { return Some((now, given)) };
                // When the limit lets it start is not known: it is planned for when nodes come free next.
                start = if later > 0 { later } else { now + LIMITED_FOR };
                if let Some(until) = limited.and_then(|qos| blocked_qos.get_mut(qos.0)) {
                    *until = start.max(*until);
                }
            }
            if later > 0 && start > later {
                continue;
            }
            if start > now + window {
                return Some((start, nodes));
            }
            // A try finds nodes that no plan has from its instant on.
            if start == from && !self.mode.as_2411 {
                return Some((start, nodes));
            }
            let set = NodeSet::of_list(self.now.cluster.nodes.len(), &nodes);
            let (first, last) = self.mode.on_grid(start, limit, settings);
            if !map.are_free(first, last, &set) {
                later = start;
                continue;
            }
            return Some((start, nodes));
        }
        None
    }

    /// Whether every plan for a job without a reservation would begin after an instant; false if that is not certain.
    pub fn begins_after(&self, instant: i64, at: &RequestedPartition, cycle: &mut Cycle<'_>) -> bool {
        let Cycle { map, settings, releases, bounds, weights, .. } = cycle;
        let (now, grid) = (self.now.second, settings.resolution.0.max(1));
        // Plans begin on the grid, and not beyond the window.
        let over = (instant.div_euclid(grid).saturating_add(1)).saturating_mul(grid);
        if over > now + settings.window.0 || at.limit < grid {
            return false;
        }
        let mut not_before = bounds.not_before(&at.kept, at.limit).unwrap_or(now);
        if not_before >= over {
            return true;
        }
        let reserved = self.now.pool.reservations.iter();
        if reserved.into_iter().any(|one| one.end.0 > now && one.start.0 < over + at.limit) {
            return false;
        }
        let mut test = self.start_test(&at.kept, at.partition, releases, settings, weights);
        let open = &self.now.pool.open_nodes[at.partition.0];
        not_before = not_before.max(self.earliest_anywhere(&mut test, open));
        let mut usable = open.clone();
        let mut from = now;
        let last = map.len() - 1;
        while not_before < over {
            let mut first = map.ended_before(from + 1);
            let near = map.ended_before(not_before).min(last);
            if let Some(interval) = (first..near).rev().find(|&interval| map.gains(interval, open)) {
                from = map.end_of(interval);
                first = interval + 1;
            }
            let gain = (first..last).find(|&interval| map.gains(interval, open));
            let next = gain.map_or(over, |interval| map.end_of(interval).min(over));
            let to = (from + at.limit).div_euclid(grid) * grid;
            let end = map.begun_before(to);
            if !test.lacks_idle(map.ended_before(next)..end, map) {
                usable.copy_from(open);
                map.keep_free(first, end, &mut usable);
                if test.may_start_by(next, &usable) {
                    break;
                }
            }
            (from, not_before) = (next, not_before.max(next));
        }
        bounds.note(&at.kept, at.limit, not_before.max(from).min(now + settings.window.0));
        not_before >= over
    }

    /// The nodes on which a job without a reservation would start now without disturbing existing plans.
    pub fn start_beside_plans(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
        cycle: &Cycle<'_>,
    ) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        let mut usable = self.free_of_plans(job, at, &cycle.map)?;
        usable.keep(&need.on.considered);
        if usable.has_fewer(need.asked_nodes as usize) {
            return None;
        }
        self.now.chosen_now(at, &mut usable)
    }

    fn start_test<'t>(
        &'t self,
        kept: &'t CachedNeed,
        partition: PartitionIndex,
        releases: &'t mut Releases,
        settings: &BackfillSettings,
        weights: &'t WeightShift,
    ) -> StartTest<'t> {
        StartTest {
            layout: &self.now.pool.layout,
            load: &self.now.pool.load,
            releases,
            kept,
            open: &self.now.pool.open_nodes[partition.0],
            shift: (!weights.is_none()).then_some(weights),
            now: self.now.second,
            kill_wait: self.now.cluster.settings.jobs.overrun(),
            linear: settings.window_linear.map(|step| step.0),
            late_are_gone: self.mode.as_2411,
        }
    }
}
