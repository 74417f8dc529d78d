//! Small statistics used in several rooms: percentiles of whole numbers, means, medians, deviations.

use serde::Serialize;

/// Mean, extremes and percentiles of whole numbers. Percentiles are values that occur (nearest rank).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Percentiles {
    /// How many.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: i64,
    /// 10th percentile.
    pub p10: i64,
    /// 25th percentile.
    pub p25: i64,
    /// Median.
    pub median: i64,
    /// 75th percentile.
    pub p75: i64,
    /// 90th percentile.
    pub p90: i64,
    /// 99th percentile.
    pub p99: i64,
    /// Largest.
    pub max: i64,
}

impl Percentiles {
    /// Of these numbers; `None` if there are none.
    ///
    /// # Formula
    /// The `p`-th percentile of `n` sorted values is the one at rank `⌈p·n/100⌉`.
    pub fn of(mut values: Vec<i64>) -> Option<Percentiles> {
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let rank = |percent: usize| values[(percent * values.len()).div_ceil(100).max(1) - 1];
        Some(Percentiles {
            count: values.len() as u64,
            mean: values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64,
            min,
            p10: rank(10),
            p25: rank(25),
            median: rank(50),
            p75: rank(75),
            p90: rank(90),
            p99: rank(99),
            max,
        })
    }
}

/// Arithmetic mean; 0 of no values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut count, mut sum) = (0_u64, 0.0);
    for value in values {
        count += 1;
        sum += value;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Upper median: the value at rank `⌊n/2⌋` from 0; 0 of no values. Reorders the values.
pub fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Standard deviation of a sample.
///
/// # Formula
/// `√(Σ (x − mean)² / (n − 1))`; 0 of fewer than two values
pub fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values.iter().copied());
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let described = Percentiles::of((1..=10).rev().collect()).unwrap();
        assert_eq!((described.min, described.p10, described.median, described.p75), (1, 1, 5, 8));
        assert_eq!((described.p99, described.max, described.mean), (10, 10, 5.5));
        assert_eq!(Percentiles::of(vec![]), None);
    }

    #[test]
    fn mean_and_deviation_by_hand() {
        assert_eq!(mean([1.0, 2.0, 6.0]), 3.0);
        assert_eq!(mean([]), 0.0);
        assert!((deviation(&[1.0, 2.0, 6.0]) - 7.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(deviation(&[4.0]), 0.0);
    }

    #[test]
    fn median_is_a_value_that_occurs() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 3.0);
        assert_eq!(median(&mut []), 0.0);
    }
}
