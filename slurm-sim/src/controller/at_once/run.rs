//! A controller that plans at once, by any policy: a number of processors in the policy's view is the nodes of a site.
//!
//! It has no timers and no delays. After all events of an instant, ends first, the policy plans as in a simulation on processors, and the
//! same engine keeps what is predicted of run times. Limits, dependencies, arrays, holds, begin times, reservations and node failures
//! work as in the Slurm controller. Priorities, priority tiers and preemption of the site are ignored: the policy sets the order. A job
//! that the nodes in service cannot run is skipped until they can.

use std::collections::BTreeMap;
use std::fmt;

use super::node_plan::{AnswerStart, NodePlan, NodesNow};
use crate::cluster::ClusterEvent;
use crate::controller::clock::{Due, LAST_SECOND, on_clock};
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::state::Controller;
use queuecast_core::job::{
    AccountId, Ending, Event, ExecutableId, Job, JobIndex, PartitionId, QosId, QueueId, Runs, Shape, Truth,
    UserId, What,
};
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_core::workload::Machine;
use queuecast_sim::predict::RuntimePredictor;
use queuecast_sim::sim::{Change, Components, Engine, Observer, Options, Policy, SimError, View};

/// Who decides at a site, and what is predicted of run times.
pub struct SiteRules<'r> {
    /// Decides which jobs start.
    pub policy: &'r mut dyn Policy,
    /// Predicts how long they run. The number of a job ([`Job::id`]) is its place in [`SimulatedRun::jobs`](crate::controller::SimulatedRun::jobs).
    pub predictor: &'r mut dyn RuntimePredictor,
    /// Corrections of outlived predictions. Events of an instant come in the order of [`queuecast_sim::sim::EventOrder::Textbook`], and
    /// jobs are stopped at their limits.
    pub options: Options,
    /// Whether a plan is also made when a job would have reached its limit or another is promised a start, though nothing happens then: as
    /// time passes, limits of minutes leave more. Not for policies whose order changes as time passes, which would be asked more often than
    /// on processors.
    pub plans_at_limits: bool,
}

impl fmt::Debug for SiteRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SiteRules {{ policy: {}, predictor: {} }}", self.policy.name(), self.predictor.name())
    }
}

/// Jobs that have ended by themselves or at their limits since this was last looked at.
#[derive(Debug, Default)]
struct Ends(Vec<(JobIndex, bool)>);

impl Observer for Ends {
    fn saw(&mut self, event: &Event<'_>, _view: &View<'_>) {
        if let What::Ended(end) = event.what {
            self.0.push((event.job.index, end.ending != Ending::Killed));
        }
    }
}

/// A simulation in progress: the controller with its nodes, and the engine with the same jobs.
struct AtOnce<'c, 'r> {
    plan: NodePlan<'c>,
    engine: Engine<'static>,
    rules: SiteRules<'r>,
    /// Numbers of names of jobs.
    names: BTreeMap<&'c str, u32>,
}

/// Runs until nothing happens any more. Time is in whole seconds.
pub fn run_at_once<'c>(
    controller: Controller<'c>,
    rules: SiteRules<'_>,
    events: &[ClusterEvent],
) -> Result<Controller<'c>, SimError> {
    run_answered(controller, rules, events, |future, asked, without, before| {
        future.first_start(asked, without, before)
    })
}

/// Runs a policy, with questions about starts answered by a function.
pub(super) fn run_answered<'c>(
    mut controller: Controller<'c>,
    rules: SiteRules<'_>,
    events: &[ClusterEvent],
    answer: AnswerStart,
) -> Result<Controller<'c>, SimError> {
    let instant = |at: Micros| Micros::from(on_clock(at).second());
    // Policies plan nodes without knowing which cores are reserved.
    controller.pool.keep_whole_nodes();
    // Jobs are charged when they end, for all of their time.
    controller.priorities.charged(-LAST_SECOND);
    let mut arrivals = controller.jobs.by_submission().to_vec().into_iter().peekable();
    let mut events = events.iter().peekable();
    // What a job can have is told by the nodes.
    let engine = Engine::idle(Machine { procs: Procs(u32::MAX) }, rules.options);
    let mut site = AtOnce { plan: NodePlan::new(controller, answer), engine, rules, names: BTreeMap::new() };
    loop {
        let controller = &site.plan.controller;
        let arrival = arrivals.peek().map(|&one| instant(controller.jobs.asked(one).submit));
        let event = events.peek().map(|event| instant(event.at));
        let due = site.engine.next().map(|at| Micros::of_seconds(at.0));
        let opening = site.plan.opens_at(site.rules.plans_at_limits);
        let Some(next) = arrival.into_iter().chain(event).chain(due).chain(opening).min() else {
            return Ok(site.plan.controller);
        };
        site.plan.controller.clock.advance(next);
        let now = site.plan.controller.clock.now();
        let mut is_due = opening.is_some_and(|at| at <= now);
        is_due |= site.settle()?;
        while let Some(event) = events.next_if(|event| instant(event.at) <= now) {
            site.plan.controller.act(&event.action);
            site.follow()?;
            is_due = true;
        }
        let asked = |one| instant(site.plan.controller.jobs.asked(one).submit);
        let mut come = Vec::new();
        while let Some(submission) = arrivals.next_if(|&one| asked(one) <= now) {
            come.push(submission);
        }
        is_due |= !come.is_empty();
        come.into_iter().for_each(|submission| site.plan.controller.submit(submission));
        site.release_due();
        // Jobs that have become ready are found as the queue is looked at.
        let queue = site.plan.controller.take_queue();
        site.plan.controller.queue.give_back(queue);
        site.admit()?;
        if is_due {
            site.replan()?;
        }
    }
}

