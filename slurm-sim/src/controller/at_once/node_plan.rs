//! The nodes of a site as a capacity that policies plan on: what is promised on them to which jobs, and what starts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use super::ahead::Future;
use super::choice_memo::ChoiceMemo;
use super::promise::{FirstStart, PartitionAsked, Promise};
use crate::controller::clock::{Due, LAST_SECOND, openings};
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, StartedBy};
use crate::controller::queue::WaitReason;
use crate::controller::state::Controller;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_sim::sim::{Capacity, Earliest, Nodes, Otherwise, Started};

/// What the last question about a job has found.
#[derive(Debug)]
struct FoundRoom {
    asked: PartitionAsked,
    start: FirstStart,
    /// Whether it is the job's turn: it waits for resources then.
    is_turn: bool,
}

/// A function that tells when and where a job could start before an instant, one promise left out.
pub type AnswerStart = fn(&Future<'_>, PartitionAsked, Option<usize>, i64) -> Option<FirstStart>;

/// A plan on the nodes of a controller, and what is kept from one to the next.
pub struct NodePlan<'c> {
    pub controller: Controller<'c>,
    /// The job of each number that policies know it by.
    jobs: Vec<JobHandle>,
    /// The number of each job that policies know.
    numbers: Vec<Option<JobIndex>>,
    /// Running jobs with their planned ends, in order.
    ends: Vec<(i64, JobHandle)>,
    /// By start, then as they were made.
    promises: Vec<Promise>,
    /// The promises of the last plan, by job.
    before: BTreeMap<JobHandle, Promise>,
    /// Promises made so far.
    made: u64,
    found: Option<FoundRoom>,
    /// Jobs that have had their turn in this plan, with the partitions that were full.
    behind: BTreeMap<JobHandle, Vec<PartitionChoice>>,
    /// Jobs that this plan has started.
    pub started: Vec<JobIndex>,
    memo: ChoiceMemo,
    answer: AnswerStart,
}

