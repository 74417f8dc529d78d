//! What happens to jobs: they come, start, end and leave; and what users and administrators do.

use std::sync::Arc;

use crate::cluster::{ClusterAction, NodeState};
use crate::controller::clock::Due;
use crate::controller::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use crate::controller::held_parts::HeldParts;
use crate::controller::job::{JobStage, RefusedFor, StartedBy};
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
            let refused = match () {
                () if self.jobs[job].partitions.is_empty() => Some(RefusedFor::Partition),
                () if !admitted => Some(RefusedFor::SubmittedJobs),
                () if !could_run => Some(RefusedFor::Nodes),
                () if !has_licenses => Some(RefusedFor::Licenses),
                () => None,
            };
            self.jobs.was_submitted(job, now);
            if let Some(why) = refused {
                self.jobs.is_refused(job, why);
                self.jobs.forget_needs(job, self.needs.gone());
                continue;
            }
            self.jobs.at_mut(job).state = JobStage::Waiting;
            // An array is looked at by the first pass or cycle, or when a job is submitted after it.
            let is_array = self.jobs.asked(submission).request.array.is_some();
            let is_ready = !is_array && self.is_ready(job) == Some(true);
            self.queue.arrives(job);
            let limits = self.jobs[job].holder.limits.clone();
            self.limits.arrived(&limits);
            self.jobs.at_mut(job).wait.eligible = is_ready.then_some(now);
            self.priorities.prioritize(&mut self.jobs, job, now);
            self.size_submitted(job);
            if is_ready {
                self.look_at_waiting(job);
                self.queue.is_unseen(job);
                self.queue.enqueue(&self.jobs, self.cluster, job);
            } else {
                self.queue.is_unready(job);
            }
            let at = self.jobs[job].partitions[PartitionChoice::FIRST].clone();
            if self.limits.before_selection(&at.limits, at.limit).is_none() {
                self.note_selection(&at, true);
            }
        }
        self.clock.request_schedulers();
    }

    pub fn act(&mut self, action: &ClusterAction) {
        self.last_cycle.forget_plans();
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
                        JobStage::ToCome => self.jobs.at_mut(job).state = JobStage::Cancelled,
                        _ => {}
                    }
                }
            }
            ClusterAction::Reserve(reservation) => {
                self.pool.reserve(reservation, self.clock.second());
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
        for job in self.jobs.running().iter().filter(is_hit).copied().collect::<Vec<JobHandle>>() {
            let goes_back = self.jobs.can_requeue(job, &self.cluster.settings.jobs);
            self.end(job, false);
            if goes_back {
                self.requeue(job);
            }
        }
    }

    /// A job ends, by itself or because it is stopped.
    pub fn end(&mut self, job: JobHandle, by_itself: bool) {
        let now = self.second();
        let one = self.jobs.at_mut(job);
        one.state = JobStage::Ended { well: by_itself && !one.terms.fails };
        one.last.end = now;
        self.jobs.runs_no_more(job);
        if by_itself {
            self.release(job);
        } else {
            self.pool.completes(&self.jobs[job].last.shares, false);
            self.clock.set_due(self.clock.phases().stop_delay, Due::Release(job));
        }
        let one = &self.jobs[job];
        self.priorities.charge(one, &mut self.limits, now);
        let limits = one.running_limits();
        let (ran, limit) = (now - one.last.start, one.last.limit_end - one.last.start);
        self.limits.charge(&limits, &one.last.amounts, (ran, limit.max(ran)), limit, 0.0);
        self.limits.ended(&limits, &one.last.amounts, &one.last.nodes);
        self.limits.left(&one.holder.limits);
        let last = &mut self.jobs.at_mut(job).last;
        // A job that is requeued later counts what it had.
        if self.cluster.settings.priority.weights.tres.is_empty() {
            last.amounts = Amounts::default();
        }
        last.nodes = Box::default();
        self.licenses.give_back(&self.jobs.submission(job).request.gres.licenses);
        self.jobs.forget_needs(job, self.needs.gone());
        self.clock.request_schedulers();
    }

    /// A waiting job leaves.
    pub fn withdraw(&mut self, job: JobHandle) {
        let now = self.second();
        let one = self.jobs.at_mut(job);
        (one.state, one.last.end) = (JobStage::Cancelled, now);
        self.leave_waiting(job);
        let limits = self.jobs[job].holder.limits.clone();
        self.limits.left(&limits);
        self.queue.dequeue(&self.jobs, self.cluster, job);
        self.jobs.forget_needs(job, self.needs.gone());
    }

    /// A job does not wait any more.
    fn leave_waiting(&mut self, job: JobHandle) {
        self.limits.end_ageing(&mut self.jobs, job);
        self.queue.waits_no_more(job);
        self.sizes.waits_no_more(job);
        self.jobs.waits_no_more(job);
    }

    /// A job has been stopped: its nodes are free.
    pub fn has_stopped(&mut self, job: JobHandle) {
        self.pool.completes(&self.jobs[job].last.shares, true);
        self.release(job);
    }

    fn release(&mut self, job: JobHandle) {
        let shares = self.jobs.take_shares(job);
        self.pool.release(&shares);
        if self.jobs[job].terms.reservation.is_some() {
            self.renew_core_holds();
        }
    }

    pub fn start(
        &mut self,
        job: JobHandle,
        choice: PartitionChoice,
        shares: Vec<NodeShare>,
        mut amounts: Amounts,
        by: StartedBy,
    ) {
        let now = self.second();
        self.jobs.try_in(job, self.jobs[job].partitions[choice].partition, self.cluster);
        let shares: Arc<[NodeShare]> = shares.into();
        self.pool.take(&shares);
        self.licenses.take(&self.jobs.submission(job).request.gres.licenses);
        let record = self.jobs.record_of_waiting(self.jobs[job].submission);
        let one = self.jobs.at_mut(job);
        one.state = JobStage::Running;
        one.last.nodes = shares.iter().map(|share| share.node as u32).collect();
        let at = &one.partitions[choice];
        let billing = one.last.billing.get_or_insert_with(|| self.limits.billed(&amounts, at.partition));
        amounts.bill(*billing);
        self.limits.started(&at.limits, &amounts, &one.last.nodes, at.limit);
        one.last.cpus = shares.iter().map(|share| share.cpus).sum();
        one.last.parts = match self.keeps_parts {
            true => HeldParts::of(&shares),
            false => HeldParts::of_nodes(one.last.nodes.iter().copied()),
        };
        (one.last.shares, one.last.amounts, one.last.by) = (shares, amounts, Some(by));
        (one.last.start, one.last.ran_in) = (now, one.partitions[choice].partition);
        one.last.limit_end = now + one.partitions[choice].limit;
        (one.last.record, one.last.is_timed_out) = (record, false);
        one.last.incarnation += 1;
        if let Some(run) = one.terms.run {
            self.clock.set_due(run + self.clock.phases().end_delay, Due::End(job, one.last.incarnation));
        }
        let (submission, is_task) = (one.submission, one.task.is_some());
        self.jobs.runs(job);
        self.leave_waiting(job);
        if is_task {
            // The task takes the array's record; the tasks that wait get a new one.
            self.jobs.new_record(submission);
            self.size_waiting_tasks(job, choice);
            self.wait_for_turn(job);
        }
        self.queue.dequeue(&self.jobs, self.cluster, job);
        self.clock.request_cycle();
    }

    /// The first task of an array whose tasks run one at a time has started when a pass or cycle saw the array first: the others are
    /// eligible once one finds that they may start.
    fn wait_for_turn(&mut self, job: JobHandle) {
        let (one, now) = (&self.jobs[job], self.second());
        if one.wait.eligible != Some(now) || one.last.incarnation > 1 || !self.jobs.is_throttled(job, 0) {
            return;
        }
        let tasks = self.jobs.tasks(one.submission);
        if tasks.iter().any(|&other| other != job && self.jobs[other].last.incarnation > 0) {
            return;
        }
        for task in self.jobs.waiting_of(tasks) {
            if self.jobs.at_mut(task).wait.eligible.take().is_some() {
                self.limits.end_ageing(&mut self.jobs, task);
                self.queue.is_unready(task);
            }
        }
    }

    /// A task of an array has started: the size of those that wait is what it was given, where nodes differ in that.
    fn size_waiting_tasks(&mut self, job: JobHandle, choice: PartitionChoice) {
        let one = &self.jobs[job];
        let (cpus, is_first) = (one.last.cpus, one.last.incarnation <= 1);
        if is_first && self.pool.layout.sizes_differ(&one.partitions[choice].kept.need) {
            self.jobs.set_size_of_tasks(job, cpus);
        }
    }
}
