//! Some whole numbers, described by a few: what is said of run times, of waits, of the jobs of a sitting.

use serde::Serialize;

/// Some numbers, described. Percentiles are values that occur (nearest rank).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
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

impl Distribution {
    /// Describes some numbers; `None` if there are none.
    ///
    /// # Formula
    /// The `p`-th percentile of `n` sorted values is the one at rank `⌈p·n/100⌉`.
    pub fn of(mut values: Vec<i64>) -> Option<Distribution> {
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let rank = |percent: usize| values[(percent * values.len()).div_ceil(100).max(1) - 1];
        Some(Distribution {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let described = Distribution::of((1..=10).rev().collect()).unwrap();
        assert_eq!((described.min, described.p10, described.median, described.p75), (1, 1, 5, 8));
        assert_eq!((described.p99, described.max, described.mean), (10, 10, 5.5));
        assert_eq!(Distribution::of(vec![]), None);
    }
}
