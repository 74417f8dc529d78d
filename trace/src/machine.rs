//! The size of a log's machine, and where it is known from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::Record;
use super::swf::Header;
use queuecast_core::units::{Procs, Time};

/// Where a machine's size comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineSource {
    /// Given by the caller.
    Given,
    /// The header's `MaxProcs`.
    MaxProcs,
    /// The header's `MaxNodes`, if it has no `MaxProcs`: correct if a node has one processor.
    MaxNodes,
    /// The largest job, if the log does not say: the machine may have been larger.
    LargestJob,
    /// The largest of the jobs submitted up to the moment that is asked about: what comes later is not known then.
    LargestJobByThen,
    /// What the site's `sinfo` says.
    Sinfo,
}

/// A machine's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineSize {
    /// Processors.
    pub procs: Procs,
    /// How that is known.
    pub source: MachineSource,
}

impl MachineSize {
    /// Whether the log does not say it, so that it may be wrong.
    pub fn is_guessed(&self) -> bool {
        self.source == MachineSource::MaxNodes || self.is_largest_job()
    }

    /// Whether it is that of the largest job, as the log says nothing.
    pub fn is_largest_job(&self) -> bool {
        matches!(self.source, MachineSource::LargestJob | MachineSource::LargestJobByThen)
    }

    /// The size given by the caller, else by the header. A `MaxProcs` that a note calls the size of the largest job
    /// does not count.
    pub fn declared(given: Option<Procs>, header: &Header) -> Option<MachineSize> {
        let positive = |value: Option<i64>| {
            value.and_then(|value| u32::try_from(value).ok()).filter(|&procs| procs > 0).map(Procs)
        };
        [
            (given, MachineSource::Given),
            (positive(header.max_procs.filter(|_| !header.max_procs_guessed)), MachineSource::MaxProcs),
            (positive(header.max_nodes), MachineSource::MaxNodes),
        ]
        .into_iter()
        .find_map(|(procs, source)| procs.map(|procs| MachineSize { procs, source }))
    }
}

/// The largest number of processors that any record of a log requested or held, even one that never ran. It is taken
/// as the machine's size if none is declared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LargestJob(u32);

impl LargestJob {
    pub fn see(&mut self, record: &Record) {
        for procs in [record.requested_procs, record.allocated_procs] {
            // Larger counts are errors; the rule `too-large` removes them.
            self.0 = self.0.max(u32::try_from(procs).unwrap_or(0));
        }
    }

    /// A job of this size.
    pub fn see_job(&mut self, procs: Procs) {
        self.0 = self.0.max(procs.0);
    }

    /// The declared size, else the largest job, or the guess that a note in the header states; `None` if no record has
    /// processors. Of a log that is cut at an instant the guess does not count: it is of all jobs, and not known then.
    pub fn machine(self, given: Option<Procs>, header: &Header, known: Option<Time>) -> Option<MachineSize> {
        MachineSize::declared(given, header).or_else(|| {
            let noted = header.max_procs.filter(|_| header.max_procs_guessed && known.is_none());
            let noted = noted.and_then(|procs| u32::try_from(procs).ok()).unwrap_or(0);
            let procs = Procs(self.0.max(noted));
            let source = match known {
                Some(_) => MachineSource::LargestJobByThen,
                None => MachineSource::LargestJob,
            };
            (procs.0 > 0).then_some(MachineSize { procs, source })
        })
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
            MachineSource::LargestJobByThen => {
                "the size of the largest job by then, as the log does not say; it may be larger"
            }
            MachineSource::Sinfo => "from sinfo",
        };
        write!(f, "{} processors ({source})", self.procs)
    }
}