impl<'c> NodePlan<'c> {
    pub fn new(controller: Controller<'c>, answer: AnswerStart) -> NodePlan<'c> {
        NodePlan {
            numbers: vec![None; controller.jobs.all().len()],
            controller,
            jobs: Vec::new(),
            ends: Vec::new(),
            promises: Vec::new(),
            before: BTreeMap::new(),
            made: 0,
            found: None,
            behind: BTreeMap::new(),
            started: Vec::new(),
            memo: ChoiceMemo::default(),
            answer,
        }
    }

    /// A plan is made with these planned ends of running jobs.
    pub fn begin(&mut self, ends: impl Iterator<Item = (i64, JobIndex)>) {
        let jobs = &self.jobs;
        let ends: Vec<(i64, JobHandle)> = ends.map(|(end, index)| (end, jobs[index.at()])).collect();
        if ends != self.ends {
            self.ends = ends;
            self.memo.forget_times();
        }
        self.started.clear();
    }

    /// When to plan though nothing happens: a begin time, a delay, a reservation; and, if asked for, a promised start and what is due to
    /// jobs that have ended.
    pub fn opens_at(&self, with_limits: bool) -> Option<Micros> {
        let controller = &self.controller;
        let starts = self.promises.iter().map(|promise| promise.start).filter(|&at| at <= LAST_SECOND);
        let starts = starts.filter(|_| with_limits);
        let next = starts.chain(openings(
            &controller.jobs,
            controller.queue.unready(),
            &controller.pool.reservations,
        ));
        let next = next.filter(|&at| at > controller.second()).min();
        let next = next.filter(|_| !controller.queue.waiting().is_empty()).map(Micros::of_seconds);
        let due = Some(controller.clock.next_due()).filter(|&due| with_limits && due < Micros::NEVER);
        next.into_iter().chain(due).min()
    }

    /// Forgets what was found out, since nodes or reservations have changed.
    pub fn forget(&mut self) {
        self.memo = ChoiceMemo::default();
    }

    /// No start is promised.
    fn promise_none(&mut self) {
        self.before = self.promises.drain(..).map(|promise| (promise.job, promise)).collect();
        self.behind.clear();
        self.found = None;
    }

    /// The job of a number.
    pub fn job(&self, index: JobIndex) -> JobHandle {
        self.jobs[index.at()]
    }

    /// The number of a job, if policies know it.
    pub fn number(&self, job: JobHandle) -> Option<JobIndex> {
        self.numbers[job.0]
    }

    /// Policies know a job by the next number.
    pub fn admit(&mut self, job: JobHandle, index: JobIndex) {
        self.jobs.push(job);
        self.numbers[job.0] = Some(index);
    }

    /// Policies do not know a job any more.
    pub fn dismiss(&mut self, job: JobHandle) {
        self.numbers[job.0] = None;
    }

    /// Waiting jobs that could start as far as they themselves go, in the order of their submission.
    fn waiting(&self) -> Vec<JobIndex> {
        let mut jobs = self.controller.queue.waiting().to_vec();
        jobs.sort_by_key(|&job| self.turn(job));
        jobs.into_iter().filter_map(|job| self.numbers[job.0]).collect()
    }

    /// The place of a job in the order of submission.
    pub fn turn(&self, job: JobHandle) -> (i64, Micros, JobHandle) {
        let jobs = &self.controller.jobs;
        (jobs[job].wait.submit, jobs.submission(job).submit, job)
    }

    /// A job in one of its partitions: the length planned for its first partition, in proportion to their limits.
    fn asked(&self, job: JobHandle, choice: PartitionChoice, length: Seconds) -> PartitionAsked {
        let asked = &self.controller.jobs[job].partitions;
        let (first, own) =
            (i128::from(asked[PartitionChoice::FIRST].limit.max(1)), i128::from(asked[choice].limit));
        let length = match first == own {
            true => length.0,
            false => {
                ((i128::from(length.0) * own + first - 1) / first).clamp(1, i128::from(i64::MAX / 4)) as i64
            }
        };
        PartitionAsked { job, choice, length }
    }

    fn future(&self) -> Future<'_> {
        Future {
            controller: &self.controller,
            ends: &self.ends,
            promises: &self.promises,
            memo: &self.memo,
            knows_refusals: false,
        }
    }

    /// The earliest start of a job in these of its partitions, before an instant; one promise may be left out.
    fn earliest_of(
        &mut self,
        job: JobHandle,
        choices: &[PartitionChoice],
        length: Seconds,
        (without, before): (Option<usize>, i64),
    ) -> Option<(PartitionAsked, FirstStart)> {
        self.memo.renew(self.controller.pool.load.version());
        let mut best: Option<(PartitionAsked, FirstStart)> = None;
        for &choice in choices {
            let before = best.as_ref().map_or(before, |(_, found)| found.start);
            let asked = self.asked(job, choice, length);
            let found = (self.answer)(&self.future(), asked, without, before);
            best = found.map(|found| (asked, found)).or(best);
        }
        best
    }

    /// Whether a limit, or the number of tasks of its array that may run at one time, keeps a job from being asked about.
    fn is_kept_back(&mut self, job: JobHandle, choice: PartitionChoice) -> bool {
        let controller = &mut self.controller;
        let submission = controller.jobs[job].submission;
        let is_sibling = |one: &&Promise| controller.jobs[one.job].submission == submission && one.job != job;
        let tasks = match controller.jobs[job].task {
            Some(_) => self.promises.iter().filter(is_sibling).count(),
            None => 0,
        };
        if controller.jobs.is_throttled(job, tasks) {
            controller.waits_for(job, choice, WaitReason::ArrayLimit);
            return true;
        }
        if controller.licenses.lack(controller.jobs.submission(job)) {
            controller.waits_for(job, choice, WaitReason::Licenses);
            return true;
        }
        let at = &controller.jobs[job].partitions[choice];
        let is_limited = at.is_barred
            || controller.limits.before_selection(&at.limits, at.limit).is_some()
            || controller.limits.forbid_least(at, &controller.pool.layout);
        if is_limited {
            controller.waits_for(job, choice, WaitReason::Limit);
        }
        is_limited
    }

