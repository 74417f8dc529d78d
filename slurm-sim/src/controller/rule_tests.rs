//! Rules that recordings of a real Slurm showed, each on a cluster of a few nodes.

use super::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use super::state::Controller;
use super::tests::{cluster, job, logged, number, planned, simulated, start, started};
use super::{Phases, decisions, simulate_cluster};
use crate::cluster::{
    AdvanceReservation, Allowed, Cluster, ClusterAction, ClusterEvent, ConsumedUnit, Exclusivity,
    GenericResource, GresRequest, JobArray, JobOutcome, LoggedAction, MemoryAmount, MemoryRequest,
    NodeChange, NodeState, PartLimitsRule, PriorityKind, Qos, RecordedRun, ReservationFlags, SelectKind,
    Sharing, SubmittedJob, Tres, TresWeights,
};
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};

/// Without a number of tasks altogether, every node of a range has the tasks that the job asks for on each.
#[test]
fn tasks_per_node_are_those_of_every_node_of_a_range() {
    let on_range = |tasks: Option<u32>| {
        let mut one = job(0, 0, 1, 10, 300);
        one.request.tasks = tasks;
        (one.request.min_nodes, one.request.max_nodes) = (Some(2), Some(4));
        one.request.tasks_per_node = Some(3);
        one
    };
    // One processor is left on each of the four nodes: a job of two processors on a node waits, one of one does not.
    let narrow = |key: usize, tasks: u32| {
        let mut one = job(key, key as i64, tasks, 5, 60);
        (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
        one
    };
    let found = |tasks: Option<u32>| -> Vec<JobOutcome> {
        simulated(&cluster(4), vec![on_range(tasks), narrow(1, 2), narrow(2, 1)])
    };
    let outcomes = found(None);
    assert_eq!((outcomes[0].nodes.len(), outcomes[0].cpus), (4, 12));
    assert!(start(&outcomes[1]) > 250 && start(&outcomes[2]) < 60, "{outcomes:?}");
    // Control: six tasks are six, wherever they are.
    let outcomes = found(Some(6));
    assert_eq!((outcomes[0].nodes.len(), outcomes[0].cpus), (4, 6));
    assert!(start(&outcomes[1]) < 60, "{outcomes:?}");
}

/// Before 24.11 a range has no more nodes than the tasks of its fewest nodes.
#[test]
fn a_range_has_no_more_nodes_than_the_tasks_of_the_fewest() {
    let nodes = |version, fewest: u32, tasks_per_node: u32| {
        let mut one = job(0, 0, 1, 10, 300);
        one.request.tasks = None;
        (one.request.min_nodes, one.request.max_nodes) = (Some(fewest), Some(4));
        one.request.tasks_per_node = Some(tasks_per_node);
        simulated(&Cluster { version, ..cluster(4) }, vec![one])[0].nodes.len()
    };
    let found =
        |version| [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(fewest, tasks)| nodes(version, fewest, tasks));
    assert_eq!((found(None), found(Some((24, 11)))), ([1, 2, 2, 4], [4; 4]));
}

/// The size of such a job in its priority is that of the nodes planned for it, once there are some.
#[test]
fn a_range_of_nodes_is_as_large_as_planned() {
    let mut sized = cluster(4);
    sized.settings.priority.kind = PriorityKind::Multifactor;
    sized.settings.priority.weights.job_size = 1_000;
    sized.settings.priority.calc_period = Seconds(30);
    // All nodes are busy. The range is 8 of 16 processors at its submission and 16 once it is planned on all four nodes, which
    // makes it larger than the third job, of 12 processors on three nodes.
    let of_nodes = |key: usize, fewest: u32, most: u32| {
        let mut one = job(key, key as i64, 1, 10, 60);
        one.request.tasks = None;
        (one.request.min_nodes, one.request.max_nodes) = (Some(fewest), Some(most));
        one.request.tasks_per_node = Some(4);
        one
    };
    let first = |most: u32| {
        let jobs: Vec<SubmittedJob> = vec![job(0, 0, 16, 10, 300), of_nodes(1, 2, most), of_nodes(2, 3, 3)];
        let outcomes = simulated(&sized, jobs);
        start(&outcomes[1]) < start(&outcomes[2])
    };
    assert!(first(4) && !first(2));
}

/// Nodes that are reserved for the users `u0` to `u2`, whose jobs these are.
pub(super) fn reserved(nodes: Vec<usize>, from: i64, to: i64) -> AdvanceReservation {
    AdvanceReservation {
        name: "course".into(),
        start: Time(from),
        end: Time(to),
        nodes,
        users: Allowed::Only((0..3).map(|number| format!("u{number}")).collect()),
        accounts: Allowed::All,
        partition: None,
        cores: None,
        licenses: Tres::default(),
        flags: ReservationFlags::default(),
    }
}

/// A job in a reservation starts though its limit is past the end; it is stopped at the first check of limits after the end.
#[test]
fn a_job_is_stopped_after_its_reservation() {
    let mut inside = job(0, 0, 4, 60, 3_000);
    inside.request.terms.reservations = vec!["course".into()];
    let mut site = cluster(1);
    site.reservations = vec![reserved(vec![0], 0, 600)];
    let jobs = || vec![inside.clone(), job(1, 10, 4, 5, 60)];
    let stopped = |cluster: &Cluster| {
        let outcomes = simulated(cluster, jobs());
        assert!(start(&outcomes[0]) < 10, "{outcomes:?}");
        (outcomes[0].state, outcomes[0].end.unwrap().0, start(&outcomes[1]))
    };
    let (state, end, next) = stopped(&site);
    assert_eq!(state, JobState::Timeout);
    assert!((601..=631).contains(&end) && (end..end + 60).contains(&next), "{end} {next}");
    // With ResvOverRun it goes on for as long, and in a reservation that is FLEX to its end.
    site.settings.jobs.resv_over_run = Some(Seconds(600));
    assert!((1_201..=1_231).contains(&stopped(&site).1));
    site.reservations[0].flags.flexible = true;
    assert_eq!(stopped(&site).0, JobState::Completed);
}

/// Backfilling plans a job of a reservation beyond the end of the reservation, and keeps nodes for it.
#[test]
fn jobs_of_a_reservation_are_planned_beyond_its_end() {
    // The node is busy with a job of the reservation for longer than that lasts. The others are planned behind it.
    let recorded = logged(vec![
        (0, LoggedAction::Submitted(number(10))),
        (3, LoggedAction::Pass { full: true }),
        (3, started(10, &[0], false)),
        (5, LoggedAction::Submitted(number(11))),
        (6, LoggedAction::Submitted(number(12))),
        (30, LoggedAction::Cycle),
        (30, planned(11, &[0], 1_203, 1_800)),
        (30, planned(12, &[0], 1_800, 2_400)),
    ]);
    let mut jobs = vec![job(0, 0, 4, 20, 1_190), job(1, 5, 4, 10, 60), job(2, 6, 4, 10, 60)];
    for (id, one) in (10..).zip(&mut jobs) {
        (one.id, one.request.terms.reservations) = (Some(id), vec!["course".into()]);
    }
    let mut site = cluster(1);
    site.reservations = vec![reserved(vec![0], 0, 600)];
    let run = RecordedRun { submissions: jobs, ..RecordedRun::default() };
    let found = decisions(&site, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)), &recorded);
    assert!(found.misses.is_empty(), "{:?}", found.misses);
}

