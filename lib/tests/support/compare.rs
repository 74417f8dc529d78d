//! Two samples compared: statistics and what they mean if the draws are independent.

use std::collections::BTreeMap;

use statrs::function::gamma::gamma_ur;

/// The Kolmogorov–Smirnov distance of two samples.
pub fn distance(one: &[i64], other: &[i64]) -> f64 {
    let sorted = |values: &[i64]| {
        let mut values = values.to_vec();
        values.sort_unstable();
        values
    };
    sorted_distance(&sorted(one), &sorted(other))
}

/// The distance of samples that are sorted.
pub fn sorted_distance(one: &[i64], other: &[i64]) -> f64 {
    let (mut i, mut j, mut furthest) = (0, 0, 0.0f64);
    while i < one.len() && j < other.len() {
        let value = one[i].min(other[j]);
        i += one[i..].iter().take_while(|&&next| next == value).count();
        j += other[j..].iter().take_while(|&&next| next == value).count();
        furthest = furthest.max((i as f64 / one.len() as f64 - j as f64 / other.len() as f64).abs());
    }
    furthest
}

/// How likely a Kolmogorov–Smirnov distance of at least this is by chance, for two samples of these sizes (or, the
/// second infinite, for one sample and a distribution).
pub fn ks_chance(distance: f64, one: f64, other: f64) -> f64 {
    let size = if other.is_finite() { one * other / (one + other) } else { one };
    let lambda = distance * size.sqrt();
    if lambda < 0.2 {
        return 1.0;
    }
    let terms = (1..100).map(|k| {
        let term = (-2.0 * f64::from(k * k) * lambda * lambda).exp();
        if k % 2 == 1 { term } else { -term }
    });
    (2.0 * terms.sum::<f64>()).clamp(0.0, 1.0)
}

/// How likely it is by chance that two samples differ this much in how often each value occurs: a χ² test, neighbouring
/// values put together until ten are expected of the first sample.
pub fn chi_square_chance(one: &[i64], other: &[i64]) -> f64 {
    let mut counts: BTreeMap<i64, [f64; 2]> = BTreeMap::new();
    for (values, at) in [(one, 0), (other, 1)] {
        for &value in values {
            counts.entry(value).or_default()[at] += 1.0;
        }
    }
    let (n, m) = (one.len() as f64, other.len() as f64);
    let mut bins: Vec<[f64; 2]> = Vec::new();
    let mut open = [0.0, 0.0];
    for [first, second] in counts.into_values() {
        open = [open[0] + first, open[1] + second];
        if (open[0] + open[1]) * n / (n + m) >= 10.0 {
            bins.push(std::mem::take(&mut open));
        }
    }
    match bins.last_mut() {
        Some(last) => *last = [last[0] + open[0], last[1] + open[1]],
        None => return 1.0,
    }
    let scale = (m / n).sqrt();
    let statistic: f64 = bins.iter().map(|[a, b]| (scale * a - b / scale).powi(2) / (a + b)).sum();
    if bins.len() < 2 { 1.0 } else { gamma_ur((bins.len() - 1) as f64 / 2.0, statistic / 2.0) }
}
