//! Fitting sizes: counts for what is serial, a search over the stages for the rest.

use std::collections::BTreeMap;

use super::ObservedJob;
use crate::synth::lublin::{LublinClass, LublinSizes};

/// The least exponent searched, in tenths, where this is the smallest parallel size: what is below rounds to a smaller one.
fn least(smallest: u32) -> u32 {
    (10.0 * (f64::from(smallest) - 0.5).log2()).ceil() as u32
}

/// Parallel jobs up to one size.
struct Upto {
    /// How many are of this size.
    jobs: f64,
    /// The share of parallel jobs of at most this size.
    share: f64,
    /// The exponent below which a power of two is at most this size.
    rounded: f64,
    /// The exponent below which any other size is.
    exact: f64,
}

/// The sizes whose distribution is closest, in the squared distance of the cumulated shares (Cramér–von Mises), to that
/// of these jobs, among all stages in steps of a tenth.
pub(super) fn fit(seen: &[ObservedJob], procs: u32) -> LublinSizes {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for job in seen {
        *counts.entry(job.procs).or_default() += 1;
    }
    let all = seen.len().max(1) as f64;
    let serial = f64::from(counts.remove(&1).unwrap_or_default()) / all;
    let parallel: f64 = counts.values().copied().map(f64::from).sum();
    let (Some(&smallest), Some(&largest)) = (counts.keys().next(), counts.keys().last()) else {
        return LublinSizes { serial: 1.0, power_of_two: 0.0, ..LublinClass::untyped(procs).sizes };
    };
    let powers: u32 = counts.iter().filter(|(size, _)| size.is_power_of_two()).map(|(_, count)| count).sum();
    let powers = f64::from(powers) / parallel;
    let mut below = 0.0;
    let table: Vec<Upto> = counts
        .iter()
        .map(|(&size, &count)| {
            below += f64::from(count);
            let rounded =
                if size.ilog2() == procs.ilog2() { f64::INFINITY } else { f64::from(size.ilog2()) + 0.5 };
            let exact = (f64::from(size) + 0.5).log2();
            Upto { jobs: f64::from(count), share: below / parallel, rounded, exact }
        })
        .collect();
    let high = f64::from(largest).log2();
    let mut best =
        (f64::INFINITY, LublinSizes { serial, power_of_two: 0.0, low: high, medium: high, high, lower: 1.0 });
    let tenths =
        (least(smallest)..).map(|tenths| f64::from(tenths) / 10.0).take_while(|&exponent| exponent <= high);
    for low in tenths.clone() {
        for medium in tenths.clone().skip_while(|&medium| medium < low) {
            let (distance, rounding, lower) = closest(&table, powers, [low, medium, high]);
            if distance < best.0 {
                let power_of_two = rounding * (1.0 - serial);
                best = (distance, LublinSizes { serial, power_of_two, low, medium, high, lower });
            }
        }
    }
    best.1
}

/// The share of a uniform distribution that is below a value.
fn uniform(value: f64, from: f64, to: f64) -> f64 {
    if to > from { ((value - from) / (to - from)).clamp(0.0, 1.0) } else { f64::from(u8::from(value >= to)) }
}

/// For these stages: the least squared distance, the share of parallel jobs whose exponent is rounded, and the
/// probability of the lower stage that has it. The latter is least squares, the former such that as many sizes are
/// powers of two as are, some by chance.
fn closest(table: &[Upto], powers: f64, [low, medium, high]: [f64; 3]) -> (f64, f64, f64) {
    let (mut rounding, mut lower, mut distance) = (powers, 0.5, f64::INFINITY);
    for _ in 0..2 {
        let stage = |upto: &Upto, from: f64, to: f64| {
            rounding * uniform(upto.rounded, from, to) + (1.0 - rounding) * uniform(upto.exact, from, to)
        };
        let (mut across, mut square) = (0.0, 0.0);
        for upto in table {
            let (first, second) = (stage(upto, low, medium), stage(upto, medium, high));
            across += upto.jobs * (upto.share - second) * (first - second);
            square += upto.jobs * (first - second) * (first - second);
        }
        lower = if square > 0.0 { (across / square).clamp(0.0, 1.0) } else { 1.0 };
        let apart = table.iter().map(|upto| {
            let share = lower * stage(upto, low, medium) + (1.0 - lower) * stage(upto, medium, high);
            upto.jobs * (upto.share - share).powi(2)
        });
        distance = apart.sum();
        let below = |exponent: f64| {
            lower * uniform(exponent, low, medium) + (1.0 - lower) * uniform(exponent, medium, high)
        };
        let by_chance: f64 = (1..=high as i32)
            .map(|power| f64::from(power).exp2())
            .map(|size| below((size + 0.5).log2()) - below((size - 0.5).log2()))
            .sum();
        rounding = ((powers - by_chance) / (1.0 - by_chance).max(1e-9)).clamp(0.0, 1.0);
    }
    (distance, rounding, lower)
}