/// A site where a job's priority is the weight of its resources.
fn weighted(name: &str) -> Cluster {
    let mut site = cluster(2);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.tres = TresWeights([(name.to_owned(), 1_000.0)].into());
    site
}

/// What a job asks for of GPUs of one type counts as GPUs of any.
#[test]
fn typed_gpus_count_as_gpus_in_priorities() {
    let mut site = weighted("gres/gpu");
    for node in &mut site.nodes {
        node.gres = vec![GenericResource { name: "gpu".into(), kind: Some("a100".into()), count: 4 }];
    }
    let asking = |key: usize, count: u64, kind: Option<&str>| {
        let mut one = job(key, key as i64, 4, 10, 60);
        one.request.min_nodes = Some(1);
        one.request.gres.per_node =
            vec![GresRequest { name: "gpu".into(), kind: kind.map(str::to_owned), count }];
        one
    };
    // Both nodes are busy. Of the jobs that wait the one with more GPUs starts first, though it came last.
    for kind in [Some("a100"), None] {
        let queue = vec![job(0, 0, 8, 10, 300), asking(1, 1, kind), asking(2, 1, kind), asking(3, 4, kind)];
        let outcomes = simulated(&site, queue);
        assert!(start(&outcomes[3]) < start(&outcomes[2]), "{kind:?}: {outcomes:?}");
    }
}

