//! The one rule for percentiles, and what is reported of a set of values.

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

/// The percentiles and the maximum of a set of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread<T> {
    pub p50: Option<T>,
    pub p90: Option<T>,
    pub p95: Option<T>,
    pub p99: Option<T>,
    pub max: Option<T>,
}

impl<T: Copy> Spread<T> {
    pub(super) fn of_sorted(sorted: &[T]) -> Spread<T> {
        let rank = |percent| nearest_rank(sorted, percent);
        Spread { p50: rank(50), p90: rank(90), p95: rank(95), p99: rank(99), max: rank(100) }
    }
}

/// The mean of values in ascending order; summing them in that order makes it independent of whose they are.
pub(super) fn mean_of_sorted(sorted: &[f64]) -> Option<f64> {
    if sorted.is_empty() { None } else { Some(sorted.iter().sum::<f64>() / sorted.len() as f64) }
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
