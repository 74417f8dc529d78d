//! Workload generation: one model per module, each a struct of parameters that turns a [`queuecast_core::seed::Seed`] into a
//! [`queuecast_core::workload::Workload`]. [`generate`] has the complete workflows.
//!
//! Knows jobs, workloads and their characterization; not traces, predictors or schedulers. Shared by the models: the
//! [`Calendar`] of submissions, and [`round_up`] for requested times.

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
pub use population::{Population, UserStatistics};
pub use resample::Resample;
pub use rescale::{LoadTarget, Rescale, ScaledQuantity};
pub(crate) use round::ROUND_TIMES;
pub use round::round_up;
pub use variant::{Shaken, Stripped, Variant};

/// Monday, 1 January 2024, 00:00 UTC: the epoch of generated workloads, so that they have weekends.
const MONDAY: i64 = 1_704_067_200;
