//! A pass of the main scheduler.

use super::cluster_now::ClusterNow;
use super::job::{JobStage, RequestedPartition, StartedBy};
use super::state::Controller;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::limits::FullLimits;
use crate::controller::placement::NodeSet;
use crate::controller::queue::{QueueRecord, WaitReason};

impl Controller<'_> {
    /// A pass of the main scheduler over at most `depth` jobs; `None`: over all.
    pub fn pass(&mut self, depth: Option<u32>) {
        self.clock.begin_pass();
        let queue = self.take_queue();
        self.size_linear();
        self.renew_core_holds();
        self.pass_over(&queue, depth);
        self.renew_core_holds();
        self.queue.give_back(queue);
    }

    fn pass_over(&mut self, queue: &[QueueRecord], depth: Option<u32>) {
        let mut closed = vec![false; self.cluster.partitions.len()];
        let mut closed_reservations: Vec<String> = Vec::new();
        let mut held_back = NodeSet::none(self.cluster.nodes.len());
        let (mut tests, mut started) = (0, 0);
        let settings = &self.cluster.settings.main;
        let (per_partition, most_starts) = (settings.partition_job_depth, settings.sched_max_job_start);
        let mut tests_here = vec![0; self.cluster.partitions.len()];
        let mut full = FullLimits::default();
        for record in queue {
            let &QueueRecord { key, job, choice, submission, partition, .. } = record;
            let has_no_reservation = key.0;
            // Most jobs behind one that waits for nodes are known to wait for their turn.
            if has_no_reservation
                && closed[partition.0]
                && (choice != PartitionChoice::FIRST
                    || self.reasons.is_known(submission, WaitReason::Priority))
            {
                continue;
            }
            // Most others are at a limit: these are not looked at.
            if !closed[partition.0] && record.is_at_limit(&self.jobs, &self.limits, &mut full) {
                debug_assert!(
                    self.jobs[job].state == JobStage::Waiting && self.jobs[job].wait.eligible.is_some()
                );
                if depth.is_some_and(|depth| tests > depth) {
                    return;
                }
                tests_here[partition.0] += 1;
                let is_tested = per_partition == 0 || tests_here[partition.0] <= per_partition;
                tests += u32::from(is_tested);
                let reason = if is_tested { WaitReason::Limit } else { WaitReason::Priority };
                self.reasons.note(submission, self.clock.second(), reason);
                continue;
            }
            let mut job = job;
            let is_in_cores = self.lift_core_hold(job, choice);
            loop {
                if self.jobs[job].state != JobStage::Waiting || self.jobs[job].wait.eligible.is_none() {
                    break;
                }
                if depth.is_some_and(|depth| tests > depth) {
                    return;
                }
                let is_closed = match &self.jobs[job].terms.reservation {
                    Some(name) => closed_reservations.contains(name),
                    None => closed[self.jobs[job].partitions[choice].partition.0],
                };
                if is_closed {
                    self.waits_for(job, choice, WaitReason::Priority);
                    break;
                }
                // Most jobs are at a limit: what these ask for is not copied.
                let at = &self.jobs[job].partitions[choice];
                tests_here[at.partition.0] += 1;
                if per_partition > 0 && tests_here[at.partition.0] > per_partition {
                    self.waits_for(job, choice, WaitReason::Priority);
                    break;
                }
                tests += 1;
                if self.jobs.is_throttled(job, 0) {
                    self.waits_for(job, choice, WaitReason::ArrayLimit);
                    break;
                }
                if self.limits.before_selection(&at.limits, at.limit).is_some() {
                    at.kept.need.kept_free().into_iter().for_each(|named| held_back.add(named));
                    self.waits_for(job, choice, WaitReason::Limit);
                    break;
                }
                if at.is_barred {
                    self.waits_for(job, choice, WaitReason::Limit);
                    break;
                }
                if self.licenses.lack(self.jobs.submission(job)) {
                    self.waits_for(job, choice, WaitReason::Licenses);
                    break;
                }
                let at = at.clone();
                let need = &at.kept.need;
                let is_tried = !self.now().has_too_few(job, &at, &held_back);
                if is_tried {
                    self.jobs.try_in(job, at.partition, self.cluster);
                }
                let Some(chosen) = self.now().nodes_now(job, &at, &held_back) else {
                    self.waits_for(job, choice, WaitReason::Reservation);
                    break;
                };
                if is_tried {
                    self.note_selection(&at, true);
                }
                match chosen {
                    Some(nodes) => {
                        let shares = self.pool.given(&nodes, need);
                        let amounts = self.limits.amounts(&shares, at.partition);
                        if self.limits.forbid(&at, &amounts, &shares) {
                            self.waits_for(job, choice, WaitReason::Limit);
                            self.size_in_pass(job, &at, &held_back);
                            closed[at.partition.0] |= self.now().stop_at_limit(job, &at, &mut held_back);
                            break;
                        }
                        self.start(job, choice, shares, amounts, StartedBy::Main);
                        full.forget();
                        started += 1;
                        if most_starts > 0 && started >= most_starts {
                            return;
                        }
                    }
                    None => {
                        if is_tried {
                            self.size_in_pass(job, &at, &held_back);
                        }
                        if is_tried && self.limits.forbid_least(&at, &self.pool.layout) {
                            self.waits_for(job, choice, WaitReason::Limit);
                            closed[at.partition.0] |= self.now().stop_at_limit(job, &at, &mut held_back);
                            break;
                        }
                        self.waits_for(job, choice, WaitReason::Resources);
                        if is_tried && let Some(usable) = self.now().may_use_now(job, &at, &held_back) {
                            self.make_way(job, &at, &usable);
                            full.forget();
                        }
                        let reservation = &self.jobs[job].terms.reservation;
                        if let Some(named) = need.kept_free() {
                            held_back.add(named);
                        } else if reservation.is_some() {
                            closed_reservations.extend(reservation.clone());
                        } else if self.now().is_waited_for(job, &at) {
                            closed[at.partition.0] = true;
                            held_back.add(&self.pool.layout.partitions[at.partition.0]);
                        }
                        break;
                    }
                }
                // A started task lets its array try the next.
                match self.jobs[job].task.and_then(|_| self.jobs.next_task(job, 0)) {
                    Some(next) => job = next,
                    None => break,
                }
            }
            if is_in_cores {
                self.renew_core_holds();
            }
        }
    }

    /// Sets the reason why a job is pending. Of a job of several partitions, the reason in the first counts.
    pub fn waits_for(&mut self, job: JobHandle, choice: PartitionChoice, reason: WaitReason) {
        if choice == PartitionChoice::FIRST {
            let now = self.second();
            self.reasons.note(self.jobs[job].submission, now, reason);
        }
    }

    /// The weights of nodes follow a selection of nodes for a job, whether it is only planned or also to start now.
    pub fn note_selection(&mut self, at: &RequestedPartition, is_start: bool) {
        let need = &at.kept.need;
        if is_start && !self.pool.lines.is_empty() {
            let shift = self.now().shift_for_start(at);
            self.pool.weigh_as_for_start(need, shift.as_ref());
        }
        if self.plan_mode.weighs_gpus {
            self.pool.weigh_by_gpus(need, is_start);
        }
    }

    /// Reservations of cores keep from a job what is theirs while it would run; whether that differs from what they keep now.
    pub fn lift_core_hold(&mut self, job: JobHandle, choice: PartitionChoice) -> bool {
        let (one, now) = (&self.jobs[job], self.clock.second());
        self.pool.lift_core_hold(&self.jobs, &one.terms, one.partitions[choice].limit, now)
    }

    /// What reservations of cores keep follows the clock and the jobs that run in them.
    pub fn renew_core_holds(&mut self) {
        self.pool.renew_core_holds(&self.jobs, self.clock.second());
    }
}