    /// Promises what was found.
    fn promise(&mut self, asked: PartitionAsked, found: FirstStart) {
        self.move_promises(found.moved);
        let PartitionAsked { job, choice, length } = asked;
        self.made += 1;
        let (start, end) = (found.start, found.start.saturating_add(length));
        self.insert(Promise { job, choice, start, end, number: self.made, nodes: found.nodes });
    }

    fn insert(&mut self, promise: Promise) {
        let key = |one: &Promise| (one.start, one.number);
        let at = self.promises.partition_point(|one| key(one) <= key(&promise));
        self.promises.insert(at, promise);
    }

    /// Promises get other nodes.
    fn move_promises(&mut self, moved: Vec<(usize, Vec<usize>)>) {
        for (index, nodes) in moved {
            self.promises[index].nodes = nodes;
        }
    }

    /// Starts a job now on these nodes, unless that is more than a limit allows.
    fn start_now(&mut self, asked: PartitionAsked, nodes: &[usize]) -> bool {
        let PartitionAsked { job, choice, length } = asked;
        let controller = &mut self.controller;
        let at = controller.jobs[job].partitions[choice].clone();
        let shares = controller.pool.given(nodes, &at.kept.need);
        let amounts = controller.limits.amounts(&shares, at.partition);
        if controller.limits.before_selection(&at.limits, at.limit).is_some()
            || controller.limits.forbid(&at, &amounts, &shares)
        {
            controller.waits_for(job, choice, WaitReason::Limit);
            return false;
        }
        if controller.licenses.lack(controller.jobs.submission(job)) {
            controller.waits_for(job, choice, WaitReason::Licenses);
            return false;
        }
        let controller = &self.controller;
        let is_passed = |one: &Promise| {
            controller.jobs[one.job].state == JobStage::Waiting
                && controller.jobs[one.job].partitions[one.choice].partition == at.partition
                && self.turn(one.job) < self.turn(job)
        };
        let by = if self.promises.iter().any(is_passed) { StartedBy::Backfill } else { StartedBy::Main };
        self.controller.start(job, choice, shares, amounts, by);
        // Nothing happens to the job then if it has ended before.
        let limit = Due::End(job, self.controller.jobs[job].last.incarnation);
        self.controller.clock.set_due(Micros::of_seconds(at.limit), limit);
        let end = (self.controller.second().saturating_add(length), job);
        let at = self.ends.partition_point(|other| *other <= end);
        self.ends.insert(at, end);
        true
    }

    /// The partitions of a job in which it may be asked about.
    fn open_choices(&mut self, job: JobHandle) -> Vec<PartitionChoice> {
        let all = self.controller.jobs[job].partitions.choices();
        all.filter(|&choice| !self.is_kept_back(job, choice)).collect()
    }

    fn earliest(&mut self, job: JobHandle, length: Seconds, depth: usize) -> Earliest {
        let choices = self.open_choices(job);
        let is_full = |choice: &PartitionChoice| {
            let of = |job: JobHandle, choice: PartitionChoice| {
                self.controller.jobs[job].partitions[choice].partition
            };
            let partition = of(job, *choice);
            depth < usize::MAX
                && self.promises.iter().filter(|one| of(one.job, one.choice) == partition).count() >= depth
        };
        let (full, open): (Vec<PartitionChoice>, Vec<PartitionChoice>) =
            choices.into_iter().partition(is_full);
        full.iter().for_each(|&choice| self.controller.waits_for(job, choice, WaitReason::Priority));
        let found = self.earliest_of(job, &open, length, (None, i64::MAX));
        let start = found.as_ref().map(|(_, found)| Time(found.start));
        self.found = found.map(|(asked, start)| FoundRoom { asked, start, is_turn: true });
        let otherwise = if full.is_empty() { Otherwise::Waits } else { Otherwise::MayPass };
        self.behind.insert(job, full);
        Earliest { start, otherwise }
    }

