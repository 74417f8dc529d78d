//! Earlier models that derive estimates from run times (Tsafrir, Etsion & Feitelson 2005, section 1.2).

use chacha20::ChaCha8Rng;
use rand::RngExt;

use queuecast_core::units::Seconds;

/// The f-model: uniform from the run time to `factor + 1` times the run time, inclusive.
pub fn factor(run: Seconds, factor: f64, rng: &mut ChaCha8Rng) -> Seconds {
    let most = run.scaled(factor + 1.0).max(run);
    Seconds(rng.random_range(run.0..=most.0))
}

/// Shorter jobs are assumed to have failed on startup.
const FAILED: Seconds = Seconds(90);

/// The highest accuracy of jobs that failed on startup: the end of the hump near zero.
const HUMP: f64 = 0.1;

/// The longest estimate, except of longer jobs.
const LONGEST: Seconds = Seconds(86_400);

/// The model of Mu'alem & Feitelson 2001, the φ-model of Zhang et al. 2001: run time over estimate is uniform, except for
/// a share `peak` of the jobs that run to their estimate, and for jobs that fail on startup, which form the hump at low
/// accuracies. Cut at 24 hours, as published.
pub fn feit(run: Seconds, peak: f64, rng: &mut ChaCha8Rng) -> Seconds {
    if rng.random::<f64>() < peak {
        return run;
    }
    let accuracy = 1.0 - rng.random::<f64>(); // never 0
    let accuracy = if run < FAILED { accuracy * HUMP } else { accuracy };
    run.scaled(1.0 / accuracy).min(LONGEST).max(run)
}
