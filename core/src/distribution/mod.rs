//! Distributions of a length of time: what is known of how long a job runs or waits.
//!
//! A [`Distribution`] is a point, a few quantiles, observed values, or uniform in the logarithm ([`LogUniform`]); it may be
//! conditional on a time that has passed ([`Distribution::given`]), and may have a mass at a limit
//! ([`Distribution::capped`]). [`Conformal`] corrects forecasts by how far off
//! earlier ones were. Times are seconds, as `f64`: this is statistics, not the clock.

mod conformal;
mod kept_quantile;
mod log_uniform;
mod quantiles;
mod time;

pub use conformal::{Conformal, ConformalSettings, LEVELS as CORRECTED_LEVELS, LevelQuantiles};
pub use log_uniform::LogUniform;
pub use time::Survival;
pub use time::{Distribution, Interval};

/// No time is longer, so that sums stay within the clock.
pub(crate) const LONGEST: f64 = 1e15;
