//! Slurm's scheduler simulated: a site of whole nodes and one of shared nodes, and how the time grows with the nodes and with the queue.
//!
//! `cargo bench -p queuecast -- controller`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::units::{Micros, Seconds};
use queuecast_sim::sim::Backfill;
use queuecast_slurm_sim::cluster::{
    Association, AssociationIndex, Associations, Cluster, ClusterNode, ClusterPartition, ClusterSettings,
    GenericResource, GresRequest, JobRequest, MemoryAmount, PriorityKind, Qos, RecordedRun, Shares, Sharing,
    SubmittedJob, TaskRun, TimeLimit, classes_of,
};
use queuecast_slurm_sim::controller::{Phases, simulate_cluster};
use queuecast_study::SitePolicy;

const ACCOUNTS: u32 = 60;
const USERS: u32 = 600;
const CPUS: u32 = 128;

/// Three partitions that overlap, QOS with limits, accounts with shares; backfilling looks at a thousand jobs.
fn site(nodes: usize, is_shared: bool) -> Cluster {
    let large = nodes / 10;
    let all: Vec<ClusterNode> = (0..nodes)
        .map(|number| ClusterNode {
            name: format!("n{number:06}"),
            cpus: CPUS,
            sockets: 2,
            cores_per_socket: CPUS / 2,
            memory_mb: if number < nodes - large { 256_000 } else { 512_000 },
            weight: if number < nodes - large { 1 } else { 10 },
            ..ClusterNode::default()
        })
        .collect();
    let partition = |name: &str, nodes: std::ops::Range<usize>| ClusterPartition {
        name: name.into(),
        is_default: nodes.start == 0,
        nodes: nodes.collect(),
        sharing: if is_shared { Sharing::No } else { Sharing::Exclusive },
        ..ClusterPartition::default()
    };
    let partitions = vec![
        partition("standard", 0..nodes - large),
        partition("large", nodes - large..nodes),
        ClusterPartition { is_default: false, ..partition("all", 0..nodes) },
    ];
    let mut settings = ClusterSettings::default();
    let weights = &mut settings.priority.weights;
    (weights.age, weights.fair_share, weights.job_size, weights.qos) = (10_000, 20_000, 2_000, 10_000);
    settings.priority.kind = PriorityKind::Multifactor;
    settings.jobs.default_memory = Some(MemoryAmount::PerCpu(1_500));
    settings.jobs.enforce.limits = true;
    let backfill = settings.backfill.get_or_insert_default();
    (backfill.counts.max_job_test, backfill.window) = (1_000, Seconds(2 * 86_400));
    let mut associations = vec![Association { account: "root".into(), ..Association::default() }];
    associations.extend((0..ACCOUNTS).map(|account| Association {
        account: format!("a{account}"),
        parent: Some(AssociationIndex(0)),
        shares: Shares::Of(1 + account % 7),
        ..Association::default()
    }));
    associations.extend((0..USERS).map(|user| Association {
        account: format!("a{}", user % ACCOUNTS),
        user: Some(format!("u{user}")),
        parent: Some(AssociationIndex(1 + (user % ACCOUNTS) as usize)),
        default_qos: Some("standard".into()),
        ..Association::default()
    }));
    let qos = |name: &str, priority: u32, jobs: u32| {
        let mut qos = Qos { name: name.into(), priority, ..Qos::default() };
        qos.per_user.jobs = Some(jobs);
        qos
    };
    Cluster {
        classes: classes_of(&all),
        nodes: all,
        partitions,
        settings,
        associations: Associations(associations),
        qos: vec![qos("standard", 100, 64), qos("short", 500, 4), qos("low", 1, 16)],
        ..Cluster::default()
    }
}

