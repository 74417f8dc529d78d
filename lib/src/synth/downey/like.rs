//! The model fitted to a workload.

use super::Downey;
use crate::synth::SynthError;
use crate::workload::Workload;

impl Downey {
    /// The model fitted to a workload.
    pub fn like(workload: &Workload) -> Result<Downey, SynthError> {
        Ok(Downey::new(workload.len() as u32, workload.machine().procs.0))
    }
}
