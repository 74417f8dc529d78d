//! The one rule for means and percentiles, and what is reported of a set of values.

use std::cmp::Ordering;

use queuecast_core::units::Seconds;

/// The smallest value that at least `percent` percent of the values do not exceed: always one of the values,
/// never an interpolation. `None` for no values. `percent` is 0 to 100; 0 gives the smallest value, 100 the
/// largest, and anything above counts as 100.
///
/// # Formula
/// `sorted[max(1, ⌈percent · n / 100⌉)]`, counting from 1 (the nearest-rank rule)
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: u8) -> Option<T> {
    // In u128, so that no slice is too long; the rank is at most the length, so it fits again.
    let rank = (u128::from(percent.min(100)) * sorted.len() as u128).div_ceil(100) as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The mean, the percentiles and the maximum of a set of values; `None` of no values. They depend on the values alone, not on their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread<T> {
    /// The mean: whole numbers are summed exactly, others in ascending order.
    pub mean: Option<f64>,
    /// The nearest rank at 50 %.
    pub p50: Option<T>,
    /// The nearest rank at 90 %.
    pub p90: Option<T>,
    /// The nearest rank at 95 %.
    pub p95: Option<T>,
    /// The nearest rank at 99 %.
    pub p99: Option<T>,
    /// The largest.
    pub max: Option<T>,
}

/// What has a spread.
pub trait Spreading: Copy {
    /// The order of two values.
    fn order(&self, other: &Self) -> Ordering;
    /// The sum of values in ascending order.
    fn sum(sorted: &[Self]) -> f64;
}

impl Spreading for Seconds {
    fn order(&self, other: &Seconds) -> Ordering {
        self.cmp(other)
    }

    fn sum(sorted: &[Seconds]) -> f64 {
        sorted.iter().map(|length| i128::from(length.0)).sum::<i128>() as f64
    }
}

impl Spreading for f64 {
    fn order(&self, other: &f64) -> Ordering {
        self.total_cmp(other)
    }

    fn sum(sorted: &[f64]) -> f64 {
        sorted.iter().sum()
    }
}

impl<T: Spreading> Spread<T> {
    /// The spread of some values.
    pub fn of(values: impl IntoIterator<Item = T>) -> Spread<T> {
        let mut sorted: Vec<T> = values.into_iter().collect();
        sorted.sort_unstable_by(T::order);
        let rank = |percent| nearest_rank(&sorted, percent);
        let mean = (!sorted.is_empty()).then(|| T::sum(&sorted) / sorted.len() as f64);
        Spread { mean, p50: rank(50), p90: rank(90), p95: rank(95), p99: rank(99), max: rank(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rank_is_always_one_of_the_values() {
        // n = 4: 50 % of 4 is rank 2, 51 % is 2.04 so rank 3, 75 % rank 3, 76 % rank 4.
        let sorted = [10, 20, 30, 40];
        assert_eq!(nearest_rank(&sorted, 50), Some(20));
        assert_eq!(nearest_rank(&sorted, 51), Some(30));
        assert_eq!(nearest_rank(&sorted, 75), Some(30));
        assert_eq!(nearest_rank(&sorted, 76), Some(40));
    }

    #[test]
    fn the_ends_are_the_smallest_and_the_largest() {
        assert_eq!(nearest_rank(&[1, 2, 3], 0), Some(1));
        assert_eq!(nearest_rank(&[1, 2, 3], 100), Some(3));
        assert_eq!(nearest_rank(&[1, 2, 3], 255), Some(3));
        assert_eq!(nearest_rank(&[7], 50), Some(7));
        assert_eq!(nearest_rank::<i64>(&[], 50), None);
    }
}
