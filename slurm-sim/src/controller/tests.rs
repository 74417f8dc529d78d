//! Small clusters simulated, worked by hand, and properties of random ones.

use rand::RngExt;

use super::{Phases, decisions, simulate_cluster};
use crate::cluster::{
    Cluster, ClusterNode, ClusterPartition, ClusterSettings, Dependency, DependencyKind, DependencyOn,
    GenericResource, GresRequest, JobArray, JobNumber, JobOutcome, JobRequest, LoggedAction, LoggedPlace,
    LoggedStep, MemoryAmount, PriorityKind, RecordedDecisions, RecordedEnd, RecordedRun, SubmittedJob,
    TaskRun, TimeLimit, classes_of,
};
use queuecast_core::job_state::JobState;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Seconds, Time};

/// Nodes of four processors and 8,000 MB in one partition, in the order of submission.
pub(super) fn cluster(nodes: usize) -> Cluster {
    let nodes: Vec<ClusterNode> = (0..nodes)
        .map(|number| ClusterNode {
            name: format!("n{number:02}"),
            cpus: 4,
            cores_per_socket: 4,
            memory_mb: 8_000,
            ..ClusterNode::default()
        })
        .collect();
    let partition = ClusterPartition {
        name: "all".into(),
        nodes: (0..nodes.len()).collect(),
        is_default: true,
        ..ClusterPartition::default()
    };
    let mut settings = ClusterSettings::default();
    settings.priority.kind = PriorityKind::Basic;
    settings.jobs.default_memory = Some(MemoryAmount::PerCpu(1_000));
    Cluster {
        classes: classes_of(&nodes),
        nodes,
        partitions: vec![partition],
        settings,
        ..Cluster::default()
    }
}

/// A job submitted `submit` seconds after the begin, with this number of tasks, limit in minutes and run time in seconds.
pub(super) fn job(key: usize, submit: i64, tasks: u32, minutes: i64, run: i64) -> SubmittedJob {
    SubmittedJob {
        key: format!("j{key}"),
        id: None,
        submit: Micros::of_seconds(submit),
        user: format!("u{}", key % 3),
        request: JobRequest {
            tasks: Some(tasks),
            time_limit: Some(TimeLimit::Of(Seconds(60 * minutes))),
            ..JobRequest::default()
        }
        .into(),
        runs: vec![TaskRun::For(Seconds(run))],
        not_modelled: Vec::new(),
    }
}

pub(super) fn simulated(cluster: &Cluster, submissions: Vec<SubmittedJob>) -> Vec<JobOutcome> {
    let run = RecordedRun { submissions, ..RecordedRun::default() };
    simulate_cluster(cluster, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)))
}

pub(super) fn start(outcome: &JobOutcome) -> i64 {
    outcome.start.map_or(-1, |start| start.0)
}

#[test]
fn a_short_job_is_backfilled_and_a_long_one_is_not() {
    // Two nodes. The first job has one of them for ten minutes; the second needs both, and waits. Of the jobs after it the one
    // that ends in time starts on the free node, the other waits for the second job.
    let jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 8, 10, 60), job(2, 10, 4, 20, 60), job(3, 12, 4, 5, 60)];
    let outcomes = simulated(&cluster(2), jobs);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[0] <= 3 && (590..=600).contains(&starts[1]), "{starts:?}");
    assert!(starts[2] >= starts[1] + 60, "it would delay the second: {starts:?}");
    assert!(starts[3] < 60 && outcomes[3].backfilled == Some(true), "{starts:?}");
    assert_eq!(outcomes[3].nodes, ["n01"]);
    // Control: without backfilling it waits too.
    let mut without = cluster(2);
    without.settings.backfill = None;
    let jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 8, 10, 60), job(3, 12, 4, 5, 60)];
    assert!(start(&simulated(&without, jobs)[2]) > 590);
}

