//! Neighbours by hand, and beside a search over all of the history.

use proptest::prelude::*;

use super::super::predictor::test_support::{asked, features, taught};
use super::threshold::THRESHOLD;
use super::*;

#[test]
fn neighbours_are_weighted_by_the_inverse_of_their_distance() {
    let mut nearest = Nearest::new(10, FeatureDistance::Sums);
    assert_eq!(asked(&mut nearest, 1, &[5.0]), WaitForecast::nothing_known());
    // Distances from 100: 4/196, 2/202; and far away.
    taught(&mut nearest, 1, &[96.0], 1000);
    taught(&mut nearest, 1, &[102.0], 4000);
    taught(&mut nearest, 1, &[1000.0], 99_999);
    let (far, close) = (196.0 / 4.0, 202.0 / 2.0);
    let expected = (far * 1000.0 + close * 4000.0) / (far + close);
    assert!((asked(&mut nearest, 1, &[100.0]).point - expected).abs() < 1e-9);
    // From 5000, only the third is within 0.70: (5000 - 1000) / 6000 = 0.67.
    assert_eq!(asked(&mut nearest, 1, &[5000.0]).point, 99_999.0);
    // The oldest is forgotten.
    let mut short = Nearest::new(1, FeatureDistance::Sums);
    taught(&mut short, 1, &[100.0], 7);
    taught(&mut short, 1, &[100.0], 9);
    assert_eq!(asked(&mut short, 1, &[100.0]).point, 9.0);
}

/// Distances from (100, 50): with 17 features that are 0 in all of them, terms of these two alone.
#[test]
fn elements_count_alike() {
    let mut nearest = Nearest::new(10, FeatureDistance::Element);
    assert_eq!(asked(&mut nearest, 1, &[5.0]), WaitForecast::nothing_known());
    // 1/201 and 0; 0 and 10/90; (1/201 + 25/75)/19; and 3.
    taught(&mut nearest, 1, &[101.0, 50.0], 1000);
    taught(&mut nearest, 1, &[100.0, 40.0], 4000);
    taught(&mut nearest, 1, &[101.0, 25.0], 7000);
    taught(&mut nearest, 1, &[0.0, 0.0, 3.0], 99_999);
    let terms = [1.0 / 201.0, 10.0 / 90.0, 1.0 / 201.0 + 25.0 / 75.0];
    let expected = terms.iter().zip([1000.0, 4000.0, 7000.0]).map(|(term, wait)| wait / term).sum::<f64>()
        / terms.iter().map(|term| 1.0 / term).sum::<f64>();
    assert!((asked(&mut nearest, 1, &[100.0, 50.0]).point - expected).abs() < 1e-9);
    // A job that is the same in all is the only one that counts; two are a mean.
    taught(&mut nearest, 1, &[100.0, 50.0], 10);
    taught(&mut nearest, 1, &[100.0, 50.0], 30);
    let found = asked(&mut nearest, 1, &[100.0, 50.0]);
    assert_eq!((found.point, found.wait.quantile(1.0)), (20.0, 30.0));
    // Nothing within 0.05: of (0, 0, 3) three terms are 1, of the others four and more.
    let far = nearest.neighbours(&features(&[0.0, 0.0, 0.0, 9.0, 9.0]));
    assert_eq!(far.iter().map(|one| (one.place, one.distance)).collect::<Vec<_>>(), [(3, 3.0 / 19.0)]);
}

/// Terms keep the sign of their denominators: (−40, 30) has |−70|/−10 = −7, (−10, −30) has 20/−40 = −½, (−30, 30) has 0.
#[test]
fn denominators_are_signed() {
    let mut nearest = Nearest::new(10, FeatureDistance::Element);
    for (value, wait) in [(30.0, 100), (-30.0, 200), (1000.0, 300)] {
        taught(&mut nearest, 1, &[value, 5.0], wait);
    }
    let of = |nearest: &mut Nearest, value: f64| {
        let mut near = nearest.neighbours(&features(&[value, 5.0]));
        near.sort_by_key(|one| one.place);
        near.iter().map(|one| (one.place, one.distance * 19.0)).collect::<Vec<_>>()
    };
    let is = |found: Vec<(u32, f64)>, expected: &[(u32, f64)]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (one, other) in found.iter().zip(expected) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-9, "{found:?}");
        }
    };
    let far = |value: f64| (1000.0 - value) / (1000.0 + value);
    is(of(&mut nearest, -40.0), &[(0, -7.0), (1, 10.0 / -70.0)]);
    assert!(far(-40.0) / 19.0 > THRESHOLD, "the third is not near");
    is(of(&mut nearest, -30.0), &[(0, 0.0), (1, 0.0)]);
    // Equation 1 with signed weights: 1/−7 and 1/−(1/7) of −40.
    let point = asked(&mut nearest, 1, &[-40.0, 5.0]).point;
    let expected = (100.0 / -7.0 + 200.0 * -7.0) / (1.0 / -7.0 - 7.0);
    assert!((point - expected).abs() < 1e-9, "{point} {expected}");
    // A positive job is compared with one below 0 as well.
    is(of(&mut nearest, 20.0), &[(0, 10.0 / 50.0), (1, 50.0 / -10.0)]);
}

