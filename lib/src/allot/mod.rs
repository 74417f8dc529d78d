//! How many processors to take: strategies for moldable jobs at the head of a first-come, first-served queue (Downey 1997,
//! "Using queue time predictions for processor allocation").
//!
//! A job prefers one of its shapes and may run in smaller ones; what it asks for in each ([`crate::job::Shape::limit`]) is
//! what its user says it takes there. The job at the head may start on what is free or hold out for more, and nobody
//! passes it. A [`Strategy`] says when it holds out, and for how many; [`Allotter`] is the policy that goes by it, and
//! [`Witness`] the one that only records what each job would have gained by it. [`advice`] answers the user who has to ask
//! for a size before.

pub mod advice;
mod allotter;
mod bias;
mod choice;
mod chooser;
mod sizes;
mod strategy;
#[cfg(test)]
mod tests;
mod witness;

pub use allotter::Allotter;
pub use bias::{Bias, Trend};
pub use choice::{Choice, Scales};
pub use chooser::Prediction;
pub use sizes::{Size, Sizes, SizesError};
pub use strategy::{Hold, Prompting, Strategy};
pub use witness::{Course, Decision, Witness};
