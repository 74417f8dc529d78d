//! Backfill cycles held to slow, plain ones.

use rand::RngExt;

use super::plain_start::{PlainHolding, PlainSpan, will_run};
use super::planner::BackfillPlanner;
use super::time_map::TimeMap;
use crate::cluster::{
    AdvanceReservation, Allowed, Cluster, ClusterPartition, Exclusivity, GenericResource, GresRequest,
    JobArray, PriorityKind, RecordedRun, ReservationFlags, SubmittedJob, Tres,
};
use crate::controller::Phases;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::NodeSet;
use crate::controller::simulate::outcomes;
use crate::controller::state::Controller;
use crate::controller::tests::{cluster, job};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Seconds, Time};

/// A random site, and jobs of one and of several nodes, whole and shared, in parts of it that overlap.
fn random_case(seed: u64) -> (Cluster, RecordedRun) {
    let mut random = Seed(seed).stream("planning");
    let mut cluster = cluster(random.random_range(2..24));
    cluster.settings.priority.kind = PriorityKind::Multifactor;
    cluster.settings.priority.weights.job_size = 1_000;
    cluster.settings.priority.weights.age = 500;
    cluster.version = Some(if seed.is_multiple_of(4) { (24, 11) } else { (22, 5) });
    let half = cluster.nodes.len() / 2;
    cluster.partitions.push(ClusterPartition {
        name: "half".into(),
        nodes: (0..half.max(1)).collect(),
        ..ClusterPartition::default()
    });
    if seed.is_multiple_of(3) {
        // Nodes of two sizes: how large an exclusive job is depends on where it is planned.
        cluster.nodes.iter_mut().take(half).for_each(|node| node.cpus = 8);
    }
    let backfill = cluster.settings.backfill.get_or_insert_default();
    backfill.resolution = Seconds([60, 1, 300][seed as usize / 2 % 3]);
    if seed % 5 == 1 {
        backfill.window = Seconds(random.random_range(600..7_200));
    }
    if seed % 5 == 2 {
        backfill.counts.max_job_test = random.random_range(5..60);
    }
    if seed % 5 == 3 {
        backfill.counts.max_job_user = random.random_range(1..8);
    }
    if seed.is_multiple_of(7) {
        let start = random.random_range(0..4_000);
        cluster.reservations.push(AdvanceReservation {
            name: "kept".into(),
            start: Time(start),
            end: Time(start + random.random_range(60..4_000)),
            nodes: (half..cluster.nodes.len()).collect(),
            users: Allowed::Only(vec!["u0".into()]),
            accounts: Allowed::All,
            partition: None,
            cores: None,
            licenses: Tres::default(),
            flags: ReservationFlags::default(),
        });
    }
    // The last nodes have GPUs, and a partition of their own.
    let with_gpus = if seed % 6 == 1 && half > 1 { half / 2 } else { 0 };
    if with_gpus > 0 {
        let first = cluster.nodes.len() - with_gpus;
        for node in &mut cluster.nodes[first..] {
            node.gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 2 }];
        }
        let nodes = (first..cluster.nodes.len()).collect();
        cluster.partitions[0].nodes.truncate(first);
        cluster.partitions.push(ClusterPartition {
            name: "gpu".into(),
            nodes,
            ..ClusterPartition::default()
        });
    }
    let whole = random.random_range(0..11);
    let mut at = 0;
    let jobs: Vec<SubmittedJob> = (0..random.random_range(20..160))
        .map(|key| {
            at += random.random_range(0..40);
            let (minutes, run) = (random.random_range(1..60), random.random_range(0..3_000));
            let mut job = job(key, at, random.random_range(1..40), minutes, run);
            if random.random_range(0..10) < whole {
                job.request.wishes.exclusivity = Some(Exclusivity::Exclusive);
            }
            if random.random_range(0..5) == 0 {
                job.request.array =
                    Some(JobArray { indices: (0..random.random_range(2..9)).collect(), throttle: None });
                job.request.tasks = Some(random.random_range(1..6));
            }
            match random.random_range(0..4) {
                0 => job.request.partitions = vec!["half".into()],
                1 => job.request.partitions = vec!["half".into(), "all".into()],
                2 if with_gpus > 0 => {
                    job.request.partitions = vec!["gpu".into()];
                    job.request.tasks = Some(random.random_range(1..4));
                    let count = random.random_range(1..3);
                    job.request.gres.per_node = vec![GresRequest { name: "gpu".into(), kind: None, count }];
                }
                _ => {}
            }
            job
        })
        .collect();
    (cluster, RecordedRun { submissions: jobs, ..RecordedRun::default() })
}

/// Cycles that plan only what decides which jobs start now start the same jobs as those that plan every job, and each of their
/// plans is that of the plain search. These seeds have every kind of case at least once.
#[test]
fn planning_less_changes_nothing() {
    planned_alike(0..8);
}

#[test]
#[ignore = "takes half a minute: scripts/test --thorough runs it"]
fn planning_less_changes_nothing_in_more_cases() {
    planned_alike(8..80);
}

