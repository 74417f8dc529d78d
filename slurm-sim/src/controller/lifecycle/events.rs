//! What happens to jobs: they come, start, end and leave; and what users and administrators do.

use std::cmp::Reverse;

use crate::cluster::{ClusterAction, NodeState};
use crate::controller::job::{CtlState, StartedBy};
use crate::controller::limits::Amounts;
use crate::controller::placement::NodeShare;
use crate::controller::state::{Controller, Due};

impl Controller<'_> {
    pub fn submit(&mut self, place: usize) {
        let is_to_come = |job: &usize| self.jobs[*job].state == CtlState::ToCome;
        let own: Vec<usize> = self.of_submission[place].iter().copied().filter(is_to_come).collect();
        self.describe(place, &own);
        let now = self.second();
        let admitted = own.first().is_some_and(|&job| self.limits.admits(&self.jobs[job].limits, own.len()));
        self.records += 1;
        self.arrays[place].record = self.records;
        for job in own {
            let has_licenses = self.licenses.are_there(&self.submissions[place].request.licenses);
            let could_run = self.jobs[job].places.iter().any(|one| one.kept.need.could_run);
            let possible = admitted && could_run && has_licenses;
            self.jobs[job].submit = now;
            if !possible {
                self.jobs[job].state = CtlState::Refused;
                self.forget(job);
                continue;
            }
            self.jobs[job].state = CtlState::Waiting;
            // An array is looked at by the first pass or cycle, or when a job is submitted after it.
            let is_array = self.submissions[place].request.array.is_some();
            let is_ready = !is_array && self.is_ready(job) == Some(true);
            self.waiting.push(job);
            let limits = self.jobs[job].limits.clone();
            self.limits.arrived(&limits);
            self.jobs[job].eligible = is_ready.then_some(now);
            self.prioritize(job, now);
            self.is_to_size(job);
            if is_ready {
                self.look_at_waiting(job);
                self.unseen.push(job);
                self.enqueue(job);
            } else {
                self.unready.push(job);
            }
            let at = self.jobs[job].places[0].clone();
            if self.limits.before_selection(&at.limits, at.limit).is_none() {
                self.note_selection(&at, true);
            }
        }
        self.pass_requested = true;
        self.changed = true;
    }

    /// Of a job that is gone only what became of it is kept.
    fn forget(&mut self, job: usize) {
        let no_need = self.no_need.clone();
        self.jobs[job].places.iter_mut().for_each(|place| place.kept = no_need.clone());
    }

    pub fn act(&mut self, action: &ClusterAction) {
        match action {
            ClusterAction::Cancel { key, task } => {
                let Some(&place) = self.keys.get(key) else { return };
                for job in self.of_submission[place].clone() {
                    if task.is_some() && self.jobs[job].task != *task {
                        continue;
                    }
                    match self.jobs[job].state {
                        CtlState::Waiting => self.withdraw(job),
                        CtlState::Running => self.end(job, false),
                        CtlState::ToCome => self.jobs[job].state = CtlState::Cancelled,
                        _ => {}
                    }
                }
            }
            ClusterAction::Reserve(reservation) => {
                self.reservations.retain(|one| one.name != reservation.name);
                self.reservations.push(reservation.clone());
            }
            ClusterAction::Unreserve { name } => self.reservations.retain(|one| one.name != *name),
            ClusterAction::Nodes(change) => {
                for &node in &change.nodes {
                    match change.state {
                        NodeState::Up => self.up.insert(node),
                        _ => self.up.remove(node),
                    }
                }
                self.open_partitions();
                if change.state == NodeState::Down {
                    self.lose(&change.nodes);
                }
            }
        }
        self.pass_requested = true;
        self.changed = true;
    }

    /// Jobs on nodes that fail end; those that may go back to the queue do.
    fn lose(&mut self, nodes: &[usize]) {
        let is_hit =
            |job: &&usize| self.jobs[**job].nodes.iter().any(|&node| nodes.contains(&(node as usize)));
        for job in self.running.iter().filter(is_hit).copied().collect::<Vec<usize>>() {
            let goes_back = self.can_requeue(job);
            self.end(job, false);
            if goes_back {
                self.requeue(job);
            }
        }
    }

    /// A job ends, by itself or because it is stopped.
    pub fn end(&mut self, job: usize, by_itself: bool) {
        let now = self.second();
        let one = &mut self.jobs[job];
        one.state = CtlState::Ended { well: by_itself && !one.fails };
        one.end = now;
        self.running.retain(|&other| other != job);
        if by_itself {
            self.release(job);
        } else {
            self.due.push(Reverse((self.now + self.phases.stop_delay, Due::Release(job))));
        }
        self.charge(job, now);
        let one = &self.jobs[job];
        let limits = one.running_limits();
        let (ran, limit) = (now - one.start, one.limit_end - one.start);
        self.limits.charge(&limits, &one.amounts, (ran, limit.max(ran)), limit, 0.0);
        self.limits.ended(&limits, &one.amounts, &one.nodes);
        self.limits.left(&one.limits);
        self.jobs[job].amounts = Amounts::default();
        let submission = self.jobs[job].submission;
        self.licenses.give_back(&self.submissions[submission].request.licenses);
        self.arrays[submission].running -= 1;
        self.forget(job);
        self.pass_requested = true;
        self.changed = true;
    }

    /// A waiting job leaves.
    pub fn withdraw(&mut self, job: usize) {
        self.jobs[job].state = CtlState::Cancelled;
        self.jobs[job].end = self.second();
        self.leave_waiting(job);
        let limits = self.jobs[job].limits.clone();
        self.limits.left(&limits);
        self.dequeue(job);
        self.forget(job);
    }

    /// A job does not wait any more.
    fn leave_waiting(&mut self, job: usize) {
        self.end_ageing(job);
        if let Some(at) = self.waiting.iter().position(|&other| other == job) {
            self.waiting.remove(at);
        }
        let submission = self.jobs[job].submission;
        let own = &self.of_submission[submission];
        let waits = |&one: &usize| matches!(self.jobs[one].state, CtlState::Waiting | CtlState::ToCome);
        let mut from = self.arrays[submission].waiting_from;
        while own.get(from).is_some_and(|one| !waits(one)) {
            from += 1;
        }
        self.arrays[submission].waiting_from = from;
    }

    pub fn release(&mut self, job: usize) {
        for share in std::mem::take(&mut self.jobs[job].shares) {
            self.load.release(&share);
        }
    }

    pub fn start(
        &mut self,
        job: usize,
        place: usize,
        shares: Vec<NodeShare>,
        amounts: Amounts,
        by: StartedBy,
    ) {
        let now = self.second();
        for share in &shares {
            self.load.take(share);
        }
        self.licenses.take(&self.submissions[self.jobs[job].submission].request.licenses);
        let one = &mut self.jobs[job];
        one.state = CtlState::Running;
        one.nodes = shares.iter().map(|share| share.node as u32).collect();
        let at = &one.places[place];
        self.limits.started(&at.limits, &amounts, &one.nodes, at.limit);
        one.cpus = shares.iter().map(|share| share.cpus).sum();
        if self.keeps_parts {
            one.parts.clone_from(&shares);
        }
        (one.shares, one.amounts, one.by) = (shares, amounts, Some(by));
        (one.start, one.ran_in) = (now, one.places[place].partition);
        one.limit_end = now + one.places[place].limit;
        one.record = self.arrays[one.submission].record;
        one.incarnation += 1;
        if let Some(run) = one.run {
            self.due.push(Reverse((self.now + run + self.phases.end_delay, Due::End(job, one.incarnation))));
        }
        let (key, submission, is_task) = ((one.limit_end, one.record), one.submission, one.task.is_some());
        let of = |other: usize| (self.jobs[other].limit_end, self.jobs[other].record);
        let at = self.running.partition_point(|&other| of(other) <= key);
        self.running.insert(at, job);
        self.leave_waiting(job);
        if is_task {
            // The task takes the array's record; the tasks that wait get a new one.
            self.records += 1;
            self.arrays[submission].record = self.records;
        }
        self.arrays[submission].running += 1;
        self.dequeue(job);
        self.changed = true;
    }
}
