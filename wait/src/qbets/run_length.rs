//! How many misses in a row are too many to be chance, by the autocorrelation of the series.

use statrs::distribution::{ContinuousCDF, Normal};

/// The autocorrelations of the table. One between two takes the larger, a larger one the last.
pub(super) const AUTOCORRELATIONS: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// No run is longer.
const LONGEST: usize = 1000;

/// Points of the integration, and how far above the bound it goes, in standard deviations.
const STEPS: usize = 160;
const REACH: f64 = 5.0;

/// The shortest runs of misses that are too long to be chance.
///
/// # Formula
/// The logarithms of the waits are taken to be a stationary first-order autoregressive series, `x' = ρ·x + √(1 − ρ²)·ε`, with normal `x` and `ε`; a miss is a value
/// above the quantile `z`. With `f₁` the density of a value above `z` that follows one below, and `f_{r+1}(y) = ∫_{x>z} f_r(x)·φ(y | ρx, 1 − ρ²) dx`,
/// `∫ f_r` is how often a wait begins a run of `r` misses or more. The length is the least `r` for which that is at most
/// as often as allowed.
#[derive(Debug, Clone)]
pub(super) struct RunLengths([usize; AUTOCORRELATIONS.len()]);

impl RunLengths {
    /// For misses of this quantile, with runs too long begun at most this often by chance.
    pub fn new(quantile: f64, allowed: f64) -> RunLengths {
        RunLengths(AUTOCORRELATIONS.map(|rho| run_length(quantile, allowed, rho)))
    }

    /// One length at every autocorrelation.
    pub fn fixed(length: usize) -> RunLengths {
        RunLengths([length; AUTOCORRELATIONS.len()])
    }

    /// Of independent waits.
    pub fn shortest(&self) -> usize {
        self.0[0]
    }

    /// At this autocorrelation.
    pub fn longest_by_chance(&self, autocorrelation: f64) -> usize {
        let place = AUTOCORRELATIONS.partition_point(|&rho| rho < autocorrelation);
        self.0[place.min(self.0.len() - 1)]
    }
}

fn run_length(quantile: f64, allowed: f64, rho: f64) -> usize {
    let normal = Normal::standard();
    let bound = normal.inverse_cdf(quantile);
    let spread = (1.0 - rho * rho).sqrt();
    let width = REACH / STEPS as f64;
    let value = |step: usize| bound + (step as f64 + 0.5) * width;
    let density = |off: f64| (-0.5 * off * off).exp() / (2.0 * std::f64::consts::PI).sqrt();
    // The series is the same backwards: a value follows one below the bound as often as it is followed by one.
    let mut begun: Vec<f64> = (0..STEPS)
        .map(|step| density(value(step)) * normal.cdf((bound - rho * value(step)) / spread) * width)
        .collect();
    let moves: Vec<f64> = (0..STEPS * STEPS)
        .map(|both| {
            let (to, from) = (value(both / STEPS), value(both % STEPS));
            density((to - rho * from) / spread) / spread * width
        })
        .collect();
    for length in 1..LONGEST {
        if begun.iter().sum::<f64>() <= allowed {
            return length;
        }
        let next =
            moves.chunks(STEPS).map(|row| row.iter().zip(&begun).map(|(one, other)| one * other).sum());
        begun = next.collect();
    }
    LONGEST
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use queuecast_core::seed::Seed;

    const ALLOWED: f64 = 0.05 / 59.0;

    #[test]
    fn lengths_grow_with_the_autocorrelation() {
        let lengths = RunLengths::new(0.95, ALLOWED).0;
        assert!(lengths.is_sorted(), "{lengths:?}");
        assert_eq!(lengths, [3, 3, 3, 4, 4, 4, 5, 6, 7, 10, 13, 16], "the table");
        let table = RunLengths::new(0.95, ALLOWED);
        assert_eq!([-0.3, 0.0, 0.25, 0.3, 0.999].map(|rho| table.longest_by_chance(rho)), [3, 3, 4, 4, 16]);
    }

    /// Independent misses: 0.95·0.05^r.
    #[test]
    fn independent_runs_are_powers() {
        for r in 1..6 {
            let often = 0.95 * 0.05_f64.powi(r);
            assert_eq!(run_length(0.95, often * 1.001, 0.0), r as usize);
            assert_eq!(run_length(0.95, often * 0.98, 0.0), r as usize + 1);
        }
    }

    /// Run lengths found by simulation: how often runs of that length, and of one less, begin.
    #[test]
    fn lengths_are_those_of_a_simulated_series() {
        let mut rng = Seed(7).stream("runs");
        let bound = Normal::standard().inverse_cdf(0.95);
        for (place, rho) in [(0, 0.0_f64), (5, 0.5), (9, 0.9)] {
            let length = RunLengths::new(0.95, ALLOWED).0[place];
            let (mut x, mut run) = (0.0, 0);
            let (mut reached, mut nearly) = (0, 0);
            let waits = 2_000_000;
            for _ in 0..waits {
                let noise: f64 = StandardNormal.sample(&mut rng);
                x = rho * x + (1.0 - rho * rho).sqrt() * noise;
                run = if x > bound { run + 1 } else { 0 };
                reached += usize::from(run == length);
                nearly += usize::from(run == length - 1);
            }
            let often = |count: usize| count as f64 / waits as f64;
            assert!(often(reached) <= 1.1 * ALLOWED, "{rho}: {} of {ALLOWED}", often(reached));
            assert!(often(nearly) >= 0.9 * ALLOWED, "{rho}: {} of {ALLOWED}", often(nearly));
        }
    }
}
