//! Which of several places would start a job first, by their predicted waits.

use super::answer::PredictedWait;
use super::closeness::is_surely_shorter;
use queuecast_core::order;

/// Places in the order in which they would start a job, and how many of the first are too close to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoonestStart {
    /// Indices by median wait; ties by the end of the 80 % range, then in the given order.
    pub order: Vec<usize>,
    /// How many of the first places in `order` are too close to call; 1 if the first is clearly the soonest.
    pub close: usize,
}

impl SoonestStart {
    /// Of predicted waits, one for each place.
    pub fn of(waits: &[&PredictedWait]) -> SoonestStart {
        let mut order: Vec<usize> = (0..waits.len()).collect();
        let of = |place: usize| (waits[place].median, waits[place].high);
        order::sort_by(&mut order, |&one, &other| {
            let ((median, high), (other_median, other_high)) = (of(one), of(other));
            median.total_cmp(&other_median).then(high.total_cmp(&other_high))
        });
        let is_close =
            |&&other: &&usize| !is_surely_shorter(&waits[order[0]].distribution, &waits[other].distribution);
        let close = order.iter().take_while(is_close).count();
        SoonestStart { order, close }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Distribution;
    use queuecast_core::units::Seconds;
    use queuecast_wait::WaitForecast;

    fn soonest(ranges: &[(f64, f64, f64)]) -> (Vec<usize>, usize) {
        let wait = |&(low, median, high): &(f64, f64, f64)| {
            let wait = match high > low {
                true => Distribution::interval(low, median, high, 0.8),
                false => Distribution::point(median),
            };
            PredictedWait::of(&WaitForecast::by_median(wait), Seconds(3600))
        };
        let waits: Vec<PredictedWait> = ranges.iter().map(wait).collect();
        let SoonestStart { order, close } = SoonestStart::of(&waits.iter().collect::<Vec<_>>());
        (order, close)
    }

    #[test]
    fn the_least_median_is_first_and_wide_ranges_decide_nothing() {
        assert_eq!(soonest(&[(800.0, 900.0, 1000.0), (10.0, 60.0, 600.0)]), (vec![1, 0], 1));
        // Equal medians: the range that ends sooner comes first.
        assert_eq!(soonest(&[(10.0, 60.0, 600.0), (20.0, 60.0, 100.0)]), (vec![1, 0], 2));
        // Medians far apart within ranges that overlap all but wholly.
        assert_eq!(soonest(&[(1.0, 60.0, 3600.0), (1.0, 90.0, 3600.0)]), (vec![0, 1], 2));
        assert_eq!(soonest(&[(1.0, 60.0, 3600.0), (600.0, 900.0, 3600.0)]), (vec![0, 1], 1));
        // Waits without spread are close only if they are equal.
        assert_eq!(soonest(&[(5.0, 5.0, 5.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]), (vec![1, 2, 0], 2));
        assert_eq!((soonest(&[(1.0, 2.0, 3.0)]), soonest(&[])), ((vec![0], 1), (vec![], 0)));
    }
}
