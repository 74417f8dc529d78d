//! Choices of nodes and planned starts on random clusters, held to the plain versions.

use std::sync::Arc;

use chacha20::ChaCha8Rng;
use rand::{Rng, RngExt};

use super::asked::NodeBounds;
use super::in_use::Load;
use super::layout::NodeLayout;
use super::need_cache::NeedCache;
use super::node_set::NodeSet;
use super::plain::select;
use super::plain_shares::shares;
use super::select::NodeOffer;
use super::weights::WeightShift;
use crate::cluster::{
    Cluster, ClusterNode, ClusterPartition, ConsumedUnit, Exclusivity, GenericResource, GresRequest,
    JobRequest, MemoryAmount, MemoryRequest, PartitionIndex, Switch, Topology, classes_of,
};
use crate::controller::backfill::{PlainHolding, PlainSpan, Releases, StartTest, will_run};
use crate::controller::handles::JobHandle;
use crate::controller::job::{ControlledJob, JobStart};
use queuecast_core::seed::Seed;

/// A random cluster: nodes of two sizes and weights, some with GPUs, with or without switches.
fn random_cluster(random: &mut impl Rng) -> Cluster {
    let count = random.random_range(1..90);
    let unequal = random.random_range(0..2) == 0;
    let threads_per_core = random.random_range(1..3);
    let nodes: Vec<ClusterNode> = (0..count)
        .map(|number| ClusterNode {
            name: format!("n{number:02}"),
            cpus: if unequal && number % 3 == 0 { 8 } else { 4 },
            cores_per_socket: 2,
            threads_per_core,
            memory_mb: 8_000,
            weight: if number * 2 > count { 5 } else { 1 },
            gres: if number % 7 == 0 {
                vec![GenericResource { name: "gpu".into(), kind: None, count: 2 }]
            } else {
                Vec::new()
            },
            ..ClusterNode::default()
        })
        .collect();
    let partition = ClusterPartition {
        name: "all".into(),
        nodes: (0..nodes.len()).collect(),
        is_default: true,
        max_cpus_per_node: (random.random_range(0..4) == 0).then_some(3),
        ..ClusterPartition::default()
    };
    let mut cluster =
        Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() };
    cluster.settings.select.memory = true;
    if random.random_range(0..5) == 0 {
        cluster.settings.select.unit = ConsumedUnit::Socket;
    }
    cluster.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(1_000));
    cluster
}

fn random_request(random: &mut impl Rng, nodes: usize) -> JobRequest {
    let mut request = JobRequest { tasks: Some(random.random_range(1..30)), ..JobRequest::default() };
    if random.random_range(0..2) == 0 {
        let fewest = random.random_range(1..=(nodes as u32).min(12));
        request.min_nodes = Some(fewest);
        request.max_nodes = Some(fewest + random.random_range(0..3));
    }
    if random.random_range(0..3) == 0 {
        request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    }
    if random.random_range(0..4) == 0 {
        request.tasks_per_node = Some(random.random_range(1..5));
        if random.random_range(0..2) == 0 {
            request.tasks = None;
        }
    }
    if random.random_range(0..5) == 0 {
        request.cpus_per_task = Some(2);
    }
    request.tasks_on.one_thread_per_core = random.random_range(0..5) == 0;
    if random.random_range(0..6) == 0 {
        let gpu = |count: u64| vec![GresRequest { name: "gpu".into(), kind: None, count }];
        match random.random_range(0..4) {
            0 => request.gres.per_job = gpu(random.random_range(1..6)),
            1 => request.gres.per_task = gpu(1),
            _ => request.gres.per_node = gpu(random.random_range(1..3)),
        }
        if random.random_range(0..2) == 0 {
            request.tasks = Some(1);
        }
        if random.random_range(0..2) == 0 {
            request.gres.cpus_per_gpu = Some(random.random_range(1..4));
        }
        if random.random_range(0..3) == 0 {
            request.memory = Some(MemoryRequest::PerGpu(1_500));
        }
    }
    if random.random_range(0..8) == 0 {
        request.wishes.node_list = vec![format!("n{:02}", random.random_range(0..nodes))];
    }
    request
}

