//! Speedup by average parallelism and variance (Downey 1997, section 2.1).

use serde::{Deserialize, Serialize};

/// The speedup of a job, by its average parallelism and its variance in parallelism.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speedup {
    /// The average parallelism, the paper's A; at least 1. No number of processors makes the job faster than this.
    pub parallelism: f64,
    /// The variance in parallelism, the paper's σ; at least 0. 0 is a perfectly parallel job.
    pub variance: f64,
}

impl Speedup {
    /// The speedup on a number of processors relative to one.
    ///
    /// # Formula
    /// With `A` the parallelism and `σ` the variance, if `σ ≤ 1` (equation 1):
    /// `A·n / (A + σ·(n − 1)/2)` up to `n = A`, `A·n / (σ·(A − 1/2) + n·(1 − σ/2))` up to `2A − 1`, then `A`;
    /// else (equation 2): `n·A·(σ + 1) / (A + A·σ − σ + n·σ)` up to `n = A + A·σ − σ`, then `A`.
    pub fn of(&self, procs: u32) -> f64 {
        let (a, s, n) = (self.parallelism, self.variance, f64::from(procs.max(1)));
        if n >= self.saturation() {
            return a;
        }
        if s > 1.0 {
            n * a * (s + 1.0) / (a + a * s - s + n * s)
        } else if n <= a {
            a * n / (a + s * (n - 1.0) / 2.0)
        } else {
            a * n / (s * (a - 0.5) + n * (1.0 - s / 2.0))
        }
    }

    /// The number of processors from which on the speedup is constant.
    ///
    /// # Formula
    /// `2A − 1` if `0 < σ ≤ 1`, `A + A·σ − σ` if `σ > 1`, `A` if `σ = 0`
    pub fn saturation(&self) -> f64 {
        let (a, s) = (self.parallelism, self.variance);
        if s > 1.0 {
            a + a * s - s
        } else if s > 0.0 {
            2.0 * a - 1.0
        } else {
            a
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speedup(parallelism: f64, variance: f64) -> Speedup {
        Speedup { parallelism, variance }
    }

    #[test]
    fn closed_forms_by_hand() {
        let near = |speedup: Speedup, procs: u32, by_hand: f64| {
            assert!(
                (speedup.of(procs) - by_hand).abs() < 1e-12,
                "{speedup:?} on {procs}: {}",
                speedup.of(procs)
            );
        };
        // No variance: linear up to A, then flat.
        near(speedup(64.0, 0.0), 32, 32.0);
        near(speedup(64.0, 0.0), 64, 64.0);
        near(speedup(64.0, 0.0), 100, 64.0);
        // 64·32 / (64 + 0.5·31/2) = 2048 / 71.75.
        near(speedup(64.0, 0.5), 32, 2048.0 / 71.75);
        // 64·100 / (0.5·63.5 + 100·0.75) = 6400 / 106.75.
        near(speedup(64.0, 0.5), 100, 6400.0 / 106.75);
        near(speedup(64.0, 0.5), 127, 64.0);
        // 32·64·3 / (64 + 128 − 2 + 64) = 6144 / 254, flat from 190.
        near(speedup(64.0, 2.0), 32, 6144.0 / 254.0);
        near(speedup(64.0, 2.0), 190, 64.0);
        near(speedup(64.0, 2.0), 5000, 64.0);
        // A serial job stays one.
        for variance in [0.0, 0.5, 1.0, 1.5, 2.0] {
            for procs in [0, 1, 2, 100] {
                near(speedup(1.0, variance), procs, 1.0);
            }
        }
    }

    #[test]
    fn never_above_processors_or_parallelism_and_never_falling() {
        for parallelism in [1.0, 1.3, 2.0, 7.7, 64.0, 128.0] {
            for variance in [0.0, 1e-9, 0.3, 0.99, 1.0, 1.01, 2.0, 50.0] {
                let speedup = speedup(parallelism, variance);
                assert!((speedup.of(1) - 1.0).abs() < 1e-12, "{speedup:?}");
                let mut before = 0.0;
                for procs in 1..=600 {
                    let here = speedup.of(procs);
                    let most = f64::from(procs).min(parallelism);
                    let least = parallelism * f64::from(procs) / (parallelism + f64::from(procs) - 1.0);
                    assert!(here <= most + 1e-9 && here >= least - 1e-9, "{speedup:?} on {procs}: {here}");
                    assert!(here >= before - 1e-12, "{speedup:?} falls at {procs}");
                    before = here;
                }
            }
        }
    }

    #[test]
    fn the_cases_meet_at_their_bounds() {
        for parallelism in [2.0, 3.0, 17.0, 64.0] {
            let (a, n) = (parallelism, parallelism);
            for variance in [0.0, 0.2, 0.7, 1.0] {
                let s = variance;
                // At n = A the second case gives what the first gives.
                let beyond = a * n / (s * (a - 0.5) + n * (1.0 - s / 2.0));
                assert!((speedup(a, s).of(n as u32) - beyond).abs() < 1e-9);
                let last = 2.0 * a - 1.0;
                assert!((a * last / (s * (a - 0.5) + last * (1.0 - s / 2.0)) - a).abs() < 1e-9);
            }
            // At σ = 1 the families are one.
            for procs in 1..200 {
                let [low, high] = [1.0, 1.0 + 1e-12].map(|variance| speedup(a, variance).of(procs));
                assert!((low - high).abs() < 1e-9, "{procs}: {low} and {high}");
            }
            for variance in [1.5, 2.0] {
                let flat = speedup(a, variance).saturation();
                let before = flat * a * (variance + 1.0) / (a + a * variance - variance + flat * variance);
                assert!((before - a).abs() < 1e-9);
            }
        }
    }
}
