//! When will it start. So far: the queue time of the job at the head of a first-come, first-served queue, which waits
//! for running jobs to end and for nothing else (Downey 1997, section 3).
//!
//! A [`Holder`] is a running job with what is thought of how much longer it runs: by its age and the distribution of
//! [`Lifetimes`], given or fitted ([`LifetimeFit`]), or by any run-time predictor's forecast; [`Outlook`] says which.
//! [`QueueTime`] says when enough of them will have ended. Refuses to know traces and who made the jobs.

mod first;
mod fit;
mod freed;
mod holder;
mod lifetimes;
mod outlook;
mod queue_time;

pub use fit::LifetimeFit;
pub use freed::probability;
pub use holder::Holder;
pub use lifetimes::Lifetimes;
pub use outlook::Outlook;
pub use queue_time::{QueueTime, quantile};