#[test]
fn jobs_share_nodes_until_processors_or_memory_are_gone() {
    let mut large = job(1, 1, 1, 10, 300);
    large.request.memory = Some(crate::cluster::MemoryRequest::PerNode(7_000));
    // One processor each: the second takes the memory that is left, the third finds none.
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 1, 10, 300), large, job(2, 2, 1, 10, 300)]);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[0] < 10 && starts[1] < 10 && starts[2] > 250, "{starts:?}");
}

#[test]
fn a_job_is_stopped_at_its_limit_and_one_that_fits_nowhere_is_refused() {
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 4, 1, 10_000), job(1, 1, 5, 1, 5)]);
    assert_eq!(outcomes[0].state, JobState::Timeout);
    let ran = outcomes[0].end.unwrap().0 - start(&outcomes[0]);
    assert!((60..=91).contains(&ran), "checked every 30 s: {ran}");
    assert_eq!((outcomes[1].state, outcomes[1].start), (JobState::Refused, None));
}

/// The first job runs five minutes past its limit, which `OverTimeLimit` allows. A job for both nodes is planned for when that is over,
/// so that one of two minutes starts beside it.
#[test]
fn a_job_past_its_limit_is_expected_to_use_what_more_it_may() {
    let mut site = cluster(2);
    site.settings.jobs.over_time_limit = Some(Seconds(300));
    let jobs = vec![job(0, 0, 4, 10, 890), job(1, 5, 8, 10, 60), job(2, 650, 4, 2, 60)];
    let starts: Vec<i64> = simulated(&site, jobs).iter().map(start).collect();
    assert!(starts[1] >= 890 && starts[2] < 720, "{starts:?}");
}

#[test]
fn a_job_that_names_nodes_closes_no_partition() {
    // The second job waits for the node of the first. The third starts on the other node at once, though its limit is long; one
    // for any node, of lower priority than a job for both, does not.
    let named = |name: bool| {
        let mut jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 4, 10, 60), job(2, 10, 4, 60, 60)];
        if name {
            jobs[1].request.wishes.node_list = vec!["n00".into()];
        } else {
            jobs[1].request.tasks = Some(8);
        }
        let starts: Vec<i64> = simulated(&cluster(2), jobs).iter().map(start).collect();
        starts[2] < 20
    };
    assert!(named(true));
    assert!(!named(false), "control");
}

#[test]
fn arrays_run_no_more_tasks_than_they_say() {
    let mut array = job(0, 0, 1, 5, 100);
    array.request.array = Some(JobArray { indices: (0..8).collect(), throttle: Some(2) });
    let outcomes = simulated(&cluster(4), vec![array]);
    assert_eq!(outcomes.len(), 8);
    let running = |at: i64| {
        outcomes.iter().filter(|one| start(one) <= at && one.end.is_some_and(|end| end.0 > at)).count()
    };
    assert!((0..600).all(|at| running(at) <= 2), "two at a time");
    assert!(outcomes.iter().all(|one| one.state == JobState::Completed));
}

/// Random jobs on a small cluster: every job once, no node ever holds more than it has, none starts before it is submitted.
#[test]
fn nothing_is_lost_and_nothing_is_given_twice() {
    for seed in 0..40 {
        let mut random = Seed(seed).stream("cluster");
        let cluster = cluster(random.random_range(1..6));
        let mut at = 0;
        let jobs: Vec<SubmittedJob> = (0..random.random_range(1..80))
            .map(|key| {
                at += random.random_range(0..60);
                let (minutes, run) = (random.random_range(1..30), random.random_range(0..2_000));
                let mut job = job(key, at, random.random_range(1..14), minutes, run);
                if random.random_range(0..4) == 0 {
                    job.request.wishes.exclusivity = Some(crate::cluster::Exclusivity::Exclusive);
                }
                if random.random_range(0..4) == 0 {
                    job.request.tasks_per_node = Some(random.random_range(1..5));
                }
                job
            })
            .collect();
        let outcomes = simulated(&cluster, jobs.clone());
        assert_eq!(outcomes.len(), jobs.len());
        for (job, outcome) in jobs.iter().zip(&outcomes) {
            assert_eq!(job.key, outcome.key);
            assert!(
                [JobState::Completed, JobState::Timeout, JobState::Refused].contains(&outcome.state),
                "{outcome:?}"
            );
            assert!(outcome.start.is_none_or(|start| start >= job.submit.second()));
        }
        let instants: Vec<i64> = outcomes.iter().filter(|one| one.start.is_some()).map(start).collect();
        for at in instants {
            let now = outcomes.iter().filter(|one| {
                one.start.is_some_and(|start| start.0 <= at) && one.end.is_some_and(|end| end.0 > at)
            });
            let cpus: u32 = now.map(|one| one.cpus).sum();
            assert!(cpus <= 4 * cluster.nodes.len() as u32, "seed {seed} at {at}: {cpus}");
        }
        assert_eq!(outcomes, simulated(&cluster, jobs), "the same every time");
    }
}

