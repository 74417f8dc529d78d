//! When jobs start at a Slurm site, by its own scheduler simulated onwards with run times learned from its past.

mod answer;
mod forecaster;
mod past;
mod queue;
mod starts;

pub use answer::{ClusterQuestion, ClusterWhenError, ClusterWhenSettings, SITE_METHOD, when_at_cluster};
pub(crate) use answer::{ClusterVariants, variants_at_cluster};
pub use forecaster::{ClusterForecaster, StartForecast};
pub use queue::{ClusterPendingStart, ClusterQueue, SiteBlocker, SiteBlockers, SiteTarget};
pub use starts::{ClusterDraws, ExpectedArrivals};
