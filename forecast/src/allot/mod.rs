//! How many processors to take: strategies for moldable jobs at the head of a first-come, first-served queue (Downey 1997,
//! "Using queue time predictions for processor allocation").
//!
//! A job prefers one of its shapes and may run in smaller ones; the requested time of each ([`queuecast_core::job::Shape::limit`]) is
//! its user's estimate there. The job at the head may start on what is free or wait for more, and is not passed. A
//! [`Strategy`] decides when it waits, and for how many processors; [`Allotter`] is the policy that applies it, and
//! [`StrategyRecorder`] records what each job would have gained by it. [`crate::advice`] answers the user who has to ask for
//! a size before.

mod allotter;
mod bias;
mod choice;
mod chooser;
mod recorder;
mod sizes;
mod strategy;
#[cfg(test)]
mod tests;

pub use allotter::Allotter;
pub use bias::{Bias, Trend};
pub use choice::{Choice, Scales};
pub use chooser::Prediction;
pub use recorder::{Course, Decision, StrategyRecorder};
pub use sizes::{Size, Sizes, SizesError};
pub use strategy::{BiasLine, Hold, Prompting, Strategy};
