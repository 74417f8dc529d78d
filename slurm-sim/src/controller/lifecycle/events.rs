//! What happens to jobs: they come, start, end and leave; and what users and administrators do.

use std::sync::Arc;

use crate::cluster::{ClusterAction, NodeState};
use crate::controller::clock::Due;
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::held_parts::HeldParts;
use crate::controller::job::{JobStage, StartedBy};
use crate::controller::limits::Amounts;
use crate::controller::placement::NodeShare;
use crate::controller::state::Controller;

impl Controller<'_> {
    pub fn submit(&mut self, submission: SubmissionHandle) {
        let is_to_come = |job: &JobHandle| self.jobs[*job].state == JobStage::ToCome;
        let own: Vec<JobHandle> = self.jobs.tasks(submission).iter().copied().filter(is_to_come).collect();
        self.describe(submission, &own);
        let now = self.second();
        let admitted =
            own.first().is_some_and(|&job| self.limits.admits(&self.jobs[job].holder.limits, own.len()));
        self.jobs.new_record(submission);
        for job in own {
            let has_licenses = self.licenses.are_there(&self.jobs.asked(submission).request.gres.licenses);
            let could_run = self.jobs[job].partitions.iter().any(|one| one.kept.need.on.could_run);
            let possible = admitted && could_run && has_licenses;
            self.jobs[job].wait.submit = now;
            if !possible {
                self.jobs[job].state = JobStage::Refused;
                self.forget(job);
                continue;
            }
            self.jobs[job].state = JobStage::Waiting;
            // An array is looked at by the first pass or cycle, or when a job is submitted after it.
            let is_array = self.jobs.asked(submission).request.array.is_some();
            let is_ready = !is_array && self.is_ready(job) == Some(true);
            self.queue.waiting.push(job);
            let limits = self.jobs[job].holder.limits.clone();
            self.limits.arrived(&limits);
            self.jobs[job].wait.eligible = is_ready.then_some(now);
            self.prioritize(job, now);
            self.is_to_size(job);
            if is_ready {
                self.look_at_waiting(job);
                self.queue.unseen.push(job);
                self.enqueue(job);
            } else {
                self.queue.unready.push(job);
            }
            let at = self.jobs[job].partitions[0].clone();
            if self.limits.before_selection(&at.limits, at.limit).is_none() {
                self.note_selection(&at, true);
            }
        }
        self.clock.request_schedulers();
    }

    /// Of a job that is gone only what became of it is kept.
    fn forget(&mut self, job: JobHandle) {
        let gone = self.needs.gone();
        self.jobs[job]
            .partitions
            .iter_mut()
            .for_each(|place| (place.kept, place.whole) = (gone.clone(), None));
    }

    pub fn act(&mut self, action: &ClusterAction) {
        match action {
            ClusterAction::Cancel { key, task } => {
                let Some(submission) = self.jobs.named(key) else { return };
                for job in self.jobs.tasks(submission).to_vec() {
                    if task.is_some() && self.jobs[job].task != *task {
                        continue;
                    }
                    match self.jobs[job].state {
                        JobStage::Waiting => self.withdraw(job),
                        JobStage::Running => self.end(job, false),
                        JobStage::ToCome => self.jobs[job].state = JobStage::Cancelled,
                        _ => {}
                    }
                }
            }
            ClusterAction::Reserve(reservation) => {
                self.pool.reserve(reservation);
                self.renew_core_holds();
            }
            ClusterAction::Unreserve { name } => {
                self.pool.unreserve(name);
                self.renew_core_holds();
            }
            ClusterAction::Nodes(change) => {
                self.pool.change_state(&change.nodes, change.state);
                if change.state == NodeState::Down {
                    self.lose(&change.nodes);
                }
            }
            ClusterAction::Job { key, task, change } => self.change_jobs(key, *task, *change),
        }
        self.clock.request_schedulers();
    }

    /// Jobs on nodes that fail end; those that may go back to the queue do.
    fn lose(&mut self, nodes: &[usize]) {
        let is_hit = |job: &&JobHandle| {
            self.jobs[**job].last.nodes.iter().any(|&node| nodes.contains(&(node as usize)))
        };
        for job in self.jobs.running.iter().filter(is_hit).copied().collect::<Vec<JobHandle>>() {
            let goes_back = self.can_requeue(job);
            self.end(job, false);
            if goes_back {
                self.requeue(job);
            }
        }
    }

    /// A job ends, by itself or because it is stopped.
    pub fn end(&mut self, job: JobHandle, by_itself: bool) {
        let now = self.second();
        let one = &mut self.jobs[job];
        one.state = JobStage::Ended { well: by_itself && !one.terms.fails };
        one.last.end = now;
        self.jobs.runs_no_more(job);
        if by_itself {
            self.release(job);
        } else {
            self.clock.set_due(self.clock.phases.stop_delay, Due::Release(job));
        }
        self.charge(job, now);
        let one = &self.jobs[job];
        let limits = one.running_limits();
        let (ran, limit) = (now - one.last.start, one.last.limit_end - one.last.start);
        self.limits.charge(&limits, &one.last.amounts, (ran, limit.max(ran)), limit, 0.0);
        self.limits.ended(&limits, &one.last.amounts, &one.last.nodes);
        self.limits.left(&one.holder.limits);
        let last = &mut self.jobs[job].last;
        last.amounts = Amounts::default();
        last.nodes = Box::default();
        self.licenses.give_back(&self.jobs.submission(job).request.gres.licenses);
        self.forget(job);
        self.clock.request_schedulers();
    }

    /// A waiting job leaves.
    pub fn withdraw(&mut self, job: JobHandle) {
        self.jobs[job].state = JobStage::Cancelled;
        self.jobs[job].last.end = self.second();
        self.leave_waiting(job);
        let limits = self.jobs[job].holder.limits.clone();
        self.limits.left(&limits);
        self.dequeue(job);
        self.forget(job);
    }

    /// A job does not wait any more.
    fn leave_waiting(&mut self, job: JobHandle) {
        self.end_ageing(job);
        self.queue.waits_no_more(job);
        self.jobs.waits_no_more(job);
    }

    pub fn release(&mut self, job: JobHandle) {
        for share in &*std::mem::take(&mut self.jobs[job].last.shares) {
            self.pool.load.release(share);
        }
        if self.jobs[job].terms.reservation.is_some() {
            self.renew_core_holds();
        }
    }

    pub fn start(
        &mut self,
        job: JobHandle,
        place: usize,
        shares: Vec<NodeShare>,
        mut amounts: Amounts,
        by: StartedBy,
    ) {
        let now = self.second();
        self.try_in(job, self.jobs[job].partitions[place].partition);
        let shares: Arc<[NodeShare]> = shares.into();
        for share in &*shares {
            self.pool.load.take(share);
        }
        self.licenses.take(&self.jobs.submission(job).request.gres.licenses);
        let record = self.jobs.record_of_waiting(self.jobs[job].submission);
        let one = &mut self.jobs[job];
        one.state = JobStage::Running;
        one.last.nodes = shares.iter().map(|share| share.node as u32).collect();
        let at = &one.partitions[place];
        let billing = one.last.billing.get_or_insert_with(|| self.limits.billed(&amounts, at.partition));
        amounts.bill(*billing);
        self.limits.started(&at.limits, &amounts, &one.last.nodes, at.limit);
        one.last.cpus = shares.iter().map(|share| share.cpus).sum();
        one.last.parts = match self.keeps_parts {
            true => HeldParts::of(&shares),
            false => HeldParts::of_nodes(one.last.nodes.iter().copied()),
        };
        (one.last.shares, one.last.amounts, one.last.by) = (shares, amounts, Some(by));
        (one.last.start, one.last.ran_in) = (now, one.partitions[place].partition);
        one.last.limit_end = now + one.partitions[place].limit;
        (one.last.record, one.last.is_timed_out) = (record, false);
        one.last.incarnation += 1;
        if let Some(run) = one.terms.run {
            self.clock.set_due(run + self.clock.phases.end_delay, Due::End(job, one.last.incarnation));
        }
        let (submission, is_task) = (one.submission, one.task.is_some());
        self.jobs.runs(job);
        self.leave_waiting(job);
        if is_task {
            // The task takes the array's record; the tasks that wait get a new one.
            self.jobs.new_record(submission);
            self.size_started(job);
        }
        self.dequeue(job);
        self.clock.changed = true;
    }
}
