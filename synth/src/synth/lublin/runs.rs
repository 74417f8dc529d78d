//! Run times: the logarithm is drawn from one of two gammas, chosen by size.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, Gamma};

use super::{GammaLaw, LublinRuns};
use crate::synth::SynthError;
use queuecast_core::units::{Procs, Seconds};

pub(super) struct RunTimes {
    short: Gamma<f64>,
    long: Gamma<f64>,
    slope: f64,
    intercept: f64,
    longest: f64,
    rng: ChaCha8Rng,
}

/// The most repetitions of a draw that is too long, after which the longest is taken.
pub(super) const DRAWS: usize = 1000;

impl RunTimes {
    pub(super) fn new(law: &LublinRuns, rng: ChaCha8Rng) -> Result<RunTimes, SynthError> {
        Ok(RunTimes {
            short: gamma("runs.short", law.short)?,
            long: gamma("runs.long", law.long)?,
            slope: law.slope,
            intercept: law.intercept,
            longest: law.longest,
            rng,
        })
    }

    pub(super) fn next(&mut self, procs: Procs) -> Seconds {
        let short = self.slope * f64::from(procs.0) + self.intercept;
        for _ in 0..DRAWS {
            let law = if self.rng.random_range(0.0..1.0) < short { &self.short } else { &self.long };
            let log = law.sample(&mut self.rng);
            if log <= self.longest {
                return Seconds(log.exp().round() as i64);
            }
        }
        Seconds(self.longest.exp().round() as i64)
    }
}

/// The gamma to draw from.
pub(super) fn gamma(field: &'static str, law: GammaLaw) -> Result<Gamma<f64>, SynthError> {
    Gamma::new(law.shape, law.scale).map_err(|error| SynthError::OutOfRange {
        field,
        value: format!("{}, {}", law.shape, law.scale),
        expected: format!("a shape and a scale above 0 ({error})"),
    })
}
