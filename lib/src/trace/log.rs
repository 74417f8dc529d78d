//! From a log to a workload: records become jobs as they are read, and nothing else of the file is kept.

use std::io::Read;

use super::clean::CleaningReport;
use super::error::TraceError;
use super::input::Compression;
use super::machine::MachineSize;
use super::select::{Selected, select};
use super::store::JobColumns;
use super::swf::Header;
use super::{Format, ReadOptions};
use crate::workload::{Machine, Workload};

/// A log, cleaned, as a workload.
#[derive(Debug, Clone)]
pub struct Log {
    /// What can be simulated.
    pub workload: Workload,
    /// What the file's comments say.
    pub header: Header,
    /// What was removed and changed, and why.
    pub report: CleaningReport,
    /// The machine's size and how it is known.
    pub machine: MachineSize,
    /// What the file was written in.
    pub format: Format,
    /// How it was compressed.
    pub compression: Compression,
}

/// Reads a whole log into a workload. Submit times count from the log's start in SWF (`epoch` is its
/// `UnixStartTime`) and are Unix times in accounting records (`epoch` is 0).
pub fn read<R: Read>(source: R, options: &ReadOptions) -> Result<Log, TraceError> {
    Log::of(select(source, options)?)
}

impl Log {
    pub(super) fn of(selected: Selected<JobColumns>) -> Result<Log, TraceError> {
        let Selected { kept, withdrawn, header, names, report, machine, format, compression } = selected;
        let JobColumns { jobs, truths, starts } = kept;
        let mut workload = Workload::recorded(Machine { procs: machine.procs }, jobs, truths, starts)?;
        workload.set_withdrawn(withdrawn)?;
        workload.names = names;
        workload.epoch = match format {
            Format::Swf => header.unix_start_time,
            Format::Sacct => Some(0),
        };
        Ok(Log { workload, header, report, machine, format, compression })
    }
}
