//! Distributions of times, worked by hand.

use super::*;

fn close(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-12 * other.abs().max(1.0), "{one} {other}");
}

/// The lifetimes of Downey 1997: e² to e¹² seconds.
fn downey() -> LogUniform {
    LogUniform::between(2f64.exp(), 12f64.exp()).unwrap()
}

fn survival(t: f64, age: f64) -> f64 {
    Distribution::log_uniform(downey()).given(age).survival(t)
}

#[test]
fn survival_is_that_of_equation_5() {
    let (b0, b1) = (-0.2, 0.1);
    for age in [8.0, 60.0, 3600.0, 100_000.0] {
        for t in [age, age + 1.0, 1.5 * age] {
            let expected = (1.0 - b0 - b1 * f64::ln(t)) / (1.0 - b0 - b1 * f64::ln(age));
            close(survival(t, age), expected);
        }
        assert!(survival(age, age) <= 1.0);
    }
    // Half of those alive at a live to √(a · t_max).
    close(survival((100.0 * 12f64.exp()).sqrt(), 100.0), 0.5);
    // Control: not to the middle between both.
    assert!(survival((100.0 + 12f64.exp()) / 2.0, 100.0) < 0.1);
}

#[test]
fn no_time_is_below_the_least_or_beyond_the_most() {
    for age in [0.0, 1.0, 7.0] {
        assert_eq!(survival(7.3, age), 1.0);
        close(survival(7f64.exp(), age), 0.5);
        assert_eq!(survival(12f64.exp() + 1e-6, age), 0.0);
    }
    assert_eq!(survival(50.0, 100.0), 1.0, "more has passed");
}

#[test]
fn what_outlived_the_distribution_may_last_as_long_again() {
    let most = downey().most();
    for age in [most, 2.0 * most, 1e12] {
        close(survival(age, age), 1.0);
        close(survival(2.0 * age, age), 0.5);
        assert_eq!(survival(4.0 * age, age), 0.0);
    }
    // Control: a second before, it was about to end.
    assert_eq!(survival(2.0 * most, most - 1.0), 0.0);
    for short in [Distribution::point(100.0), Distribution::interval(60.0, 80.0, 100.0, 0.9)] {
        for age in [100.0, 150.0] {
            let given = short.given(age);
            close(given.survival(age), 1.0);
            close(given.survival(2.0 * age), 0.5);
            assert_eq!(given.survival(4.0 * age), 0.0);
        }
        assert_eq!(short.given(99.0).survival(100.0), 0.0, "control");
    }
}

#[test]
fn an_interval_is_linear_on_either_side_of_its_point() {
    let whole = Distribution::interval(600.0, 1000.0, 1400.0, 0.8);
    for (t, expected) in
        [(599.0, 1.0), (600.0, 0.9), (800.0, 0.7), (1000.0, 0.5), (1200.0, 0.3), (1400.0, 0.0)]
    {
        close(whole.survival(t), expected);
    }
    // Given 800, when 70 % are left, 50 of 70 exceed 1000.
    let given = whole.given(800.0);
    close(given.survival(800.0), 1.0);
    close(given.survival(1000.0), 0.5 / 0.7);
    close(given.survival(1200.0), 0.3 / 0.7);
    assert_eq!(given.survival(f64::NAN), 1.0);
    // Control: what has passed matters.
    assert!((given.survival(1200.0) - whole.survival(1200.0)).abs() > 0.1);
}

/// One of each kind, whole and given that something has passed, with and without a mass at a limit.
fn kinds() -> Vec<Distribution> {
    let knots = [(0.05, 10.0), (0.3, 100.0), (0.5, 100.0), (0.9, 5000.0), (0.99, 20_000.0)];
    let observed: Arc<[f64]> = [0.01, 0.1, 0.1, 0.25, 0.5, 0.9, 1.0, 1.0].into();
    let whole = [
        Distribution::point(3600.0),
        Distribution::interval(500.0, 2000.0, 3500.0, 0.8),
        Distribution::quantiles(&knots).unwrap(),
        Distribution::observed(observed, 7200.0).unwrap(),
        Distribution::log_uniform(LogUniform::between(50.0, 50_000.0).unwrap()),
    ];
    let given =
        whole.iter().flat_map(|one| [one.clone(), one.given(60.0), one.given(1200.0), one.given(1e6)]);
    let all: Vec<Distribution> = given.collect();
    let capped = all.iter().filter(|one| one.elapsed() < 3000.0).map(|one| one.clone().capped(3000.0));
    all.iter().cloned().chain(capped).collect()
}

