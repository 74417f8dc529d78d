//! Making workloads: what each model costs, and how that grows.
//!
//! `cargo bench -p queuecast --bench synth`.

#![allow(clippy::unwrap_used)] // a bench that cannot set up its case should stop

use divan::{Bencher, black_box};
use queuecast::seed::Seed;
use queuecast::synth::{EstimateModel, Supplied};
use queuecast::units::Seconds;

fn main() {
    divan::main();
}

/// Modes of estimates: grows with the number of different ones, which grows more slowly than that of jobs.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn estimate_modes(bencher: Bencher<'_, '_>, jobs: u64) {
    let mut model = EstimateModel::new(jobs, Seconds(64_800));
    model.longest_percent = Some(10.0);
    model.supplied.push(Supplied { time: Seconds(300), percent: 12.0 });
    bencher.bench(|| black_box(&model).modes(Seed(1)).unwrap());
}
