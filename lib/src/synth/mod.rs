//! Making workloads: one model per module, each a struct of parameters that turns a [`crate::seed::Seed`]
//! into a [`crate::workload::Workload`].
//!
//! Knows jobs and workloads; refuses to know traces, predictors and schedulers. What a model shares with its
//! siblings has its own module: the [`Calendar`] says when people submit, [`round_up`] what they ask for.

mod assign;
mod calendar;
mod downey;
mod error;
mod estimates;
pub mod generate;
mod habits;
mod lublin;
mod population;
mod resample;
mod rescale;
mod round;
mod variant;

pub use assign::{Estimates, Pairing, Routine};
pub use calendar::Calendar;
pub use downey::{Downey, DowneyArrivals, DowneyJob, Law, Rounding, Speedup, UniformLog, Viable};
pub use error::SynthError;
pub use estimates::{EstimateModel, Exponential, PowerLaw, Supplied, ValueCount};
pub use habits::Habits;
pub use lublin::{GammaLaw, Lublin, LublinArrivals, LublinClass, LublinKinds, LublinRuns, LublinSizes};
pub use population::{Manners, Population};
pub use resample::Resample;
pub use rescale::{Lever, Rescale, Target};
pub use round::{ROUND_TIMES, round_up};
pub use variant::{Shaken, Stripped, Variant};

/// Monday, 1 January 2024, 00:00 UTC: what is made begins on a Monday, so that it has weekends.
const MONDAY: i64 = 1_704_067_200;