/// Calls the engine with the policy and the predictor; the jobs that have ended.
fn with<T>(
    site: &mut AtOnce<'_, '_>,
    call: impl FnOnce(&mut Engine<'static>, &mut NodePlan<'_>, &mut Components<'_, '_>) -> Result<T, SimError>,
) -> Result<(T, Vec<(JobIndex, bool)>), SimError> {
    let mut ends = Ends::default();
    let mut observers: [&mut dyn Observer; 1] = [&mut ends];
    let SiteRules { policy, predictor, .. } = &mut site.rules;
    let mut parts =
        Components { policy: &mut **policy, predictor: &mut **predictor, observers: &mut observers };
    let value = call(&mut site.engine, &mut site.plan, &mut parts)?;
    Ok((value, ends.0))
}

impl<'c> AtOnce<'c, '_> {
    fn now(&self) -> Time {
        Time(self.plan.controller.second())
    }

    /// Jobs due to end do; whether a plan is due.
    fn settle(&mut self) -> Result<bool, SimError> {
        let now = self.now();
        let (is_due, ended) = with(self, |engine, _, parts| engine.settle(now, parts))?;
        for (index, by_itself) in ended {
            let job = self.plan.job(index);
            self.plan.dismiss(job);
            self.plan.controller.end(job, by_itself);
        }
        self.release_due();
        Ok(is_due)
    }

    /// Nodes of jobs that were stopped are free again. Ends are those of the engine.
    fn release_due(&mut self) {
        let controller = &mut self.plan.controller;
        while controller.clock.next_due() <= controller.clock.now() {
            match controller.clock.take_due() {
                Some(Due::Release(job)) => controller.has_stopped(job),
                Some(Due::End(..)) => {}
                None => return,
            }
        }
    }

    /// Takes over what an event of the site has done to jobs.
    fn follow(&mut self) -> Result<(), SimError> {
        let now = self.now();
        self.plan.forget();
        for job in (0..self.plan.controller.jobs.all().len()).map(JobHandle) {
            let Some(index) = self.plan.number(job) else { continue };
            let one = &self.plan.controller.jobs[job];
            let was_started = self.engine.start(index).is_some();
            match one.state {
                JobStage::Running => continue,
                // One that was requeued waits anew.
                JobStage::Waiting if !was_started => continue,
                _ if was_started => with(self, |engine, _, parts| engine.stop(index, now, parts))?,
                _ => with(self, |engine, _, parts| engine.withdraw(index, now, parts))?,
            };
            self.plan.dismiss(job);
        }
        self.rules.policy.note(Change::Resized);
        Ok(())
    }

    /// Jobs that have become ready join the queue of the engine, in the order of their submission.
    fn admit(&mut self) -> Result<(), SimError> {
        let controller = &self.plan.controller;
        let is_new = |job: &JobHandle| {
            controller.jobs[*job].wait.eligible.is_some() && self.plan.number(*job).is_none()
        };
        let mut new: Vec<JobHandle> = controller.queue.waiting().iter().copied().filter(is_new).collect();
        new.sort_by_key(|&job| self.plan.turn(job));
        let now = self.now();
        for job in new {
            let (described, truth) = self.described(job);
            let (index, _) = with(self, |engine, _, parts| engine.admit(described, truth, now, parts))?;
            self.plan.admit(job, index);
        }
        Ok(())
    }

    /// A job as policies and predictors know it: its partitions are its shapes.
    fn described(&mut self, job: JobHandle) -> (Job, Truth) {
        let jobs = &self.plan.controller.jobs;
        let one = &jobs[job];
        let shape = |at: &RequestedPartition| Shape {
            procs: Procs(at.kept.need.cpus),
            limit: Some(Seconds(at.limit)),
        };
        let mut shapes: Vec<Shape> = one.partitions.iter().map(shape).collect();
        let first = shapes.remove(0);
        let known = self.names.len() as u32;
        let name = jobs.submission(job).request.name.as_deref();
        let name = name.map(|name| *self.names.entry(name).or_insert(known));
        let partition = one.partitions[PartitionChoice::FIRST].partition.0 as u32;
        let number = |index: usize| u32::try_from(index).ok();
        let whole = Seconds(one.terms.run.map_or(i64::MAX / 4, |run| run / Micros::SECOND));
        let ending = if one.terms.fails { Ending::Failed } else { Ending::Completed };
        let described = Job {
            user: UserId::new(one.holder.user),
            account: one.holder.association.and_then(|one| number(one.0)).and_then(AccountId::new),
            executable: name.and_then(ExecutableId::new),
            queue: QueueId::new(partition),
            partition: PartitionId::new(partition),
            qos: one.holder.qos.and_then(|one| number(one.0)).and_then(QosId::new),
            other_shapes: (!shapes.is_empty()).then(|| shapes.clone().into_boxed_slice()),
            ..Job::rigid(job.0 as u64, Time(one.wait.submit), first.procs, first.limit)
        };
        let runs = match shapes.len() {
            0 => Runs::Rigid(whole),
            more => Runs::Moldable(vec![whole; 1 + more].into_boxed_slice()),
        };
        (described, Truth { runs, ending })
    }

    fn replan(&mut self) -> Result<(), SimError> {
        let now = self.now();
        with(self, |engine, plan, parts| {
            plan.begin(engine.site().view(now).running().map(|one| (one.planned_end.0, one.index)));
            engine.replan_on(now, &NodesNow::of(plan), parts)
        })?;
        let unnamed = self.plan.started.iter().find(|&&index| self.engine.start(index).is_none());
        if let Some(job) = unnamed.and_then(|&index| self.engine.site().job(index)) {
            let policy = self.rules.policy.name();
            return Err(SimError::Unnamed { policy, job: job.id, at: now });
        }
        Ok(())
    }
}
