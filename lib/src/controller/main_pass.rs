//! A pass of the main scheduler.

use super::job::{CtlState, JobPlace, StartedBy};
use super::layout::NodeShare;
use super::limits::Amounts;
use super::need::Need;
use super::node_set::NodeSet;
use super::queue_record::QueueRecord;
use super::reasons::WaitReason;
use super::select::NodeOffer;
use super::state::Controller;

impl Controller<'_> {
    /// A pass of the main scheduler over so many jobs; all if no number is given.
    pub(super) fn pass(&mut self, depth: Option<u32>) {
        let now = self.now();
        self.last_pass = now;
        self.pass_requested = false;
        let queue = self.take_queue();
        self.size_linear();
        self.pass_over(&queue, depth);
        self.give_back(queue);
    }

    fn pass_over(&mut self, queue: &[QueueRecord], depth: Option<u32>) {
        let mut closed = vec![false; self.cluster.partitions.len()];
        let mut vanished = NodeSet::none(self.cluster.nodes.len());
        let (mut tests, mut started) = (0, 0);
        let settings = &self.cluster.settings.main;
        let (per_partition, most_starts) = (settings.partition_job_depth, settings.sched_max_job_start);
        let mut tests_here = vec![0; self.cluster.partitions.len()];
        for &QueueRecord { job, place, .. } in queue {
            let mut job = job;
            loop {
                if self.jobs[job].state != CtlState::Waiting || self.jobs[job].eligible.is_none() {
                    break;
                }
                if depth.is_some_and(|depth| tests > depth) {
                    return;
                }
                if closed[self.jobs[job].places[place].partition] && self.jobs[job].reservation.is_none() {
                    self.waits_for(job, place, WaitReason::Priority);
                    break;
                }
                let at = self.jobs[job].places[place].clone();
                let need = &at.kept.need;
                tests_here[at.partition] += 1;
                if per_partition > 0 && tests_here[at.partition] > per_partition {
                    self.waits_for(job, place, WaitReason::Priority);
                    break;
                }
                tests += 1;
                if self.is_throttled(job, 0) {
                    self.waits_for(job, place, WaitReason::ArrayLimit);
                    break;
                }
                let limits = self.jobs[job].limits.clone();
                if self.limits.before_selection(&limits, at.limit).is_some() {
                    self.waits_for(job, place, WaitReason::Limit);
                    need.kept_free().into_iter().for_each(|named| vanished.add(named));
                    break;
                }
                let Some(chosen) = self.nodes_now(job, &at, &vanished) else {
                    self.waits_for(job, place, WaitReason::Reservation);
                    break;
                };
                self.note_selection(need, true);
                match chosen {
                    Some(nodes) => {
                        let shares = self.given(&nodes, need);
                        let amounts = self.limits.amounts(&shares, at.partition);
                        if self.limits.after_selection(&limits, &amounts).is_some() {
                            self.waits_for(job, place, WaitReason::Limit);
                            self.size_in_pass(job, &at, &vanished);
                            need.kept_free().into_iter().for_each(|named| vanished.add(named));
                            break;
                        }
                        self.start(job, place, shares, amounts, StartedBy::Main);
                        started += 1;
                        if most_starts > 0 && started >= most_starts {
                            return;
                        }
                    }
                    None => {
                        self.size_in_pass(job, &at, &vanished);
                        let least = self.least_amounts(need, at.partition);
                        if self.limits.after_selection(&limits, &least).is_some() {
                            self.waits_for(job, place, WaitReason::Limit);
                            need.kept_free().into_iter().for_each(|named| vanished.add(named));
                            break;
                        }
                        self.waits_for(job, place, WaitReason::Resources);
                        if let Some(usable) = self.may_use_now(job, &at, &vanished) {
                            self.make_way(job, &at, &usable);
                        }
                        if let Some(named) = need.kept_free() {
                            vanished.add(named);
                        } else if self.jobs[job].reservation.is_none() {
                            closed[at.partition] = true;
                            vanished.add(&self.layout.partitions[at.partition]);
                        }
                        break;
                    }
                }
                // A started task lets its array try the next.
                match self.jobs[job].task.and_then(|_| self.next_task(job, 0)) {
                    Some(next) => job = next,
                    None => break,
                }
            }
        }
    }

    /// A job waits for this from now on. Of a job of several partitions, what it waits for in the first counts.
    pub(super) fn waits_for(&mut self, job: usize, place: usize, reason: WaitReason) {
        if place == 0 {
            let now = self.now();
            self.reasons.note(self.jobs[job].submission, now, reason);
        }
    }

    /// The nodes that a pass would give to a job, if there are enough beside those that vanished; outer `None` if a reservation
    /// keeps it from being tested.
    pub(super) fn nodes_now(
        &self,
        job: usize,
        at: &JobPlace,
        vanished: &NodeSet,
    ) -> Option<Option<Vec<usize>>> {
        let mut usable = self.may_use_now(job, at, vanished)?;
        Some(self.chosen_now(at, &mut usable))
    }

    /// The nodes that a job may use now, whatever runs on them; `None` if a reservation keeps it from being tested.
    pub(super) fn may_use_now(&self, job: usize, at: &JobPlace, vanished: &NodeSet) -> Option<NodeSet> {
        let now = self.now();
        let mut usable = self.open_nodes[at.partition].clone();
        match &self.jobs[job].reservation {
            None => usable.take_away(vanished),
            Some(name) => {
                let mut own = self.reservations.iter().filter(|one| one.name == *name);
                if !own.any(|one| one.start.0 <= now) {
                    return None;
                }
            }
        }
        self.unreserved(job, &mut usable, now, now + at.limit)?;
        Some(usable)
    }

    /// The nodes that a job is given now out of those that may be used, weights as configured.
    pub(super) fn chosen_now(&self, at: &JobPlace, usable: &mut NodeSet) -> Option<Vec<usize>> {
        let none = NodeSet::none(self.cluster.nodes.len());
        at.kept.keep_usable(usable, &self.layout, &self.load);
        let in_use = Some(self.load.in_use());
        NodeOffer { layout: &self.layout, in_use, nodes: usable, lighter: &none }.choose(&at.kept.need)
    }

    /// What a job has of the nodes that it is given now.
    pub(super) fn given(&self, nodes: &[usize], need: &Need) -> Vec<NodeShare> {
        let none = NodeSet::none(0);
        let in_use = Some(self.load.in_use());
        NodeOffer { layout: &self.layout, in_use, nodes: &none, lighter: &none }.shares(nodes, need)
    }

    /// What a job counts as at least, wherever it starts.
    pub(super) fn least_amounts(&self, need: &Need, partition: usize) -> Amounts {
        let (mut cpus, mut nodes) = (need.cpus, need.nodes.0);
        if self.layout.is_linear {
            nodes = need.least_nodes() as u32;
            cpus = self.layout.equal_cpus.map_or(cpus, |each| nodes.saturating_mul(each));
        }
        self.limits.least(u64::from(cpus), u64::from(nodes), partition)
    }
}
