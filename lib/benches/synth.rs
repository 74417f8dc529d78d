//! Making workloads: jobs a second, and how the cost of a job grows with their number.
//!
//! `cargo bench -p queuecast --bench synth`

#![allow(clippy::unwrap_used)] // a bench that cannot set up its case should stop

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast::seed::Seed;
use queuecast::synth::{EstimateModel, Habits, Lublin, Population, Resample, Supplied};
use queuecast::units::Seconds;
use queuecast::workload::Workload;

fn main() {
    divan::main();
}

fn habits(jobs: u32) -> Workload {
    Habits { jobs, ..Habits::default() }.generate(Seed(1)).unwrap()
}

/// Users, sittings and applications for jobs that are there already.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn settle(bencher: Bencher<'_, '_>, jobs: u32) {
    let workload = habits(jobs);
    let population = Population::default();
    bencher.counter(ItemsCount::new(jobs)).bench(|| population.settle(black_box(&workload), Seed(1)));
}

/// A workload of as many weeks as it has.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn resample(bencher: Bencher<'_, '_>, jobs: u32) {
    let workload = habits(jobs);
    let resample = Resample { weeks: (jobs / 500).min(10_000), load: None };
    bencher.counter(ItemsCount::new(jobs)).bench(|| resample.of(black_box(&workload), Seed(1)));
}

/// Modes of estimates: grows with the number of different ones, which grows more slowly than that of jobs.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn estimate_modes(bencher: Bencher<'_, '_>, jobs: u64) {
    let mut model = EstimateModel::new(jobs, Seconds(64_800));
    model.longest_percent = Some(10.0);
    model.supplied.push(Supplied { time: Seconds(300), percent: 12.0 });
    bencher.bench(|| black_box(&model).modes(Seed(1)).unwrap());
}

/// A million jobs of Lublin's model with users.
#[divan::bench(sample_count = 5)]
fn lublin_settled() -> Workload {
    let workload = Lublin::new(1_000_000, 256).generate(Seed(1)).unwrap();
    Population::default().settle(&workload, Seed(2)).unwrap()
}