/// One task with four GPUs has them on one node where one has four; if none has, on several.
#[test]
fn gpus_of_one_task_are_on_one_node_if_they_can_be() {
    let mut site = cluster(3);
    for (node, count) in site.nodes.iter_mut().zip([2, 2, 4]) {
        node.gres = vec![GenericResource { name: "gpu".into(), kind: None, count }];
    }
    // It is the heaviest, so others are taken before it.
    site.nodes[2].weight = 10;
    let asking = |key: usize| {
        let mut one = job(key, key as i64, 1, 10, 300);
        one.request.gres.per_job = vec![GresRequest { name: "gpu".into(), kind: None, count: 4 }];
        one
    };
    let outcomes = simulated(&site, vec![asking(0), asking(1)]);
    assert_eq!((outcomes[0].nodes.join(","), outcomes[1].nodes.join(",")), ("n02".into(), "n00,n01".into()));
}

/// The memory of a job that asks for none is the default of its first partition, in all of them, as far as its priority goes.
#[test]
fn memory_in_priorities_is_the_default_of_the_first_partition() {
    let mut site = weighted("mem");
    let mut large = site.partitions[0].clone();
    (large.name, large.is_default) = ("large".into(), false);
    large.default_memory = Some(MemoryAmount::PerCpu(2_000));
    site.partitions.push(large);
    // With both partitions the first job counts 1,000 MB in each, so the second, of the larger default alone, starts first.
    let both = |key: usize, partitions: &[&str]| {
        let mut one = job(key, key as i64, 4, 10, 60);
        one.request.partitions = partitions.iter().map(|&name| name.to_owned()).collect();
        one
    };
    let order = |first: &[&str]| {
        let queue = vec![job(0, 0, 8, 10, 300), both(1, first), both(2, first), both(3, &["large"])];
        let outcomes = simulated(&site, queue);
        start(&outcomes[3]) < start(&outcomes[2])
    };
    assert!(order(&["all", "large"]) && !order(&["large", "all"]));
}

/// Cores that are kept for the system are no part of the cluster that a job's size is a share of.
#[test]
fn sizes_are_shares_of_what_jobs_may_have() {
    let mut site = cluster(4);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.job_size = 1_000;
    let jobs = vec![job(0, 0, 3, 10, 60)];
    let mut size = |spare: u32| {
        site.nodes.iter_mut().for_each(|node| node.reserved_cores = spare);
        let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
        let mut controller = Controller::new(&site, &jobs, phases);
        controller.submit(SubmissionHandle(0));
        controller.priorities.parts(&controller.jobs[JobHandle(0)], PartitionChoice::FIRST, 0).size
    };
    // One node of four, and three processors of 16 or of 12.
    assert_eq!((size(0), size(1)), (500.0 * (0.25 + 3.0 / 16.0), 500.0 * (0.25 + 3.0 / 12.0)));
}

/// A task that went back to the queue is by itself there: its age begins again, and the other tasks of its array go before it.
#[test]
fn a_requeued_task_waits_behind_those_that_never_started() {
    let mut site = cluster(1);
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.weights.age = 100_000;
    let mut array = job(0, 0, 4, 10, 300);
    array.request.array = Some(JobArray { indices: (0..3).collect(), throttle: None });
    let change = |at: i64, state: NodeState| ClusterEvent {
        at: Micros::of_seconds(at),
        action: ClusterAction::Nodes(NodeChange { nodes: vec![0], state }),
    };
    let run = RecordedRun {
        submissions: vec![array],
        events: vec![change(60, NodeState::Down), change(70, NodeState::Up)],
        ..RecordedRun::default()
    };
    let outcomes = simulate_cluster(&site, &run, Phases::from_start(Micros::of_seconds(-60), Seconds(30)));
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[1] < starts[2] && starts[2] < starts[0], "{starts:?}");
}