#[test]
fn quantiles_are_the_inverse_of_survival() {
    for one in kinds() {
        let mut before = one.elapsed();
        for step in 0..=100 {
            let share = f64::from(step) / 100.0;
            let t = one.quantile(share);
            assert!(t >= before && one.survival(t + 1e-6) <= 1.0 - share + 1e-9, "{one:?} {share} {t}");
            let above = t == one.elapsed() || one.survival(t - 1e-6) >= 1.0 - share - 1e-9;
            assert!(above, "{one:?} {share} {t}");
            before = t;
        }
        assert!(one.quantile(1.0) <= one.longest() + 1e-6);
        assert_eq!(one.quantile(f64::NAN), one.quantile(0.5));
    }
}

#[test]
fn the_mean_is_the_area_under_the_quantiles() {
    for one in kinds() {
        let steps = 200_000;
        let slow = (0..steps).map(|step| one.quantile((f64::from(step) + 0.5) / f64::from(steps)));
        let slow = slow.sum::<f64>() / f64::from(steps);
        assert!((one.mean() - slow).abs() < 1e-3 * slow, "{one:?} {} {slow}", one.mean());
    }
}

#[test]
fn survival_reports_how_fast_it_falls() {
    for one in kinds().into_iter().filter(|one| one.observations().is_none()) {
        for step in 1..100 {
            let t = f64::from(step) * 40.0 + 13.37;
            let Survival { amount, fall, slack } = one.falling(t);
            let (earlier, later) = (one.survival(t - 0.01), one.survival(t + 0.01));
            if earlier - later > 0.01 || t < one.elapsed() {
                continue; // A step, or before what has passed.
            }
            assert!(earlier >= amount && amount >= later);
            assert!((fall - (earlier - later) / 0.02).abs() < 1e-5, "{one:?} {t} {fall}");
            let slackens = (one.falling(t - 0.01).fall - one.falling(t + 0.01).fall) / 0.02;
            assert!((slack - slackens).abs() < 1e-5, "{one:?} {t} {slack}");
        }
    }
}

#[test]
fn a_limit_takes_the_mass_of_all_longer_times() {
    let stopped = Distribution::log_uniform(LogUniform::between(50.0, 50_000.0).unwrap()).capped(500.0);
    assert!((stopped.survival(499.999_999_9) - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!((stopped.survival(500.0), stopped.quantile(0.4), stopped.longest()), (0.0, 500.0, 500.0));
    // Control: without the limit it lasts longer.
    assert!(Distribution::log_uniform(LogUniform::between(50.0, 50_000.0).unwrap()).quantile(0.4) > 600.0);
}

#[test]
fn a_range_holds_what_it_says() {
    let even: Arc<[f64]> = (1..=100).map(|place| 60.0 * f64::from(place)).collect();
    let even = Distribution::observed(even, 1.0).unwrap();
    assert_eq!(even.range(0.8), (660.0, 5_460.0), "ten lie below and ten above");
    // Half of all are zero, or next to nothing: hardly any can be below the range, so two in ten are above it.
    let many = |least: f64| {
        let times: Vec<f64> =
            (0..100).map(|place| if place < 50 { least } else { 60.0 * f64::from(place) }).collect();
        Distribution::observed(times.into(), 1.0).unwrap()
    };
    assert_eq!((many(0.0).range(0.8), many(3.0).wait_range(0.8)), ((0.0, 4_800.0), (0.0, 4_800.0)));
    assert_eq!((many(3.0).range(0.8), many(10.0).wait_range(0.8)), ((3.0, 5_400.0), (10.0, 5_400.0)));
    for one in kinds() {
        let (low, high) = one.range(0.8);
        let held = one.survival(low.next_down()) - one.survival(high);
        assert!(low <= high && held >= 0.8 - 1e-9, "{one:?}: {held}");
    }
    assert_eq!(Distribution::point(70.0).range(0.8), (70.0, 70.0));
    assert_eq!(Distribution::point(7.0).wait_range(0.8), (0.0, 7.0));
}

#[test]
fn what_is_no_quantile_function_is_refused() {
    for wrong in
        [&[][..], &[(0.5, f64::NAN)], &[(0.2, 5.0), (0.1, 6.0)], &[(0.1, 5.0), (0.2, 4.0)], &[(1.2, 5.0)]]
    {
        assert_eq!(Distribution::quantiles(wrong), None, "{wrong:?}");
    }
    assert_eq!(Distribution::observed([].into(), 1.0), None);
}

#[test]
fn draws_follow_the_distribution() {
    let law = Distribution::log_uniform(LogUniform::between(10.0, 1000.0).unwrap());
    let mut rng = crate::seed::Seed(7).stream("draws");
    let below = (0..4000).filter(|_| law.draw(&mut rng) < 100.0).count();
    // Half of 4,000 within four standard deviations of 31.6.
    assert!((2000_i64 - below as i64).abs() < 127, "{below}");
}