#[test]
fn a_partition_takes_what_it_allows() {
    let mut limited = cluster(2);
    limited.partitions[0].max_time = Some(Seconds(600));
    let outcomes = simulated(&limited, vec![job(0, 0, 1, 11, 5), job(1, 0, 1, 10, 5)]);
    assert_eq!((outcomes[0].state, outcomes[1].state), (JobState::Refused, JobState::Completed));
}

/// A job that is never stopped, and years between two jobs: neither takes long.
#[test]
fn nothing_goes_on_for_ever() {
    let mut endless = cluster(1);
    endless.settings.jobs.over_time_limit = None;
    let mut forever = job(0, 0, 4, 1, 0);
    forever.runs = vec![TaskRun::PastLimit];
    let outcomes = simulated(&endless, vec![forever, job(1, 1, 4, 1, 5)]);
    assert_eq!((outcomes[0].state, outcomes[1].state), (JobState::Running, JobState::Pending));
    let century = 100 * 365 * 86_400;
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 1, 1, 5), job(1, century, 1, 1, 5)]);
    assert!(outcomes.iter().all(|one| one.state == JobState::Completed), "{outcomes:?}");
    assert!((0..=4).contains(&(start(&outcomes[1]) - century)));
}

/// A singleton waits for jobs of its name and user, wherever there is room; another user's do not matter.
#[test]
fn singletons_run_one_at_a_time() {
    use crate::cluster::{Dependency, DependencyKind, DependencyOn};
    let singleton = |key: usize, name: &str| {
        let mut one = job(key, key as i64, 1, 5, 100);
        let on = DependencyOn { kind: DependencyKind::Singleton, job: String::new(), delay: Seconds(0) };
        one.request.dependency = Some(Dependency { any: false, on: vec![on] });
        one.request.name = Some(name.into());
        one.user = if key == 2 { "other" } else { "one" }.into();
        one
    };
    let jobs: Vec<SubmittedJob> =
        ["a", "a", "a", "b", "a"].iter().enumerate().map(|(key, name)| singleton(key, name)).collect();
    let outcomes = simulated(&cluster(4), jobs);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!([0, 2, 3].iter().all(|&at| starts[at] < 10), "{starts:?}");
    assert!(starts[1] >= starts[0] + 100 && starts[4] >= starts[1] + 100, "{starts:?}");
}

/// Steps in the middle of seconds after the begin.
pub(super) fn logged(steps: Vec<(i64, LoggedAction)>) -> RecordedDecisions {
    let steps =
        steps.into_iter().map(|(at, what)| LoggedStep { at: Micros::of_millis(at * 1000 + 500), what });
    RecordedDecisions { steps: steps.collect(), ..RecordedDecisions::default() }
}

pub(super) fn number(id: u64) -> JobNumber {
    JobNumber { id, task: None }
}

pub(super) fn started(id: u64, nodes: &[usize], backfilled: bool) -> LoggedAction {
    let on = LoggedPlace { partition: "all".into(), nodes: nodes.to_vec() };
    LoggedAction::Started { job: number(id), on, backfilled }
}

