//! Slurm's controller: its timers, its passes over the queue and its backfill cycles.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;
use std::sync::Arc;

use super::job::{ControlledJob, CtlState};
use crate::cluster::{AdvanceReservation, Cluster, ClusterEvent, PreemptKind, SubmittedJob};
use crate::controller::backfill::TimeMap;
use crate::controller::clock::{Phases, REPORT};
use crate::controller::limits::{LicenseCounts, Limits};
use crate::controller::placement::{
    KeptNeed, Load, Need, NeedCache, NodeLayout, NodeSet, PreparedCluster, PreparedNodes, WeightShift,
    alike_by_weight,
};
use crate::controller::priority::FairShare;
use crate::controller::queue::{ArrayTasks, QueueRecord, WaitedTimes};
use queuecast_core::units::Micros;

/// The last second of the clock: some three thousand years from its zero.
pub const LAST_SECOND: i64 = 100_000_000_000;

/// An instant beyond the clock's last is the last.
pub fn on_clock(at: Micros) -> Micros {
    let last = Micros::of_seconds(LAST_SECOND);
    at.clamp(Micros::ZERO - last, last)
}

/// Seconds between two checks of time limits.
pub const LIMIT_CHECK: i64 = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A job ends by itself.
    End(usize, u32),
    /// The nodes of a job that was stopped are free again.
    Release(usize),
    /// A job reaches its limit, where it is stopped exactly then.
    Limit(usize, u32),
}

/// Looks at a plan: the controller, the job and where it was planned, what was planned before, and the plan.
#[cfg(test)]
pub type PlanCheck = fn(&Controller<'_>, usize, &super::job::JobPlace, &TimeMap, Option<&(i64, Vec<usize>)>);

/// The controller and all it knows.
pub struct Controller<'c> {
    pub cluster: &'c Cluster,
    pub layout: Arc<NodeLayout>,
    pub jobs: Vec<ControlledJob>,
    pub submissions: &'c [SubmittedJob],
    pub of_submission: Vec<Vec<usize>>,
    /// Where each submission stands among all in the order in which they come.
    pub ranks: Vec<usize>,
    pub keys: BTreeMap<String, usize>,
    pub load: Load,
    pub up: NodeSet,
    pub reservations: Vec<AdvanceReservation>,
    /// Running jobs by limit end, then in the order of their records.
    pub running: Vec<usize>,
    /// Records made so far.
    pub records: u64,
    /// Waiting jobs, in the order of their submission.
    pub waiting: Vec<usize>,
    /// Those of them that are not eligible yet: dependency, begin time or hold.
    pub unready: Vec<usize>,
    /// Those that no pass or cycle has seen.
    pub unseen: Vec<usize>,
    /// Exclusive jobs that no backfill cycle has seen.
    pub unsized_jobs: Vec<usize>,
    /// Sizes of jobs that have changed since their priorities were computed: nodes were looked for.
    pub looked_for: Vec<(usize, u32)>,
    /// The queue in order, while no pass or cycle has it; with records of jobs that have left it.
    pub order: Vec<QueueRecord>,
    /// Jobs requeued since a pass or cycle took the queue: its records of them are outdated.
    pub requeued: Vec<usize>,
    /// How many records may be of jobs that have left.
    pub left: usize,
    /// Whether priorities have changed since it was put in order.
    pub is_order_stale: bool,
    /// The task of each array that is in the queue.
    pub heads: BTreeMap<usize, usize>,
    pub arrays: Vec<ArrayTasks>,
    pub needs: NeedCache,
    /// Numbers of users and accounts.
    pub users: BTreeMap<String, u32>,
    pub accounts: BTreeMap<String, u32>,
    /// The association of each account and user.
    pub associations: BTreeMap<(String, String), usize>,
    /// No nodes.
    pub none: NodeSet,
    /// The need of jobs that are gone.
    pub no_need: Rc<KeptNeed>,
    /// Nodes of each partition that are up.
    pub open_nodes: Vec<NodeSet>,
    /// Whether backfill cycles plan every job, as Slurm does, or only those whose plans can affect which jobs start now.
    pub plans_all: bool,
    /// What is done with each plan of a cycle that plans every job.
    #[cfg(test)]
    pub check_plan: Option<PlanCheck>,
    /// Whether preemption is configured.
    pub preempts_any: bool,
    /// Whether plans are made as Slurm makes them since 24.11.
    pub plans_as_2411: bool,
    pub fair: FairShare,
    pub limits: Limits,
    pub licenses: LicenseCounts,
    pub due: BinaryHeap<Reverse<(Micros, Due)>>,
    pub phases: Phases,
    pub now: Micros,
    pub last_full: i64,
    pub last_pass: i64,
    pub last_report: i64,
    pub last_limit_check: i64,
    pub last_charge: i64,
    pub pass_requested: bool,
    pub changed: bool,
    /// How weights differ from those configured once nodes have been chosen for a job: plans are made with these.
    pub weights: Rc<WeightShift>,
    /// Whether some nodes have GPUs.
    pub has_gpus: bool,
    /// Nodes of each line of the configuration, where nodes count for a limit.
    pub lines: Vec<NodeSet>,
    /// Memory for what the next backfill cycle plans.
    pub spare: Cell<TimeMap>,
    pub largest_qos: f64,
    pub largest_partition: f64,
    pub largest_association: f64,
    pub all_cpus: f64,
    pub reasons: WaitedTimes,
    /// Whether jobs of an account or QOS that their partition does not take wait for ever, as in Slurm where `EnforcePartLimits` is `NO`:
    /// so in recordings. Jobs of a log are refused instead, and counted as such.
    pub keeps_barred: bool,
    /// Whether the parts of nodes that jobs held are recorded.
    pub keeps_parts: bool,
    /// Jobs whose starts are waited for: the simulation ends with the last of them. Empty: it goes on to the end.
    pub wanted: Vec<usize>,
}

