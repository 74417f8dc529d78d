//! How many processors to ask for: for each size a job can be given, when it would start and end, and how sure that is.
//!
//! [`advise`] is the whole in one call. Inside: a [`Past`] follows the schedule of a log up to an instant and learns
//! [`RunTimeModel`]; a [`Situation`] is the site at that instant with the run-time distribution of each job; an [`Advisor`] puts
//! the job at the end of the queue, in each of its sizes, and runs the site on, many times, each time with other run times
//! ([`Advisor::draw`]); or asks one of the formulas of Downey 1997, where no job waits ([`Advisor::by`]). [`Advice`] is the
//! result, [`TrackRecord`] how right such predictions were before.
//!
//! Jobs that arrive later are not modelled.

mod advisor;
mod comparison;
mod error;
mod offer;
mod outlook;
mod past;
mod prospect;
mod request_shares;
mod run_time_model;
mod situation;
mod size_draw;
mod track_record;
mod workflow;
mod written;

pub use advisor::Advisor;
pub use error::AdviceError;
pub(crate) use offer::LEVELS as SIZE_LEVELS;
pub use offer::{FittedSpeedup, JobLimits, MoldableJob, Offer, RunTimeBySize};
pub use outlook::RunTimeOutlook;
pub use past::{Past, StartedJob};
pub use prospect::{Advice, Preference, Prospect, Target, TimeRange};
pub use run_time_model::RunTimeModel;
pub use situation::{JobAtSite, Situation};
pub use size_draw::SizeDraw;
pub use track_record::{PastAnswer, RangeWidth, ShownRanges, TrackRecord, WaitBaseline};
pub use workflow::{
    AdviceAnswer, AdviceSettings, AdviceSource, CalibrationSummary, QueueForecast, SiteSummary, advise,
};
pub use written::{MeasuredRuns, SerialRun, bare_warning};
