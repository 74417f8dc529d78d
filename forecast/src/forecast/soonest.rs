//! Which of several places would start a job first, by their predicted waits.

use super::answer::PredictedWait;

/// Places in the order in which they would start a job, and how many of the first are too close to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoonestStart {
    /// Indices by median wait; ties by the 90 % quantile, then in the given order.
    pub order: Vec<usize>,
    /// How many of the first places in `order` are too close to call; 1 if the first is clearly the soonest.
    pub close: usize,
}

impl SoonestStart {
    /// Medians that differ by at most this share of the wider of the two ranges from p10 to p90 are too close to call.
    pub const UNDECIDED: f64 = 0.1;

    /// Of predicted waits, one for each place.
    pub fn of(waits: &[&PredictedWait]) -> SoonestStart {
        let mut order: Vec<usize> = (0..waits.len()).collect();
        let of = |place: usize| (waits[place].median, waits[place].p90);
        order.sort_by(|&one, &other| {
            let ((median, p90), (other_median, other_p90)) = (of(one), of(other));
            median.total_cmp(&other_median).then(p90.total_cmp(&other_p90))
        });
        let width = |place: usize| waits[place].p90 - waits[place].p10;
        let is_close = |first: usize, other: usize| {
            let wider = width(first).max(width(other));
            waits[other].median - waits[first].median <= SoonestStart::UNDECIDED * wider
        };
        let close = order.iter().take_while(|&&other| is_close(order[0], other)).count();
        SoonestStart { order, close }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soonest(ranges: &[(f64, f64, f64)]) -> (Vec<usize>, usize) {
        let wait = |&(p10, median, p90): &(f64, f64, f64)| PredictedWait {
            low: p10,
            high: p90,
            p10,
            p25: p10,
            median,
            p75: p90,
            p90,
            point: median,
            response_point: median,
            within: Vec::new(),
            classes: Default::default(),
            named_classes: Default::default(),
        };
        let waits: Vec<PredictedWait> = ranges.iter().map(wait).collect();
        let SoonestStart { order, close } = SoonestStart::of(&waits.iter().collect::<Vec<_>>());
        (order, close)
    }

    #[test]
    fn the_least_median_is_first_and_wide_ranges_decide_nothing() {
        assert_eq!(soonest(&[(0.0, 900.0, 1000.0), (0.0, 60.0, 600.0)]), (vec![1, 0], 1));
        // Equal medians: the lower 90 % quantile comes first.
        assert_eq!(soonest(&[(0.0, 60.0, 600.0), (0.0, 60.0, 100.0)]), (vec![1, 0], 2));
        // A tenth of the wider range is 100 s.
        assert_eq!(soonest(&[(0.0, 60.0, 600.0), (0.0, 160.0, 1000.0)]), (vec![0, 1], 2));
        assert_eq!(soonest(&[(0.0, 60.0, 600.0), (0.0, 161.0, 1000.0)]), (vec![0, 1], 1));
        // Waits without spread are close only if they are equal.
        assert_eq!(soonest(&[(5.0, 5.0, 5.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]), (vec![1, 2, 0], 2));
        assert_eq!((soonest(&[(1.0, 2.0, 3.0)]), soonest(&[])), ((vec![0], 1), (vec![], 0)));
    }
}
