//! A controller put into the states of a recording, one after the other.

use std::collections::BTreeMap;

use super::decided::{DecisionKind, DecisionTally, in_words};
use super::seconds::RecordedSeconds;
use super::turns::{MOST_TURNS, ticks, until_eligible};
use crate::cluster::{
    Cluster, ClusterAction, JobNumber, LoggedAction, LoggedPlace, LoggedStep, PartitionIndex,
    PriorityPartsShown, RecordedDecisions, RecordedRun, ShownPriority,
};
use crate::controller::backfill::Cycle;
use crate::controller::clock::{CLOCK_LAG, Due, Phases};
use crate::controller::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use crate::controller::job::{ControlledJob, JobStage, StartedBy};
use crate::controller::placement::NodeSet;
use crate::controller::priority::PriorityParts;
use crate::controller::state::Controller;
use queuecast_core::order;
use queuecast_core::units::Micros;

/// How long the nodes of a stopped job stay in use, at least. Later decisions in the same turn of the background thread find them in
/// use; the pass that follows their epilog finds them free.
const SOONEST_RELEASE: Micros = Micros::of_millis(10);

/// Where a cycle had planned a job in one of its partitions.
pub struct PlanBeforeWay {
    pub job: JobHandle,
    pub choice: PartitionChoice,
    pub plan: Option<(i64, Vec<usize>)>,
}

/// A controller that follows a recording.
pub struct RecordingFollower<'c> {
    pub controller: Controller<'c>,
    pub run: &'c RecordedRun,
    pub recorded: &'c RecordedDecisions,
    /// Submissions by number.
    numbers: BTreeMap<u64, SubmissionHandle>,
    /// When jobs started and ended.
    pub seconds: RecordedSeconds<'c>,
    /// Seconds from the submission of jobs until the first of them was eligible.
    until_eligible: BTreeMap<&'c str, i64>,
    /// What each job's priorities consisted of when they were computed last, by its partitions.
    pub parts: Vec<Vec<PriorityParts>>,
    /// When jobs would be stopped at their limits, in seconds.
    stops: BTreeMap<JobHandle, i64>,
    /// The backfill cycle under way, as far as it is recorded.
    pub cycle: Option<Cycle<'c>>,
    /// Whether what running jobs hold has been looked up since a job started or ended.
    pub knows_running: bool,
    /// Partitions that the pass has closed, and their nodes.
    pub closed: Vec<bool>,
    pub held_back: NodeSet,
    /// Jobs that it could not start, and in which partitions.
    pub tested: Vec<(JobHandle, PartitionIndex)>,
    /// What the cycle has still to look at, the next one last.
    pub ahead: Vec<(JobHandle, PartitionChoice)>,
    /// Where the cycle had planned the jobs that others made way for, before these did.
    pub before_way: Vec<PlanBeforeWay>,
    /// Events and rows that are past.
    pub events: usize,
    rows: usize,
    /// Rows of jobs that were submitted while the snapshot was taken.
    early: Vec<&'c ShownPriority>,
    next_priority: Micros,
    /// Turns of the background thread, the next one last.
    ticks: Vec<Micros>,
}