pub(super) fn planned(id: u64, nodes: &[usize], start: i64, end: i64) -> LoggedAction {
    let on = LoggedPlace { partition: "all".into(), nodes: nodes.to_vec() };
    LoggedAction::Planned { job: number(id), on, start: Time(start), end: Time(end) }
}

/// The first job has one of two nodes until 660, the second needs both, the third fits in before it.
fn scene(second_starts: i64, third_on: usize, stopped: i64) -> RecordedDecisions {
    logged(vec![
        (0, LoggedAction::Submitted(number(10))),
        (3, LoggedAction::Pass { full: true }),
        (3, started(10, &[0], false)),
        (5, LoggedAction::Submitted(number(11))),
        (7, LoggedAction::Submitted(number(12))),
        (30, LoggedAction::Cycle),
        (30, planned(11, &[0, 1], second_starts, 1200)),
        (30, started(12, &[third_on], true)),
        (stopped, LoggedAction::Stopped(number(12))),
    ])
}

fn decided(recorded: &RecordedDecisions) -> Vec<(&'static str, usize, usize)> {
    let mut jobs = vec![job(0, 0, 4, 10, 590), job(1, 5, 8, 10, 60), job(2, 7, 4, 5, 9_000)];
    (10..).zip(&mut jobs).for_each(|(id, job)| job.id = Some(id));
    let run = RecordedRun { submissions: jobs, ..RecordedRun::default() };
    let found =
        decisions(&cluster(2), &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)), recorded);
    assert_eq!(found.misses.len(), found.shares.iter().map(|one| one.cases - one.equal).sum::<usize>());
    found.shares.iter().map(|one| (one.what.name(), one.cases, one.equal)).collect()
}

#[test]
fn recorded_decisions_are_put_to_the_controller() {
    // Started at 30 for 5 minutes: past its limit at 330, and checks are 30 s apart, counted from 59 s before the begin.
    let right = decided(&scene(603, 1, 331));
    let expected = [
        ("priority", 0, 0),
        ("plan-start", 1, 1),
        ("plan-nodes", 1, 1),
        ("backfill-start", 1, 1),
        ("start-nodes", 2, 2),
        ("kill", 1, 1),
    ];
    assert_eq!(right, expected);
    // Controls: another start, other nodes, another second.
    assert_eq!(decided(&scene(660, 1, 331))[1..3], [("plan-start", 1, 0), ("plan-nodes", 1, 0)]);
    assert_eq!(decided(&scene(603, 0, 331))[4], ("start-nodes", 2, 1));
    assert_eq!(decided(&scene(603, 1, 332))[5], ("kill", 1, 0));
    // The clock of seconds lags that of the log: accounting tells the second.
    let mut late = scene(603, 1, 332);
    late.ends = vec![RecordedEnd { job: number(12), end: Time(331) }];
    assert_eq!(decided(&late)[5], ("kill", 1, 1));
}

/// Steps that cannot be: unknown jobs and nodes, ends before starts, two starts, the far future.
#[test]
fn odd_recordings_are_followed_too() {
    let odd = logged(vec![
        (1, LoggedAction::Ended(number(10))),
        (1, started(10, &[0], false)),
        (2, started(10, &[1], false)),
        (2, LoggedAction::Submitted(number(10))),
        (3, started(99, &[0], true)),
        (3, started(11, &[7], true)),
        (3, planned(11, &[0], 5, 4)),
        (4, LoggedAction::Cancelled(number(98))),
        (4, LoggedAction::Stopped(number(97))),
        (5, LoggedAction::Blocked { job: number(11), partitions: vec!["none".into()] }),
        (4_000_000_000, LoggedAction::Pass { full: true }),
        (3, LoggedAction::Ended(number(10))),
        (6, started(10, &[0], false)),
    ]);
    let found = decided(&odd);
    assert_eq!((found[4].1, found[5]), (4, ("kill", 1, 0)), "{found:?}");
}

