//! Predictors that learn: jobs a second inside a simulation, and how the cost of a job grows with history.
//!
//! `cargo bench -p queuecast -- predict`. Real logs are found as in the tests (`QUEUECAST_TRACES`); without
//! them only the made-up histories are benched.

use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::job::{End, Ending, Event, Job, JobIndex, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec, Question, RuntimePredictor};
use queuecast_sim::sim::{Components, Engine, LimitRule};
use queuecast_study::Experiment;

static BLUE: LazyLock<Option<Workload>> = LazyLock::new(|| {
    let path = crate::support::traces()?.join("SDSC-BLUE-2000-4.2-cln.swf.gz");
    path.is_file().then(|| crate::support::read(&path, "default", None).workload)
});

const PREDICTORS: [&str; 6] = [
    "requested",
    "recent:2",
    "ruh:propagate=yes",
    "sbh:propagate=yes",
    "sbh:[PEX,PE,P,E,*],propagate=yes,learn=running",
    "mixture",
];

fn experiment(predictor: &str) -> Experiment {
    let mut experiment = Experiment::new("sjbf".parse().unwrap(), predictor.parse().unwrap());
    experiment.options.correction = "requested".parse().unwrap();
    experiment.options.limit = LimitRule::Ignore;
    experiment
}

/// All of SDSC-BLUE under SJBF.
#[divan::bench(args = PREDICTORS, sample_count = 5)]
fn blue(bencher: Bencher<'_, '_>, predictor: &str) {
    let Some(workload) = BLUE.as_ref() else { return };
    let experiment = experiment(predictor);
    bencher.counter(ItemsCount::new(workload.len())).bench(|| experiment.run(black_box(workload)));
}

/// One quarter of SDSC-BLUE, the ones before it learned already.
#[divan::bench(args = [1, 2, 3, 4], sample_count = 5)]
fn blue_by_quarter_sbh(bencher: Bencher<'_, '_>, quarter: usize) {
    let Some(workload) = BLUE.as_ref() else { return };
    let experiment = experiment("sbh:propagate=yes");
    let until =
        |quarter: usize| workload.jobs()[(workload.len() * quarter / 4).min(workload.len() - 1)].submit;
    bencher
        .counter(ItemsCount::new(workload.len() / 4))
        .with_inputs(|| {
            let mut predictor = experiment.predictor.build(Vec::new, DEFAULT_REQUEST);
            let mut policy = experiment.policy.build();
            let mut engine = Engine::new(workload, experiment.options);
            let mut company =
                Components { policy: policy.as_mut(), predictor: predictor.as_mut(), observers: &mut [] };
            while quarter > 1
                && engine.step(&mut company).unwrap().is_some_and(|now| now < until(quarter - 1))
            {
            }
            (engine, policy, predictor)
        })
        .bench_local_values(|(mut engine, mut policy, mut predictor)| {
            let mut company =
                Components { policy: policy.as_mut(), predictor: predictor.as_mut(), observers: &mut [] };
            while engine.step(&mut company).unwrap().is_some_and(|now| now < until(quarter)) {}
            (engine, policy, predictor)
        });
}

/// The number of events fed after the history.
const FED: u32 = 1000;

/// A user's job: sizes and estimates recur, the gap to the one before is `gap` seconds.
fn job(index: u32, gap: i64) -> Job {
    let mut job = Job::rigid(
        index.into(),
        Time(i64::from(index) * (gap + 60)),
        Procs(1 << (index % 5)),
        Some(Seconds(3600 * (1 + i64::from(index % 3)))),
    );
    (job.index, job.user) = (JobIndex(index), UserId::new(1));
    job
}

fn feed(predictor: &mut dyn RuntimePredictor, jobs: std::ops::Range<u32>, gap: i64) {
    let mut revisions = Vec::new();
    for index in jobs {
        let job = job(index, gap);
        let ran = Seconds(1 + i64::from(index).wrapping_mul(7919) % 3600);
        let mut tell = |after: i64, what| {
            predictor.observe(&Event { at: job.submit + Seconds(after), job: &job, what }, &mut revisions);
        };
        tell(0, What::Arrived);
        tell(0, What::Started(job.shape));
        tell(60, What::Ended(End { ran, ending: Ending::Completed }));
        black_box(predictor.estimate(&Question { job: &job, elapsed: Seconds::ZERO }));
    }
}

fn after(bencher: Bencher<'_, '_>, predictor: &str, history: u32, gap: i64) {
    let spec: PredictorSpec = predictor.parse().unwrap();
    bencher
        .counter(ItemsCount::new(FED))
        .with_inputs(|| {
            let mut predictor = spec.build(Vec::new, DEFAULT_REQUEST);
            feed(predictor.as_mut(), 0..history, gap);
            predictor
        })
        .bench_local_values(|mut predictor| {
            feed(predictor.as_mut(), history..history + FED, gap);
            predictor
        });
}

/// One user's history, one session for each job.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000], sample_count = 10)]
fn sbh_after_many_sessions(bencher: Bencher<'_, '_>, history: u32) {
    after(bencher, "sbh:propagate=yes", history, 3600);
}

/// One user's history, all in one session that never ends.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000], sample_count = 10)]
fn sbh_after_one_long_session(bencher: Bencher<'_, '_>, history: u32) {
    after(bencher, "sbh:propagate=yes", history, 30);
}

/// A job from its arrival to its end, learning included, and two forecasts of it.
#[divan::bench(args = [1_000, 100_000], sample_count = 10)]
fn mixture_after(bencher: Bencher<'_, '_>, history: u32) {
    after(bencher, "mixture", history, 3600);
}
