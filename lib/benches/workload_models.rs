//! Making a million jobs, and fitting a model to fifty thousand.

use divan::Bencher;
use queuecast::seed::Seed;
use queuecast::synth::{Downey, Lublin, LublinKinds};

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn lublin_million_jobs(bencher: Bencher<'_, '_>) {
    let model = Lublin::new(1_000_000, 256);
    bencher.bench(|| model.generate(Seed(1)).expect("in range").len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn downey_million_jobs(bencher: Bencher<'_, '_>) {
    let model = Downey::new(1_000_000, 128);
    bencher.bench(|| model.generate(Seed(1)).expect("in range").len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn lublin_like(bencher: Bencher<'_, '_>) {
    let model = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(50_000, 128) };
    let workload = model.generate(Seed(1)).expect("in range");
    bencher.bench(|| Lublin::like(&workload).expect("a fit").jobs);
}
