//! A controller that goes on from an instant.

use super::job::{JobStage, RefusedFor, StartedBy};
use super::state::Controller;
use crate::cluster::{Cluster, ClusterMoment, PartitionIndex, StandingState, SubmittedJob};
use crate::controller::clock::Phases;
use crate::controller::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use crate::controller::placement::{NodeSet, PreparedCluster};
use queuecast_core::order;
use queuecast_core::units::{Micros, Seconds, Time};

/// How a cluster is assumed to go on from an instant.
#[derive(Debug)]
pub struct AssumedFuture<'a> {
    /// What is there, then what is submitted later: every submission of the moment, in its order, and those to come.
    pub submissions: &'a [SubmittedJob],
    /// How long every job runs in all, array tasks one by one, in the order of the submissions; `None`: past its limit.
    pub runs: &'a [Option<Seconds>],
    /// When the controller's timers are due.
    pub phases: Phases,
    /// How long ago, in seconds, the whole queue was last gone through, limits were last checked, and the main scheduler last made a
    /// pass, whole or not: it makes the next one no sooner than `batch_sched_delay` after that.
    pub since: [i64; 3],
}

/// When each of some jobs starts if the cluster goes on like this, in the order of `wanted` (places among all jobs, array tasks
/// one by one); `None`: it never does. The simulation ends once all of them have started.
pub fn run_on(
    cluster: &Cluster,
    moment: &ClusterMoment,
    future: &AssumedFuture<'_>,
    wanted: &[usize],
) -> Vec<Option<Time>> {
    run_on_prepared(&PreparedCluster::of(cluster), moment, future, wanted)
}

/// [`run_on`] for a prepared cluster, which saves work where one cluster is simulated many times.
pub fn run_on_prepared(
    cluster: &PreparedCluster<'_>,
    moment: &ClusterMoment,
    future: &AssumedFuture<'_>,
    wanted: &[usize],
) -> Vec<Option<Time>> {
    simulated_on(cluster, moment, future, wanted, false).1
}

/// The controller at the end of such a simulation, and the starts.
pub(super) fn simulated_on<'c>(
    cluster: &PreparedCluster<'c>,
    moment: &ClusterMoment,
    future: &AssumedFuture<'c>,
    wanted: &[usize],
    keeps_parts: bool,
) -> (Controller<'c>, Vec<Option<Time>>) {
    let mut controller = Controller::going_on(cluster, moment, future, keeps_parts);
    controller.wanted =
        wanted.iter().copied().filter(|&job| job < controller.jobs.all().len()).map(JobHandle).collect();
    controller.run(&[]);
    let start = |&job: &usize| {
        let one = controller.jobs.all().get(job)?;
        one.last.by.is_some().then_some(Time(one.last.start))
    };
    let starts = wanted.iter().map(start).collect();
    (controller, starts)
}

/// Where a newcomer would stand in the queue of a cluster. Counts are of jobs and processors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceInQueue {
    /// Jobs that wait, array tasks one by one, and the processors they ask for.
    pub waiting: usize,
    /// See `waiting`.
    pub wanted: u64,
    /// Of these, jobs before it in the queue: of a higher tier or priority, or submitted earlier with the same.
    pub preferred: usize,
    /// Processors that these ask for.
    pub preferred_wanted: u64,
}

/// Processors of the nodes that take jobs at a moment, and how many of them running jobs do not hold.
pub fn free_processors(cluster: &Cluster, moment: &ClusterMoment) -> (u64, u64) {
    let phases = Phases::running_on(moment.now, [Micros::ZERO; 3]);
    let mut controller = Controller::new(cluster, &moment.submissions, phases);
    controller.resume(moment, [0; 3]);
    let up = controller.pool.up();
    let in_service: u64 = (0..cluster.nodes.len())
        .filter(|&node| up.contains(node))
        .map(|node| u64::from(cluster.nodes[node].cpus))
        .sum();
    let shares = controller.jobs.running().iter().flat_map(|&job| &*controller.jobs[job].last.shares);
    let held: u64 = shares.filter(|share| up.contains(share.node)).map(|share| u64::from(share.cpus)).sum();
    (in_service, in_service.saturating_sub(held))
}

