//! Laws of Downey's model against their definitions, extremes included.

use queuecast_core::seed::Seed;
use queuecast_synth::synth::{Downey, DowneyArrivals, Law, UniformLog};

/// The share of all that is below a value, from the definition of each law, without looking at how values are drawn.
fn below(law: &Law, value: f64, (least, most): (f64, f64)) -> f64 {
    let bell = |value: f64, median: f64, factor: f64| {
        let deviations = (value / median).ln() / factor.ln();
        // By Simpson's rule from 12 deviations below.
        let (from, steps) = (-12.0, 4000);
        let step = (deviations.clamp(from, 12.0) - from) / f64::from(steps);
        let height = |place: i32| (-(from + f64::from(place) * step).powi(2) / 2.0).exp();
        let weight =
            |place: i32| if place == 0 || place == steps { 1.0 } else { [2.0, 4.0][place as usize % 2] };
        (0..=steps).map(|place| weight(place) * height(place)).sum::<f64>() * step
            / 3.0
            / (2.0 * std::f64::consts::PI).sqrt()
    };
    match law {
        Law::UniformLog(UniformLog { least, most }) => (value / least).ln() / (most / least).ln(),
        Law::Uniform(least, most) => (value - least) / (most - least),
        Law::LogNormal(median, factor) => {
            let [at, from, to] = [value, least, most].map(|value| bell(value, *median, *factor));
            (at - from) / (to - from)
        }
        Law::Quantiles(quantiles) => {
            let pieces = (quantiles.len() - 1) as f64;
            let piece = quantiles.windows(2).rposition(|pair| pair[0] <= value && pair[0] < pair[1]).unwrap();
            let pair = &quantiles[piece..piece + 2];
            (piece as f64 + (value / pair[0]).ln() / (pair[1] / pair[0]).ln()) / pieces
        }
        Law::Exactly(_) => f64::NAN,
    }
}

#[test]
fn laws_agree_with_themselves() {
    for (text, bounds) in [
        ("uniform-log:1,1000000000000", (1.0, 1e12)),
        ("uniform-log:7.4,162755", (1.0, 1e12)),
        ("uniform-log:3,3.01", (1.0, 1e12)),
        ("uniform:0,1000", (0.0, 1000.0)),
        ("uniform:1,1000000000000", (1.0, 1e12)),
        ("log-normal:600,8", (1.0, 1e12)),
        ("log-normal:600,1.001", (1.0, 1e12)),
        ("log-normal:600,1000000", (1.0, 1e12)),
        ("log-normal:1,1000000", (1.0, 1e12)),
        ("log-normal:1000000000000,3", (1.0, 1e12)),
        ("log-normal:1,3", (1.0, 2.0)),
        ("log-normal:0.5,50", (0.0, 1000.0)),
        ("quantiles:1,2,2,5,1000", (1.0, 1e12)),
    ] {
        let law: Law = text.parse().unwrap();
        let shares = 20_000;
        let share = |number: i32| (f64::from(number) + 0.5) / f64::from(shares);
        for number in (0..shares).step_by(997) {
            let value = law.at(share(number), bounds);
            let back = below(&law, value, bounds);
            // Between two equal quantiles every share has the same value.
            let flat = text.starts_with("quantiles") && (0.25..=0.5).contains(&share(number));
            assert!(
                flat || (back - share(number)).abs() < 1e-6,
                "{text}: {} is {value}, {back}",
                share(number)
            );
        }
        // The mean by slices as fine in the upper tail as anywhere.
        let mut mean = 0.0;
        let mut left = 1.0;
        while left > 1e-15 {
            let width = left / 2000.0;
            mean += width * law.at(1.0 - left + width / 2.0, bounds);
            left -= width;
        }
        assert!((law.mean(bounds) / mean - 1.0).abs() < 0.003, "{text}: {} and {mean}", law.mean(bounds));
        assert!(law.at(0.0, bounds) >= bounds.0 && law.at(1.0, bounds) <= bounds.1, "{text}");
    }
}

#[test]
fn laws_at_their_edges_are_numbers_within_their_ends() {
    for (least, most) in
        [(3.0, 3.0_f64.next_up()), (1e12, 1e12), (1.0, 1.0 + 3e-12), (7.0, 7.0 * (1.0 + 1e-11))]
    {
        let law = UniformLog { least, most };
        assert!((least..=most).contains(&law.mean()), "{law:?}: {}", law.mean());
        assert!((0..=10).all(|tenth| (least..=most).contains(&law.at(f64::from(tenth) / 10.0))));
    }
    // No distribution, but no panic either.
    UniformLog { least: 5.0, most: 1.0 }.at(0.5);
    UniformLog { least: f64::NAN, most: 1.0 }.at(0.5);
}

#[test]
fn a_workload_beyond_the_clock_is_refused_and_does_not_overflow() {
    let mut model = Downey::new(200, 1);
    (model.load, model.lifetime, model.arrivals) = (0.001, Law::Exactly(1e12), DowneyArrivals::Apart);
    assert!(model.jobs(Seed(1)).unwrap().is_sorted_by_key(|job| job.submit));
    assert!(model.generate(Seed(1)).unwrap_err().to_string().contains("10^15"));
}