/// Since 24.11 the background thread has its turns on whole seconds, so jobs are stopped there.
#[test]
fn turns_are_on_whole_seconds_since_24_11() {
    let phases = Phases::from_start(Micros::of_millis(-59_400), Seconds(30));
    let second = |turn: i64, version| {
        let phases = phases.of_version(version);
        (phases.start + phases.first_tick + phases.tick * turn).0.rem_euclid(1_000_000)
    };
    assert!((0..200).all(|turn| second(turn, Some((24, 11))) < 15_000));
    assert!((0..200).any(|turn| second(turn, Some((24, 5))) > 500_000));
}

/// With `CR_Socket` a job has whole sockets: one task holds four processors of a node with two sockets of four.
#[test]
fn sockets_are_given_whole() {
    let mut site = cluster(1);
    (site.nodes[0].cpus, site.nodes[0].sockets, site.nodes[0].cores_per_socket) = (8, 2, 4);
    let jobs = || vec![job(0, 0, 1, 10, 300), job(1, 1, 2, 10, 300), job(2, 2, 1, 10, 60)];
    site.settings.select.unit = ConsumedUnit::Socket;
    let outcomes = simulated(&site, jobs());
    assert_eq!([outcomes[0].cpus, outcomes[1].cpus], [4, 4]);
    assert!(start(&outcomes[1]) < 10 && start(&outcomes[2]) > 250, "{outcomes:?}");
    // Two cores on an idle node are one of each socket, so the job has both; filled one after the other they are of one.
    let two = || vec![job(0, 0, 2, 10, 300), job(1, 1, 1, 10, 60)];
    assert_eq!(simulated(&site, two())[0].cpus, 8);
    site.settings.select.block_distribution = true;
    assert_eq!(simulated(&site, two())[0].cpus, 4);
    site.settings.select.unit = ConsumedUnit::Core;
    let outcomes = simulated(&site, jobs());
    assert_eq!([outcomes[0].cpus, outcomes[1].cpus], [1, 2], "control");
    assert!(start(&outcomes[2]) < 10, "{outcomes:?}");
}

/// A reservation of cores keeps cores: others run beside it, and its jobs have no more than it keeps.
#[test]
fn a_reservation_of_cores_leaves_the_others() {
    let inside = |key: usize, tasks: u32| {
        let mut one = job(key, key as i64, tasks, 10, 300);
        one.request.terms.reservations = vec!["course".into()];
        (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(1));
        one
    };
    let mut site = cluster(1);
    let mut cores = reserved(vec![0], 0, 3_600);
    cores.cores = Some(2);
    site.reservations = vec![cores];
    // Two of four processors are left for others; the second job of the reservation waits for the first though one is free.
    let jobs =
        vec![inside(0, 2), job(1, 1, 1, 10, 60), inside(2, 1), job(3, 3, 3, 10, 60), job(4, 4, 1, 5, 60)];
    let outcomes = simulated(&site, jobs);
    let starts: Vec<i64> = outcomes.iter().map(start).collect();
    assert!(starts[0] < 10 && starts[1] < 10 && starts[4] < 100, "{starts:?}");
    assert!((300..400).contains(&starts[2]), "{starts:?}");
    assert!(starts[3] >= 3_600, "three processors are free only after the reservation: {starts:?}");
}

/// Two nodes: a job has one of them, the second waits for a limit of its QOS, the third could have the other.
fn behind_a_limit() -> (Cluster, Vec<SubmittedJob>) {
    let mut site = cluster(2);
    let mut qos = Qos { name: "few".into(), ..Qos::default() };
    qos.group.tres = Tres([("cpu".to_owned(), 4)].into());
    site.qos = vec![qos];
    site.settings.jobs.enforce.limits = true;
    let mut jobs = vec![job(0, 0, 4, 10, 300), job(1, 1, 2, 10, 60), job(2, 2, 1, 60, 60)];
    jobs[..2].iter_mut().for_each(|one| one.request.qos = vec!["few".into()]);
    (site, jobs)
}

/// With `assoc_limit_stop` a job that waits for a limit closes its partition to the main scheduler, else it does not.
#[test]
fn a_limit_closes_a_partition_if_so_configured() {
    let (mut site, jobs) = behind_a_limit();
    site.settings.backfill = None;
    assert!(start(&simulated(&site, jobs.clone())[2]) < 10);
    site.settings.main.assoc_limit_stop = true;
    assert!(start(&simulated(&site, jobs)[2]) > 250);
}

