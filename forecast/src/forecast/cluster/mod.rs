//! When jobs start at a Slurm site, by its own scheduler simulated onwards with run times learned from its past.

mod answer;
mod campaign;
mod followed_answers;
mod forecaster;
mod learned_record;
mod not_before;
mod past;
mod queue;
mod record;
mod requested;
mod starts;

pub use answer::{
    ClusterQuestion, ClusterWhenError, ClusterWhenSettings, SITE_METHOD, SimulationWork, when_at_cluster,
    when_each_at_cluster,
};
pub(crate) use answer::{ClusterVariants, never_starts, variants_at_cluster};
pub use campaign::campaign_at_cluster;
pub use followed_answers::FollowedAnswers;
pub use forecaster::{ClusterForecaster, StartForecast};
pub use queue::{ClusterPendingStart, ClusterQueue, FoundQueue, SiteBlocker, SiteBlockers, SiteTarget};
pub use record::ClusterRecord;
pub use starts::{ClusterDraws, ExpectedArrivals};
