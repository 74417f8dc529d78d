//! The distinct times (section 7).

use super::MINUTE;
use queuecast_core::units::Seconds;

/// The default evenness for this number of values.
///
/// # Formula
/// `1 + 12.1 · K ^ −0.6` (Figure 9)
pub fn spread(values: usize) -> f64 {
    1.0 + 12.1 * (values as f64).powf(-0.6)
}

/// `values` ascending times up to the longest; all are whole minutes, except perhaps the longest. There must be at least as
/// many minutes.
///
/// The paper rounds a time to the nearest minute "if not colliding with previously generated estimates"; here one that
/// would collide takes the next free minute, because almost all estimates are whole minutes.
///
/// # Formula
/// `T_max · (a − 1) x / (a − x)`, `x = i / K`
pub fn times(values: usize, longest: Seconds, a: f64) -> Vec<Seconds> {
    let mut minutes: Vec<i64> = Vec::with_capacity(values);
    for rank in 1..=values {
        let x = rank as f64 / values as f64;
        let time = longest.0 as f64 * (a - 1.0) * x / (a - x);
        let free = minutes.last().map_or(1, |before| before + 1);
        minutes.push(((time / MINUTE as f64).round() as i64).max(free));
    }
    // The longest takes the last minute even where it is not whole; those before it make room.
    let mut room = last_minute(longest);
    for minute in minutes.iter_mut().rev() {
        *minute = (*minute).min(room);
        room = *minute - 1;
    }
    let mut times: Vec<Seconds> = minutes.into_iter().map(|minute| Seconds(minute * MINUTE)).collect();
    if let Some(last) = times.last_mut() {
        *last = longest;
    }
    times
}

/// The number of possible times: whole minutes, and the longest.
pub fn last_minute(longest: Seconds) -> i64 {
    (longest.0 + MINUTE - 1) / MINUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(values: usize, longest: i64, a: f64) -> Vec<i64> {
        times(values, Seconds(longest), a).into_iter().map(|time| time.0).collect()
    }

    #[test]
    fn the_spread_is_close_to_that_of_table_4() {
        // Figure 9 is a fit with "moderate success"; the order of Table 4 is kept.
        let spreads = [106, 265, 339, 525].map(spread);
        assert!(spreads.is_sorted_by(|one, next| one > next));
        for (ours, printed) in spreads.into_iter().zip([1.91, 1.57, 1.50, 1.24]) {
            assert!((ours - printed).abs() < 0.25, "{ours} for {printed}");
        }
    }

    #[test]
    fn few_times_follow_the_formula() {
        // a = 2: x / (2 - x) of ten hours, in quarters: 1/7, 1/3, 3/5, 1.
        assert_eq!(seconds(4, 36_000, 2.0), [5160, 12_000, 21_600, 36_000]);
        // Far from 1 it is the diagonal.
        assert_eq!(seconds(5, 3000, 1e9), [600, 1200, 1800, 2400, 3000]);
        assert_eq!(seconds(1, 90, 2.0), [90]);
    }

    #[test]
    fn many_times_of_few_minutes_are_all_of_them() {
        let all: Vec<i64> = (1..=240).map(|minute| minute * 60).collect();
        assert_eq!(seconds(240, 14_400, 1.2), all);
        assert_eq!(seconds(240, 14_400, 50.0), all);
        assert_eq!(seconds(3, 150, 1.5), [60, 120, 150]);
    }

    #[test]
    fn times_ascend_and_end_with_the_longest() {
        for (values, longest, a) in
            [(565, 64_800, 1.27), (144, 14_400, 1.6), (20, 1200, 1.01), (19, 1199, 3.0)]
        {
            let times = seconds(values, longest, a);
            assert_eq!((times.len(), times[values - 1]), (values, longest));
            assert!(times.is_sorted_by(|one, next| one < next) && times[0] >= 60, "{times:?}");
            assert!(times[..values - 1].iter().all(|time| time % 60 == 0));
        }
    }
}
