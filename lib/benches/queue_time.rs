//! Predicting queue times: how it grows with running jobs, for one size and for all sizes at once; and fitting lifetimes.
//!
//! `cargo bench -p queuecast -- queue_time`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::distribution::LogUniform;
use queuecast_core::units::{Procs, Seconds};
use queuecast_wait::{Holder, LifetimeFit, QueueTime};

const HOLDERS: [usize; 5] = [10, 30, 100, 300, 1000];

fn lifetimes() -> LogUniform {
    LogUniform::between(2f64.exp(), 12f64.exp()).unwrap()
}

/// Any number from a place, without chance.
fn mixed(place: usize) -> u64 {
    (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Running jobs of 1 to 32 processors and up to a day of age.
fn holders(count: usize) -> Vec<Holder> {
    let holder = |place: usize| {
        let (procs, age) = (1 + mixed(place) % 32, mixed(place + 7) % 86_400);
        Holder::aged(Procs(procs as u32), Seconds(age as i64), &lifetimes())
    };
    (0..count).map(holder).collect()
}

fn one_size(bencher: Bencher<'_, '_>, count: usize, spec: &str) {
    let (how, holders) = (spec.parse::<QueueTime>().unwrap(), holders(count));
    bencher.counter(ItemsCount::new(count)).bench_local(|| how.predict(black_box(&holders), Procs(20)));
}

#[divan::bench(args = HOLDERS)]
fn median(bencher: Bencher<'_, '_>, count: usize) {
    one_size(bencher, count, "median");
}

#[divan::bench(args = HOLDERS)]
fn mean(bencher: Bencher<'_, '_>, count: usize) {
    one_size(bencher, count, "mean");
}

#[divan::bench(args = HOLDERS)]
fn combined(bencher: Bencher<'_, '_>, count: usize) {
    one_size(bencher, count, "combined");
}

#[divan::bench(args = HOLDERS)]
fn exact(bencher: Bencher<'_, '_>, count: usize) {
    one_size(bencher, count, "exact");
}

/// All sizes from 1 to 64 at once.
#[divan::bench(args = HOLDERS)]
fn combined_64_sizes(bencher: Bencher<'_, '_>, count: usize) {
    let holders = holders(count);
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| QueueTime::default().predict_all(black_box(&holders), Procs(64)));
}

/// The predictions above, each asked by itself.
#[divan::bench(args = HOLDERS)]
fn combined_64_sizes_apart(bencher: Bencher<'_, '_>, count: usize) {
    let holders = holders(count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let ask = |more| QueueTime::default().predict(black_box(&holders), Procs(more));
        (1..=64).map(ask).collect::<Vec<_>>()
    });
}

/// `count` lifetimes seen, the line asked for after each.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000], sample_count = 5)]
fn fit(bencher: Bencher<'_, '_>, count: usize) {
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut fit = LifetimeFit::new();
        (0..count).fold(0.0, |sum, place| {
            fit.observe(Seconds((mixed(place) % 100_000) as i64));
            sum + fit.lifetimes().map_or(0.0, |lifetimes| lifetimes.slope())
        })
    });
}