/// The association of each account and user, for all partitions.
fn users_of(cluster: &Cluster) -> BTreeMap<(String, String), usize> {
    let mut known = BTreeMap::new();
    for (index, one) in cluster.associations.0.iter().enumerate() {
        if let (Some(user), None) = (&one.user, &one.partition) {
            known.entry((one.account.clone(), user.clone())).or_insert(index);
        }
    }
    known
}

impl<'c> Controller<'c> {
    pub fn new(cluster: &'c Cluster, submissions: &'c [SubmittedJob], phases: Phases) -> Controller<'c> {
        Controller::prepared(&PreparedCluster::of(cluster), submissions, phases)
    }

    /// Of a cluster that other simulations share.
    pub fn prepared(
        prepared: &PreparedCluster<'c>,
        submissions: &'c [SubmittedJob],
        phases: Phases,
    ) -> Controller<'c> {
        let cluster = prepared.cluster;
        let PreparedNodes { layout, up, all_cpus } = prepared.nodes.clone();
        let count = cluster.nodes.len();
        let start = phases.start.second().0;
        let limits = Limits::new(cluster, &layout);
        let mut controller = Controller {
            load: Load::none(&layout),
            up,
            reservations: cluster.reservations.clone(),
            running: Vec::new(),
            records: 0,
            waiting: Vec::new(),
            unready: Vec::new(),
            unseen: Vec::new(),
            unsized_jobs: Vec::new(),
            looked_for: Vec::new(),
            order: Vec::new(),
            requeued: Vec::new(),
            left: 0,
            is_order_stale: false,
            heads: BTreeMap::new(),
            arrays: vec![ArrayTasks::default(); submissions.len()],
            needs: NeedCache::with(Arc::clone(&prepared.found)),
            users: BTreeMap::new(),
            accounts: BTreeMap::new(),
            associations: users_of(cluster),
            none: NodeSet::none(count),
            no_need: Rc::new(KeptNeed::new(Arc::new(Need::nothing(count)), u32::MAX)),
            open_nodes: Vec::new(),
            // What tests for jobs with GPUs leave behind depends on every test; what makes way need not be free; sizes with
            // select/linear are those that were last tested.
            plans_all: layout.has_gpus()
                || layout.is_linear
                || cluster.settings.preempt.kind != PreemptKind::None,
            #[cfg(test)]
            check_plan: None,
            plans_as_2411: cluster.version.is_some_and(|version| version >= (24, 11)),
            preempts_any: cluster.settings.preempt.kind != PreemptKind::None,
            fair: FairShare::new(&cluster.associations, &cluster.settings.priority),
            due: BinaryHeap::new(),
            now: phases.start,
            last_full: phases.background_start(),
            last_pass: start,
            last_report: phases.background_start(),
            last_limit_check: phases.background_start(),
            last_charge: (phases.start + phases.first_priority).second().0,
            pass_requested: false,
            changed: false,
            weights: Rc::new(WeightShift::none(count)),
            has_gpus: layout.has_gpus(),
            lines: if limits.counts_nodes(cluster) { alike_by_weight(cluster) } else { Vec::new() },
            limits,
            licenses: LicenseCounts::of(&cluster.licenses),
            spare: Cell::default(),
            largest_qos: cluster.qos.iter().map(|one| f64::from(one.priority)).fold(0.0, f64::max),
            largest_partition: cluster
                .partitions
                .iter()
                .map(|one| f64::from(one.priority_job_factor))
                .fold(0.0, f64::max),
            largest_association: cluster
                .associations
                .0
                .iter()
                .filter_map(|one| one.priority)
                .map(f64::from)
                .fold(0.0, f64::max),
            all_cpus,
            reasons: WaitedTimes::of(submissions.len()),
            keeps_barred: false,
            keeps_parts: false,
            wanted: Vec::new(),
            jobs: Vec::new(),
            of_submission: Vec::new(),
            ranks: Vec::new(),
            keys: BTreeMap::new(),
            submissions,
            layout,
            cluster,
            phases,
        };
        controller.open_partitions();
        controller.take_submissions();
        controller
    }

    pub fn second(&self) -> i64 {
        self.now.second().0
    }

    /// Runs until all jobs that can end have ended.
    pub fn run(&mut self, events: &[ClusterEvent]) {
        let is_to_come = |&place: &usize| {
            self.of_submission[place].iter().any(|&job| self.jobs[job].state == CtlState::ToCome)
        };
        let mut order: Vec<usize> = (0..self.submissions.len()).filter(is_to_come).collect();
        order.sort_by_key(|&place| (self.submissions[place].submit, place));
        let mut arrivals = order.into_iter().peekable();
        let mut events = events.iter().peekable();
        let mut tick = self.phases.start + self.phases.first_tick;
        let mut backfill = self.phases.first_backfill;
        let period = Micros::of_seconds(self.cluster.settings.priority.calc_period.0.clamp(1, 86_400 * 365));
        let mut priority = self.phases.start + self.phases.first_priority;
        let mut quiet = self.quiet_time();
        let is_open = self.wanted.is_empty();
        loop {
            let waits = |job: usize| matches!(self.jobs[job].state, CtlState::ToCome | CtlState::Waiting);
            while self.wanted.last().is_some_and(|&job| !waits(job)) {
                self.wanted.pop();
            }
            if self.wanted.is_empty() && !is_open {
                break;
            }
            let arrival =
                arrivals.peek().map_or(Micros::NEVER, |&place| on_clock(self.submissions[place].submit));
            let event = events.peek().map_or(Micros::NEVER, |event| on_clock(event.at));
            let end = self.due.peek().map_or(Micros::NEVER, |Reverse((at, _))| *at);
            let happens = arrival.min(event).min(end);
            let ends_none = || !self.running.iter().any(|&job| self.is_stopped_ever(job));
            let is_over = happens == Micros::NEVER && ends_none();
            if is_over && self.waiting.is_empty() {
                break;
            }
            if is_over || self.running.is_empty() {
                let changes = || self.openings(&self.waiting).map(Micros::of_seconds);
                let next = match self.waiting.len() {
                    0 => Some(happens),
                    waiting => quiet.next(self.now, waiting, happens, changes),
                };
                if next == Some(Micros::NEVER) {
                    break;
                }
                // Over long times the timers only turn, but for the last half day.
                let until = next.filter(|_| self.running.is_empty()).map(|next| next - Micros::DAY / 2);
                if let Some(until) = until.filter(|until| *until - Micros::DAY / 2 > self.now) {
                    for (timer, period) in [
                        (&mut tick, self.phases.tick),
                        (&mut backfill, Micros::SECOND),
                        (&mut priority, period),
                    ] {
                        let turns = (until - *timer).max(Micros::ZERO) / period.max(Micros(1));
                        *timer += period * turns;
                    }
                }
            } else {
                quiet.end(self.now);
            }
            let timer = tick.min(backfill).min(priority);
            let at = happens.min(timer);
            self.now = self.now.max(at);
            if at == happens {
                quiet.end(self.now);
            }
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
                tick += self.phases.tick + self.tick();
            } else if self.changed {
                self.changed = false;
                let tests = self.backfill();
                let interval = self
                    .cluster
                    .settings
                    .backfill
                    .as_ref()
                    .map_or(Micros::NEVER / 4, |one| Micros::of_seconds(one.interval.0.clamp(1, 86_400)));
                backfill = self.now + interval + self.phases.backfill_test * tests as i64;
            } else {
                backfill += Micros::SECOND;
            }
        }
    }

    /// Whether a job that runs past its limit is stopped at all.
    fn is_stopped_ever(&self, job: usize) -> bool {
        self.jobs[job].run.is_some() || self.cluster.settings.over_time_limit.is_some()
    }

    /// Notes which nodes of each partition are up.
    pub fn open_partitions(&mut self) {
        self.open_nodes.clone_from(&self.layout.partitions);
        self.open_nodes.iter_mut().for_each(|nodes| nodes.keep(&self.up));
    }

    /// One turn of the background thread; how much longer it takes than an idle one.
    pub fn tick(&mut self) -> Micros {
        let now = self.second();
        let mut longer = Micros::ZERO;
        if now - self.last_report >= REPORT {
            self.last_report = now;
            longer += self.phases.report;
        }
        self.check_limits(now).into_iter().for_each(|job| self.end(job, false));
        let begun = self.reservations.iter().any(|one| one.start.0 == now);
        self.pass_requested |= begun;
        let settings = &self.cluster.settings.main;
        let full = settings.sched_interval.is_some_and(|interval| now - self.last_full >= interval.0);
        if full {
            self.last_full = now;
            self.pass(None);
        } else if self.pass_requested && now - self.last_pass >= settings.batch_sched_delay.0 {
            self.pass(Some(settings.default_queue_depth));
        } else {
            return longer;
        }
        longer + self.phases.pass
    }

    /// The jobs that are past their limits, if it is time to look for them.
    pub fn check_limits(&mut self, now: i64) -> Vec<usize> {
        if now - self.last_limit_check < LIMIT_CHECK {
            return Vec::new();
        }
        self.last_limit_check = now;
        let over = self.cluster.settings.over_time_limit;
        let is_late = |&job: &usize| over.is_some_and(|over| self.jobs[job].limit_end + over.0 <= now);
        self.running.iter().copied().take_while(is_late).collect()
    }
}