impl ClusterNow<'_> {
    /// A limit of its association or QOS keeps a job from the nodes it could have: those that it names stay free for it. With
    /// `assoc_limit_stop` its partition is closed as if there were too few nodes; then the answer is true.
    pub fn stop_at_limit(&self, job: JobHandle, at: &RequestedPartition, held_back: &mut NodeSet) -> bool {
        if let Some(named) = at.kept.need.kept_free() {
            held_back.add(named);
            return false;
        }
        let closes = self.cluster.settings.main.assoc_limit_stop
            && self.jobs[job].terms.reservation.is_none()
            && self.is_waited_for(job, at);
        if closes {
            held_back.add(&self.pool.layout.partitions[at.partition.0]);
        }
        closes
    }

    /// Whether a job that cannot start closes its partition to the jobs behind it: not if backfill makes no reservation for it
    /// (`bf_min_prio_reserve`, `bf_min_age_reserve`).
    pub fn is_waited_for(&self, job: JobHandle, at: &RequestedPartition) -> bool {
        let Some(settings) = &self.cluster.settings.backfill else { return true };
        let age = self.jobs[job].wait.eligible.map_or(0, |since| self.second - since);
        at.priority >= u64::from(settings.min_prio_reserve) && age >= settings.min_age_reserve.0
    }
}
