//! Answers about a Slurm site: what is understood of it, what it would do, and how far that is from what it did.

mod check;
mod limits;
mod review;
mod runs;
mod simulation;
mod variants;
mod variants_chart;

pub use review::over_threshold;

use queuecast_study::Shaking;

/// What a difference over shaken submissions is: a mean with its interval, or that of one seed, of which no scatter is known.
fn over_seeds(shaking: Shaking) -> String {
    let by = shaking.by.0;
    match shaking.seeds {
        1 => format!(
            "of one seed that moves every submission by up to {by} s: its scatter is not known, with --seeds 2 it is"
        ),
        seeds => format!(
            "the mean over {seeds} seeds that move every submission by up to {by} s, with its 95% confidence interval"
        ),
    }
}
