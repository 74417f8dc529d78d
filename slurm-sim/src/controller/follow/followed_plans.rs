//! Plans of a recorded cycle.

use super::follower::{PlanBeforeWay, RecordingFollower};
use crate::cluster::{JobNumber, LoggedPlace};
use crate::controller::backfill::Releases;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::placement::NodeSet;
use crate::controller::state::Controller;

impl RecordingFollower<'_> {
    /// What the cycle plans for a job after what it has planned so far.
    pub fn planned(&mut self, number: JobNumber, partition: &str) -> Option<(i64, Vec<usize>)> {
        let job = self.job(number)?;
        let choice = self.choice(job, partition)?;
        self.size_ahead(Some((job, choice)));
        let is_known = |one: &PlanBeforeWay| (one.job, one.choice) == (job, choice);
        match self.before_way.iter().position(is_known) {
            Some(known) => self.before_way.swap_remove(known).plan,
            None => self.planned_at(job, choice),
        }
    }

    /// Other jobs are about to be preempted for one that the cycle has planned, before its plan is logged.
    pub fn plan_before_way(&mut self, number: JobNumber) {
        let Some(job) = self.job(number).filter(|_| self.cycle.is_some()) else { return };
        if self.before_way.iter().any(|one| one.job == job) {
            return;
        }
        for choice in self.controller.jobs[job].partitions.choices() {
            let plan = self.planned_at(job, choice);
            self.before_way.push(PlanBeforeWay { job, choice, plan });
        }
    }

    pub fn planned_at(&mut self, job: JobHandle, choice: PartitionChoice) -> Option<(i64, Vec<usize>)> {
        let cycle = self.cycle.as_mut()?;
        let at = self.controller.jobs[job].partitions[choice].clone();
        if !std::mem::replace(&mut self.knows_running, true) {
            let Controller { jobs, pool, .. } = &self.controller;
            cycle.renew(Releases::of(jobs.running(), jobs.all(), &pool.load, true));
        }
        cycle.weights.clone_from(&self.controller.pool.weights);
        self.controller.planner().plan(job, &at, cycle)
    }

    /// The cycle has planned a job.
    pub fn plan_for(&mut self, number: JobNumber, on: &LoggedPlace, start: i64, end: i64) {
        let count = self.controller.cluster.nodes.len();
        if let Some(job) = self.job(number)
            && let Some(choice) = self.choice(job, &on.partition)
        {
            let at = self.controller.jobs[job].partitions[choice].clone();
            self.controller.note_selection(&at, false);
            let need = &at.kept.need;
            if need.is_exclusive || need.follows_nodes() || !self.controller.pool.layout.holds_alike {
                self.controller.size_planned(job, need, &on.nodes);
            }
        }
        let is_kept = self
            .job(number)
            .is_none_or(|job| !self.controller.jobs[job].is_unreserved(self.controller.cluster));
        if let Some(cycle) = self.cycle.as_mut().filter(|_| is_kept)
            && start <= cycle.begin + cycle.settings.window.0
        {
            let grid = cycle.settings.resolution.0.max(1);
            let set = NodeSet::of(count, on.nodes.iter().copied());
            cycle.map.plan(start.div_euclid(grid) * grid, end, &set, grid, false);
        }
    }
}
