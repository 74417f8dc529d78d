//! A site run on until its last waiting job has started: what a distribution of start times consists of.

use std::hint::black_box;

use divan::Bencher;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::{HeldProcs, QueuedJob, RunOn, RunOnState};
use rand::RngExt;

const MACHINE: u32 = 1024;

/// A full machine with this many waiting jobs; one job arrives every two minutes.
#[divan::bench(args = [10_usize, 100, 1000, 4000])]
fn last_of(bencher: Bencher<'_, '_>, waiting: usize) {
    let mut random = Seed(1).stream("runs");
    let mut job = || {
        let planned = 600 * random.random_range(1..144);
        let run = 1 + (planned as f64 * random.random_range(0.01..1.0)) as i64;
        QueuedJob { procs: 1 << random.random_range(0..9), planned, run, rank: random.random() }
    };
    let (mut free, mut running) = (MACHINE, Vec::new());
    while let one = job()
        && one.procs <= free
    {
        free -= one.procs;
        running.push(HeldProcs { procs: one.procs, planned_end: Time(one.planned), end: Time(one.run) });
    }
    let queue: Vec<QueuedJob> = (0..waiting).map(|_| job()).collect();
    let arrivals: Vec<(Time, QueuedJob)> = (1..20_000).map(|place| (Time(120 * place), job())).collect();
    let state = RunOnState {
        now: Time(0),
        free,
        running: &running,
        waiting: &queue,
        arrivals: &arrivals,
        shift: Seconds::ZERO,
        last_joins: None,
        joining: None,
    };
    let mut run_on = RunOn::default();
    bencher.bench_local(|| run_on.starts(black_box(&state), Some(waiting - 1), Time::NEVER)[waiting - 1]);
}