/// As a real Slurm gave them on idle nodes of four processors.
#[test]
fn a_node_gives_what_is_missing_but_one_core_for_each_that_follows() {
    let cluster = crate::controller::tests::cluster(4);
    let layout = NodeLayout::of(&cluster);
    let load = Load::none(&layout);
    let mut needs = NeedCache::with(Arc::default(), 0);
    for (nodes, tasks, expected) in [
        (None, 6, &[4, 2][..]),
        (Some(2), 6, &[4, 2]),
        (Some(3), 7, &[4, 2, 1]),
        (Some(3), 5, &[3, 1, 1]),
        (Some(2), 3, &[2, 1]),
        (None, 5, &[4, 1]),
    ] {
        let request = JobRequest { tasks: Some(tasks), min_nodes: nodes, ..JobRequest::default() };
        let kept = needs.get(&request, NodeBounds::default(), PartitionIndex(0), &layout, &cluster);
        let (in_use, nodes) = (Some(load.in_use()), &kept.need.on.feasible);
        let offer = NodeOffer { layout: &layout, in_use, nodes, shift: None };
        let chosen = offer.choose(&kept.need).unwrap();
        let given: Vec<u32> = offer.shares(&chosen, &kept.need).iter().map(|share| share.cpus).collect();
        assert_eq!(given, expected, "{tasks} tasks");
    }
}

