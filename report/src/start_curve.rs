//! The probability of having started, over the times that matter.

use crate::chart::{Bar, Bars};
use crate::words::{self, AT_ONCE};
use crate::{Cell, Chart, duration};
use queuecast_core::distribution::Distribution;
use queuecast_core::units::Seconds;
use queuecast_place::StartTime;

/// The most times that are shown.
const MOST: usize = 9;
/// The shares of starts that the times reach from and to.
const SHARES: [f64; 2] = [0.05, 0.95];
/// Times further apart than this factor are shown by factors, else by equal steps.
const WIDE: f64 = 8.0;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Round lengths of time in seconds: the times of a wide range, and the steps of a narrow one.
const ROUND: [i64; 39] = [
    1,
    2,
    5,
    10,
    15,
    20,
    30,
    60,
    120,
    180,
    300,
    600,
    900,
    1_200,
    1_800,
    2_700,
    HOUR,
    3 * HOUR / 2,
    2 * HOUR,
    3 * HOUR,
    4 * HOUR,
    6 * HOUR,
    8 * HOUR,
    12 * HOUR,
    18 * HOUR,
    DAY,
    3 * DAY / 2,
    2 * DAY,
    3 * DAY,
    4 * DAY,
    7 * DAY,
    10 * DAY,
    14 * DAY,
    21 * DAY,
    30 * DAY,
    60 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
];

/// How likely it is to have started by each of the times; `None` if it starts at once, or at one instant.
pub(crate) fn chart(of: &StartTime) -> Option<Chart> {
    let wait = &of.answer.wait.distribution;
    let times = times(wait);
    if times.len() < 3 {
        return None;
    }
    let bar = |&seconds: &i64| {
        let label = if seconds == 0 { "at once".to_owned() } else { duration::human(Seconds(seconds)) };
        Bar::new(label, Cell::share(started_by(wait, seconds as f64)))
    };
    let place = of.partition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    let title = format!("Probability of having started{place} within");
    let asked = words::asked(of.asked.procs, of.asked.time);
    Some(Chart::Bars(Bars::new(title, times.iter().map(bar)).on(asked)))
}

/// The share of starts by then.
fn started_by(wait: &Distribution, seconds: f64) -> f64 {
    1.0 - wait.survival(seconds.max(AT_ONCE / 2.0))
}

/// Round times from about the first starts to the last, ascending; zero is first where some start at once.
fn times(wait: &Distribution) -> Vec<i64> {
    let [first, last] = SHARES;
    let at_once = started_by(wait, 0.0);
    let high = wait.quantile(last);
    if high < AT_ONCE {
        return Vec::new();
    }
    let starts_at_once = at_once >= first;
    let low = wait.quantile(if starts_at_once { (at_once + first).min(last) } else { first });
    let room = MOST - usize::from(starts_at_once);
    let mut times =
        if high > WIDE * low.max(AT_ONCE) { by_factors(low, high, room) } else { by_steps(low, high, room) };
    if starts_at_once {
        times.retain(|&seconds| seconds > 0);
        times.insert(0, 0);
    }
    times
}

/// Round times around a wide range, at most `most`; if there are more, evenly chosen ones, the last among them.
fn by_factors(low: f64, high: f64, most: usize) -> Vec<i64> {
    let first = ROUND.iter().rposition(|&one| one as f64 <= low).unwrap_or(0);
    let last = ROUND.iter().position(|&one| one as f64 >= high).unwrap_or(ROUND.len() - 1);
    let around = &ROUND[first..=last.max(first)];
    let each = around.len().saturating_sub(1).div_ceil(most.saturating_sub(1).max(1)).max(1);
    let mut times: Vec<i64> = around.iter().rev().step_by(each).copied().collect();
    times.reverse();
    times
}

/// Multiples of the smallest round step of which at most `most` reach around the range.
fn by_steps(low: f64, high: f64, most: usize) -> Vec<i64> {
    let around = |step: i64| {
        let of = step as f64;
        ((low / of).floor() as i64, (high / of).ceil() as i64)
    };
    // A step finer than a hundredth of the time is more than such an answer knows.
    let fits = |step: &&i64| {
        let (from, to) = around(**step);
        (to - from) < most as i64 && **step as f64 >= high / 100.0
    };
    let step = ROUND.iter().find(fits).copied().unwrap_or(365 * DAY);
    let (from, to) = around(step);
    (from..=to).map(|count| count * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knots(knots: &[(f64, f64)]) -> Distribution {
        Distribution::quantiles(knots).unwrap()
    }

    #[test]
    fn a_narrow_range_has_equal_steps() {
        let wait = knots(&[(0.0, 300.0), (0.5, 420.0), (1.0, 620.0)]);
        assert_eq!(times(&wait), [300, 360, 420, 480, 540, 600]);
        let hours = knots(&[(0.0, 3_600.0), (1.0, 4.0 * 3_600.0)]);
        assert!(times(&hours).len() <= MOST && times(&hours).iter().all(|one| one % 1_800 == 0));
    }

    #[test]
    fn a_wide_range_has_equal_factors() {
        let wait = knots(&[(0.0, 10.0), (0.5, 3_600.0), (1.0, 400_000.0)]);
        let shown = times(&wait);
        assert!(shown.len() <= MOST && shown.is_sorted(), "{shown:?}");
        let (low, high) = (wait.quantile(0.05), wait.quantile(0.95));
        assert!(
            *shown.last().unwrap() as f64 >= high && (shown[0] as f64) < 3.0 * low,
            "{shown:?}: {low} {high}"
        );
    }

    #[test]
    fn starts_at_once_have_a_row_and_certain_ones_no_chart() {
        let wait = knots(&[(0.0, 0.0), (0.4, 0.0), (1.0, 7_200.0)]);
        let shown = times(&wait);
        assert!(shown[0] == 0 && shown[1] > 0 && shown.len() <= MOST, "{shown:?}");
        assert!((started_by(&wait, 0.0) - 0.4).abs() < 0.01);
        assert!(times(&Distribution::point(0.0)).is_empty());
        // Control: the same times without starts at once have no such row.
        assert!(times(&knots(&[(0.0, 60.0), (1.0, 7_200.0)]))[0] > 0);
    }
}