/// Where a job would stand in the queue if it were submitted at a moment.
pub fn queue_ahead(cluster: &Cluster, moment: &ClusterMoment, job: &SubmittedJob) -> PlaceInQueue {
    let mut submissions = moment.submissions.clone();
    submissions.push(job.clone());
    let phases = Phases::running_on(moment.now, [Micros::ZERO; 3]);
    let mut controller = Controller::new(cluster, &submissions, phases);
    controller.resume(moment, [0; 3]);
    let new = SubmissionHandle(submissions.len() - 1);
    controller.submit(new);
    let own = controller.jobs.tasks(new).first().copied();
    let order = controller.take_queue();
    // Of an array only one task is in the queue; the others stand with it.
    let mut stands = vec![usize::MAX; submissions.len()];
    for (at, record) in order.iter().enumerate().rev() {
        stands[controller.jobs[record.job].submission.0] = at;
    }
    let new_stands = stands[new.0];
    let mut ahead = PlaceInQueue::default();
    for &job in controller.queue.waiting().iter().filter(|job| Some(**job) != own) {
        let one = &controller.jobs[job];
        if one.submission == new {
            continue;
        }
        let cpus = one.partitions.first().map_or(1, |at| u64::from(at.kept.need.cpus));
        ahead.waiting += 1;
        ahead.wanted += cpus;
        if stands[one.submission.0] < new_stands {
            ahead.preferred += 1;
            ahead.preferred_wanted += cpus;
        }
    }
    ahead
}

impl<'c> Controller<'c> {
    /// In the state of a moment, before what follows. Whether the parts of nodes that jobs hold are kept has to be said before it: jobs that
    /// run then are given theirs here.
    pub(super) fn going_on(
        cluster: &PreparedCluster<'c>,
        moment: &ClusterMoment,
        future: &AssumedFuture<'c>,
        keeps_parts: bool,
    ) -> Controller<'c> {
        let mut controller = Controller::prepared(cluster, future.submissions, future.phases);
        controller.keeps_parts = keeps_parts;
        for (job, run) in (0..controller.jobs.all().len()).map(JobHandle).zip(future.runs) {
            let run = run.map(|run| Micros::of_seconds(run.0.max(0)).min(Micros::NEVER / 4));
            controller.jobs.set_run(job, run);
        }
        controller.resume(moment, future.since);
        controller
    }
}

