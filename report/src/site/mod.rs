//! Answers about a Slurm site: what is understood of it, what it would do, and how far that is from what it did.

mod check;
mod limits;
mod review;
mod runs;
mod simulation;
mod variants;
mod variants_chart;

pub use review::over_threshold;
