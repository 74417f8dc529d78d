//! Size classes of jobs: 1, 2, 3–4, 5–8 … and from 8193 processors on.

/// Number of classes.
pub(super) const CLASSES: usize = 15;

/// The class of a job of this many processors.
pub(super) fn class(procs: u32) -> usize {
    ((u32::BITS - procs.saturating_sub(1).leading_zeros()) as usize).min(CLASSES - 1)
}

/// How many classes have a size that fits into `free` processors: the class of the largest such job, plus 1.
pub(super) fn classes_within(free: i64) -> usize {
    if free <= 0 { 0 } else { class(u32::try_from(free).unwrap_or(u32::MAX)) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_within_what_is_free_if_its_smallest_size_is() {
        for free in 0..20_000 {
            let smallest_that_fit = (1..=free.min(9000)).map(|procs| class(procs as u32) + 1).max();
            assert_eq!(classes_within(free), smallest_that_fit.unwrap_or(0), "{free}");
        }
        assert_eq!([1, 2, 3, 4, 5, 8, 9, 8192, 8193, u32::MAX].map(class), [0, 1, 2, 2, 3, 3, 4, 13, 14, 14]);
        assert_eq!((classes_within(-3), classes_within(i64::MAX)), (0, CLASSES));
    }
}
