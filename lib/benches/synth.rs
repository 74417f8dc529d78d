//! Making workloads: what each step costs, and how the cost of a job grows with their number.
//!
//! `cargo bench -p queuecast -- synth`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_synth::characterization::Modes;
use queuecast_synth::synth::{
    Downey, EstimateModel, Estimates, Habits, Lublin, LublinKinds, Pairing, Population, Resample, Routine,
    Supplied,
};

fn habits(jobs: u32) -> Workload {
    Habits { jobs, ..Habits::default() }.generate(Seed(1)).unwrap()
}

/// Sizes, run times and arrivals of Lublin's model.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn lublin(bencher: Bencher<'_, '_>, jobs: u32) {
    let model = Lublin::new(jobs, 256);
    bencher.counter(ItemsCount::new(jobs)).bench(|| black_box(&model).generate(Seed(1)));
}

/// Its parameters from the jobs of a log.
#[divan::bench(sample_count = 5)]
fn lublin_like(bencher: Bencher<'_, '_>) {
    let model = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(50_000, 128) };
    let workload = model.generate(Seed(1)).unwrap();
    bencher.bench(|| Lublin::like(black_box(&workload)));
}

/// Lifetimes, parallelism and arrivals of Downey's.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn downey(bencher: Bencher<'_, '_>, jobs: u32) {
    let model = Downey::new(jobs, 128);
    bencher.counter(ItemsCount::new(jobs)).bench(|| black_box(&model).generate(Seed(1)));
}

/// Users, sessions and applications for jobs that are there already.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn settle(bencher: Bencher<'_, '_>, jobs: u32) {
    let workload = habits(jobs);
    let population = Population::default();
    bencher.counter(ItemsCount::new(jobs)).bench(|| population.assign_users(black_box(&workload), Seed(1)));
}

/// Modes of estimates: grows with the number of different ones, which grows more slowly than that of jobs.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn estimate_modes(bencher: Bencher<'_, '_>, jobs: u64) {
    let mut model = EstimateModel::new(jobs, Seconds(64_800));
    model.longest_percent = Some(10.0);
    model.supplied.push(Supplied { time: Seconds(300), percent: 12.0 });
    bencher.bench(|| black_box(&model).modes(Seed(1)).unwrap());
}

/// Which job gets which of the estimates there are, at random.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn pair_shuffled(bencher: Bencher<'_, '_>, jobs: u32) {
    pair(bencher, jobs, Pairing::Shuffled);
}

/// Estimates that stay put within a session.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn pair_by_sessions(bencher: Bencher<'_, '_>, jobs: u32) {
    pair(bencher, jobs, Pairing::Sessions(Routine::default()));
}

fn pair(bencher: Bencher<'_, '_>, jobs: u32, pairing: Pairing) {
    let workload = habits(jobs);
    let modes = Modes::of(&workload);
    let all = ItemsCount::new(jobs);
    bencher.counter(all).bench(|| pairing.pair(black_box(&modes), &workload, Seed(1)));
}

/// A workload of as many weeks as it has.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn resample(bencher: Bencher<'_, '_>, jobs: u32) {
    let workload = habits(jobs);
    let resample = Resample { weeks: (jobs / 500).min(10_000), load: None };
    bencher.counter(ItemsCount::new(jobs)).bench(|| resample.of(black_box(&workload), Seed(1)));
}

/// All of it: jobs of Lublin's model, with users, sessions and estimates that stay put.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5)]
fn everything(bencher: Bencher<'_, '_>, jobs: u32) {
    bencher.counter(ItemsCount::new(jobs)).bench(|| {
        let bare = Lublin::new(jobs, 256).generate(Seed(1)).unwrap();
        let mut settled = Population::default().assign_users(&bare, Seed(1)).unwrap();
        let longest = settled.truths().iter().map(|truth| truth.run()).max().unwrap();
        let model = EstimateModel::new(1, longest);
        let estimates = Estimates::Model(model, Pairing::Sessions(Routine::default()));
        let estimates = estimates.of(&settled, Seed(1)).unwrap();
        settled.replace_limits(estimates.into_iter().map(Some));
        settled
    });
}
