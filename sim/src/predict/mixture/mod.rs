//! Run times by many simple experts, each counting as much as it has been right lately, with a calibrated distribution.
//!
//! `archive` remembers what ended and lets each expert speak; `judge` weighs them by their
//! past losses; `point` makes one number of what they say; [`Mixture`] keeps what was said of the jobs in the system until
//! they end, and corrects the distributions of neighbours by [`Conformal`](queuecast_core::distribution::Conformal).

mod archive;
mod experts;
mod judge;
mod likeness;
mod neighbours;
mod point;
mod predictor;
mod runs;
mod settings;

pub use experts::{EXPERTS, ExpertOpinion};
pub use neighbours::OwnRuns;
pub use point::MixturePoint;
pub use predictor::Mixture;
pub use settings::MixtureSettings;
