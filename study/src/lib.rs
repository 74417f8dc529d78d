//! Many simulations and what they show: an [`Experiment`] names a policy and a predictor together, a [`Sweep`] does many at once, a
//! [`search`] finds templates, [`Brokerage`] and [`molding`] compare brokers and strategies, [`simulate_site`] and
//! [`compare_variants`] say what a Slurm site would do. Every number comes from `eval`.

mod awaited;
mod brokerage;
mod brokered;
mod change_review;
mod changed_waits;
mod choice;
mod cluster_forecasts;
mod cluster_report;
mod cluster_use;
mod compared_runs;
mod comparison;
mod demonstration;
mod experiment;
mod group_changes;
mod log_setting;
pub mod molding;
mod repeated;
mod run_difference;
pub mod search;
mod shaken;
mod simulated;
mod simulation_report;
mod site_answer;
pub mod site_metrics;
mod site_policy;
mod site_variants;
mod sweep;
mod unknown_names;

pub use awaited::Awaited;
pub use brokerage::{BrokerResult, Brokerage, HomeResult, RelativeChange, SiteOfGrid, SiteShare};
pub use brokered::{Brokered, Clocks, GridSettings, QueueSettings, SiteSettings, Unplaced};
pub use change_review::{
    ChangeReview, LargestIncrease, OverThreshold, ReviewEffect, ReviewOutcome, ReviewQuestion,
    ReviewThreshold, ReviewedGroup, ReviewedWait, ShakenWaits, WaitChange,
};
pub use changed_waits::{ChangedWaits, SettingQuestion};
pub use choice::{CustomPolicy, CustomPredictor, PolicyChoice, PredictorChoice};
pub use cluster_forecasts::{ForecastStart, StartForecastScore, forecast_starts};
pub use cluster_report::{
    ClusterReport, InterruptedJobs, ReasonShare, RefusedJobs, WaitMeasures, cluster_report,
};
pub use cluster_use::{CpuIdleness, ResourceUse};
pub use compared_runs::{ComparedRun, ComparedRuns, ForecastRun, ForecastRuns, RunDecisions, RunMiss};
pub use comparison::{
    ComparedTrace, Comparison, ComparisonAnswer, ComparisonQuestion, ComparisonRow, ShakenTraces,
};
pub use demonstration::Demonstration;
pub use experiment::Experiment;
pub use group_changes::{GroupChange, QuantileChange};
pub use repeated::{Repeated, read_seeds};
pub use run_difference::{GroupWait, NamedRun, RunDifference, group_waits, run_difference};
pub use shaken::{ShakenResult, Shaking};
pub use simulated::{Simulated, Timings};
pub use simulation_report::{Measurement, SimulationReport};
pub use site_answer::{SimulatedSite, SiteAnswer, simulate_site};
pub use site_policy::{NotAtSites, SitePolicy};
pub use site_variants::{
    ComparedVariants, ShakenMetric, SiteVariant, VariantAnswer, VariantChanges, VariantMetric,
    VariantsQuestion, compare_awaited_variants, compare_variants,
};
pub use sweep::{Simulation, SimulationId, SimulationResult, Sweep, SweepResults};
