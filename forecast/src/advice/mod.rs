//! What to ask for: one job in several variants (time limits, queues, sizes, later submissions, places), when each would start and be done,
//! and which to take.
//!
//! [`plan_job`] and, at a Slurm site, [`plan_at_cluster`] make the variants of one job; [`forecast_sizes`] makes one for each size that a job can be given, and
//! nothing else. A variant is what differs from the job asked about, and how long it then runs; a [`JobOption`] is what becomes of it;
//! options are ranked by one rule, which takes the least effort among those that are too close to call.
//!
//! [`advise`] asks for sizes without the forecaster: a [`Past`] follows the schedule of a log up to an instant and learns
//! [`RunTimeModel`]; a [`Situation`] is the site at that instant with the run-time distribution of each job; an [`Advisor`] puts
//! the job at the end of the queue, in each of its sizes, and runs the site on, many times, each time with other run times
//! ([`Advisor::draw`]); or asks one of the formulas of Downey 1997, where no job waits ([`Advisor::by`]). [`Advice`] is the
//! result, [`TrackRecord`] how right such predictions were before. Jobs that arrive later are not modelled there.

mod advisor;
mod allocation;
mod at_cluster;
mod error;
mod offer;
mod option;
mod outlook;
mod past;
mod place;
mod prospect;
mod question;
mod ranking;
mod request_shares;
mod run_time_model;
mod situation;
mod size_draw;
mod track_record;
mod variant;
mod workflow;
mod written;

pub use advisor::Advisor;
pub use allocation::{SizeForecasts, forecast_sizes};
pub use at_cluster::{plan_at_cluster, sizes_at_cluster};
pub use error::AdviceError;
pub use offer::{FittedSpeedup, JobLimits, MoldableJob, Offer, RunTimeBySize};
pub use option::{JobOption, TimeSpread};
pub use outlook::RunTimeOutlook;
pub use past::{Past, StartedJob};
pub use place::SoonestPlace;
pub use prospect::{Advice, Preference, Prospect, Target, TimeRange};
pub use question::{JobPlan, PlanError, PlanQuestion, PlanSettings, plan_job};
pub use ranking::is_accepted;
pub use run_time_model::RunTimeModel;
pub use situation::{JobAtSite, Situation};
pub use size_draw::SizeDraw;
pub use track_record::{PastAnswer, RangeWidth, ShownRanges, TrackRecord, WaitBaseline};
pub use variant::{JobChange, JobChanges};
pub use workflow::{
    AdviceAnswer, AdviceSettings, AdviceSource, CalibrationSummary, QueueForecast, SiteSummary, advise,
};
pub use written::{MeasuredRuns, SerialRun, bare_warning};
