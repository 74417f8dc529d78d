//! Slurm's controller: its timers, its passes over the queue and its backfill cycles.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;
use std::sync::Arc;

use super::alike::alike_by_weight;
use super::fair_share::FairShare;
use super::job::{ControlledJob, CtlState};
use super::layout::{Load, NodeLayout};
use super::licenses::LicenseCounts;
use super::limits::Limits;
use super::need::Need;
use super::need_cache::{KeptNeed, NeedCache};
use super::node_set::NodeSet;
use super::phases::{Phases, REPORT, SECOND};
use super::prepared::{PreparedCluster, PreparedNodes};
use super::queue_record::{ArrayTasks, QueueRecord};
use super::quiet;
use super::reasons::WaitedTimes;
use super::time_map::TimeMap;
use super::weights::WeightShift;
use crate::cluster::{AdvanceReservation, Cluster, ClusterEvent, PreemptKind, SubmittedJob};

/// The last instant of the clock, in milliseconds: some three thousand years from its zero.
pub(super) const LAST_MS: i64 = 100_000_000_000_000;

/// Seconds between two checks of time limits.
pub(super) const LIMIT_CHECK: i64 = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A job ends by itself.
    End(usize, u32),
    /// The nodes of a job that was stopped are free again.
    Release(usize),
    /// A job reaches its limit, where it is stopped exactly then.
    Limit(usize, u32),
}

