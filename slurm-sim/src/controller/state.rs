//! The controller: its rooms, and the loop in which its timers are due.

use super::backfill::{BackfillPlanner, CycleMemory, PlanMode};
use super::clock::{Clock, Due, Phases, QuietTime, next_decay, on_clock, openings};
use super::cluster_now::ClusterNow;
use super::job::JobStage;
use super::lifecycle::{DescribedRequests, Jobs};
use super::limits::{HolderNumbers, LicenseCounts, Limits};
use super::placement::{NeedCache, NodePool, PreparedCluster, PreparedNodes, alike_by_weight};
use super::priority::{PendingSizes, Priorities};
use super::queue::{PendingQueue, WaitedTimes};
use crate::cluster::{Cluster, ClusterEvent, SubmittedJob};
use crate::controller::handles::JobHandle;
use queuecast_core::units::Micros;

/// The controller and all it knows.
pub struct Controller<'c> {
    pub cluster: &'c Cluster,
    pub clock: Clock,
    pub jobs: Jobs<'c>,
    pub queue: PendingQueue,
    pub pool: NodePool,
    pub needs: NeedCache,
    pub priorities: Priorities<'c>,
    pub sizes: PendingSizes,
    pub holders: HolderNumbers,
    pub described: DescribedRequests,
    pub limits: Limits,
    pub licenses: LicenseCounts,
    pub plan_mode: PlanMode,
    /// What is done with each plan of a cycle that plans every job.
    #[cfg(test)]
    pub check_plan: Option<super::backfill::PlanCheck>,
    /// What the last backfill cycle has left to the next.
    pub last_cycle: CycleMemory,
    pub reasons: WaitedTimes,
    /// Whether jobs of an account or QOS that their partition does not take wait for ever, as in Slurm where `EnforcePartLimits` is `NO`:
    /// so in recordings. Jobs of a log are refused instead, and counted as such.
    pub keeps_barred: bool,
    /// Whether the parts of nodes that jobs held are recorded.
    pub keeps_parts: bool,
    /// Jobs whose starts are waited for: the simulation ends with the last of them. Empty: it goes on to the end.
    pub wanted: Vec<JobHandle>,
    /// When the simulation ends, whatever still waits and runs.
    pub until: Micros,
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
        let phases = phases.of_version(cluster.version);
        let PreparedNodes { layout, up, all_cpus } = prepared.nodes.clone();
        let limits = Limits::new(cluster, &layout);
        let lines = if limits.counts_nodes(cluster) { alike_by_weight(cluster) } else { Vec::new() };
        Controller {
            clock: Clock::started(phases),
            jobs: Jobs::of(submissions),
            queue: PendingQueue::default(),
            needs: NeedCache::with(prepared.found.clone(), layout.nodes.len()),
            priorities: Priorities::new(
                cluster,
                layout.clone(),
                all_cpus,
                (phases.start + phases.first_priority).second().0,
            ),
            sizes: PendingSizes::default(),
            holders: HolderNumbers::of(prepared.associations.clone()),
            described: DescribedRequests::new(),
            plan_mode: PlanMode::of(cluster, &layout, submissions),
            pool: NodePool::idle(layout, up, &cluster.reservations, lines),
            limits,
            licenses: LicenseCounts::of(&cluster.licenses),
            #[cfg(test)]
            check_plan: None,
            last_cycle: CycleMemory::default(),
            reasons: WaitedTimes::of(submissions.len()),
            keeps_barred: false,
            keeps_parts: false,
            wanted: Vec::new(),
            until: Micros::NEVER,
            cluster,
        }
    }

    /// The second it is.
    pub fn second(&self) -> i64 {
        self.clock.second()
    }

    /// Jobs, nodes and limits as they are now.
    pub fn now(&self) -> ClusterNow<'_> {
        ClusterNow {
            cluster: self.cluster,
            jobs: &self.jobs,
            pool: &self.pool,
            limits: &self.limits,
            second: self.second(),
        }
    }

    /// What plans of a backfill cycle are made of now.
    pub fn planner(&self) -> BackfillPlanner<'_> {
        BackfillPlanner {
            now: self.now(),
            needs: &self.needs,
            mode: self.plan_mode,
            #[cfg(test)]
            check: self.check_plan,
        }
    }

    /// Runs until all jobs that can end have ended.
    pub fn run(&mut self, events: &[ClusterEvent]) {
        let to_come = self.jobs.by_submission().iter().copied().filter(|&one| self.jobs.are_to_come(one));
        let mut arrivals = to_come.collect::<Vec<_>>().into_iter().peekable();
        let mut events = events.iter().peekable();
        let phases = self.clock.phases();
        let mut tick = phases.start + phases.first_tick;
        let mut backfill = phases.first_backfill;
        let period = Micros::of_seconds(self.cluster.settings.priority.calc_period.0.clamp(1, 86_400 * 365));
        let mut priority = phases.start + phases.first_priority;
        let mut quiet = QuietTime::new(self.clock.now(), self.cluster.settings.priority.max_age);
        let is_open = self.wanted.is_empty();
        loop {
            let waits = |job: JobHandle| matches!(self.jobs[job].state, JobStage::ToCome | JobStage::Waiting);
            while self.wanted.last().is_some_and(|&job| !waits(job)) {
                self.wanted.pop();
            }
            if self.wanted.is_empty() && !is_open {
                break;
            }
            let arrival = arrivals.peek().map_or(Micros::NEVER, |&one| on_clock(self.jobs.asked(one).submit));
            let event = events.peek().map_or(Micros::NEVER, |event| on_clock(event.at));
            let end = self.clock.next_due();
            let happens = arrival.min(event).min(end);
            let settings = &self.cluster.settings.jobs;
            let ends_none =
                || !self.jobs.running().iter().any(|&job| self.jobs[job].is_stopped_ever(settings));
            let is_over = happens == Micros::NEVER && ends_none();
            if is_over && self.queue.waiting().is_empty() {
                break;
            }
            if is_over || self.jobs.running().is_empty() {
                let changes = || {
                    let opens = openings(&self.jobs, self.queue.waiting(), &self.pool.reservations);
                    opens.chain(next_decay(&self.limits, self.second())).map(Micros::of_seconds)
                };
                let next = match self.queue.waiting().len() {
                    0 => Some(happens),
                    waiting => quiet.next(self.clock.now(), waiting, happens, changes),
                };
                if next == Some(Micros::NEVER) {
                    break;
                }
                // Over long times the timers only turn, but for the last half day.
                let until =
                    next.filter(|_| self.jobs.running().is_empty()).map(|next| next - Micros::DAY / 2);
                if let Some(until) = until.filter(|until| *until - Micros::DAY / 2 > self.clock.now()) {
                    for (timer, period) in
                        [(&mut tick, phases.tick), (&mut backfill, Micros::SECOND), (&mut priority, period)]
                    {
                        let turns = (until - *timer).max(Micros::ZERO) / period.max(Micros(1));
                        *timer += period * turns;
                    }
                }
            } else {
                quiet.end(self.clock.now());
            }
            let timer = tick.min(backfill).min(priority);
            let at = happens.min(timer);
            if at > self.until {
                break;
            }
            self.clock.advance(at);
            if at == happens {
                quiet.end(self.clock.now());
            }
            if at == end {
                match self.clock.take_due() {
                    Some(Due::End(job, incarnation))
                        if self.jobs[job].state == JobStage::Running
                            && self.jobs[job].last.incarnation == incarnation =>
                    {
                        self.end(job, true);
                    }
                    Some(Due::Release(job)) => {
                        self.has_stopped(job);
                        // Its nodes report, and that starts a pass at once.
                        let settings = &self.cluster.settings.main;
                        if !settings.defer {
                            let before = self.clock.pass_times();
                            self.pass(Some(settings.default_queue_depth));
                            self.clock.restore_pass_times(before);
                        }
                    }
                    _ => {}
                }
            } else if at == event {
                if let Some(event) = events.next() {
                    self.act(&event.action);
                }
            } else if at == arrival {
                if let Some(submission) = arrivals.next() {
                    self.submit(submission);
                }
            } else if at == priority {
                self.recompute();
                priority += period;
            } else if at == tick {
                tick += phases.tick + self.tick();
            } else if self.clock.take_cycle() {
                let tests = self.backfill();
                let interval = self
                    .cluster
                    .settings
                    .backfill
                    .as_ref()
                    .and_then(|one| one.interval)
                    .map_or(Micros::NEVER / 4, |interval| Micros::of_seconds(interval.0.clamp(1, 86_400)));
                backfill = self.clock.now() + interval + phases.backfill_test * tests as i64;
            } else {
                backfill += Micros::SECOND;
            }
        }
    }

    /// One turn of the background thread; how much longer it takes than an idle one.
    pub fn tick(&mut self) -> Micros {
        let now = self.second();
        let mut longer = Micros::ZERO;
        if self.clock.take_report() {
            longer += self.clock.phases().report;
        }
        for job in self.check_limits(now) {
            self.jobs.is_timed_out(job);
            self.end(job, false);
        }
        if self.pool.reservations.iter().any(|one| one.start.0 == now) {
            self.clock.request_pass();
        }
        let settings = &self.cluster.settings.main;
        if self.clock.take_full_pass(settings.sched_interval) {
            self.pass(None);
        } else if self.clock.is_pass_due(settings.batch_sched_delay) {
            self.pass(Some(settings.default_queue_depth));
        } else {
            return longer;
        }
        longer + self.clock.phases().pass
    }

    /// The jobs that are past their limits or whose reservation is over, if it is time to look for them.
    pub fn check_limits(&mut self, now: i64) -> Vec<JobHandle> {
        if !self.clock.is_limit_check(now) {
            return Vec::new();
        }
        let over = self.cluster.settings.jobs.over_time_limit;
        let is_late =
            |&job: &JobHandle| over.is_some_and(|over| self.jobs[job].last.limit_end + over.0 <= now);
        let mut late: Vec<JobHandle> = self.jobs.running().iter().copied().take_while(is_late).collect();
        if self.pool.reservations.iter().any(|one| one.end.0 < now) {
            let others = &self.jobs.running()[late.len()..];
            let over_run = self.cluster.settings.jobs.resv_over_run;
            let is_over = |job: &JobHandle| {
                over_run.is_some_and(|over| self.pool.has_outlasted(&self.jobs[*job].terms, over, now))
            };
            late.extend(others.iter().copied().filter(is_over));
        }
        late
    }
}