/// Jobs whose work is the share `load` of what the site can do: most small, a few very large, limits of which a part is used.
fn submissions(cluster: &Cluster, jobs: usize, load: f64, is_shared: bool) -> RecordedRun {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let nodes = cluster.nodes.len() as f64;
    let mut drawn = Vec::new();
    let mut work = 0.0;
    for _ in 0..jobs {
        let (kind, size) = (draw(), draw());
        let of = |from: f64, to: f64| from + size * (to - from);
        let wide = match kind {
            kind if kind < 0.6 => 1.0,
            kind if kind < 0.8 => of(2.0, 5.0),
            kind if kind < 0.9 => of(5.0, 17.0),
            kind if kind < 0.987 => of(17.0, 65.0),
            kind if kind < 0.999 => of(65.0, 513.0),
            _ => of(513.0, 2_049.0),
        };
        let wide = (wide.floor() * nodes / 5_860.0).ceil().max(1.0) as u32;
        let limit = [20.0, 60.0, 120.0, 360.0, 720.0, 1_440.0][(draw() * 6.0) as usize] * 60.0;
        let run = (limit * draw().powi(2)).max(5.0);
        let (tasks, min_nodes) = match is_shared && kind < 0.8 {
            true => (1 + (size * 32.0) as u32, None),
            false => (wide * CPUS, Some(wide)),
        };
        work += f64::from(tasks) / f64::from(CPUS) * run;
        drawn.push((tasks, min_nodes, limit as i64, run as i64));
    }
    let between = work / (nodes * load) / jobs as f64;
    let mut at = 0.0;
    let submissions = drawn.into_iter().enumerate().map(|(key, (tasks, min_nodes, limit, run))| {
        at -= (1.0 - draw()).ln() * between / (1.0 + 0.6 * (at / 86_400.0 * std::f64::consts::TAU).sin());
        let user = (draw().powi(2) * f64::from(USERS)) as u32;
        let qos = match draw() {
            share if share < 0.1 && limit <= 1_200 => vec!["short".to_owned()],
            share if share > 0.9 => vec!["low".to_owned()],
            _ => Vec::new(),
        };
        let partitions = match draw() {
            share if share < 0.07 => vec!["large".to_owned()],
            share if share < 0.12 => vec!["standard".to_owned(), "large".to_owned()],
            _ => Vec::new(),
        };
        SubmittedJob {
            key: key.to_string(),
            id: None,
            submit: Micros::of_millis((at * 1_000.0) as i64),
            user: format!("u{user}"),
            request: JobRequest {
                tasks: Some(tasks),
                min_nodes,
                max_nodes: min_nodes,
                time_limit: Some(TimeLimit::Of(Seconds(limit))),
                account: Some(format!("a{}", user % ACCOUNTS)),
                qos,
                partitions,
                ..JobRequest::default()
            }
            .into(),
            runs: vec![TaskRun::For(Seconds(run))],
            not_modelled: Vec::new(),
        }
    });
    RecordedRun { submissions: submissions.collect(), ..RecordedRun::default() }
}

fn simulated(bencher: Bencher<'_, '_>, nodes: usize, jobs: usize, is_shared: bool) {
    let cluster = site(nodes, is_shared);
    let run = submissions(&cluster, jobs, 0.93, is_shared);
    let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(30));
    bencher.counter(ItemsCount::new(jobs)).bench_local(|| {
        black_box(simulate_cluster(&cluster, &run, phases));
    });
}

/// Nodes and jobs. With ten times the nodes jobs are ten times as wide, so that the same time is simulated.
#[divan::bench(args = [(586_usize, 4_000_usize), (5_860, 4_000), (5_860, 16_000)], sample_count = 1, sample_size = 1)]
fn whole_nodes(bencher: Bencher<'_, '_>, (nodes, jobs): (usize, usize)) {
    simulated(bencher, nodes, jobs, false);
}

#[divan::bench(args = [(58_usize, 1_000_usize), (586, 1_000)], sample_count = 1, sample_size = 1)]
fn shared_nodes(bencher: Bencher<'_, '_>, (nodes, jobs): (usize, usize)) {
    simulated(bencher, nodes, jobs, true);
}

/// Sites with a quarter more work than they can do, so that the queue is ten times as long with ten times the jobs.
#[divan::bench(args = [1_000_usize, 10_000], sample_count = 1, sample_size = 1)]
fn full_whole_nodes(bencher: Bencher<'_, '_>, jobs: usize) {
    filled(bencher, site(5_860, false), jobs, false);
}

/// A tenth of the nodes have GPUs and a partition of their own, and a tenth of the jobs ask for some.
#[divan::bench(args = [2_000_usize, 20_000], sample_count = 1, sample_size = 1)]
fn full_shared_nodes(bencher: Bencher<'_, '_>, jobs: usize) {
    let mut cluster = site(1_000, true);
    cluster.partitions.truncate(2);
    for &node in &cluster.partitions[1].nodes {
        cluster.nodes[node].gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 4 }];
    }
    cluster.classes = classes_of(&cluster.nodes);
    filled(bencher, cluster, jobs, true);
}

fn filled(bencher: Bencher<'_, '_>, cluster: Cluster, jobs: usize, is_shared: bool) {
    let mut run = submissions(&cluster, jobs, 1.25, is_shared);
    if is_shared {
        for one in &mut run.submissions {
            let with_gpus = one.request.partitions == ["large"];
            one.request.partitions.truncate(1);
            if with_gpus {
                one.request.gres.per_node = vec![GresRequest { name: "gpu".into(), kind: None, count: 1 }];
                (one.request.tasks, one.request.min_nodes, one.request.max_nodes) = (Some(8), None, None);
            }
        }
    }
    let phases = Phases::from_start(Micros::of_seconds(-60), Seconds(60));
    bencher.counter(ItemsCount::new(jobs)).bench_local(|| {
        black_box(simulate_cluster(&cluster, &run, phases));
    });
}

/// Another policy than Slurm's, with more work than the site can do.
#[divan::bench(args = [2_500_usize, 5_000], sample_count = 1, sample_size = 1)]
fn easy_on_shared_nodes(bencher: Bencher<'_, '_>, jobs: usize) {
    let cluster = site(500, true);
    let run = submissions(&cluster, jobs, 1.2, true);
    let policy = SitePolicy::of(Backfill::easy());
    bencher
        .counter(ItemsCount::new(jobs))
        .bench_local(|| black_box(policy.simulate(&cluster, &run)).unwrap());
}
