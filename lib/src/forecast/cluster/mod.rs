//! When jobs start at a Slurm site, by its own scheduler simulated onwards with run times learned from its past.

mod forecaster;
mod overdue;
mod past;
mod starts;

pub use forecaster::{ClusterForecaster, StartForecast};
pub use starts::{ClusterDraws, ExpectedArrivals};
