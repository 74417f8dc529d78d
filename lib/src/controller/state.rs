//! Slurm's controller: its timers, its passes over the queue and its backfilling cycles.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::fair_share::FairShare;
use super::job::{ControlledJob, CtlState, StartedBy};
use super::layout::{Load, NodeLayout, NodeShare};
use super::limits::{Amounts, Limits};
use super::need::Need;
use super::node_set::NodeSet;
use super::phases::{Phases, SECOND};
use crate::cluster::{
    AdvanceReservation, Cluster, ClusterAction, ClusterEvent, NodeState, RecordedRun, SubmittedJob,
};

/// Longer idle times are skipped but for their last half day.
const LONG_IDLE: i64 = 86_400 * SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A job ends by itself.
    End(usize, u32),
    /// The nodes of a job that was stopped are free again.
    Release(usize),
}

/// The controller and all it knows.
pub(super) struct Controller<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) layout: NodeLayout,
    pub(super) jobs: Vec<ControlledJob>,
    pub(super) submissions: &'c [SubmittedJob],
    pub(super) of_submission: Vec<Vec<usize>>,
    pub(super) keys: BTreeMap<String, usize>,
    pub(super) load: Load,
    pub(super) up: NodeSet,
    pub(super) reservations: Vec<AdvanceReservation>,
    /// Running jobs by limit end, then in the order of their starts.
    pub(super) running: Vec<usize>,
    /// Waiting jobs.
    pub(super) waiting: Vec<usize>,
    pub(super) fair: FairShare,
    pub(super) limits: Limits,
    pub(super) due: BinaryHeap<Reverse<(i64, Due)>>,
    pub(super) phases: Phases,
    pub(super) now_us: i64,
    pub(super) last_full: i64,
    pub(super) last_pass: i64,
    pub(super) last_limit_check: i64,
    pub(super) last_charge: i64,
    pub(super) pass_requested: bool,
    pub(super) changed: bool,
    pub(super) lighter: NodeSet,
    pub(super) largest_qos: f64,
    pub(super) largest_partition: f64,
    pub(super) all_cpus: f64,
}