impl Controller<'_> {
    /// Takes over where every job stands.
    pub(super) fn resume(&mut self, moment: &ClusterMoment, since: [i64; 3]) {
        let count = self.cluster.nodes.len();
        self.pool.set_reservations(&moment.reservations);
        let mut up = NodeSet::all(count);
        moment.closed_nodes.iter().filter(|node| **node < count).for_each(|&node| up.remove(node));
        self.pool.set_up(up);
        let mut running = Vec::new();
        let mut eligible = Vec::new();
        for standing in &moment.standings {
            if standing.submission >= self.jobs.by_submission().len() {
                continue;
            }
            let own = self.jobs.tasks(SubmissionHandle(standing.submission));
            // Tasks are ascending.
            let Ok(at) = own.binary_search_by_key(&standing.task, |&job| self.jobs[job].task) else {
                continue;
            };
            let job = own[at];
            match &standing.state {
                StandingState::Left { well } => self.jobs.has_left(job, *well),
                StandingState::Running { start, nodes, partition } => {
                    running.push((*start, job, nodes, *partition));
                }
                StandingState::Waiting { eligible: Some(since) } => {
                    self.jobs.could_start(job);
                    eligible.push((job, since.0));
                }
                StandingState::Waiting { eligible: None } => {}
                StandingState::Held => self.jobs.is_held(job),
            }
        }
        order::sort_by_key(&mut running, |&(start, job, ..)| (start, job));
        for (start, job, nodes, partition) in running {
            self.clock.set(start.into());
            self.takes_over(job, nodes, partition);
        }
        for submission in self.jobs.by_submission().to_vec() {
            let submit = self.jobs.asked(submission).submit;
            let is_there = submission.0 < moment.submissions.len() && submit <= moment.now;
            if is_there && self.jobs.are_to_come(submission) {
                self.clock.set(submit);
                self.submit(submission);
            }
        }
        self.clock.resume(moment.now, since);
        let now = self.second();
        let mut enters = Vec::new();
        for (job, since) in eligible {
            // An array that says how many tasks may run is not looked at when it comes; here a pass has looked at it.
            let was_ready = self.jobs[job].wait.eligible.is_some();
            if was_ready || self.jobs[job].state == JobStage::Waiting && self.is_ready(job) == Some(true) {
                self.jobs.is_eligible_since(job, since);
                self.jobs.set_seen(job, since < now);
                enters.extend((!was_ready).then_some(job));
            }
        }
        if !enters.is_empty() {
            self.queue.keep_unready(|job| self.jobs[job].wait.eligible.is_none());
            for job in enters {
                if !self.jobs[job].wait.was_seen {
                    self.queue.is_unseen(job);
                }
                self.queue.enqueue(&self.jobs, self.cluster, job);
            }
        }
        self.priorities.take_over(&moment.usage, now);
        self.limits.have_aged(&mut self.jobs, self.queue.waiting());
        // Of the time that running jobs may run, what is over does not count for limits.
        for &job in self.jobs.running() {
            let one = &self.jobs[job];
            let (ran, limit) = ((now - one.last.start).max(0), one.last.limit_end - one.last.start);
            self.limits.charge(&one.running_limits(), &one.last.amounts, (0, ran), limit, 0.0);
        }
        for &job in self.queue.waiting() {
            self.priorities.prioritize(&mut self.jobs, job, now);
        }
        self.queue.is_out_of_order();
    }

    /// A job runs on these nodes since now.
    fn takes_over(&mut self, job: JobHandle, nodes: &[usize], partition: Option<PartitionIndex>) {
        self.describe_job(job);
        let limits = self.jobs[job].holder.limits.clone();
        self.limits.arrived(&limits);
        let asked = &self.jobs[job].partitions;
        let choice = partition.and_then(|one| asked.find(one)).unwrap_or(PartitionChoice::FIRST);
        let Some(at) = asked.get(choice.0) else {
            // No partition would take it now, so that nothing is known of what it holds but its nodes.
            self.jobs.is_refused(job, RefusedFor::Partition);
            return;
        };
        let (at, kept) = (at.clone(), at.kept.clone());
        let none = NodeSet::none(self.cluster.nodes.len());
        // Where its nodes are not told, those that it would be given.
        let chosen = nodes.is_empty().then(|| self.now().nodes_now(job, &at, &none).flatten()).flatten();
        let nodes = chosen.as_deref().unwrap_or(nodes);
        let given = self.pool.given_in_any_case(nodes, &kept.need);
        let amounts = self.limits.amounts(&given, at.partition);
        let submission = self.jobs[job].submission;
        if self.jobs.record_of_waiting(submission) == 0 {
            self.jobs.new_record(submission);
        }
        self.jobs.was_submitted(job, self.jobs.asked(submission).submit.second().0);
        self.start(job, choice, given, amounts, StartedBy::Main);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cluster;
    use super::*;
    use crate::cluster::{
        Dependency, DependencyKind, DependencyOn, JobArray, JobRequest, JobStanding, PriorityKind,
        RecordedRun, TaskRun, TimeLimit,
    };
    use crate::controller::simulate_cluster;

    fn submission(key: &str, submit: i64, tasks: u32, minutes: i64) -> SubmittedJob {
        SubmittedJob {
            key: key.into(),
            id: None,
            submit: Micros::of_seconds(submit),
            user: "u".into(),
            request: JobRequest {
                tasks: Some(tasks),
                time_limit: Some(TimeLimit::Of(Seconds(60 * minutes))),
                ..JobRequest::default()
            }
            .into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    fn future<'a>(
        submissions: &'a [SubmittedJob],
        runs: &'a [Option<Seconds>],
        now: i64,
    ) -> AssumedFuture<'a> {
        let timers = [500_000, 10_000_000, 100_000_000].map(Micros);
        let phases = Phases::running_on(Micros::of_seconds(now), timers);
        AssumedFuture { submissions, runs, phases, since: [0; 3] }
    }

    fn running(submission: usize, start: i64, node: usize) -> JobStanding {
        let state = StandingState::Running {
            start: Time(start),
            nodes: vec![node],
            partition: Some(PartitionIndex(0)),
        };
        JobStanding { submission, task: None, state }
    }

    #[test]
    fn a_newcomer_starts_when_what_runs_has_ended() {
        let one = cluster(1);
        let submissions =
            vec![submission("a", 0, 4, 10), submission("b", 50, 4, 10), submission("new", 100, 4, 10)];
        let mut moment = ClusterMoment {
            now: Micros::of_seconds(100),
            submissions: submissions.clone(),
            standings: vec![running(0, 10, 0)],
            ..ClusterMoment::default()
        };
        // The first one has run for 90 s of 300, the second runs for 60.
        let runs = [300, 60, 50].map(|run| Some(Seconds(run)));
        let starts = run_on(&one, &moment, &future(&submissions, &runs, 100), &[1, 2]);
        let within =
            |start: Option<Time>, from: i64| start.is_some_and(|at| (from..from + 10).contains(&at.0));
        assert!(within(starts[0], 310) && within(starts[1], 371), "{starts:?}");
        // A job that outlives its limit is stopped within half a minute and the time that takes.
        let long = [None, Some(Seconds(60)), Some(Seconds(50))];
        let starts = run_on(&one, &moment, &future(&submissions, &long, 100), &[1]);
        assert!(starts[0].is_some_and(|at| (610..680).contains(&at.0)), "{starts:?}");
        // Control: with a second node nothing waits.
        let two = cluster(2);
        let starts = run_on(&two, &moment, &future(&submissions, &runs, 100), &[1]);
        assert!(within(starts[0], 100), "{starts:?}");
        // A node that is closed takes no jobs.
        moment.closed_nodes = vec![1];
        let starts = run_on(&two, &moment, &future(&submissions, &runs, 100), &[1]);
        assert!(within(starts[0], 310), "{starts:?}");
    }

    #[test]
    fn where_a_newcomer_would_stand_is_by_priority() {
        let mut cluster = cluster(1);
        cluster.settings.priority.kind = PriorityKind::Multifactor;
        cluster.settings.priority.weights.job_size = 1000;
        let submissions =
            vec![submission("a", 0, 4, 10), submission("b", 50, 1, 10), submission("c", 60, 4, 10)];
        let moment = ClusterMoment {
            now: Micros::of_seconds(100),
            submissions,
            standings: vec![running(0, 10, 0)],
            ..ClusterMoment::default()
        };
        let of = |tasks: u32| queue_ahead(&cluster, &moment, &submission("new", 100, tasks, 5));
        let small = of(1);
        assert_eq!((small.waiting, small.wanted), (2, 5));
        assert_eq!((small.preferred, small.preferred_wanted), (2, 5), "submitted later than one as small");
        assert_eq!(of(2).preferred, 1, "larger than one of them");
        assert_eq!(free_processors(&cluster, &moment), (4, 0));
        // What runs on a node that takes no jobs holds nothing of those that do.
        let closed = ClusterMoment { closed_nodes: vec![0], ..moment.clone() };
        assert_eq!(free_processors(&cluster, &closed), (0, 0));
    }

    /// A queue that is simulated onwards from one of its own moments goes on as it did, but for the phase of the timers.
    #[test]
    fn a_simulation_goes_on_from_its_own_moments() {
        let cluster = cluster(3);
        let mut random = queuecast_core::seed::Seed(7).stream("moments");
        let mut run = RecordedRun::default();
        let mut runs = Vec::new();
        for number in 0..40_i64 {
            // Whole nodes, first come, first served: what waits is in one order.
            let mut one = submission(&format!("j{number}"), 20 * number, 4, 10);
            let length = Seconds(rand::RngExt::random_range(&mut random, 30..500));
            one.runs = vec![TaskRun::For(length)];
            runs.push(Some(length));
            run.submissions.push(one);
        }
        run.outcomes = simulate_cluster(&cluster, &run, Phases::from_start(Micros::ZERO, Seconds(30)));
        let mut checked = 0;
        for now in [100, 400, 790] {
            let moment = ClusterMoment::recorded(&cluster, &run, Micros::of_seconds(now));
            let later = run.submissions.iter().filter(|one| one.submit > moment.now);
            let known: Vec<SubmittedJob> = moment.submissions.iter().chain(later).cloned().collect();
            let number = |one: &SubmittedJob| one.key[1..].parse::<usize>().unwrap();
            let runs: Vec<Option<Seconds>> = known.iter().map(|one| runs[number(one)]).collect();
            let wanted: Vec<usize> = (0..known.len()).collect();
            let starts = run_on(&cluster, &moment, &future(&known, &runs, now), &wanted);
            for (start, one) in starts.iter().zip(&known) {
                let (start, before) = (start.unwrap(), run.outcomes[number(one)].start.unwrap());
                assert!((start - before).0.abs() <= 10, "{now}, {}: {start:?} {before:?}", one.key);
                checked += 1;
            }
        }
        assert!(checked > 60, "{checked}");
    }

    /// An array that says how many tasks may run keeps its age.
    #[test]
    fn throttled_arrays_go_on_with_their_age() {
        let mut cluster = cluster(1);
        cluster.settings.priority.kind = PriorityKind::Multifactor;
        cluster.settings.priority.weights.age = 1000;
        cluster.settings.priority.max_age = Seconds(1000);
        let mut array = submission("array", 0, 4, 10);
        array.request.array = Some(JobArray { indices: vec![0, 1], throttle: Some(1) });
        let submissions = vec![array, submission("runs", 0, 4, 10), submission("younger", 300, 4, 10)];
        let waits = |submission: usize, task: Option<u32>, since: i64| {
            let state = StandingState::Waiting { eligible: Some(Time(since)) };
            JobStanding { submission, task, state }
        };
        let moment = ClusterMoment {
            now: Micros::of_seconds(500),
            submissions: submissions.clone(),
            standings: vec![
                waits(0, Some(0), 0),
                waits(0, Some(1), 0),
                running(1, 10, 0),
                waits(2, None, 300),
            ],
            ..ClusterMoment::default()
        };
        let runs = [60, 60, 520, 60].map(|run| Some(Seconds(run)));
        // Jobs are the two tasks, then the others.
        let starts = run_on(&cluster, &moment, &future(&submissions, &runs, 500), &[0, 3]);
        assert!(starts[0] < starts[1], "the array is older: {starts:?}");
        // Control: without its age it comes later.
        let mut young = moment.clone();
        young.standings[0] = waits(0, Some(0), 499);
        young.standings[1] = waits(0, Some(1), 499);
        let starts = run_on(&cluster, &young, &future(&submissions, &runs, 500), &[0, 3]);
        assert!(starts[0] > starts[1], "{starts:?}");
    }

    /// Without priorities jobs go in the order in which they are submitted, whatever the order in which they are listed.
    #[test]
    fn what_comes_earlier_is_first_wherever_it_is_listed() {
        let mut cluster = cluster(1);
        cluster.settings.priority.kind = PriorityKind::Basic;
        let mut submissions = vec![
            submission("runs", 0, 4, 10),
            submission("later", 200, 4, 10),
            submission("earlier", 150, 4, 10),
        ];
        let moment = ClusterMoment {
            now: Micros::of_seconds(100),
            submissions: submissions[..1].to_vec(),
            standings: vec![running(0, 10, 0)],
            ..ClusterMoment::default()
        };
        let runs = [300, 60, 60].map(|run| Some(Seconds(run)));
        let starts = |submissions: &[SubmittedJob]| {
            run_on(&cluster, &moment, &future(submissions, &runs, 100), &[1, 2])
        };
        let found = starts(&submissions);
        assert!(found[0] > found[1], "{found:?}");
        for one in &mut submissions[1..] {
            let on = DependencyOn { kind: DependencyKind::Singleton, job: String::new(), delay: Seconds(0) };
            one.request.dependency = Some(Dependency { on: vec![on], any: false });
            one.request.name = Some("only one".into());
        }
        let found = starts(&submissions);
        assert!(found[0].is_some() && found[0] > found[1], "one of a name at a time: {found:?}");
    }
}