    fn earlier(&mut self, job: JobHandle, length: Seconds, held: Time) -> Option<Time> {
        let own = self.promises.iter().position(|promise| promise.job == job)?;
        let choices: Vec<PartitionChoice> = self.controller.jobs[job].partitions.choices().collect();
        let found = self.earliest_of(job, &choices, length, (Some(own), held.0));
        self.found = found.map(|(asked, start)| FoundRoom { asked, start, is_turn: false });
        self.found.as_ref().map(|found| Time(found.start.start))
    }

    /// Whether a job behind those with promises could start now in partitions in which no start was looked for.
    fn fits_now(&mut self, job: JobHandle, length: Seconds, choices: &[PartitionChoice]) -> bool {
        self.found = None;
        self.memo.renew(self.controller.pool.load.version());
        self.memo.renew_beside(&self.promises);
        let own = self.promises.iter().position(|promise| promise.job == job);
        for &choice in choices {
            if self.is_kept_back(job, choice) {
                continue;
            }
            let asked = self.asked(job, choice, length);
            let future = Future { knows_refusals: true, ..self.future() };
            let found = (self.answer)(&future, asked, own, self.controller.second() + 1);
            if let Some(start) = found {
                self.found = Some(FoundRoom { asked, start, is_turn: false });
                return true;
            }
        }
        false
    }

    /// Whether a job could start then, in the partition of its promise in the last plan if there is one.
    fn fits_then(&mut self, job: JobHandle, at: Time, length: Seconds) -> bool {
        self.found = None;
        self.memo.renew(self.controller.pool.load.version());
        let promised = self.before.get(&job).map(|promise| promise.choice);
        let all = self.controller.jobs[job].partitions.choices();
        for choice in all.filter(|&choice| promised.is_none_or(|promised| promised == choice)) {
            if self.is_kept_back(job, choice) {
                continue;
            }
            let asked = self.asked(job, choice, length);
            if let Some(start) = self.future().start_then(asked, at.0) {
                self.found = Some(FoundRoom { asked, start, is_turn: false });
                return true;
            }
        }
        false
    }

    fn hold(&mut self, job: JobHandle, at: Time, length: Seconds) -> bool {
        if let Some(found) = self.found.take_if(|found| found.asked.job == job && found.start.start == at.0) {
            if found.is_turn {
                self.controller.waits_for(job, found.asked.choice, WaitReason::Resources);
            }
            self.promise(found.asked, found.start);
            return true;
        }
        let Some(promise) = self.before.get(&job).cloned() else { return false };
        if self.is_kept_back(job, promise.choice) {
            return false;
        }
        let end = at.0.saturating_add(self.asked(job, promise.choice, length).length);
        self.insert(Promise { start: at.0, end, ..promise });
        true
    }

    fn give_back(&mut self, job: JobHandle) {
        let moved = self.found.as_mut().map(|found| std::mem::take(&mut found.start.moved));
        self.move_promises(moved.unwrap_or_default());
        self.promises.retain(|promise| promise.job != job);
    }

    fn start(&mut self, index: JobIndex, length: Seconds) -> Started {
        let job = self.job(index);
        let now = self.controller.second();
        let found = self.found.take_if(|found| found.asked.job == job && found.start.start <= now);
        let (asked, start) = match found {
            Some(found) => (found.asked, found.start),
            None => {
                let due = self.promises.iter().position(|one| one.job == job && one.start <= now);
                let Some(due) = due else { return Started::NoRoom };
                let promise = self.promises.remove(due);
                let Some(nodes) = self.future().nodes_promised(&promise) else { return Started::NoRoom };
                let start = FirstStart { start: now, nodes, moved: Vec::new() };
                (self.asked(job, promise.choice, length), start)
            }
        };
        if !self.start_now(asked, &start.nodes) {
            return Started::KeptBack;
        }
        self.move_promises(start.moved);
        self.promises.retain(|promise| promise.job != job);
        self.started.push(index);
        Started::Runs
    }
}