impl<'c> Controller<'c> {
    pub fn new(cluster: &'c Cluster, run: &'c RecordedRun, phases: Phases) -> Controller<'c> {
        let layout = NodeLayout::of(cluster);
        let count = cluster.nodes.len();
        let up = NodeSet::of(count, (0..count).filter(|&node| cluster.nodes[node].state == NodeState::Up));
        let start = phases.start_us.div_euclid(SECOND);
        let mut controller = Controller {
            load: Load::none(&layout),
            up,
            reservations: cluster.reservations.clone(),
            running: Vec::new(),
            waiting: Vec::new(),
            fair: FairShare::new(&cluster.associations, &cluster.settings.priority),
            limits: Limits::new(cluster, &layout),
            due: BinaryHeap::new(),
            now_us: phases.start_us,
            last_full: (phases.start_us + phases.first_tick_us).div_euclid(SECOND),
            last_pass: start,
            last_limit_check: start + 1,
            last_charge: start + 1,
            pass_requested: false,
            changed: false,
            lighter: NodeSet::none(count),
            largest_qos: cluster.qos.iter().map(|one| f64::from(one.priority)).fold(0.0, f64::max),
            largest_partition: cluster
                .partitions
                .iter()
                .map(|one| f64::from(one.priority_job_factor))
                .fold(0.0, f64::max),
            all_cpus: cluster.nodes.iter().map(|node| f64::from(node.cpus)).sum(),
            jobs: Vec::new(),
            of_submission: Vec::new(),
            keys: BTreeMap::new(),
            submissions: &run.submissions,
            layout,
            cluster,
            phases,
        };
        controller.take_submissions();
        controller
    }

    pub(super) fn now(&self) -> i64 {
        self.now_us.div_euclid(SECOND)
    }

    /// Runs until all jobs that can end have ended.
    pub fn run(&mut self, events: &[ClusterEvent]) {
        let mut order: Vec<usize> = (0..self.submissions.len()).collect();
        order.sort_by_key(|&place| (self.submissions[place].submit_ms, place));
        let mut arrivals = order.into_iter().peekable();
        let mut events = events.iter().peekable();
        let mut tick = self.phases.start_us + self.phases.first_tick_us;
        let mut backfill = self.phases.first_backfill_us;
        let period = self.cluster.settings.priority.calc_period.0.max(1) * SECOND;
        let mut priority = self.phases.start_us + self.phases.first_priority_us;
        let mut idle_since = None;
        loop {
            let arrival = arrivals.peek().map_or(i64::MAX, |&place| self.submissions[place].submit_ms * 1000);
            let event = events.peek().map_or(i64::MAX, |event| event.at_ms * 1000);
            let end = self.due.peek().map_or(i64::MAX, |Reverse((at, _))| *at);
            let happens = arrival.min(event).min(end);
            if happens == i64::MAX && !self.running.iter().any(|&job| self.is_stopped_ever(job)) {
                if self.waiting.is_empty() {
                    break;
                }
                // Nothing ends and nothing comes: what has not started for a day never will.
                let since = *idle_since.get_or_insert(self.now_us);
                if self.now_us - since > 86_400 * SECOND {
                    break;
                }
            } else {
                idle_since = None;
            }
            if self.waiting.is_empty() && self.running.is_empty() && happens != i64::MAX {
                // Over long idle times the timers only turn.
                let idle = happens.saturating_sub(self.now_us);
                if idle > LONG_IDLE {
                    let turns = (idle - LONG_IDLE / 2) / self.phases.tick_us;
                    tick = tick.saturating_add(turns * self.phases.tick_us);
                    let seconds = turns * self.phases.tick_us / SECOND;
                    backfill = backfill.saturating_add(seconds * SECOND);
                    priority = priority.saturating_add(seconds * SECOND / period * period);
                }
            }
            let timer = tick.min(backfill).min(priority);
            let at = happens.min(timer);
            self.now_us = self.now_us.max(at);
            if at == end {
                match self.due.pop() {
                    Some(Reverse((_, Due::End(job, incarnation))))
                        if self.jobs[job].state == CtlState::Running
                            && self.jobs[job].incarnation == incarnation =>
                    {
                        self.end(job, true);
                    }
                    Some(Reverse((_, Due::Release(job)))) => {
                        self.release(job);
                        // Its nodes report, and that starts a pass at once.
                        let settings = &self.cluster.settings.main;
                        if !settings.defer {
                            let before = (self.last_pass, self.pass_requested);
                            self.pass(Some(settings.default_queue_depth));
                            (self.last_pass, self.pass_requested) = before;
                        }
                    }
                    _ => {}
                }
            } else if at == event {
                if let Some(event) = events.next() {
                    self.act(&event.action);
                }
            } else if at == arrival {
                if let Some(place) = arrivals.next() {
                    self.submit(place);
                }
            } else if at == priority {
                self.recompute();
                priority += period;
            } else if at == tick {
                self.tick();
                tick += self.phases.tick_us;
            } else if self.changed {
                self.changed = false;
                let tests = self.backfill();
                let interval = self
                    .cluster
                    .settings
                    .backfill
                    .as_ref()
                    .map_or(i64::MAX / 4, |one| one.interval.0.max(1) * SECOND);
                backfill = self.now_us + interval + tests as i64 * self.phases.backfill_test_us;
            } else {
                backfill += SECOND;
            }
        }
    }

    /// Whether a job that runs past its limit is stopped at all.
    fn is_stopped_ever(&self, job: usize) -> bool {
        self.jobs[job].run_us.is_some() || self.cluster.settings.over_time_limit.is_some()
    }

    pub(super) fn submit(&mut self, place: usize) {
        let (now, own) = (self.now(), self.of_submission[place].clone());
        let admitted = own.first().is_some_and(|&job| self.limits.admits(&self.jobs[job].counted, own.len()));
        for job in own {
            // Cancelled before it came.
            if self.jobs[job].state != CtlState::ToCome {
                continue;
            }
            let possible =
                admitted && self.jobs[job].places.iter().any(|one| self.layout.could_run(&one.need));
            self.jobs[job].state = if possible { CtlState::Waiting } else { CtlState::Refused };
            self.jobs[job].submit = now;
            if possible {
                let is_ready = !self.jobs[job].is_held
                    && self.jobs[job].begin <= now
                    && self.submissions[place].request.dependency.is_none();
                self.jobs[job].eligible = is_ready.then_some(now);
                self.waiting.push(job);
                self.limits.arrived(&self.jobs[job].counted);
                self.prioritize(job, now);
                let need = self.jobs[job].places[0].need.clone();
                self.note_selection(&need, true);
            }
        }
        self.pass_requested = true;
        self.changed = true;
    }

    pub(super) fn act(&mut self, action: &ClusterAction) {
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
            }
        }
        self.pass_requested = true;
        self.changed = true;
    }

    /// One turn of the background thread.
    pub(super) fn tick(&mut self) {
        let now = self.now();
        if now - self.last_limit_check >= 30 {
            self.last_limit_check = now;
            let over = self.cluster.settings.over_time_limit;
            let late: Vec<usize> = self
                .running
                .iter()
                .copied()
                .filter(|&job| over.is_some_and(|over| self.jobs[job].limit_end + over.0 <= now))
                .collect();
            late.into_iter().for_each(|job| self.end(job, false));
        }
        let begun = self.reservations.iter().any(|one| one.start.0 == now);
        self.pass_requested |= begun;
        let settings = &self.cluster.settings.main;
        let full = settings.sched_interval.is_some_and(|interval| now - self.last_full >= interval.0);
        if full {
            self.last_full = now;
            self.pass(None);
        } else if self.pass_requested && now - self.last_pass >= settings.batch_sched_delay.0 {
            self.pass(Some(settings.default_queue_depth));
        }
    }

    pub(super) fn end(&mut self, job: usize, well: bool) {
        let now = self.now();
        let one = &mut self.jobs[job];
        one.state = CtlState::Ended { well };
        one.end = now;
        self.running.retain(|&other| other != job);
        if well {
            self.release(job);
        } else {
            self.due.push(Reverse((self.now_us + self.phases.stop_delay_us, Due::Release(job))));
        }
        let (counted, amounts) = (self.jobs[job].counted, self.jobs[job].amounts.clone());
        self.limits.ended(&counted, &amounts);
        self.limits.left(&counted);
        self.charge(job, now);
        self.pass_requested = true;
        self.changed = true;
    }

    /// A waiting job leaves.
    pub(super) fn withdraw(&mut self, job: usize) {
        self.jobs[job].state = CtlState::Cancelled;
        self.waiting.retain(|&one| one != job);
        self.limits.left(&self.jobs[job].counted);
    }

    pub(super) fn release(&mut self, job: usize) {
        for share in &self.jobs[job].shares {
            self.load.release(share);
        }
    }

    /// What node selection for this job does to the weights of nodes with GPUs.
    pub(super) fn note_selection(&mut self, need: &Need, is_real: bool) {
        if self.layout.leaves.is_empty() {
            return;
        }
        let gres = need.gres_per_node.iter().chain(&need.gres_per_job).map(|one| one.0).next();
        match gres {
            Some(place) => {
                for node in need.feasible.iter() {
                    if self.layout.nodes[node].gres[place] > 0 {
                        self.lighter.insert(node);
                    }
                }
            }
            None if is_real && self.lighter.meets(&need.feasible) => {
                self.lighter = NodeSet::none(self.cluster.nodes.len());
            }
            None => {}
        }
    }

    pub(super) fn lighter_for(&self, need: &Need) -> NodeSet {
        match need.gres_per_node.is_empty() && need.gres_per_job.is_empty() {
            true => self.lighter.clone(),
            false => NodeSet::none(self.cluster.nodes.len()),
        }
    }

    pub(super) fn start(
        &mut self,
        job: usize,
        place: usize,
        shares: Vec<NodeShare>,
        amounts: Amounts,
        by: StartedBy,
    ) {
        let (now, now_us) = (self.now(), self.now_us);
        for share in &shares {
            self.load.take(share);
        }
        let counted = self.jobs[job].counted;
        self.limits.started(&counted, &amounts);
        let count = self.cluster.nodes.len();
        let one = &mut self.jobs[job];
        one.state = CtlState::Running;
        one.nodes = NodeSet::of(count, shares.iter().map(|share| share.node));
        (one.shares, one.amounts, one.by) = (shares, amounts, Some(by));
        (one.start, one.start_us, one.ran_in) = (now, now_us, one.places[place].partition);
        one.limit_end = now + one.places[place].limit;
        one.incarnation += 1;
        if let Some(run) = one.run_us {
            self.due.push(Reverse((now_us + run + self.phases.end_delay_us, Due::End(job, one.incarnation))));
        }
        let end = one.limit_end;
        let at = self.running.partition_point(|&other| self.jobs[other].limit_end <= end);
        self.running.insert(at, job);
        self.waiting.retain(|&other| other != job);
        self.changed = true;
    }
}
