//! Boosted trees: how long a fit takes, and how it grows with the number of examples, and one prediction.
//!
//! `cargo bench -p queuecast -- trees`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::trees::{Boosting, Examples};

const FEATURES: usize = 40;
const CLASSES: usize = 9;

/// Examples, their classes, and the number the classes are ranges of. Some features have few values, some are skewed; four
/// of them count.
fn drawn(rows: usize) -> (Examples, Vec<u8>, Vec<f32>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    let (mut examples, mut labels, mut targets) = (Examples::new(FEATURES), Vec::new(), Vec::new());
    for _ in 0..rows {
        let row: Vec<f32> = (0..FEATURES)
            .map(|feature| match feature % 4 {
                0 => (draw() * 8.0).floor(),
                1 => draw().powi(3),
                _ => draw(),
            })
            .collect();
        let target = row[0] / 8.0 + row[1] * 2.0 + row[2] * row[3] + 0.5 * draw();
        labels.push(((target * 2.6) as u8).min(CLASSES as u8 - 1));
        targets.push(target);
        examples.push(&row);
    }
    (examples, labels, targets)
}

#[divan::bench(args = [10_000_usize, 30_000], sample_count = 5, sample_size = 1)]
fn fit_classes(bencher: Bencher<'_, '_>, rows: usize) {
    let (examples, labels, _) = drawn(rows);
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        black_box(Boosting::default().classes(&examples, &labels, CLASSES));
    });
}

#[divan::bench(args = [10_000_usize, 30_000], sample_count = 5, sample_size = 1)]
fn fit_three_quantiles(bencher: Bencher<'_, '_>, rows: usize) {
    let (examples, _, targets) = drawn(rows);
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        black_box(Boosting::default().quantiles(&examples, &targets, &[0.1, 0.5, 0.9]));
    });
}

#[divan::bench(sample_count = 20, sample_size = 500)]
fn probabilities_of_one_row(bencher: Bencher<'_, '_>) {
    let (examples, labels, _) = drawn(10_000);
    let trees = Boosting::default().classes(&examples, &labels, CLASSES);
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 1) % examples.len();
        black_box(trees.probabilities(examples.row(at)));
    });
}
