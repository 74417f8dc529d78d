//! What a workload is like: the times people ask for, how accurate they are, in what sittings they work.
//!
//! Knows jobs and workloads; refuses to know where they come from and what a scheduler does with them. It is
//! what a log is described by, what a model is calibrated to, and what both are compared by.

mod modes;
mod sittings;

pub use modes::{Mode, Modes};
pub use sittings::Sittings;