fn planned_alike(seeds: std::ops::Range<u64>) {
    let (mut backfilled, mut kept, least) = (0, 0, 25 * seeds.clone().count() / 2);
    for seed in seeds {
        let (cluster, run) = random_case(seed);
        let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
        let mut planner = Controller::new(&cluster, &run.submissions, phases);
        planner.run(&run.events);
        let less = outcomes(&planner, &cluster, &run);
        kept += planner.last_cycle.kept();
        let mut controller = Controller::new(&cluster, &run.submissions, phases);
        assert!(!controller.plan_mode.plans_all && !controller.plan_mode.weighs_gpus);
        controller.plan_mode.plans_all = true;
        // What tests for jobs with GPUs leave behind changes nothing here.
        controller.plan_mode.weighs_gpus = controller.pool.layout.has_gpus();
        controller.check_plan = Some(check_plan);
        controller.run(&run.events);
        for (less, all) in less.iter().zip(outcomes(&controller, &cluster, &run)) {
            assert_eq!(*less, all, "seed {seed}");
        }
        backfilled += less.iter().filter(|one| one.backfilled == Some(true)).count();
    }
    // Debug assertions hold each kept plan to the one made anew.
    assert!(backfilled > least && kept > 10, "{backfilled} {kept}");
}

fn check_plan(
    planner: &BackfillPlanner<'_>,
    job: JobHandle,
    at: &RequestedPartition,
    map: &TimeMap,
    planned: Option<&(i64, Vec<usize>)>,
) {
    let plain = plain_plan(planner, job, at, map);
    assert_eq!(planned, plain.as_ref(), "at {}: {:?} for {} s", planner.now.second, at.kept.need, at.limit);
}

/// When and where a job is planned, by trying at every instant at which nodes come free of plans.
fn plain_plan(
    planner: &BackfillPlanner<'_>,
    job: JobHandle,
    at: &RequestedPartition,
    map: &TimeMap,
) -> Option<(i64, Vec<usize>)> {
    let Some(settings) = &planner.now.cluster.settings.backfill else { return None };
    let (now, intervals) = (planner.now.second, map.intervals());
    let (grid, need) = (settings.resolution.0.max(1), &at.kept.need);
    let count = planner.now.cluster.nodes.len();
    let running = planner.now.jobs.running().iter().map(|&one| &planner.now.jobs[one]);
    let running: Vec<PlainHolding> = running
        .map(|one| PlainHolding { end: one.last.limit_end, shares: one.last.shares.to_vec() })
        .collect();
    let mut later = now;
    loop {
        let from = later;
        later = 0;
        let to = from.max(now) + at.limit;
        let mut all = planner.now.pool.open_nodes[at.partition.0].clone();
        let reserved = planner.now.unreserved((job, at.partition), &mut all, from, to)?;
        let mut usable = all.clone();
        let coming = intervals.iter().zip(intervals.iter().skip(1)).filter(|(one, _)| one.end > from);
        for (interval, next) in coming {
            let (mut free, mut free_next) = (usable.clone(), all.clone());
            free.keep(interval.free);
            free_next.keep(next.free);
            if !free_next.is_subset(&free) {
                later = interval.end;
                break;
            }
            if interval.begin > to {
                break;
            }
            usable = free;
        }
        if later == 0
            && planner.mode.as_2411
            && let Some(behind) = intervals.iter().position(|one| one.begin > to)
            && behind + 2 < intervals.len()
        {
            later = intervals[behind + 1].end;
        }
        let while_running = intervals.iter().filter(|one| one.end > from && one.begin <= to);
        while_running.for_each(|interval| usable.keep(interval.free));
        if let Some(end) = reserved {
            let after = (end + grid - 1).div_euclid(grid) * grid + 1;
            later = if later == 0 { after } else { later.min(after) };
        }
        usable.keep(&need.on.considered);
        let weights = &*planner.now.pool.weights;
        let load = (&*planner.now.pool.layout, planner.now.pool.load.in_use(), weights);
        let kill_wait = planner.now.cluster.settings.jobs.overrun();
        let span = planner.mode.as_2411.then(|| PlainSpan { from, until: (later > 0).then_some(later) });
        let found = (usable.len() >= need.asked_nodes as usize)
            .then(|| will_run(load, &running, need, &usable, (now, kill_wait), None, span))
            .flatten();
        match found.map(|(start, nodes)| (start.max(from), nodes)) {
            Some((start, nodes)) if start <= now => return Some((now, nodes)),
            Some((start, nodes)) if later == 0 || start <= later => {
                let set = NodeSet::of(count, nodes.iter().copied());
                let (first, last) = planner.mode.on_grid(start, at.limit, settings);
                let mut within = intervals.iter().filter(|one| one.end > first && one.begin < last);
                if start > now + settings.window.0 || within.all(|one| set.is_subset(one.free)) {
                    return Some((start, nodes));
                }
                later = start;
            }
            None if later == 0 => return None,
            _ => {}
        }
    }
}