/// What is taken without a type is taken of every type.
#[test]
fn generic_resources_are_given_once() {
    let mut with_gpus = cluster(1);
    with_gpus.nodes[0].gres =
        vec![GenericResource { name: "gpu".into(), kind: Some("fast".into()), count: 4 }];
    let asking = |key: usize, kind: Option<&str>, count: u64| {
        // The last is short enough to be backfilled.
        let mut one = job(key, key as i64, 1, if key == 2 { 5 } else { 10 }, 300);
        one.request.gres.per_node =
            vec![GresRequest { name: "gpu".into(), kind: kind.map(str::to_owned), count }];
        one
    };
    let starts = |jobs| -> Vec<i64> { simulated(&with_gpus, jobs).iter().map(start).collect() };
    for kinds in [[None, Some("fast")], [Some("fast"), None]] {
        let found = starts(vec![asking(0, kinds[0], 3), asking(1, kinds[1], 2), asking(2, kinds[1], 1)]);
        assert!(found[0] < 10 && found[1] > 250 && found[2] < 60, "{kinds:?}: {found:?}");
    }
    // A resource that no node has is never there.
    let outcomes = simulated(&with_gpus, vec![asking(0, Some("slow"), 1), asking(1, Some("fast"), 1)]);
    assert_eq!((outcomes[0].state, outcomes[1].state), (JobState::Refused, JobState::Completed));
}

/// Submissions and runs at the ends of time neither wrap nor go on for ever.
#[test]
fn absurd_times_end() {
    let mut late = job(1, 0, 1, 1, 5);
    late.submit = Micros::NEVER;
    let mut long = job(2, 1, 1, 10, 0);
    long.runs = vec![TaskRun::For(Seconds(i64::MAX))];
    let outcomes = simulated(&cluster(1), vec![job(0, 0, 1, 1, 5), late, long]);
    assert_eq!(outcomes[0].state, JobState::Completed);
    assert_eq!(outcomes[1].state, JobState::Completed);
    assert_eq!(outcomes[2].state, JobState::Timeout);
}

/// A dependency on a job whose name has an underscore waits for it.
#[test]
fn names_may_have_underscores() {
    use crate::cluster::{Dependency, DependencyKind, DependencyOn};
    let mut first = job(0, 0, 1, 5, 100);
    first.key = "pre_x".into();
    let mut second = job(1, 1, 1, 5, 10);
    let on = DependencyOn { kind: DependencyKind::AfterOk, job: "@pre_x".into(), delay: Seconds(0) };
    second.request.dependency = Some(Dependency { any: false, on: vec![on] });
    let outcomes = simulated(&cluster(2), vec![first, second]);
    assert!(start(&outcomes[1]) >= start(&outcomes[0]) + 100, "{outcomes:?}");
}

#[test]
fn settings_that_hold_back_starts_do() {
    // Six jobs could start together; a pass and a cycle start one at a time.
    let submissions = || (0..6).map(|key| job(key, 10, 4, 10, 300)).collect::<Vec<_>>();
    let mut slow = cluster(6);
    slow.settings.main.sched_max_job_start = 1;
    if let Some(backfill) = &mut slow.settings.backfill {
        backfill.counts.max_job_start = 1;
    }
    let at_once = |outcomes: &[JobOutcome]| {
        let first = outcomes.iter().map(start).min();
        outcomes.iter().filter(|one| Some(start(one)) == first).count()
    };
    assert!(at_once(&simulated(&slow, submissions())) <= 2, "one by a pass, one by a cycle");
    assert_eq!(at_once(&simulated(&cluster(6), submissions())), 6, "control");
    // A job that asks for more time than its QOS allows waits for ever.
    let mut short = cluster(1);
    let mut qos = crate::cluster::Qos { name: "normal".into(), ..Default::default() };
    qos.per_job.wall = Some(Seconds(600));
    short.qos = vec![qos];
    short.settings.jobs.enforce.limits = true;
    let with_qos = |mut one: SubmittedJob| {
        one.request.qos = vec!["normal".into()];
        one
    };
    let found = simulated(&short, vec![with_qos(job(0, 0, 1, 20, 60)), with_qos(job(1, 0, 1, 10, 60))]);
    assert_eq!((found[0].start, found[1].start.is_some()), (None, true));
    // No nodes are kept for jobs of a low priority: a longer one passes the wide one at the head.
    let mut passed = cluster(2);
    if let Some(backfill) = &mut passed.settings.backfill {
        backfill.min_prio_reserve = u32::MAX;
    }
    let queue = || vec![job(0, 0, 4, 20, 900), job(1, 10, 8, 10, 60), job(2, 20, 4, 60, 3000)];
    let last = |cluster: &Cluster| start(&simulated(cluster, queue())[2]);
    assert!(last(&passed) < 100 && last(&cluster(2)) > 900, "{} {}", last(&passed), last(&cluster(2)));
}