/// Fills a machine with random jobs, and asks for one more: the nodes, what it has of them and when it could start are those of
/// the plain versions.
#[test]
fn choices_and_starts_are_those_of_the_plain_versions() {
    let (mut at_once, mut later, mut never, mut spread) = (0, 0, 0, 0);
    for seed in 0..3_000 {
        let mut random = Seed(seed).stream("choices");
        let mut cluster = random_cluster(&mut random);
        if seed % 4 == 0 {
            let half = cluster.nodes.len() / 2;
            let leaf = |name: &str, nodes: std::ops::Range<usize>| Switch {
                name: name.into(),
                nodes: nodes.collect(),
                ..Switch::default()
            };
            let (third, all) = (half / 2, cluster.nodes.len());
            let above = |switches: &[usize]| Switch {
                name: "above".into(),
                switches: switches.to_vec(),
                ..Switch::default()
            };
            cluster.topology = Topology::Tree(match seed % 3 {
                0 => vec![leaf("a", 0..half), leaf("b", half..all)],
                1 => vec![leaf("a", 0..half), leaf("b", half..all), above(&[0, 1])],
                _ => vec![
                    leaf("a", 0..third),
                    leaf("b", third..half),
                    leaf("c", half..all),
                    above(&[0, 1]),
                    above(&[2]),
                    above(&[3, 4]),
                ],
            });
        }
        let layout = NodeLayout::of(&cluster);
        let count = layout.nodes.len();
        let (mut load, mut needs) = (Load::none(&layout), NeedCache::with(Arc::default(), 0));
        let mut running: Vec<ControlledJob> = Vec::new();
        for _ in 0..random.random_range(0..60) {
            let kept = needs.get(
                &random_request(&mut random, count),
                NodeBounds::default(),
                PartitionIndex(0),
                &layout,
                &cluster,
            );
            let mut nodes = kept.need.on.feasible.clone();
            kept.keep_usable(&mut nodes, &layout, &load);
            let offer =
                NodeOffer { layout: &layout, in_use: Some(load.in_use()), nodes: &nodes, shift: None };
            let Some(chosen) = offer.choose(&kept.need) else { continue };
            let shares = offer.shares(&chosen, &kept.need);
            shares.iter().for_each(|share| load.take(share));
            let limit_end = random.random_range(-200..20_000);
            let nodes = shares.iter().map(|share| share.node as u32).collect();
            running.push(ControlledJob {
                last: JobStart { shares: shares.into(), nodes, limit_end, ..JobStart::default() },
                ..ControlledJob::default()
            });
        }
        running.sort_by_key(|job| job.last.limit_end);
        let order: Vec<JobHandle> = (0..running.len()).map(JobHandle).collect();
        let holdings: Vec<PlainHolding> = running
            .iter()
            .map(|job| PlainHolding { end: job.last.limit_end, shares: job.last.shares.to_vec() })
            .collect();
        let mut releases = Releases::of(&order, &running, &load, true);
        let open = NodeSet::all(count);
        for _ in 0..6 {
            let kept = needs.get(
                &random_request(&mut random, count),
                NodeBounds::default(),
                PartitionIndex(0),
                &layout,
                &cluster,
            );
            let need = &kept.need;
            let share = random.random_range(5..11);
            let mut usable = NodeSet::of(count, (0..count).filter(|_| random.random_range(0..10) < share));
            usable.keep(&need.on.considered);
            let mut nodes = usable.clone();
            kept.keep_usable(&mut nodes, &layout, &load);
            let mut weights = WeightShift::none(count);
            if seed % 5 == 0 {
                let some = |random: &mut ChaCha8Rng| {
                    NodeSet::of(count, (0..count).filter(|_| random.random_range(0..2) == 0))
                };
                let lighter = (0..count).map(|_| random.random_range(0..3)).collect();
                weights = WeightShift { lighter, heavier: some(&mut random) };
            }
            let shift = (!weights.is_none()).then_some(&weights);
            let offer = NodeOffer { layout: &layout, in_use: Some(load.in_use()), nodes: &nodes, shift };
            let chosen = offer.choose(need);
            assert_eq!(
                chosen,
                select(&layout, load.in_use(), &usable, need, &weights),
                "seed {seed}: {need:?}"
            );
            if let Some(chosen) = &chosen {
                spread += usize::from(chosen.len() > 1);
                let slow = shares(&layout, load.in_use(), chosen, need);
                assert_eq!(offer.shares(chosen, need), slow, "seed {seed}: {need:?}");
            }
            let linear = (seed % 3 == 0).then(|| random.random_range(1..200));
            let mut test = StartTest {
                layout: &layout,
                load: &load,
                releases: &mut releases,
                kept: &kept,
                open: &open,
                shift,
                now: 0,
                kill_wait: 30,
                linear,
                late_are_gone: false,
            };
            let slow =
                will_run((&layout, load.in_use(), &weights), &holdings, need, &usable, (0, 30), linear, None);
            let found = test.will_run(&usable, None, None);
            assert_eq!(found, slow, "seed {seed}: {need:?}");
            // Looked for only up to an instant, it is the same if it is not later; and no start is before the earliest.
            let latest = random.random_range(0..20_000);
            let by_then = test.will_run(&usable, None, Some(latest));
            match &slow {
                Some((start, _)) if *start > latest => assert!(by_then.is_none() || by_then == slow),
                _ => assert_eq!(by_then, slow),
            }
            let from = random.random_range(-100..latest + 1);
            let until = (seed % 5 > 0).then_some(latest);
            let span = Some(PlainSpan { from, until });
            let slow_from =
                will_run((&layout, load.in_use(), &weights), &holdings, need, &usable, (0, 30), linear, span);
            assert_eq!(test.will_run(&usable, Some(from), until), slow_from, "seed {seed}: {need:?}");
            let earliest = test.earliest(&usable);
            if let Some((start, _)) = &slow {
                assert!(
                    earliest.is_some_and(|earliest| earliest <= *start),
                    "seed {seed}: {earliest:?} {slow:?}"
                );
            }
            match slow {
                Some((0, _)) => at_once += 1,
                Some(_) => later += 1,
                None => never += 1,
            }
        }
    }
    assert!(
        at_once > 1_000 && later > 1_000 && never > 100 && spread > 500,
        "{at_once} {later} {never} {spread}"
    );
}
