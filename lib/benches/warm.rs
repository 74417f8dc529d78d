//! A forecaster that has learned: what an answer costs, an event, a snapshot, and storing it and reading it again.
//!
//! `cargo bench -p queuecast -- warm`. An answer grows with the jobs that wait; nothing else does.

use divan::{Bencher, black_box};
use queuecast_core::job::{Event, Job, JobIndex, Truth, UserId, What};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::forecast::{Forecaster, ForecasterKey, SubmissionUse, WhenSettings};
use queuecast_sim::site::Site;
use rand::RngExt;

const PROCS: u32 = 512;

/// A busy machine: jobs of 40 users that wait for up to an hour for each 32 processors.
fn log(jobs: usize) -> Workload {
    let mut rng = Seed(5).stream("jobs");
    let mut submit = 0;
    let (mut all, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..jobs as u64 {
        submit += rng.random_range(0..600);
        let procs = 1 << rng.random_range(0..8_u32);
        let limit = 600 * rng.random_range(1..60_i64);
        let mut job = Job::rigid(number, Time(submit), Procs(procs), Some(Seconds(limit)));
        job.user = UserId::new(rng.random_range(0..40));
        let wait = if rng.random::<f64>() < 0.4 { 0 } else { i64::from(procs) * rng.random_range(0..120) };
        truths.push(Truth::rigid(Seconds(rng.random_range(1..=limit))));
        starts.push(Time(submit + wait));
        all.push(job);
    }
    Workload::recorded(Machine { procs: Procs(PROCS) }, all, truths, starts).unwrap()
}

/// What was learned from 10,000 jobs, and a machine that is full, with this many jobs waiting.
fn warm(waiting: usize) -> (Forecaster, Workload, Site, Time) {
    let log = log(10_000);
    let now = log.jobs()[log.len() - 1].submit;
    let (forecaster, _) = Forecaster::of_log(&log, now, &WhenSettings::default(), &|_| ());
    let recent = log.jobs()[log.len() - waiting.max(64)..].to_vec();
    let running = recent.iter().take(64).map(|job| {
        let job = Job { id: job.id, ..Job::rigid(job.id.0, now, Procs(PROCS / 64), job.shape.limit) };
        (job, Seconds(60))
    });
    let queue = recent.iter().take(waiting).map(|job| Job { submit: now, ..job.clone() });
    let site = Site::found(Machine { procs: Procs(PROCS) }, now, running, queue, Seconds(86_400));
    (forecaster, log, site, now)
}

/// When one job would start.
#[divan::bench(args = [0, 100, 1_000], sample_count = 20, sample_size = 1)]
fn answer(bencher: Bencher<'_, '_>, waiting: usize) {
    let (forecaster, _, site, now) = warm(waiting);
    let job = Job::rigid(u64::MAX, now, Procs(16), Some(Seconds(7_200)));
    bencher.bench_local(|| forecaster.answer(black_box(std::slice::from_ref(&job)), &site, now).unwrap());
}

/// A job is submitted and starts, with a thousand others waiting.
#[divan::bench(args = [false, true], sample_count = 20, sample_size = 1)]
fn job_seen_while_a_snapshot_is_held(bencher: Bencher<'_, '_>, held: bool) {
    let (mut forecaster, _, site, now) = warm(1_000);
    let mut number = 1_000_000;
    bencher.bench_local(|| {
        let snapshot = held.then(|| forecaster.snapshot());
        number += 1;
        let job = Job {
            index: JobIndex(number),
            ..Job::rigid(number.into(), now, Procs(16), Some(Seconds(7_200)))
        };
        forecaster.submitted(&job, &site, SubmissionUse::LIVE);
        for what in [What::Arrived, What::Started(job.shape)] {
            forecaster.observe(&Event { at: now, job: &job, what });
        }
        snapshot
    });
}

/// Writing all that was learned.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn store(bencher: Bencher<'_, '_>) {
    let (forecaster, log, site, now) = warm(1_000);
    let key = ForecasterKey::of(&log, now, &WhenSettings::default());
    bencher.bench_local(|| forecaster.stored(black_box(&site), key).unwrap());
}

/// Reading it again.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn restore(bencher: Bencher<'_, '_>) {
    let (forecaster, log, site, now) = warm(1_000);
    let settings = WhenSettings::default();
    let key = ForecasterKey::of(&log, now, &settings);
    let bytes = forecaster.stored(&site, key).unwrap();
    bencher.bench_local(|| Forecaster::restored(black_box(&bytes), key, &settings).unwrap());
}
