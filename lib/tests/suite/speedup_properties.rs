//! The speedup of Downey 1997: what equations 1 to 3 promise, and that measured run times give it back.

use proptest::prelude::*;
use proptest::sample::select;
use queuecast_core::units::{Procs, Seconds};
use queuecast_synth::synth::Speedup;

use crate::support;

/// A curve S(n; A, σ) over all real n.
type Curve = fn(f64, f64, f64) -> f64;

/// Equation 1 as printed.
fn low(n: f64, a: f64, s: f64) -> f64 {
    if n <= a {
        a * n / (a + s * (n - 1.0) / 2.0)
    } else if n <= 2.0 * a - 1.0 {
        a * n / (s * (a - 0.5) + n * (1.0 - s / 2.0))
    } else {
        a
    }
}

/// Equation 2 as printed.
fn high(n: f64, a: f64, s: f64) -> f64 {
    if n <= a + a * s - s { n * a * (s + 1.0) / (a + a * s - s + n * s) } else { a }
}

/// Equation 1 with the first fraction read as (A + σ(n − 1))/2.
fn halved(n: f64, a: f64, s: f64) -> f64 {
    if n <= a { a * n / ((a + s * (n - 1.0)) / 2.0) } else { low(n, a, s) }
}

/// Equation 1 with (A − 1/2) read as (A − 1)/2.
fn half_misread(n: f64, a: f64, s: f64) -> f64 {
    if n > a && n <= 2.0 * a - 1.0 {
        a * n / (s * (a - 1.0) / 2.0 + n * (1.0 - s / 2.0))
    } else {
        low(n, a, s)
    }
}

/// Equation 2 with the last term, nσ, lost.
fn clipped(n: f64, a: f64, s: f64) -> f64 {
    if n <= a + a * s - s { n * a * (s + 1.0) / (a + a * s - s) } else { a }
}

/// What is wrong with a curve at this A and σ.
fn wrong(curve: Curve, a: f64, s: f64) -> Option<String> {
    if (curve(1.0, a, s) - 1.0).abs() > 1e-9 {
        return Some(format!("S(1) = {}", curve(1.0, a, s)));
    }
    let joints = [a, 2.0 * a - 1.0, a + a * s - s];
    for joint in joints.into_iter().filter(|joint| *joint > 1.0) {
        let [before, after] = [1.0 - 1e-10, 1.0 + 1e-10].map(|by| curve((joint * by).max(1.0), a, s));
        if (before / after).ln().abs() > 1e-7 {
            return Some(format!("jumps at {joint} from {before} to {after}"));
        }
    }
    let mut before = 1.0 - 1e-9;
    for step in 0..400 {
        // To beyond where it is flat.
        let n = (joints[1].max(joints[2]) * 1.2).max(2.0).powf(f64::from(step) / 399.0);
        let here = curve(n, a, s);
        let (lowest, highest) = (a * n / (a + n - 1.0), n.min(a));
        if here < before - 1e-9 || here < lowest - 1e-9 || here > highest + 1e-9 {
            return Some(format!("{here} at {n}, between {lowest} and {highest}, after {before}"));
        }
        before = here;
    }
    None
}

/// Sizes that a job was measured on.
fn sizes() -> impl Strategy<Value = Vec<u32>> {
    select(vec![
        vec![1, 2, 4, 8, 16, 32, 64, 128],
        vec![1, 3, 10, 30, 100],
        vec![4, 8, 16, 32, 64],
        vec![8, 16, 32, 48, 64, 96, 128],
        vec![2, 5, 9, 20, 70, 200, 500],
    ])
}

fn measured(lifetime: f64, speedup: Speedup, sizes: &[u32], noise: &[f64]) -> Vec<(Procs, Seconds)> {
    let run =
        |procs, noise: f64| Seconds((lifetime / speedup.of(procs) * noise.exp()).round().max(1.0) as i64);
    sizes.iter().zip(noise).map(|(&procs, &noise)| (Procs(procs), run(procs, noise))).collect()
}