/// Nodes on which a plan is being made.
pub struct NodesNow<'n, 'c>(RefCell<&'n mut NodePlan<'c>>);

impl<'n, 'c> NodesNow<'n, 'c> {
    pub fn of(plan: &'n mut NodePlan<'c>) -> NodesNow<'n, 'c> {
        NodesNow(RefCell::new(plan))
    }

    fn with<T>(&self, job: JobIndex, ask: impl FnOnce(&mut NodePlan<'c>, JobHandle) -> T) -> T {
        let mut plan = self.0.borrow_mut();
        let job = plan.job(job);
        ask(&mut plan, job)
    }
}

impl fmt::Debug for NodesNow<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes", self.0.borrow().controller.pool.layout.nodes.len())
    }
}

impl Nodes for NodesNow<'_, '_> {
    fn in_service(&self) -> Procs {
        let controller = &self.0.borrow().controller;
        Procs(controller.pool.up().iter().map(|node| controller.pool.layout.nodes[node].cpus).sum())
    }

    fn free(&self) -> Procs {
        let controller = &self.0.borrow().controller;
        let in_use = controller.pool.load.in_use();
        let free = |node: usize| controller.pool.layout.nodes[node].cpus.saturating_sub(in_use.cpus(node));
        Procs(controller.pool.up().iter().map(free).sum())
    }

    fn waiting(&self) -> Vec<JobIndex> {
        self.0.borrow().waiting()
    }

    fn capacity(&self) -> Box<dyn Capacity + '_> {
        self.0.borrow_mut().promise_none();
        Box::new(self)
    }

    fn begin(&self, index: JobIndex) -> Option<u16> {
        let mut plan = self.0.borrow_mut();
        let job = plan.job(index);
        if plan.controller.jobs[job].state == JobStage::Waiting {
            let choices = plan.open_choices(job);
            let now = plan.controller.second();
            let length = Seconds(plan.controller.jobs[job].partitions[PartitionChoice::FIRST].limit);
            let (asked, start) = plan.earliest_of(job, &choices, length, (None, now + 1))?;
            plan.found = Some(FoundRoom { asked, start, is_turn: true });
            if plan.start(index, length) != Started::Runs {
                return None;
            }
        }
        let one = &plan.controller.jobs[job];
        u16::try_from(one.partitions.find(one.last.ran_in)?.0).ok()
    }
}

impl Capacity for &NodesNow<'_, '_> {
    fn earliest(&mut self, job: JobIndex, length: Seconds, depth: usize) -> Earliest {
        self.with(job, |plan, job| plan.earliest(job, length, depth))
    }

    fn earlier(&mut self, job: JobIndex, length: Seconds, held: Time) -> Option<Time> {
        self.with(job, |plan, job| plan.earlier(job, length, held))
    }

    fn fits(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool {
        self.with(job, |plan, job| match plan.behind.get(&job).cloned() {
            Some(choices) => plan.fits_now(job, length, &choices),
            None => plan.fits_then(job, at, length),
        })
    }

    fn hold(&mut self, job: JobIndex, at: Time, length: Seconds) -> bool {
        self.with(job, |plan, job| plan.hold(job, at, length))
    }

    fn rank_of_kept(&self, job: JobIndex) -> u64 {
        self.with(job, |plan, job| plan.before.get(&job).map_or(0, |promise| promise.number))
    }

    fn give_back(&mut self, job: JobIndex, _at: Time, _length: Seconds) {
        self.with(job, |plan, job| plan.give_back(job));
    }

    fn start(&mut self, job: JobIndex, length: Seconds) -> Started {
        self.0.borrow_mut().start(job, length)
    }
}