#[test]
fn priorities_count_what_has_a_weight() {
    use crate::cluster::{PriorityKind, TresWeights};
    // Of two jobs that wait for one node, the one that asks for more processors of its partition comes first.
    let mut weighted = cluster(1);
    weighted.settings.priority.kind = PriorityKind::Multifactor;
    weighted.settings.priority.weights.tres = TresWeights([("cpu".to_owned(), 1000.0)].into());
    let queue = || vec![job(0, 0, 4, 20, 600), job(1, 10, 3, 20, 60), job(2, 20, 4, 20, 60)];
    let found = simulated(&weighted, queue());
    assert!(start(&found[2]) < start(&found[1]), "{found:?}");
    weighted.settings.priority.weights.tres = TresWeights::default();
    weighted.settings.priority.weights.job_size = 1000;
    weighted.settings.priority.flags.small_relative_to_time = true;
    // Processors for each minute: a short job counts for more than a long one of the same size.
    let queue = || vec![job(0, 0, 4, 20, 600), job(1, 10, 4, 60, 60), job(2, 20, 4, 5, 60)];
    let found = simulated(&weighted, queue());
    assert!(start(&found[2]) < start(&found[1]), "{found:?}");
    weighted.settings.priority.flags.small_relative_to_time = false;
    let found = simulated(&weighted, queue());
    assert!(start(&found[1]) < start(&found[2]), "control: {found:?}");
}

/// What depends on the success of a job that fails never starts; its nodes are free at once, as if it had ended well.
#[test]
fn a_job_that_fails_has_not_ended_well() {
    let after = |kind: DependencyKind, key: usize| {
        let mut one = job(key, 1, 4, 10, 5);
        let on = DependencyOn { kind, job: "j0".into(), delay: Seconds(0) };
        one.request.dependency = Some(Dependency { on: vec![on], any: false });
        one
    };
    let found = |run: TaskRun| {
        let mut first = job(0, 0, 4, 10, 0);
        first.runs = vec![run];
        let others = [after(DependencyKind::AfterOk, 1), after(DependencyKind::AfterNotOk, 2)];
        let outcomes = simulated(&cluster(1), [vec![first], others.to_vec()].concat());
        let starts: Vec<bool> = outcomes.iter().map(|one| one.start.is_some()).collect();
        (outcomes[0].state, outcomes[0].end, starts)
    };
    let (failed, well) = (found(TaskRun::FailsAfter(Seconds(60))), found(TaskRun::For(Seconds(60))));
    assert_eq!((failed.0, failed.2), (JobState::Failed, vec![true, false, true]));
    assert_eq!((well.0, well.2), (JobState::Completed, vec![true, true, false]), "control");
    assert_eq!(failed.1, well.1);
}

/// What a service holds can be moved to another thread.
#[test]
fn controllers_can_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<super::state::Controller<'_>>();
    is_send::<super::PreparedCluster<'_>>();
}