/// Nodes are kept for the first jobs of a partition only, where that is limited (`bf_job_part_count_reserve`).
#[test]
fn nodes_are_kept_for_some_jobs_of_a_partition() {
    let on = |node: &str, mut one: SubmittedJob| {
        one.request.wishes.node_list = vec![node.into()];
        one
    };
    // The third job waits for the first node, the fourth for the second, to have it beside the third; the last one could have that
    // now, for longer than until the second is free.
    let queue = || {
        let running = [on("n00", job(0, 0, 4, 20, 1_190)), on("n01", job(1, 0, 4, 10, 590))];
        let waiting = [on("n00", job(2, 10, 4, 10, 60)), job(3, 11, 8, 10, 60), job(4, 12, 4, 25, 60)];
        [running.to_vec(), waiting.to_vec()].concat()
    };
    let last = |most: u32| {
        let mut site = cluster(3);
        if let Some(backfill) = &mut site.settings.backfill {
            backfill.job_part_count_reserve = most;
        }
        start(&simulated(&site, queue())[4])
    };
    assert!(last(1) < 100 && last(2) > 600 && last(0) > 600, "{} {} {}", last(1), last(2), last(0));
}

/// A job of a reservation that is FLEX starts before the reservation begins, and on other nodes too.
#[test]
fn a_flexible_reservation_binds_its_jobs_to_nothing() {
    let mut inside = job(0, 0, 8, 10, 60);
    inside.request.terms.reservations = vec!["course".into()];
    let mut site = cluster(2);
    site.reservations = vec![reserved(vec![0], 1_000, 2_000)];
    assert_eq!(simulated(&site, vec![inside.clone()])[0].start, None, "one node is too few");
    site.reservations[0].flags.flexible = true;
    assert!(start(&simulated(&site, vec![inside])[0]) < 60);
}

/// What waits only until enough of what was used has decayed starts then, however long that takes.
#[test]
fn used_minutes_are_waited_for_until_they_have_decayed() {
    let mut site = cluster(1);
    let mut qos = Qos { name: "small".into(), ..Qos::default() };
    // Of 4 processors for 100 minutes, 400 are used; another job of 40 starts when they are less than 60.
    qos.group.tres_minutes = Tres([("cpu".to_owned(), 100)].into());
    site.qos = vec![qos];
    site.settings.jobs.enforce.limits = true;
    site.settings.priority.kind = PriorityKind::Multifactor;
    site.settings.priority.decay_half_life = Seconds(2 * 86_400);
    let mut jobs = vec![job(0, 0, 4, 100, 6_000), job(1, 10, 4, 10, 60)];
    jobs.iter_mut().for_each(|one| one.request.qos = vec!["small".into()]);
    let found = start(&simulated(&site, jobs)[1]);
    // 400 minutes are 100 after two half-lives.
    assert!((4 * 86_400..6 * 86_400).contains(&found), "{found}");
}

/// Nodes of two cores with two threads each and memory for three CPUs: a job has one core of each, since for a second one the memory is
/// not enough.
#[test]
fn memory_for_each_cpu_counts_for_whole_cores() {
    let mut threads = cluster(3);
    for node in &mut threads.nodes {
        (node.cpus, node.cores_per_socket, node.threads_per_core) = (4, 2, 2);
        node.memory_mb = 3_500;
    }
    threads.settings.select.memory = true;
    let of = |megabytes: u64| {
        let mut one = job(0, 0, 6, 10, 60);
        one.request.memory = Some(MemoryRequest::PerCpu(megabytes));
        let found = simulated(&threads, vec![one]);
        (found[0].nodes.len(), found[0].cpus)
    };
    assert_eq!(of(1_000), (3, 6));
    // Control: with memory for all four, two nodes are enough.
    assert_eq!(of(500).0, 2);
}

/// Of a range of nodes a job has no more than it has tasks, and with `--use-min-nodes` as few as it can.
#[test]
fn a_range_of_nodes_is_cut_to_the_tasks() {
    let on_range = |tasks: u32, few: bool| {
        let mut one = job(0, 0, tasks, 10, 60);
        (one.request.min_nodes, one.request.max_nodes) = (Some(1), Some(4));
        one.request.wishes.use_min_nodes = few;
        simulated(&cluster(4), vec![one])[0].nodes.len()
    };
    assert_eq!([on_range(2, false), on_range(4, false), on_range(2, true)], [2, 4, 1]);
}

