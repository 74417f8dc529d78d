//! Was it right: every number said about a schedule, each defined once, with its formula and its window. An [`Outcome`] is what a metric
//! of waiting needs to know of a job; schedules of processors, Slurm sites and grids all give it.
//!
//! Start with [`Evaluation::of`], choose jobs with [`Evaluation::over`] and a [`Window`], and ask the
//! [`Selection`] for its [`Summary`], its [`Breakdown`] or its [`Fairness`]; [`Evaluation::queue`] is the
//! queue over time. Sums are kept in integers, and floating-point sums are taken in ascending order, so a
//! result depends on the jobs alone. [`WaitScorer`] and [`RuntimeScorer`] follow a log and judge what methods
//! said, [`Scorer`] template sets. Refuses to know where a workload came from, and how a number is shown.

mod bootstrap;
mod campaign_score;
mod error;
mod evaluation;
mod fairness;
mod groups;
mod limit_tally;
mod measured;
mod metrics;
mod outcome;
mod percentile;
mod predictions;
mod queue;
mod range_tally;
mod runtime_score;
mod runtime_tally;
mod scorer;
mod summarize;
mod wait_score;
mod wait_tally;
mod walk_forward;
mod watch;
mod window;
mod window_spec;

pub use bootstrap::{MethodDifferences, RatioMeasure, Resampled, ScoreIntervals, WeeklySums};
pub use campaign_score::{CampaignRanges, CampaignScore, score_campaigns};
pub use error::EvalError;
pub use evaluation::{Evaluation, Selection};
pub use fairness::Fairness;
pub use groups::{Breakdown, Dimension, Group, size_class};
pub use limit_tally::{LIMIT_RISKS, LimitScore};
pub use measured::Measured;
pub use metrics::{Better, METRICS, Metric, Summary, Unit};
pub use outcome::Outcome;
pub use percentile::{Spread, nearest_rank};
pub use predictions::{
    AskedAt, RanFor, RuntimePrediction, SAID_LEVELS, SaidRun, SaidTime, SaidWait, TimeRank, WaitPrediction,
};
pub use queue::{QueueBin, QueueSeries, QueueStep, QueueSummary};
pub use range_tally::{CalibrationPoint, MonthScore};
pub use runtime_score::{RuntimeMethod, RuntimeScorer};
pub use runtime_tally::{RuntimeMeasures, RuntimeScore};
pub use scorer::Scorer;
pub use wait_score::{WaitScorer, WaitWindow};
pub use wait_tally::WaitScore;
pub use walk_forward::{Score, WalkForward};
pub use watch::Watch;
pub use window::{Excluded, Span, Window};
