//! Jobs that a recorded pass or cycle looked at and neither started nor planned.

use std::cmp::Reverse;

use super::follower::RecordingFollower;
use crate::cluster::{JobNumber, PartitionIndex};
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::priority::PendingSizes;
use crate::controller::queue::QueueRecord;
use crate::controller::state::Controller;

impl RecordingFollower<'_> {
    /// The partition in which the pass looked at a job: of its open ones it has not looked at yet, the first in the order of the
    /// queue.
    fn partition_tested(&mut self, job: JobHandle) -> Option<RequestedPartition> {
        let asked = self.controller.jobs[job].partitions.iter();
        let tier = |partition: PartitionIndex| self.controller.cluster[partition].priority_tier;
        let is_left = |at: &&RequestedPartition| {
            !self.tested.contains(&(job, at.partition)) && !self.closed[at.partition.0]
        };
        let at =
            asked.filter(is_left).min_by_key(|at| Reverse((tier(at.partition), at.priority))).cloned()?;
        self.tested.push((job, at.partition));
        Some(at)
    }

    /// The pass found too few nodes for a job: it closes the partition, or keeps the nodes that the job names.
    pub fn block(&mut self, number: JobNumber) {
        let Some(job) = self.job(number) else { return };
        if self.controller.jobs[job].terms.reservation.is_some() {
            return;
        }
        let Some(at) = self.partition_tested(job) else { return };
        let is_tried = !self.controller.now().has_too_few(job, &at, &self.held_back);
        if is_tried {
            self.controller.jobs.try_in(job, at.partition, self.controller.cluster);
            self.controller.size_in_pass(job, &at, &self.held_back);
        }
        match at.kept.need.kept_free() {
            Some(named) => self.held_back.add(named),
            None if !self.controller.now().is_waited_for(job, &at) => {}
            None => {
                self.closed[at.partition.0] = true;
                self.held_back.add(&self.controller.pool.layout.partitions[at.partition.0]);
            }
        }
        if is_tried {
            self.controller.note_selection(&at, true);
        }
    }

    /// A limit kept the pass from starting a job: the nodes that it names are nevertheless kept free.
    pub fn delay(&mut self, number: JobNumber) {
        let Some(job) = self.job(number) else { return };
        let Some(at) = self.partition_tested(job) else { return };
        if self.controller.limits.before_selection(&at.limits, at.limit).is_none() {
            self.controller.jobs.try_in(job, at.partition, self.controller.cluster);
            self.controller.size_in_pass(job, &at, &self.held_back);
            self.controller.note_selection(&at, true);
        }
        self.closed[at.partition.0] |= self.controller.now().stop_at_limit(job, &at, &mut self.held_back);
    }

    /// Jobs of the queue up to this one that the cycle does not log: a limit keeps it from planning them, but their sizes count
    /// the nodes that it found.
    pub fn size_ahead(&mut self, until: Option<(JobHandle, PartitionChoice)>) {
        if until.is_some_and(|until| !self.ahead.contains(&until)) {
            return;
        }
        while let Some((job, choice)) = self.ahead.pop() {
            if until == Some((job, choice)) {
                break;
            }
            let (one, at) = (&self.controller.jobs[job], &self.controller.jobs[job].partitions[choice]);
            if one.state == JobStage::Waiting
                && self.controller.limits.before_selection(&at.limits, at.limit).is_none()
                && !self.controller.jobs.is_throttled(job, 0)
                && let Some((_, nodes)) = self.planned_at(job, choice)
            {
                let at = self.controller.jobs[job].partitions[choice].clone();
                if self.is_kept_by_a_limit(&at, &nodes) {
                    self.controller.size_planned(job, &at.kept.need, &nodes);
                }
            }
        }
    }

    /// Whether nodes that were found for a job count in its size though the cycle logs no plan for it: a limit forbids what it would have on
    /// them (with `assoc_limit_stop` it logs such plans). Sizes of `select/linear` vary with each look. What else is not logged was not looked
    /// at, or found no nodes.
    fn is_kept_by_a_limit(&self, at: &RequestedPartition, nodes: &[usize]) -> bool {
        let Controller { cluster, pool, limits, .. } = &self.controller;
        let shares = pool.given(nodes, &at.kept.need);
        let amounts = limits.amounts(&shares, at.partition);
        let forbids = || !cluster.settings.main.assoc_limit_stop && limits.forbid(at, &amounts, &shares);
        pool.layout.size_varies(&at.kept.need) || forbids()
    }

    /// The jobs of the queue whose sizes a look for nodes may change, the first one last.
    pub fn note_ahead(&mut self) {
        let queue = self.controller.take_queue();
        let varies = |record: &&QueueRecord| {
            let one = &self.controller.jobs[record.job];
            self.controller.pool.layout.size_varies(&one.partitions[record.choice].kept.need)
                || self.controller.now().is_sized_by_plan(record.job)
        };
        self.ahead = queue.iter().rev().filter(varies).map(|record| (record.job, record.choice)).collect();
        if let Some(settings) = &self.controller.cluster.settings.backfill {
            let mut sizes = PendingSizes::default();
            self.ahead
                .iter()
                .for_each(|&(job, _)| sizes.is_unsized(job, self.controller.jobs[job].holder.user));
            let tested = self.controller.now().tested_of(&sizes, &queue, settings);
            self.ahead.retain(|one| tested.as_ref().is_none_or(|tested| tested.contains(&one.0)));
        }
        self.controller.queue.give_back(queue);
    }
}
