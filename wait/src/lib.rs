//! When will it start.
//!
//! A [`WaitPredictor`] answers an [`Arrival`] (a job and its [`features`]) with a distribution of its wait, and learns when jobs
//! start. Beside that, the queue time of the job at the head of a first-come, first-served queue, which
//! waits for running jobs to end and for nothing else (Downey 1997, section 3):
//!
//! A [`Holder`] is a running job with the distribution of its run time: by its age and the distribution of lifetimes, given or
//! fitted ([`LifetimeFit`]), or by a run-time predictor's forecast; [`Outlook`] says which. [`QueueTime`] predicts when enough
//! of them will have ended. [`Calibration`] corrects any predicted waits by the site's own past, and
//! [`RangeComparison`] says whether its ranges are worth more than the range of past waits. Refuses to know traces.

mod ahead;
mod baseline;
mod best_answers;
mod calibration;
mod class;
mod class_shape;
pub mod features;
mod fit;
mod freed;
mod holder;
mod instance;
mod nearest;
mod outlook;
mod overruns;
mod overtaking;
mod predictor;
mod qbets;
mod queue_time;
mod quick;
mod range_score;
mod ranges;
mod regression;
mod root;
mod scale;
mod svm;
mod weighted;

pub use ahead::QueueAhead;
pub use baseline::{PastWaits, ZeroWait};
pub use best_answers::BestAnswers;
pub use calibration::{Calibration, Lesson, WaitQuestion};
pub use class::{CLASSES as WAIT_CLASSES, ClassWaits, NamedClasses, class_of, probabilities};
pub use fit::LifetimeFit;
pub use freed::probability;
pub use holder::Holder;
pub use instance::InstanceBased;
pub use nearest::{FeatureDistance, Nearest};
pub use outlook::Outlook;
pub use overruns::WithOverruns;
pub use overtaking::Overtaking;
pub use predictor::{Arrival, LearnedWaits, PointRule, SimilarWaits, WaitForecast, WaitPredictor};
pub use qbets::{BinomialBound, BoundGroups};
pub use queue_time::{QueueTime, quantile};
pub use quick::{HistoryTerm, QuickStarters, QuickVerdict};
pub use range_score::{RangeComparison, interval_score};
pub use ranges::{RangeForecast, Ranges};
pub use regression::{NearestRegression, Regression};
