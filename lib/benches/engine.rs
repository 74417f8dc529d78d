//! The engine: jobs a second on real logs, and how the cost of an event grows with the queue.
//!
//! `cargo bench -p queuecast -- engine`. Reading is not measured here (see `swf`). Real logs are
//! found as in the tests (`QUEUECAST_TRACES`); those that are missing are left out and named.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::job::{Job, Truth, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Backfill, Components, Engine, Options, Persistence};
use queuecast_study::Experiment;
use rand::RngExt;

const LOGS: [(&str, &str); 4] = [
    ("KTH-SP2", "KTH-SP2-1996-2.swf.gz"),
    ("CTC-SP2", "CTC-SP2-1996-3.1-cln.swf.gz"),
    ("SDSC-BLUE", "SDSC-BLUE-2000-4.2-cln.swf.gz"),
    ("CEA-Curie", "CEA-Curie-2011-2.1-cln.swf.gz"),
];

static WORKLOADS: LazyLock<BTreeMap<&str, Workload>> = LazyLock::new(|| {
    let Some(folder) = crate::support::traces() else { return BTreeMap::new() };
    let present = LOGS.into_iter().filter(|(_, file)| folder.join(file).is_file());
    present
        .map(|(name, file)| (name, crate::support::read(&folder.join(file), "predictsim", None).workload))
        .collect()
});

fn logs() -> Vec<&'static str> {
    LOGS.iter().map(|(name, _)| *name).filter(|name| WORKLOADS.contains_key(name)).collect()
}

fn jobs_a_second(bencher: Bencher<'_, '_>, log: &str, policy: &str, predictor: &str) {
    let workload = &WORKLOADS[log];
    let experiment = Experiment::new(policy.parse().unwrap(), predictor.parse().unwrap());
    bencher.counter(ItemsCount::new(workload.len())).bench(|| experiment.run(black_box(workload)));
}

#[divan::bench(args = logs())]
fn fcfs(bencher: Bencher<'_, '_>, log: &str) {
    jobs_a_second(bencher, log, "fcfs", "requested");
}

#[divan::bench(args = logs())]
fn easy_requested(bencher: Bencher<'_, '_>, log: &str) {
    jobs_a_second(bencher, log, "easy", "requested");
}

#[divan::bench(args = logs())]
fn sjbf_last_two_corrected(bencher: Bencher<'_, '_>, log: &str) {
    jobs_a_second(bencher, log, "sjbf", "recent:2");
}

#[divan::bench(args = logs(), sample_count = 10)]
fn conservative_kept(bencher: Bencher<'_, '_>, log: &str) {
    jobs_a_second(bencher, log, "conservative", "requested");
}

#[divan::bench(args = ["KTH-SP2"].into_iter().filter(|log| logs().contains(log)), sample_count = 10)]
fn conservative_replanned(bencher: Bencher<'_, '_>, log: &str) {
    jobs_a_second(bencher, log, "conservative:replan", "requested");
}

/// Instants timed with the queue held near its length.
const INSTANTS: usize = 2000;

/// `waiting` jobs in the queue of a machine of 128 from the start, then arrivals as fast as jobs end.
fn saturated(waiting: usize) -> Workload {
    let mut rng = Seed(7).stream("saturated queue");
    let jobs = (0..waiting + INSTANTS).map(|place| {
        let procs = [1, 1, 2, 3, 4, 8, 16, 32, 64, 100, 128][rng.random_range(0..11)];
        let run = (7.0 + 1.5 * (rng.random::<f64>() + rng.random::<f64>() - 1.0) * 2.0).exp() as i64 + 1;
        let limit = (run as f64 * rng.random_range(1.0..6.0)) as i64 + 1;
        let submit = place.saturating_sub(waiting) as i64 * 400;
        let mut job = Job::rigid(place as u64, Time(submit), Procs(procs), Some(Seconds(limit)));
        job.user = UserId::new(rng.random_range(0..50));
        (job, Truth::rigid(Seconds(run)))
    });
    Workload::new(Machine { procs: Procs(128) }, jobs.collect()).unwrap()
}

/// The cost of one instant (its events and its plan) while `waiting` jobs wait.
fn cost_of_an_instant(bencher: Bencher<'_, '_>, waiting: usize, policy: Backfill, predictor: PredictorSpec) {
    let workload = saturated(waiting);
    bencher
        .counter(ItemsCount::new(INSTANTS))
        .with_inputs(|| {
            let mut predictor = predictor.build(Vec::new, DEFAULT_REQUEST);
            let mut policy = policy.build();
            let mut engine = Engine::new(&workload, Options::default());
            let mut company =
                Components { policy: policy.as_mut(), predictor: predictor.as_mut(), observers: &mut [] };
            engine.step(&mut company).expect("a sound predictor");
            (engine, policy, predictor)
        })
        .bench_local_values(|(mut engine, mut policy, mut predictor)| {
            let mut company =
                Components { policy: policy.as_mut(), predictor: predictor.as_mut(), observers: &mut [] };
            for _ in 0..INSTANTS {
                engine.step(&mut company).expect("a sound predictor");
            }
            (engine, policy, predictor)
        });
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 20)]
fn saturated_easy(bencher: Bencher<'_, '_>, waiting: usize) {
    cost_of_an_instant(bencher, waiting, Backfill::easy(), PredictorSpec::Requested);
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 20)]
fn saturated_sjbf_last_two(bencher: Bencher<'_, '_>, waiting: usize) {
    let recent = "recent:2".parse().unwrap();
    cost_of_an_instant(bencher, waiting, Backfill::sjbf(), recent);
}

#[divan::bench(args = [100, 1_000, 10_000], sample_count = 3)]
fn saturated_conservative(bencher: Bencher<'_, '_>, waiting: usize) {
    cost_of_an_instant(bencher, waiting, Backfill::conservative(Persistence::Keep), PredictorSpec::Requested);
}
