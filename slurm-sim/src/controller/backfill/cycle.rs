//! A backfill cycle.

use std::sync::Arc;

use super::candidates::Candidates;
use super::kept_plans::KeptPlans;
use super::releases::Releases;
use super::start_bounds::StartBounds;
use super::test_counts::TestCounts;
use super::time_map::TimeMap;
use crate::cluster::BackfillSettings;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::limits::FullLimits;
use crate::controller::placement::{NodePool, NodeSet, WeightShift};
use crate::controller::queue::{QueueRecord, RecordIndex};

/// What one cycle leaves to the next: memory for its plans, and what running jobs held.
#[derive(Debug, Default)]
pub struct CycleMemory {
    map: TimeMap,
    releases: Releases,
    plans: KeptPlans,
}

impl CycleMemory {
    /// No plan of the last cycle is kept: something has changed that is not told by what runs.
    pub fn forget_plans(&mut self) {
        self.plans.forget();
    }

    /// How many plans have been kept from one cycle to the next.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.plans.count
    }
}

/// A cycle under way.
pub struct Cycle<'c> {
    pub settings: &'c BackfillSettings,
    pub map: TimeMap,
    /// When it began, in seconds.
    pub begin: i64,
    /// What running jobs hold.
    pub releases: Releases,
    /// What they held before, as far as a deferred plan needs to know, in the order in which that changed.
    pub(super) past_releases: Vec<Releases>,
    /// Whether `releases` is up to date; it is computed when first needed.
    pub(super) knows_releases: bool,
    /// The node weights with which it plans.
    pub weights: Arc<WeightShift>,
    /// Until when group limits of each QOS are expected to keep jobs waiting, in seconds.
    pub blocked_qos: Vec<i64>,
    /// What its plans have shown so far.
    pub bounds: StartBounds,
    /// Its plans and those of the last cycle.
    pub(super) plans: KeptPlans,
    pub(super) tests: usize,
    pub(super) counts: TestCounts,
    pub(super) started: u32,
    /// Which limits of running jobs are reached.
    pub(super) full: FullLimits,
    /// Jobs that it could still start.
    pub(super) candidates: Candidates,
    /// Jobs whose plans begin only after every job that this cycle could still start has reached its limit, so they cannot affect
    /// these. They are planned when another plan needs to know.
    pub(super) deferred: Vec<DeferredPlan>,
    /// Whether tasks of arrays may be deferred: the number of tests cannot reach its limit.
    pub(super) defers_tasks: bool,
}

/// A job that is planned later.
pub(super) struct DeferredPlan {
    pub job: JobHandle,
    pub at: RequestedPartition,
    /// What running jobs held then: its place among what they held before; beyond the last it is what they hold.
    pub releases: usize,
    /// The weights of nodes then.
    pub weights: Arc<WeightShift>,
}

impl<'c> Cycle<'c> {
    /// A cycle that begins now, with what the last one has left; what running jobs hold is not looked up yet.
    pub fn begun(now: &ClusterNow<'_>, settings: &'c BackfillSettings, memory: CycleMemory) -> Cycle<'c> {
        let grid = settings.resolution.0.max(1);
        Cycle {
            settings,
            plans: memory.plans,
            map: memory.map.renewed(now.second, settings.window.0, grid, now.pool.up()),
            begin: now.second,
            releases: memory.releases,
            past_releases: Vec::new(),
            knows_releases: false,
            weights: now.pool.weights.clone(),
            blocked_qos: vec![i64::MIN; now.cluster.qos.len()],
            bounds: StartBounds::default(),
            tests: 0,
            counts: TestCounts::default(),
            started: 0,
            full: FullLimits::default(),
            candidates: Candidates::default(),
            deferred: Vec::new(),
            defers_tasks: false,
        }
    }

    /// Jobs are planned from now on. A cycle that does not get so far leaves the plans of the one before to the next.
    pub(super) fn begin_plans(&mut self) {
        let grid = self.settings.resolution.0.max(1);
        self.plans.begin(self.begin, self.settings.window.0, self.map.end(), grid);
    }

    /// What is left to the next cycle.
    pub fn ended(self) -> CycleMemory {
        CycleMemory { map: self.map, releases: self.releases, plans: self.plans }
    }

    /// Finds the jobs that it could still start, among the records of the queue from one on.
    pub(super) fn find_candidates(&mut self, now: &ClusterNow<'_>, queue: &[QueueRecord], from: RecordIndex) {
        let Cycle { candidates, counts, tests, settings, full, .. } = self;
        candidates.find(now, queue, from, (counts, *tests, full), settings);
    }

    /// A job is planned later, with what running jobs hold and the weights of nodes that are known now.
    pub(super) fn defer(&mut self, job: JobHandle, at: RequestedPartition) {
        let (releases, weights) = (self.past_releases.len(), self.weights.clone());
        self.deferred.push(DeferredPlan { job, at, releases, weights });
    }

    /// Replaces what running jobs hold. What they held before is kept for the plans that were deferred since it was found.
    pub(super) fn replace_releases(&mut self, releases: Releases) {
        let before = std::mem::replace(&mut self.releases, releases);
        if self.deferred.last().is_some_and(|last| last.releases == self.past_releases.len()) {
            self.past_releases.push(before);
        }
    }

    /// Replaces what running jobs hold, after a change other than a start.
    pub fn renew(&mut self, releases: Releases) {
        self.replace_releases(releases);
        self.bounds = StartBounds::default();
        self.map.forget_idle();
    }

    /// Keeps nodes for a job from one instant of the grid to another. `are_idle` as for [`TimeMap::plan`].
    pub(super) fn keep_for(
        &mut self,
        (from, to): (i64, i64),
        nodes: &[usize],
        are_idle: bool,
        pool: &NodePool,
    ) {
        let grid = self.settings.resolution.0.max(1);
        let set = NodeSet::of_list(pool.layout.nodes.len(), nodes);
        self.map.plan(from, to, &set, grid, are_idle);
        self.plans.hold(from, to, nodes);
        // A plan that begins at the end of the window or later is not kept.
        if from < self.map.end() {
            self.candidates.plan(&set, from, pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_can_go_to_another_thread() {
        fn is_send<T: Send>() {}
        is_send::<Cycle<'_>>();
    }
}
