//! A population like the users of a log.

use super::{Manners, Population};
use crate::synth::SynthError;
use crate::workload::Workload;

pub(super) fn like(workload: &Workload) -> Result<Population, SynthError> {
    let manners = Manners::of(workload);
    if manners.users == 0 {
        return Err(SynthError::Unsuitable("the log does not say who submitted its jobs".into()));
    }
    Ok(Population::default())
}
