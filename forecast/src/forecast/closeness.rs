//! Which of two uncertain times is the shorter one, and when that is too close to call.

use queuecast_core::distribution::Distribution;
use queuecast_core::order;

/// Number of equally likely quantiles by which a distribution is represented.
pub(crate) const PLACES: usize = 24;

/// One of two times is surely the shorter one if it is so in this share of all cases, or more often; else it is too close to call.
pub const TOLD_APART: f64 = 0.6;

/// Times that differ by at most this share of the shorter one count as equal.
const NEGLIGIBLE: f64 = 0.01;

/// The quantiles by which a distribution is represented.
pub(crate) fn places(time: &Distribution) -> [f64; PLACES] {
    std::array::from_fn(|place| time.quantile((place as f64 + 0.5) / PLACES as f64))
}

/// Number of equally likely quantiles of each of two times that are added.
const ADDED: usize = 96;

/// The sum of two independent times. With one that is certain, its quantiles at whole percents are those of the other, as much later.
pub(crate) fn sum(one: &Distribution, other: &Distribution) -> Distribution {
    for (certain, time) in [(one, other), (other, one)] {
        let length = certain.quantile(0.0);
        if certain.quantile(1.0) == length {
            return match time.quantile(0.0) == time.quantile(1.0) {
                true => Distribution::point(time.quantile(0.0) + length),
                false => time.mapped(|time| time + length),
            };
        }
    }
    let added = |time: &Distribution| -> [f64; ADDED] {
        std::array::from_fn(|place| time.quantile((place as f64 + 0.5) / ADDED as f64))
    };
    let (ones, others) = (added(one), added(other));
    let mut sums: Vec<f64> =
        ones.iter().flat_map(|one| others.iter().map(move |other| one + other)).collect();
    order::sort_floats(&mut sums);
    // Never empty.
    Distribution::observed(sums.into(), 1.0).unwrap_or_else(|| Distribution::point(0.0))
}

/// Whether a time is shorter than another by more than what counts as equal.
pub(crate) fn is_less(one: f64, other: f64) -> bool {
    other > one * (1.0 + NEGLIGIBLE)
}

/// The share of cases in which the first of two times is the shorter one; equal times count half.
pub(crate) fn odds_in(cases: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut won, mut count) = (0.0, 0.0_f64);
    for (one, other) in cases {
        count += 1.0;
        won += match (is_less(one, other), is_less(other, one)) {
            (true, _) => 1.0,
            (_, true) => 0.0,
            _ => 0.5,
        };
    }
    won / count.max(1.0)
}

/// The probability that the first of two independent times is the shorter one; equal times count half.
pub fn odds_of_shorter(one: &Distribution, other: &Distribution) -> f64 {
    let (ones, others) = (places(one), places(other));
    odds_in(ones.iter().flat_map(|&one| others.iter().map(move |&other| (one, other))))
}

/// Whether the first of two times is surely the shorter one: in [`TOLD_APART`] of all cases or more. The whole distributions decide, not
/// their medians, which may even be the other way round.
pub fn is_surely_shorter(one: &Distribution, other: &Distribution) -> bool {
    odds_of_shorter(one, other) >= TOLD_APART
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(from: i32, upto: i32) -> Distribution {
        let values: Vec<f64> = (from..=upto).map(f64::from).collect();
        Distribution::observed(values.into(), 1.0).unwrap()
    }

    #[test]
    fn sums_have_the_mean_of_both() {
        let both = sum(&even(1, 100), &even(1, 1000));
        assert!((both.mean() - 551.0).abs() < 6.0, "{}", both.mean());
        assert_eq!(sum(&Distribution::point(5.0), &Distribution::point(7.0)).quantile(0.5), 12.0);
        // A wait of two kinds, and a run time that is certain.
        let wait =
            Distribution::quantiles(&[(0.0, 0.0), (0.49, 60.0), (0.51, 50_000.0), (1.0, 60_000.0)]).unwrap();
        for ends in [sum(&wait, &Distribution::point(7200.0)), sum(&Distribution::point(7200.0), &wait)] {
            for level in [0.1, 0.5, 0.9] {
                assert_eq!(ends.quantile(level), wait.quantile(level) + 7200.0);
            }
        }
    }

    #[test]
    fn the_whole_distributions_decide() {
        let point = Distribution::point;
        assert_eq!(odds_of_shorter(&point(1.0), &point(2.0)), 1.0);
        assert_eq!(odds_of_shorter(&point(2.0), &point(2.0)), 0.5);
        assert_eq!(odds_of_shorter(&point(1000.0), &point(1010.0)), 0.5, "one in a hundred is no difference");
        assert_eq!(odds_of_shorter(&point(1000.0), &point(1011.0)), 1.0, "control");
        let (one, other) = (even(0, 1000), even(100, 1100));
        assert_eq!(odds_of_shorter(&one, &other) + odds_of_shorter(&other, &one), 1.0);
        // 0.1 of 1,000 apart: the former is shorter in 0.595 of all cases.
        assert!(!is_surely_shorter(&one, &other) && !is_surely_shorter(&other, &one));
        assert!(is_surely_shorter(&one, &even(150, 1150)));
        // Half of the first are at once; its median is the longer one all the same.
        let waits = |short: f64, median: f64, long: f64| {
            Distribution::quantiles(&[(0.0, short), (0.45, short), (0.5, median), (1.0, long)]).unwrap()
        };
        let (often_at_once, seldom) = (waits(0.0, 110.0, 111.0), waits(99.0, 100.0, 9000.0));
        assert!(often_at_once.quantile(0.5) > seldom.quantile(0.5));
        assert!(is_surely_shorter(&often_at_once, &seldom) && !is_surely_shorter(&seldom, &often_at_once));
    }
}