/// The greatest difference of run times from the true ones, in logarithms, on all sizes between those measured.
fn apart(fitted: (f64, Speedup), truth: (f64, Speedup), sizes: &[u32]) -> f64 {
    let run = |(lifetime, speedup): (f64, Speedup), procs| lifetime / speedup.of(procs);
    let between = sizes[0]..=sizes[sizes.len() - 1];
    between.map(|procs| (run(fitted, procs) / run(truth, procs)).ln().abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn the_equations_keep_their_promises(a in 1.0..300.0_f64, s in 0.0..=1.0_f64, more in 1.0..50.0_f64) {
        prop_assert_eq!(wrong(low, a, s), None);
        prop_assert_eq!(wrong(high, a, more), None);
        // At σ = 1 they are one, and the library has the first below it and the second above.
        for n in 1..700_u32 {
            let real = f64::from(n);
            prop_assert!((low(real, a, 1.0) - high(real, a, 1.0)).abs() < 1e-9);
            let here = |variance| Speedup { parallelism: a, variance }.of(n);
            prop_assert!((here(s) - low(real, a, s)).abs() < 1e-9);
            prop_assert!((here(more) - high(real, a, more)).abs() < 1e-9);
            prop_assert!((here(1.0) - here(1.0 + 1e-12)).abs() < 1e-9);
        }
    }

    #[test]
    fn control_misread_equations_do_not(a in 2.5..300.0_f64, s in 0.1..=1.0_f64, more in 1.0..50.0_f64) {
        prop_assert!(wrong(halved, a, s).is_some());
        prop_assert!(wrong(half_misread, a, s).is_some());
        prop_assert!(wrong(clipped, a, more).is_some());
        // Nor is either equation right for the σ of the other.
        prop_assert!(wrong(low, a, 2.5 + more).is_some());
    }

    #[test]
    fn endless_variance_is_the_lower_bound(a in 1.0..300.0_f64, n in 1..1000_u32) {
        let lowest = a * f64::from(n) / (a + f64::from(n) - 1.0);
        let gap = |variance| Speedup { parallelism: a, variance }.of(n) / lowest - 1.0;
        prop_assert!(gap(1e9).abs() < 1e-6, "{}", gap(1e9));
        // It comes closer all the way.
        let gaps: Vec<f64> = (0..10).map(|power| gap(f64::from(1 << power))).collect();
        prop_assert!(gaps.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "{:?}", gaps);
    }

    #[test]
    fn measured_run_times_give_the_curve_back(
        (log, s) in (0.0..6.0_f64, prop_oneof![Just(0.0), 0.0..1.0_f64, 1.0..3.0_f64, 3.0..20.0_f64]),
        lifetime in 1e6..1e8_f64,
        sizes in sizes(),
    ) {
        let truth = Speedup { parallelism: log.exp(), variance: s };
        // Three numbers need three sizes on which something happens, or sizes so close that nothing is missed.
        let rising = sizes.iter().filter(|&&procs| f64::from(procs) < truth.saturation()).count();
        prop_assume!(rising >= 3 || sizes[..4] == [1, 2, 4, 8]);
        let points = measured(lifetime, truth, &sizes, &[0.0; 8]);
        let fitted = Speedup::fitted(&points).unwrap();
        prop_assert_eq!(fitted, Speedup::fitted(&points).unwrap());
        prop_assert!(fitted.1.parallelism >= 1.0 && fitted.1.variance >= 0.0);
        let off = apart(fitted, (lifetime, truth), &sizes);
        prop_assert!(off < 0.02, "{:?} instead of {:?}: {}", fitted, (lifetime, truth), off);
    }

    #[test]
    fn noise_is_not_made_worse(
        (log, s) in (0.0..6.0_f64, 0.0..2.0_f64),
        lifetime in 1e5..1e7_f64,
        sizes in sizes(),
        noise in proptest::array::uniform8(-0.1..0.1_f64),
    ) {
        let truth = Speedup { parallelism: log.exp(), variance: s };
        let fitted = Speedup::fitted(&measured(lifetime, truth, &sizes, &noise)).unwrap();
        // On no size off by more than four times the worst that was put in.
        let off = apart(fitted, (lifetime, truth), &sizes);
        prop_assert!(off < 0.4, "{:?} instead of {:?}: {}", fitted, (lifetime, truth), off);
    }

    #[test]
    fn no_fit_fails_or_promises_what_was_not_seen(
        points in proptest::collection::vec((1..5000_u32, 1..10_000_000_i64), 2..12),
    ) {
        let points: Vec<_> = points.into_iter().map(|(procs, run)| (Procs(procs), Seconds(run))).collect();
        if points.iter().all(|point| point.0 == points[0].0) {
            prop_assert!(Speedup::fitted(&points).is_err());
            return Ok(());
        }
        let (lifetime, speedup) = Speedup::fitted(&points).unwrap();
        prop_assert!(lifetime.is_finite() && lifetime > 0.0);
        prop_assert!(Speedup::new(speedup.parallelism, speedup.variance).is_ok(), "{:?}", speedup);
    }
}

#[test]
fn control_the_wrong_curve_is_not_within_the_bounds() {
    let (truth, sizes) = (Speedup { parallelism: 40.0, variance: 0.5 }, [1, 2, 4, 8, 16, 32, 64, 128]);
    let fitted = Speedup::fitted(&measured(1e6, truth, &sizes, &[0.0; 8])).unwrap();
    let other = Speedup { parallelism: 40.0, variance: 0.7 };
    assert!(apart(fitted, (1e6, truth), &sizes) < 0.001);
    assert!(apart(fitted, (1e6, other), &sizes) > 0.02);
}