/// A job of several partitions, one of them EXCLUSIVE, has whole nodes in the others only if it was tried in that one: at its submission
/// partitions are tried up to the first that could run it.
#[test]
fn nodes_are_whole_once_a_job_was_tried_where_they_are() {
    let mut site = cluster(2);
    let mut whole = site.partitions[0].clone();
    (whole.name, whole.is_default, whole.sharing) = ("whole".into(), false, Sharing::Exclusive);
    site.partitions.push(whole);
    let cpus = |site: &Cluster, partitions: &[&str]| {
        let mut one = job(0, 0, 1, 10, 60);
        one.request.partitions = partitions.iter().map(|&name| name.into()).collect();
        simulated(site, vec![one])[0].cpus
    };
    assert_eq!(cpus(&site, &["all", "whole"]), 1);
    assert_eq!(cpus(&site, &["whole", "all"]), 4);
    // Of partitions of different tiers the higher one is tried first, wherever it is named.
    site.partitions[0].priority_tier = 2;
    assert_eq!(cpus(&site, &["whole", "all"]), 1);
    site.settings.jobs.enforce_part_limits = PartLimitsRule::All;
    assert_eq!(cpus(&site, &["whole", "all"]), 4, "all are tried");
}

/// A job of whole nodes, by itself or by its partition, that has memory of each CPU has memory for all CPUs of a node.
#[test]
fn whole_nodes_have_memory_for_all_their_cpus() {
    let mut site = cluster(2);
    site.nodes[0].memory_mb = 2_000;
    site.settings.select.memory = true;
    let mut one = job(0, 0, 1, 10, 60);
    one.request.memory = Some(MemoryRequest::PerCpu(1_500));
    assert_eq!(simulated(&site, vec![one.clone()])[0].nodes, ["n00"], "control");
    let mut whole = site.clone();
    whole.partitions[0].sharing = Sharing::Exclusive;
    assert_eq!(simulated(&whole, vec![one.clone()])[0].nodes, ["n01"]);
    one.request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    assert_eq!(simulated(&site, vec![one])[0].nodes, ["n01"]);
}

/// Where threads count one by one, a job still has whole cores, though it counts for its own threads only; one thread of each core is
/// a core for each.
#[test]
fn no_two_jobs_have_threads_of_the_same_core() {
    let mut site = cluster(1);
    let node = &mut site.nodes[0];
    (node.cpus, node.cores_per_socket, node.threads_per_core) = (4, 2, 2);
    site.settings.select.unit = ConsumedUnit::Cpu;
    let found = |site: &Cluster, tasks: [u32; 3], threads: Option<u32>| {
        let jobs = tasks.iter().enumerate().map(|(key, &tasks)| {
            let mut one = job(key, key as i64, tasks, 10, 300);
            one.request.tasks_on.threads_per_core = threads;
            one
        });
        let outcomes = simulated(site, jobs.collect());
        (outcomes.iter().map(|one| start(one) < 60).collect::<Vec<_>>(), outcomes[0].cpus)
    };
    assert_eq!(found(&site, [1, 1, 1], None), (vec![true, true, false], 1));
    assert_eq!(found(&site, [2, 2, 1], None), (vec![true, true, false], 2));
    assert_eq!(found(&site, [2, 1, 1], Some(1)), (vec![true, false, false], 2));
    // Control: of cores of one thread there are four.
    site.nodes[0].cores_per_socket = 4;
    site.nodes[0].threads_per_core = 1;
    assert_eq!(found(&site, [1, 1, 1], None), (vec![true, true, true], 1));
}

/// `select/linear` gives whole nodes with the cores that are reserved on them.
#[test]
fn linear_selection_reserves_no_cores() {
    let mut site = cluster(1);
    site.nodes[0].reserved_cores = 1;
    let mut one = job(0, 0, 1, 10, 60);
    one.request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    assert_eq!(simulated(&site, vec![one.clone()])[0].cpus, 3, "control");
    site.settings.select.kind = SelectKind::Linear;
    assert_eq!(simulated(&site, vec![one])[0].cpus, 4);
}