/// Every threshold in turn, over all of the history.
fn slow(distance: FeatureDistance, history: &[(Vec<f64>, i64)], target: &[f64]) -> Vec<(f64, f64)> {
    let sums = |other: &[f64]| {
        let apart: f64 = target.iter().zip(other).map(|(x, y)| (x - y).abs()).sum();
        let both = target.iter().sum::<f64>() + other.iter().sum::<f64>();
        if both > 0.0 { apart / both } else { 0.0 }
    };
    let elements = |other: &[f64]| {
        let terms = target.iter().zip(other).filter(|(x, y)| *x + *y != 0.0);
        terms.map(|(x, y)| (x - y).abs() / (x + y)).sum::<f64>() / 19.0
    };
    let measured = |other: &[f64]| match distance {
        FeatureDistance::Sums => sums(other),
        FeatureDistance::Element => elements(other),
    };
    let all: Vec<(f64, f64)> = history.iter().map(|(x, wait)| (measured(x), *wait as f64)).collect();
    let mut steps = 0.0;
    loop {
        steps += 1.0;
        let threshold = steps * 0.05;
        let near: Vec<(f64, f64)> = all.iter().copied().filter(|one| one.0 <= threshold).collect();
        if !near.is_empty() || threshold > 1e5 {
            return near;
        }
    }
}

impl Nearest {
    /// This predictor after it has been taught one job.
    pub fn with(mut self, values: &[f64], wait: i64) -> Nearest {
        taught(&mut self, 1, values, wait);
        self
    }
}

proptest! {
    #[test]
    fn finds_the_neighbours_of_a_search_over_all(
        history in prop::collection::vec((prop::collection::vec(0.0..100.0_f64, 8), 0..100_000_i64), 1..60),
        target in prop::collection::vec(0.0..120.0_f64, 8),
        far in prop::bool::ANY,
        by_element in prop::bool::ANY,
    ) {
        let distance = if by_element { FeatureDistance::Element } else { FeatureDistance::Sums };
        // Far from everything, the nearest are found at a large threshold.
        let target: Vec<f64> = target.into_iter().map(|value| if far { 30.0 * value } else { value }).collect();
        let mut nearest = Nearest::new(100, distance);
        for (values, wait) in &history {
            taught(&mut nearest, 1, values, *wait);
        }
        let mut found = nearest.neighbours(&features(&target));
        found.sort_by_key(|one| one.place);
        let expected = slow(distance, &history, &target);
        prop_assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(&expected) {
            prop_assert!((one.distance - other.0).abs() < 1e-9 && one.wait == other.1);
        }
        // Sorted, or taken from the order of the whole history.
        let near = nearest.neighbours(&features(&target));
        let (near, weight) = nearest.weighed(near);
        let mut sorted: Vec<(f64, f64)> =
            near.iter().map(|one| (weight(one.distance), one.wait)).collect();
        sorted.sort_by(|one, other| one.1.total_cmp(&other.1));
        let ordered = nearest.in_order_of_waits(near, weight);
        prop_assert_eq!(ordered.iter().map(|one| one.1).collect::<Vec<_>>(), sorted.iter().map(|one| one.1).collect::<Vec<_>>());
        let (one, other): (f64, f64) = (ordered.iter().map(|one| one.0).sum(), sorted.iter().map(|one| one.0).sum());
        prop_assert!((one - other).abs() <= 1e-9 * one);
        let forecast = asked(&mut nearest, 1, &target);
        let (least, most) = expected.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one.1), high.max(one.1)));
        prop_assert!(forecast.point >= least - 1e-6 && forecast.point <= most + 1e-6);
        prop_assert!(forecast.wait.quantile(0.1) <= forecast.wait.quantile(0.9));
    }

    /// Zeros, equal numbers and numbers below 0, over any magnitude, with more jobs than are remembered.
    #[test]
    fn finds_neighbours_by_elements_of_any_sign(
        history in prop::collection::vec((prop::collection::vec(value(), 6), 0..100_000_i64), 1..120),
        target in prop::collection::vec(value(), 6),
        like in prop::option::of(0..120_usize),
        signed in prop::bool::ANY,
    ) {
        let signs = |values: &[f64]| -> Vec<f64> {
            values.iter().map(|&value| if signed { value } else { value.abs() }).collect()
        };
        let history: Vec<(Vec<f64>, i64)> = history.iter().map(|(values, wait)| (signs(values), *wait)).collect();
        // Often a target that differs from a job of the history in one feature only.
        let mut target = signs(&target);
        if let Some((near, _)) = like.and_then(|place| history.get(place)) {
            target[1..].copy_from_slice(&near[1..]);
        }
        let mut nearest = Nearest::new(70, FeatureDistance::Element);
        for (values, wait) in &history {
            taught(&mut nearest, 1, values, *wait);
        }
        let known = &history[history.len().saturating_sub(70)..];
        let mut found: Vec<(f64, f64)> =
            nearest.neighbours(&features(&target)).iter().map(|one| (one.distance, one.wait)).collect();
        let mut expected = slow(FeatureDistance::Element, known, &target);
        for all in [&mut found, &mut expected] {
            all.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.total_cmp(&other.0)));
        }
        prop_assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(&expected) {
            prop_assert!((one.0 - other.0).abs() <= 1e-9 * (1.0 + one.0.abs()) && one.1 == other.1, "{:?} {:?}", one, other);
        }
    }
}

/// A feature: 0, a small count, or a processor time.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        (1..5_i32).prop_map(f64::from),
        (-50..2000_i32).prop_map(f64::from),
        (1.0..30.0_f64).prop_map(|exponent| exponent.exp().round()),
    ]
}
