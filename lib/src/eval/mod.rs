//! Was it right: every number said about a schedule, each defined once, with its formula and its window.
//!
//! Start with [`Evaluation::of`], choose jobs with [`Evaluation::over`] and a [`Window`], and ask the
//! [`Selection`] for its [`Summary`], its [`Breakdown`] or its [`Fairness`]; [`Evaluation::queue`] is the
//! queue over time. Sums are kept in integers, and floating-point sums are taken in ascending order, so a
//! result depends on the jobs alone. An [`Experiment`] names a policy and a predictor together, which no floor
//! below does. Refuses to know where a workload came from, and how a number is shown.

mod bootstrap;
mod brokerage;
mod choice;
mod cluster_forecasts;
mod cluster_report;
mod cluster_use;
mod error;
mod evaluation;
mod experiment;
mod fairness;
mod groups;
mod limit_tally;
mod measured;
mod metrics;
pub mod molding;
mod percentile;
mod predictions;
mod queue;
mod range_tally;
mod repeated;
mod run_difference;
mod runtime_score;
mod runtime_tally;
mod scorer;
pub mod search;
mod shaken;
mod simulation_report;
mod site_answer;
mod site_policy;
mod site_variants;
mod summarize;
mod sweep;
mod wait_score;
mod wait_tally;
mod walk_forward;
mod window;

pub use bootstrap::{MethodDifferences, ScoreIntervals};
pub use brokerage::{BrokerResult, Brokerage, HomeResult, RelativeChange, SiteOfGrid, SiteShare};
pub use choice::{CustomPolicy, CustomPredictor, PolicyChoice, PredictorChoice};
pub use cluster_forecasts::{ForecastStart, StartForecastScore, forecast_starts};
pub use cluster_report::{ClusterReport, ReasonShare, WaitMeasures, cluster_report};
pub use cluster_use::{CpuIdleness, ResourceUse};
pub use error::EvalError;
pub use evaluation::{Evaluation, Selection};
pub use experiment::Experiment;
pub use fairness::Fairness;
pub use groups::{Breakdown, Dimension, Group};
pub use limit_tally::{LIMIT_RISKS, LimitScore};
pub use measured::{Measured, SLOWDOWN_BOUND};
pub use metrics::{METRICS, Metric, Summary, Unit};
pub use percentile::nearest_rank;
pub use predictions::{
    AskedAt, RanFor, RuntimePrediction, SAID_LEVELS, SaidRun, SaidTime, SaidWait, TimeRank, WaitPrediction,
};
pub use queue::{QueueBin, QueueSeries, QueueStep, QueueSummary};
pub use range_tally::{CalibrationPoint, MonthScore};
pub use repeated::Repeated;
pub use run_difference::{GroupWait, NamedRun, RunDifference, group_waits, run_difference};
pub use runtime_score::{RuntimeMethod, RuntimeScorer};
pub use runtime_tally::{RuntimeMeasures, RuntimeScore};
pub use scorer::Scorer;
pub use shaken::{ShakenResult, Shaking};
pub use simulation_report::{Measurement, SimulationReport};
pub use site_answer::{SiteAnswer, simulate_site};
pub use site_policy::{NotAtSites, SitePolicy};
pub use site_variants::{
    ShakenMetric, SiteVariant, VARIANT_METRICS, VariantAnswer, VariantMetric, compare_variants,
};
pub use sweep::{Simulation, SimulationId, SimulationResult, Sweep, SweepResults, Watch};
pub use wait_score::{WaitScorer, WaitWindow};
pub use wait_tally::WaitScore;
pub use walk_forward::{Score, WalkForward};
pub use window::{Excluded, Span, Window};
