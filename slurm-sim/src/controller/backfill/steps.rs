//! What a backfill cycle does about a job: plan it now, later or not at all.

use std::sync::Arc;

use super::cycle::{Cycle, DeferredPlan};
use super::kept_plans::{PlanBasis, Planned};
use super::planner::BackfillPlanner;
use super::releases::Releases;
use super::time_map::TimeMap;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::NodeSet;
use crate::controller::queue::{QueueRecord, RecordIndex};

/// What a cycle does about a job.
pub(super) enum NextStep {
    /// No job can start any more.
    Stop,
    /// Its plan cannot affect which jobs start in this cycle, and is made later if needed.
    Defer,
    /// When and where it is planned, if it is.
    Plan(Option<(i64, Vec<usize>)>),
}

impl BackfillPlanner<'_> {
    /// Plans a job, unless that makes no difference to which jobs start in this cycle.
    pub(super) fn step(
        &self,
        queue: &[QueueRecord],
        record: RecordIndex,
        job: JobHandle,
        at: &RequestedPartition,
        cycle: &mut Cycle<'_>,
    ) -> NextStep {
        if self.mode.plans_all {
            self.know_releases(queue, cycle);
            let planned = self.plan(job, at, cycle);
            #[cfg(test)]
            if let Some(check) = self.check {
                check(self, job, at, &cycle.map, planned.as_ref());
            }
            return NextStep::Plan(planned);
        }
        let one = &self.now.jobs[job];
        let could_start = cycle.candidates.could_start(&self.now, at);
        let others_end = cycle.candidates.latest_end(&self.now, queue, record.next());
        let is_sized = !self.now.is_sized_by_plan(job);
        if is_sized && !could_start && others_end.is_none() {
            return NextStep::Stop;
        }
        if self.can_defer(job, at, cycle) {
            if could_start
                && !at.is_barred
                && let Some(nodes) = self.start_beside_plans(job, at, cycle)
            {
                return NextStep::Plan(Some((self.now.second, nodes)));
            }
            let Some(others_end) = others_end else { return NextStep::Stop };
            self.know_releases(queue, cycle);
            if (one.task.is_none() || cycle.defers_tasks) && self.begins_after(others_end, at, cycle) {
                return NextStep::Defer;
            }
        }
        self.know_releases(queue, cycle);
        self.catch_up(cycle);
        NextStep::Plan(self.kept_or_new(job, at, cycle))
    }

    /// The plan of a job: that of the last cycle if it holds.
    fn kept_or_new(&self, job: JobHandle, at: &RequestedPartition, cycle: &mut Cycle<'_>) -> Planned {
        let basis = self.basis(job, cycle);
        let planned = match basis.and_then(|basis| cycle.plans.get(job, at, basis)) {
            Some(planned) => {
                debug_assert_eq!(planned, self.plan(job, at, cycle), "a kept plan is the one made anew");
                planned
            }
            None => self.plan(job, at, cycle),
        };
        cycle.plans.note(job, at, &planned, basis);
        planned
    }

    /// What a plan made now is made of; `None` if more than what runs and what is planned decides it, such as weights, reservations or a
    /// job past its limit.
    fn basis(&self, job: JobHandle, cycle: &Cycle<'_>) -> Option<PlanBasis> {
        let (mode, ClusterNow { jobs, pool, .. }) = (&self.mode, self.now);
        let is_plain = !mode.as_2411
            && !mode.preempts
            && !mode.plans_limited
            && !pool.layout.is_linear
            && pool.reservations.is_empty()
            && pool.core_holds.is_empty()
            && cycle.weights.is_none()
            && jobs[job].terms.reservation.is_none()
            && jobs.running().first().is_none_or(|&first| jobs[first].last.limit_end > self.now.second);
        is_plain.then(|| PlanBasis { load: pool.load.version(), running: jobs.running_version() })
    }

    /// Whether it can be told without a plan whether a job starts now: its size is known and does not depend on the plan, it has no
    /// reservation, and weights of nodes change nothing of whether those it shares are enough.
    fn can_defer(&self, job: JobHandle, at: &RequestedPartition, cycle: &Cycle<'_>) -> bool {
        let need = &at.kept.need;
        let is_whole_or_plain = need.is_exclusive
            || cycle.weights.is_none() && !at.limits.prefers_nodes() && !need.follows_nodes();
        is_whole_or_plain
            && !self.now.is_sized_by_plan(job)
            && self.now.jobs[job].terms.reservation.is_none()
            && (need.is_exclusive || self.now.pool.core_holds.is_empty())
    }

    /// Makes the deferred plans, with the running jobs and node weights that were known when each was deferred.
    fn catch_up(&self, cycle: &mut Cycle<'_>) {
        let mut past = std::mem::take(&mut cycle.past_releases);
        for DeferredPlan { job, at, releases, weights } in std::mem::take(&mut cycle.deferred) {
            let known_weights = std::mem::replace(&mut cycle.weights, weights);
            // What running jobs held then and what they hold change places while the plan is made.
            let change_places = |past: &mut [Releases], cycle: &mut Cycle<'_>| {
                std::mem::swap(&mut past[releases], &mut cycle.releases);
            };
            let planned = if releases < past.len() {
                change_places(&mut past, cycle);
                let planned = self.plan(job, &at, cycle);
                change_places(&mut past, cycle);
                cycle.plans.note(job, &at, &planned, None);
                planned
            } else {
                self.kept_or_new(job, &at, cycle)
            };
            cycle.weights = known_weights;
            if let Some((start, nodes)) = planned.filter(|one| one.0 <= cycle.begin + cycle.settings.window.0)
            {
                let kept = self.mode.on_grid(start, at.limit, cycle.settings);
                cycle.keep_for(kept, &nodes, self.plans_idle(&at), self.now.pool);
            }
        }
    }

    /// Whether a plan for a job has nodes only that are idle by its begin if the running jobs run into their limits.
    pub(super) fn plans_idle(&self, at: &RequestedPartition) -> bool {
        let all_stay = !self.mode.preempts && self.now.pool.core_holds.is_empty();
        at.kept.need.is_exclusive && all_stay && !self.now.pool.layout.is_linear
    }

    /// Nodes that no plan or reservation of others holds from now until the job's time limit, busy or not.
    pub fn free_of_plans(&self, job: JobHandle, at: &RequestedPartition, map: &TimeMap) -> Option<NodeSet> {
        let (now, to) = (self.now.second, self.now.second + at.limit);
        let mut nodes = self.now.pool.open_nodes[at.partition.0].clone();
        self.now.unreserved((job, at.partition), &mut nodes, now, to)?;
        (map.ended_before(now + 1)..map.begun_before(to + 1))
            .for_each(|interval| nodes.keep(map.free(interval)));
        Some(nodes)
    }

    fn know_releases(&self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) {
        if !std::mem::replace(&mut cycle.knows_releases, true) {
            let releases = self.releases(queue, cycle);
            cycle.replace_releases(releases);
        }
    }

    /// What running jobs hold now, brought up to date from what the cycle knows of it.
    pub(super) fn releases(&self, queue: &[QueueRecord], cycle: &mut Cycle<'_>) -> Releases {
        let is_shared = |record: &QueueRecord| {
            // A task that has started stands for those of its array that wait; jobs that are gone need nothing.
            let kept = &self.now.jobs[record.job].partitions[record.choice].kept;
            !kept.need.is_exclusive && !Arc::ptr_eq(kept, self.needs.gone())
        };
        let (jobs, load) = (self.now.jobs, &self.now.pool.load);
        debug_assert!(queue.iter().all(|record| record.shares_nodes || !is_shared(record)));
        let shares = queue.iter().any(|record| record.shares_nodes && is_shared(record));
        let mut releases = Releases::of(jobs.running(), jobs.all(), load, shares);
        if shares || cycle.releases.has_known() {
            releases.follow(&mut cycle.releases, load, jobs.all().len());
        }
        releases
    }

    /// Whether a job that is planned for now on these nodes starts on them. Where jobs past their limits or jobs that are to make way
    /// count as gone, they may still be there.
    pub(super) fn can_start(&self, nodes: &[usize], at: &RequestedPartition) -> bool {
        let is_sure = !self.mode.as_2411 && !self.mode.preempts;
        let own = || NodeSet::of_list(self.now.cluster.nodes.len(), nodes);
        !at.is_barred && (is_sure || self.now.chosen_now(at, &mut own()).is_some())
    }

    /// Whether nodes are reserved for a job that cannot start yet (`bf_min_prio_reserve`, `bf_min_age_reserve`).
    pub(super) fn is_reserved_for(&self, job: JobHandle, at: &RequestedPartition) -> bool {
        self.now.is_waited_for(job, at) && !self.now.jobs[job].is_unreserved(self.now.cluster)
    }
}
