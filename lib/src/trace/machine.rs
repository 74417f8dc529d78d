//! How large the machine of a log is, and how that is known.

use std::fmt;

use serde::Serialize;

use super::swf::Header;
use crate::units::Procs;

/// Where a machine's size comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineSource {
    /// The caller said so.
    Given,
    /// The header's `MaxProcs`.
    MaxProcs,
    /// The header's `MaxNodes`, for want of `MaxProcs`: right if a node has one processor.
    MaxNodes,
    /// The largest job, for want of anything better: the machine may have been larger.
    LargestJob,
}

/// A machine's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MachineSize {
    /// Processors.
    pub procs: Procs,
    /// How that is known.
    pub source: MachineSource,
}

impl MachineSize {
    /// What the caller or the header says, in this order.
    pub fn declared(given: Option<Procs>, header: &Header) -> Option<MachineSize> {
        let positive = |value: Option<i64>| {
            value.and_then(|value| u32::try_from(value).ok()).filter(|&procs| procs > 0).map(Procs)
        };
        [
            (given, MachineSource::Given),
            (positive(header.max_procs), MachineSource::MaxProcs),
            (positive(header.max_nodes), MachineSource::MaxNodes),
        ]
        .into_iter()
        .find_map(|(procs, source)| procs.map(|procs| MachineSize { procs, source }))
    }
}

impl fmt::Display for MachineSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            MachineSource::Given => "as given",
            MachineSource::MaxProcs => "from the header's MaxProcs",
            MachineSource::MaxNodes => "from the header's MaxNodes, as there is no MaxProcs",
            MachineSource::LargestJob => {
                "the size of the largest job, as the log does not say; it may be larger"
            }
        };
        write!(f, "{} processors ({source})", self.procs)
    }
}
