//! Start times by simulating the site as it schedules, and by trees that learn from it.

mod arrival_process;
mod bins;
mod campaign_draws;
mod corrected;
mod example_window;
mod expected;
mod learned_site;
mod lower_end;
mod model;
mod queue_draws;
mod recent_waits;
mod rows;
mod simulated;
mod snapshot;
mod start_times;

pub(super) use campaign_draws::seconds_until;
pub(super) use expected::{ExpectedRuns, RunLearning};
pub use learned_site::LearnedSite;
pub(super) use model::TreeModel;
pub use model::{ModelledWaits, TreeSettings};
pub(super) use queue_draws::QueueDraws;
pub use queue_draws::QueueOrder;
pub use simulated::SimulatedWaits;
pub(super) use simulated::SimulationModel;
pub(super) use snapshot::SHARED;
pub use start_times::{QueueStarts, QueuedStart};