impl<'c> RecordingFollower<'c> {
    pub fn new(
        cluster: &'c Cluster,
        run: &'c RecordedRun,
        phases: Phases,
        recorded: &'c RecordedDecisions,
    ) -> RecordingFollower<'c> {
        let mut controller =
            Controller::new(cluster, &run.submissions, Phases { stop_delay: SOONEST_RELEASE, ..phases });
        let phases = controller.clock.phases();
        controller.keeps_barred = true;
        let period = Micros::of_seconds(cluster.settings.priority.calc_period.0.max(1));
        let timer = phases.start + phases.first_priority;
        let numbers = run.submissions.iter().enumerate();
        RecordingFollower {
            parts: vec![Vec::new(); controller.jobs.all().len()],
            numbers: order::map_of(
                numbers.filter_map(|(index, one)| Some((one.id?, SubmissionHandle(index)))),
            ),
            seconds: RecordedSeconds::of(run, recorded),
            until_eligible: until_eligible(run),
            stops: BTreeMap::new(),
            cycle: None,
            knows_running: false,
            closed: vec![false; cluster.partitions.len()],
            held_back: NodeSet::none(cluster.nodes.len()),
            tested: Vec::new(),
            ahead: Vec::new(),
            before_way: Vec::new(),
            events: 0,
            rows: 0,
            early: Vec::new(),
            next_priority: timer + period,
            ticks: ticks(&recorded.steps, &phases),
            controller,
            run,
            recorded,
        }
    }

    /// Goes through the whole recording.
    pub fn follow(mut self, tally: &mut DecisionTally) {
        for step in &self.recorded.steps {
            self.advance(step.at, tally);
            self.step(step, tally);
        }
        let last = self.recorded.priorities.last().map_or(Micros::ZERO, |row| row.at);
        self.advance(last, tally);
        std::mem::take(&mut self.early).into_iter().for_each(|row| self.row(row, tally));
    }

    /// What happens by itself until an instant: timers, what users and administrators did, snapshots.
    fn advance(&mut self, to: Micros, tally: &mut DecisionTally) {
        let period = Micros::of_seconds(self.controller.cluster.settings.priority.calc_period.0.max(1));
        // Over very long times without a logged step, turns of the timer are skipped.
        let turns = (to - self.next_priority) / period;
        self.next_priority += period * (turns - MOST_TURNS).max(0);
        loop {
            let row = self.recorded.priorities.get(self.rows).map_or(Micros::NEVER, |row| row.at);
            let event = self.run.events.get(self.events).map_or(Micros::NEVER, |event| event.at);
            let due = self.controller.clock.next_due();
            let tick = self.ticks.last().copied().unwrap_or(Micros::NEVER);
            let at = row.min(event).min(due).min(tick).min(self.next_priority);
            if at > to {
                break;
            }
            self.set_clock(at);
            if at == tick {
                self.ticks.pop();
                self.tick(at);
            } else if at == due {
                if let Some(Due::Release(job)) = self.controller.clock.take_due() {
                    self.controller.has_stopped(job);
                    self.forget_running();
                }
            } else if at == event {
                self.event();
            } else if at == self.next_priority {
                self.size_ahead(None);
                self.controller.recompute();
                self.next_priority += period;
                for job in self.controller.queue.waiting().to_vec() {
                    self.note_parts(job);
                }
            } else {
                let row = &self.recorded.priorities[self.rows];
                self.rows += 1;
                match self.job(row.job) {
                    Some(job) if self.controller.jobs[job].state == JobStage::ToCome => self.early.push(row),
                    _ => self.row(row, tally),
                }
            }
        }
        self.set_clock(to);
    }

    /// A turn of the background thread: limits are checked.
    fn tick(&mut self, at: Micros) {
        let now = self.controller.clock.phases().second_of_turn(at);
        for job in self.controller.check_limits(now) {
            self.stops.entry(job).or_insert(now);
        }
    }

    fn set_clock(&mut self, at: Micros) {
        self.controller.clock.advance(at);
    }

    pub fn note_parts(&mut self, job: JobHandle) {
        let now = self.controller.second();
        let one = &self.controller.jobs[job];
        let parts = |choice| self.controller.priorities.parts(one, choice, now);
        self.parts[job.0] = one.partitions.choices().map(parts).collect();
    }

    pub fn job(&self, number: JobNumber) -> Option<JobHandle> {
        let own = self.controller.jobs.tasks(*self.numbers.get(&number.id)?);
        let job = |&job: &JobHandle| &self.controller.jobs[job];
        match number.task {
            Some(_) => own.iter().copied().find(|one| job(one).task == number.task),
            // The record of an array is that of its tasks which have never started; others have records of their own.
            None => {
                let waits = |one: &JobHandle| job(one).state == JobStage::Waiting;
                let is_first = |one: &JobHandle| waits(one) && job(one).last.incarnation == 0;
                let found = own.iter().copied().find(is_first);
                found.or_else(|| own.iter().copied().find(waits)).or(own.first().copied())
            }
        }
    }

    /// A partition that a job asks for, by name.
    pub fn choice(&self, job: JobHandle, partition: &str) -> Option<PartitionChoice> {
        self.controller.jobs[job].partitions.find(self.controller.cluster.partition(partition)?)
    }

    /// A row of a snapshot.
    fn row(&self, row: &ShownPriority, tally: &mut DecisionTally) {
        let found = self.job(row.job).and_then(|job| Some((job, self.choice(job, &row.partition)?)));
        let waits =
            |&(job, _): &(JobHandle, PartitionChoice)| self.controller.jobs[job].state == JobStage::Waiting;
        let shows_all = self.controller.cluster.settings.priority.flags.calculate_running;
        if shows_all && !found.as_ref().is_some_and(waits) {
            // Such snapshots have jobs that run or have ended, too.
            return;
        }
        let decided = found.map(|(job, choice)| {
            let parts = self.parts[job.0].get(choice.0);
            // Where priorities only rise, snapshots show what was computed last, though a higher one may be kept.
            let only_grows = self.controller.cluster.settings.priority.flags.incr_only
                && self.controller.jobs[job].terms.fixed_priority.is_none();
            let computed = parts.filter(|_| only_grows).map(|parts| parts.sum().max(1.0) as u64);
            let priority = computed.unwrap_or(self.controller.jobs[job].partitions[choice].priority);
            (priority, parts.map(rounded).unwrap_or_default())
        });
        let equal = decided == Some((row.priority, row.parts));
        tally.count(DecisionKind::Priority, equal, || {
            let recorded = (row.priority, row.parts);
            let words = match decided {
                Some(decided) => [in_words(recorded, decided), in_words(decided, recorded)],
                None => [row.priority.to_string(), "unknown job".to_owned()],
            };
            (row.at.second().0, named(row.job), words)
        });
    }

    fn step(&mut self, step: &LoggedStep, tally: &mut DecisionTally) {
        if let LoggedAction::Started { on, .. } | LoggedAction::Planned { on, .. } = &step.what
            && on.nodes.iter().any(|&node| node >= self.controller.cluster.nodes.len())
        {
            return;
        }
        if let LoggedAction::Started { job, .. } | LoggedAction::Planned { job, .. } = &step.what
            && let Some(job) = self.job(*job)
            && !matches!(self.controller.jobs[job].state, JobStage::Waiting | JobStage::Running)
        {
            // The log knows it before its submission, or after it has left this controller.
            self.controller.describe_job(job);
        }
        self.controller.renew_core_holds();
        let placed = match &step.what {
            LoggedAction::Started { job, on, .. } | LoggedAction::Planned { job, on, .. } => {
                self.job(*job).and_then(|job| Some((job, self.choice(job, &on.partition)?)))
            }
            _ => None,
        };
        let is_in_cores = placed.is_some_and(|(job, choice)| self.controller.lift_core_hold(job, choice));
        self.knows_running &= !is_in_cores;
        self.follow_step(step, tally);
        if is_in_cores {
            self.controller.renew_core_holds();
            self.knows_running = false;
        }
    }

    fn follow_step(&mut self, step: &LoggedStep, tally: &mut DecisionTally) {
        match &step.what {
            LoggedAction::Submitted(number) => {
                let Some(&submission) = self.numbers.get(&number.id) else { return };
                self.submit(submission);
                let (own, early): (Vec<_>, Vec<_>) = std::mem::take(&mut self.early)
                    .into_iter()
                    .partition(|row| self.numbers.get(&row.job.id) == Some(&submission));
                self.early = early;
                own.into_iter().for_each(|row| self.row(row, tally));
            }
            LoggedAction::Pass { .. } => {
                self.size_ahead(None);
                self.cycle = None;
                self.closed.fill(false);
                self.tested.clear();
                self.held_back = NodeSet::none(self.controller.cluster.nodes.len());
                self.controller.clock.set(self.clock_of_pass(step.at));
                self.see_queue();
                self.controller.size_linear();
            }
            LoggedAction::Blocked { job, .. } => self.block(*job),
            LoggedAction::Delayed(job) => self.delay(*job),
            LoggedAction::Cycle => {
                self.size_ahead(None);
                self.note_ahead();
                let queue = self.controller.take_queue();
                self.controller.size_exclusive(&queue);
                self.controller.queue.give_back(queue);
                self.knows_running = false;
                self.before_way.clear();
                let cluster = self.controller.cluster;
                self.cycle =
                    cluster.settings.backfill.as_ref().map(|settings| self.controller.begin_cycle(settings));
            }
            LoggedAction::Started { job, on, backfilled } => self.started(*job, on, *backfilled, tally),
            LoggedAction::Planned { job, on, start, end } => {
                let planned = self.planned(*job, &on.partition);
                let equal = planned.as_ref().is_some_and(|one| one.0 == start.0);
                let now = self.controller.second();
                let words = |found: &Option<(i64, Vec<usize>)>| {
                    let recorded = format!("{} on {}", start.0 - now, self.nodes(&on.nodes));
                    let decided = found.as_ref().map_or("never".to_owned(), |(at, nodes)| {
                        format!("{} on {}", at - now, self.nodes(nodes))
                    });
                    (now, named(*job), [recorded, decided])
                };
                tally.count(DecisionKind::PlanStart, equal, || words(&planned));
                let same = equal && planned.as_ref().is_some_and(|one| same_nodes(&one.1, &on.nodes));
                tally.count(DecisionKind::PlanNodes, same, || words(&planned));
                self.plan_for(*job, on, start.0, end.0);
            }
            LoggedAction::Ended(number) => self.ended(*number, true),
            LoggedAction::Stopped(number) => {
                // The turn in which it was stopped may be expected some milliseconds later, since turns are estimated from passes.
                let nearest = step.at + self.controller.clock.phases().tick / 2;
                while let Some(tick) = self.ticks.pop_if(|tick| *tick <= nearest) {
                    self.tick(tick);
                }
                let turn = self.controller.clock.phases().second_of_turn(step.at);
                let now = self.seconds.end(*number, turn);
                let stop = self.job(*number).and_then(|job| self.stops.get(&job)).copied();
                tally.count(DecisionKind::Kill, stop == Some(now), || {
                    let decided = stop.map_or("not yet".to_owned(), |stop| (stop - now).to_string());
                    (now, named(*number), ["0".to_owned(), decided])
                });
                // The next check of time limits counts from this one, which may have been late.
                self.controller.clock.limits_checked(now);
                self.ended(*number, false);
            }
            LoggedAction::Preempted { job, by, requeued } => {
                by.iter().for_each(|&by| self.plan_before_way(by));
                let number = *job;
                let job =
                    self.job(number).filter(|&job| self.controller.jobs[job].state == JobStage::Running);
                let Some(job) = job else { return };
                self.set_clock_to_end(number);
                self.controller.end(job, false);
                if *requeued {
                    self.controller.requeue(job);
                    self.note_parts(job);
                }
                self.forget_running();
            }
            LoggedAction::Cancelled(number) => {
                let Some(&submission) = self.numbers.get(&number.id) else { return };
                let key = self.controller.jobs.asked(submission).key.clone();
                self.controller.act(&ClusterAction::Cancel { key, task: number.task });
                self.forget_running();
            }
        }
    }

    fn submit(&mut self, submission: SubmissionHandle) {
        self.controller.submit(submission);
        for job in self.controller.jobs.tasks(submission).to_vec() {
            self.note_parts(job);
        }
    }

    pub fn forget_running(&mut self) {
        self.knows_running = false;
    }

    /// The instant that the controller's clock of whole seconds shows in a pass. At the very begin of a second that may still be the one
    /// before; which of both is told by the recorded eligibility of jobs that the pass looks at first.
    fn clock_of_pass(&self, at: Micros) -> Micros {
        let before = at - CLOCK_LAG;
        if before.second() == at.second() {
            return at;
        }
        let is_early = |job: &ControlledJob| {
            let key = self.run.submissions[job.submission.0].key.as_str();
            job.state == JobStage::Waiting
                && !job.wait.was_seen
                && self
                    .until_eligible
                    .get(key)
                    .is_some_and(|&by| by > 0 && job.wait.submit + by == before.second().0)
        };
        if self.controller.jobs.all().iter().any(is_early) { before } else { at }
    }

    /// A pass or cycle looks at the queue: jobs that have become ready are in it and count as seen.
    fn see_queue(&mut self) {
        let queue = self.controller.take_queue();
        self.controller.queue.give_back(queue);
    }

    fn nodes(&self, nodes: &[usize]) -> String {
        let names: Vec<&str> =
            nodes.iter().map(|&node| self.controller.cluster.nodes[node].name.as_str()).collect();
        names.join(",")
    }

    fn started(&mut self, number: JobNumber, on: &LoggedPlace, backfilled: bool, tally: &mut DecisionTally) {
        let found = self.job(number).and_then(|job| Some((job, self.choice(job, &on.partition)?)));
        let now = self.controller.second();
        let decided = if backfilled {
            let planned = self.planned(number, &on.partition);
            let at_once = planned.as_ref().is_some_and(|one| one.0 <= now);
            tally.count(DecisionKind::BackfillStart, at_once, || {
                let decided = planned.as_ref().map_or("never".to_owned(), |one| (one.0 - now).to_string());
                (now, named(number), ["0".to_owned(), decided])
            });
            planned.map(|one| one.1)
        } else {
            found.and_then(|(job, choice)| {
                let at = &self.controller.jobs[job].partitions[choice];
                self.controller.now().nodes_now(job, at, &self.held_back)?
            })
        };
        let is_same = decided.as_deref().is_some_and(|nodes| same_nodes(nodes, &on.nodes));
        tally.count(DecisionKind::StartNodes, is_same, || {
            let decided = decided.as_ref().map_or("none".to_owned(), |nodes| self.nodes(nodes));
            (now, named(number), [self.nodes(&on.nodes), decided])
        });
        if let Some((job, choice)) = found {
            let at = self.controller.jobs[job].partitions[choice].clone();
            if backfilled {
                self.controller.note_selection(&at, false);
            }
            self.controller.note_selection(&at, true);
            // The recording does not tell in which order nodes were chosen.
            let nodes = decided.filter(|_| is_same).unwrap_or_else(|| on.nodes.clone());
            let by = if backfilled { StartedBy::Backfill } else { StartedBy::Main };
            self.start(number, (job, choice), &nodes, by);
        }
        self.forget_running();
    }

    /// Starts a job as it was started.
    fn start(
        &mut self,
        number: JobNumber,
        (job, choice): (JobHandle, PartitionChoice),
        nodes: &[usize],
        by: StartedBy,
    ) {
        match self.controller.jobs[job].state {
            JobStage::Waiting => {}
            JobStage::Running => return,
            JobStage::ToCome => self.submit(self.controller.jobs[job].submission),
            _ => {}
        }
        if self.controller.jobs[job].state != JobStage::Waiting {
            // This controller refused it or let it go, the recorded one did not.
            let limits = self.controller.jobs[job].holder.limits.clone();
            self.controller.limits.arrived(&limits);
        }
        let kept = self.controller.jobs[job].partitions[choice].kept.clone();
        let need = &kept.need;
        self.set_clock_to_start(job);
        let mut given = self.controller.pool.given_in_any_case(nodes, need);
        self.as_recorded(number, job, &mut given);
        let partition = self.controller.jobs[job].partitions[choice].partition;
        let amounts = self.controller.limits.amounts(&given, partition);
        self.controller.start(job, choice, given, amounts, by);
        // It ends when the recording says so.
        self.controller.clock.forget_ends();
        self.stops.remove(&job);
    }

    fn ended(&mut self, number: JobNumber, well: bool) {
        if let Some(job) = self.job(number)
            && self.controller.jobs[job].state == JobStage::Running
        {
            self.set_clock_to_end(number);
            self.controller.end(job, well);
            self.forget_running();
        }
    }
}

/// Whether these are the same nodes; those recorded are in order.
fn same_nodes(chosen: &[usize], recorded: &[usize]) -> bool {
    let mut chosen = chosen.to_vec();
    chosen.sort_unstable();
    chosen == recorded
}

fn rounded(parts: &PriorityParts) -> PriorityPartsShown {
    let whole = |part: f64| part.round_ties_even() as i64;
    PriorityPartsShown {
        age: whole(parts.age),
        fair_share: whole(parts.fair_share),
        size: whole(parts.size),
        partition: whole(parts.partition),
        qos: whole(parts.qos),
        nice: whole(parts.nice),
    }
}

fn named(number: JobNumber) -> String {
    number.task.map_or(number.id.to_string(), |task| format!("{}_{task}", number.id))
}