/// Looks at a plan: the controller, the job and where it was planned, what was planned before, and the plan.
#[cfg(test)]
pub(super) type PlanCheck =
    fn(&Controller<'_>, usize, &super::job::JobPlace, &TimeMap, Option<&(i64, Vec<usize>)>);

/// The controller and all it knows.
pub(super) struct Controller<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) layout: Arc<NodeLayout>,
    pub(super) jobs: Vec<ControlledJob>,
    pub(super) submissions: &'c [SubmittedJob],
    pub(super) of_submission: Vec<Vec<usize>>,
    /// Where each submission stands among all in the order in which they come.
    pub(super) ranks: Vec<usize>,
    pub(super) keys: BTreeMap<String, usize>,
    pub(super) load: Load,
    pub(super) up: NodeSet,
    pub(super) reservations: Vec<AdvanceReservation>,
    /// Running jobs by limit end, then in the order of their records.
    pub(super) running: Vec<usize>,
    /// Records made so far.
    pub(super) records: u64,
    /// Waiting jobs, in the order of their submission.
    pub(super) waiting: Vec<usize>,
    /// Those of them that are not eligible yet: dependency, begin time or hold.
    pub(super) unready: Vec<usize>,
    /// Those that no pass or cycle has seen.
    pub(super) unseen: Vec<usize>,
    /// Exclusive jobs that no backfill cycle has seen.
    pub(super) unsized_jobs: Vec<usize>,
    /// Sizes of jobs that have changed since their priorities were computed: nodes were looked for.
    pub(super) looked_for: Vec<(usize, u32)>,
    /// The queue in order, while no pass or cycle has it; with records of jobs that have left it.
    pub(super) order: Vec<QueueRecord>,
    /// Jobs requeued since a pass or cycle took the queue: its records of them are outdated.
    pub(super) requeued: Vec<usize>,
    /// How many records may be of jobs that have left.
    pub(super) left: usize,
    /// Whether priorities have changed since it was put in order.
    pub(super) is_order_stale: bool,
    /// The task of each array that is in the queue.
    pub(super) heads: BTreeMap<usize, usize>,
    pub(super) arrays: Vec<ArrayTasks>,
    pub(super) needs: NeedCache,
    /// Numbers of users and accounts.
    pub(super) users: BTreeMap<String, u32>,
    pub(super) accounts: BTreeMap<String, u32>,
    /// The association of each account and user.
    pub(super) associations: BTreeMap<(String, String), usize>,
    /// No nodes.
    pub(super) none: NodeSet,
    /// The need of jobs that are gone.
    pub(super) no_need: Rc<KeptNeed>,
    /// Nodes of each partition that are up.
    pub(super) open_nodes: Vec<NodeSet>,
    /// Whether backfill cycles plan every job, as Slurm does, or only those whose plans can affect which jobs start now.
    pub(super) plans_all: bool,
    /// What is done with each plan of a cycle that plans every job.
    #[cfg(test)]
    pub(super) check_plan: Option<PlanCheck>,
    /// Whether preemption is configured.
    pub(super) preempts_any: bool,
    /// Whether plans are made as Slurm makes them since 24.11.
    pub(super) plans_as_2411: bool,
    pub(super) fair: FairShare,
    pub(super) limits: Limits,
    pub(super) licenses: LicenseCounts,
    pub(super) due: BinaryHeap<Reverse<(i64, Due)>>,
    pub(super) phases: Phases,
    pub(super) now_us: i64,
    pub(super) last_full: i64,
    pub(super) last_pass: i64,
    pub(super) last_report: i64,
    pub(super) last_limit_check: i64,
    pub(super) last_charge: i64,
    pub(super) pass_requested: bool,
    pub(super) changed: bool,
    /// How weights differ from those configured once nodes have been chosen for a job: plans are made with these.
    pub(super) weights: Rc<WeightShift>,
    /// Whether some nodes have GPUs.
    pub(super) has_gpus: bool,
    /// Nodes of each line of the configuration, where nodes count for a limit.
    pub(super) lines: Vec<NodeSet>,
    /// Memory for what the next backfill cycle plans.
    pub(super) spare: Cell<TimeMap>,
    pub(super) largest_qos: f64,
    pub(super) largest_partition: f64,
    pub(super) largest_association: f64,
    pub(super) all_cpus: f64,
    pub(super) reasons: WaitedTimes,
    /// Whether jobs of an account or QOS that their partition does not take wait for ever, as in Slurm where `EnforcePartLimits` is `NO`:
    /// so in recordings. Jobs of a log are refused instead, and counted as such.
    pub(super) keeps_barred: bool,
    /// Whether the parts of nodes that jobs held are recorded.
    pub(super) keeps_parts: bool,
    /// Jobs whose starts are waited for: the simulation ends with the last of them. Empty: it goes on to the end.
    pub(super) wanted: Vec<usize>,
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
        let start = phases.start_us.div_euclid(SECOND);
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
            now_us: phases.start_us,
            last_full: phases.background_start(),
            last_pass: start,
            last_report: phases.background_start(),
            last_limit_check: phases.background_start(),
            last_charge: (phases.start_us + phases.first_priority_us).div_euclid(SECOND),
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

    pub(super) fn now(&self) -> i64 {
        self.now_us.div_euclid(SECOND)
    }

    /// Runs until all jobs that can end have ended.
    pub fn run(&mut self, events: &[ClusterEvent]) {
        // Instants beyond the clock's last, in milliseconds, are clamped to it.
        let instant = |ms: i64| ms.clamp(-LAST_MS, LAST_MS) * 1000;
        let is_to_come = |&place: &usize| {
            self.of_submission[place].iter().any(|&job| self.jobs[job].state == CtlState::ToCome)
        };
        let mut order: Vec<usize> = (0..self.submissions.len()).filter(is_to_come).collect();
        order.sort_by_key(|&place| (self.submissions[place].submit_ms, place));
        let mut arrivals = order.into_iter().peekable();
        let mut events = events.iter().peekable();
        let mut tick = self.phases.start_us + self.phases.first_tick_us;
        let mut backfill = self.phases.first_backfill_us;
        let period = self.cluster.settings.priority.calc_period.0.clamp(1, 86_400 * 365) * SECOND;
        let mut priority = self.phases.start_us + self.phases.first_priority_us;
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
                arrivals.peek().map_or(i64::MAX, |&place| instant(self.submissions[place].submit_ms));
            let event = events.peek().map_or(i64::MAX, |event| instant(event.at_ms));
            let end = self.due.peek().map_or(i64::MAX, |Reverse((at, _))| *at);
            let happens = arrival.min(event).min(end);
            let ends_none = || !self.running.iter().any(|&job| self.is_stopped_ever(job));
            let is_over = happens == i64::MAX && ends_none();
            if is_over && self.waiting.is_empty() {
                break;
            }
            if is_over || self.running.is_empty() {
                let changes = || self.openings(&self.waiting).map(|at| at * SECOND);
                let next = match self.waiting.len() {
                    0 => Some(happens),
                    waiting => quiet.next(self.now_us, waiting, happens, changes),
                };
                if next == Some(i64::MAX) {
                    break;
                }
                // Over long times the timers only turn, but for the last half day.
                let until = next.filter(|_| self.running.is_empty()).map(|next| next - quiet::DAY / 2);
                if let Some(until) = until.filter(|until| until - quiet::DAY / 2 > self.now_us) {
                    for (timer, period) in
                        [(&mut tick, self.phases.tick_us), (&mut backfill, SECOND), (&mut priority, period)]
                    {
                        let turns = until.saturating_sub(*timer).max(0) / period.max(1);
                        *timer += turns * period;
                    }
                }
            } else {
                quiet.end(self.now_us);
            }
            let timer = tick.min(backfill).min(priority);
            let at = happens.min(timer);
            self.now_us = self.now_us.max(at);
            if at == happens {
                quiet.end(self.now_us);
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
                tick += self.phases.tick_us + self.tick();
            } else if self.changed {
                self.changed = false;
                let tests = self.backfill();
                let interval = self
                    .cluster
                    .settings
                    .backfill
                    .as_ref()
                    .map_or(i64::MAX / 4, |one| one.interval.0.clamp(1, 86_400) * SECOND);
                backfill = self.now_us + interval + tests as i64 * self.phases.backfill_test_us;
            } else {
                backfill += SECOND;
            }
        }
    }

    /// Whether a job that runs past its limit is stopped at all.
    fn is_stopped_ever(&self, job: usize) -> bool {
        self.jobs[job].run_us.is_some() || self.cluster.settings.jobs.over_time_limit.is_some()
    }

    /// Notes which nodes of each partition are up.
    pub(super) fn open_partitions(&mut self) {
        self.open_nodes.clone_from(&self.layout.partitions);
        self.open_nodes.iter_mut().for_each(|nodes| nodes.keep(&self.up));
    }

    /// One turn of the background thread; how much longer it takes than an idle one, in microseconds.
    pub(super) fn tick(&mut self) -> i64 {
        let now = self.now();
        let mut longer = 0;
        if now - self.last_report >= REPORT {
            self.last_report = now;
            longer += self.phases.report_us;
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
        longer + self.phases.pass_us
    }

    /// The jobs that are past their limits, if it is time to look for them.
    pub(super) fn check_limits(&mut self, now: i64) -> Vec<usize> {
        if now - self.last_limit_check < LIMIT_CHECK {
            return Vec::new();
        }
        self.last_limit_check = now;
        let over = self.cluster.settings.jobs.over_time_limit;
        let is_late = |&job: &usize| over.is_some_and(|over| self.jobs[job].limit_end + over.0 <= now);
        self.running.iter().copied().take_while(is_late).collect()
    }
}
