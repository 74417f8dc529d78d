//! Reads a log into a workload: records become jobs as they are read, and the rest of the file is not kept.

use std::io::Read;

use super::clean::CleaningReport;
use super::error::TraceError;
use super::input::{Compression, Source};
use super::machine::{MachineSize, MachineSource};
use super::select::{Selected, select};
use super::store::JobColumns;
use super::swf::Header;
use super::{LogFormat, ReadOptions};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::{Machine, Unfinished, Workload, WorkloadError};

/// A cleaned log as a workload.
#[derive(Debug, Clone)]
pub struct Log {
    /// The jobs and the machine.
    pub workload: Workload,
    /// Jobs that had not ended when the log was taken: they are not among the jobs of the workload. Accounting records only.
    pub unfinished: Vec<Unfinished>,
    /// The header comments.
    pub header: Header,
    /// What was removed and changed, and why.
    pub report: CleaningReport,
    /// The machine's size and where it is known from.
    pub machine: MachineSize,
    /// Its format.
    pub format: LogFormat,
    /// Its compression.
    pub compression: Compression,
}

/// Reads a whole log into a workload. Submit times count from the log's start in SWF (`epoch` is its
/// `UnixStartTime`) and are Unix times in accounting records (`epoch` is 0).
pub fn read(source: impl Read, options: &ReadOptions) -> Result<Log, TraceError> {
    read_source(Box::new(source), options)
}

fn read_source(source: Source<'_>, options: &ReadOptions) -> Result<Log, TraceError> {
    Log::of(select(source, options)?)
}

impl Log {
    pub(super) fn of(selected: Selected<JobColumns>) -> Result<Log, TraceError> {
        let Selected { kept, withdrawn, unfinished, header, names, report, machine, format, compression } =
            selected;
        let JobColumns { jobs, truths, starts } = kept;
        let mut workload = Workload::recorded(Machine { procs: machine.procs }, jobs, truths, starts)?;
        workload.set_withdrawn(withdrawn)?;
        workload.names = names;
        workload.is_machine_guessed = machine.is_largest_job();
        workload.epoch = format.epoch(&header);
        Ok(Log { workload, unfinished, header, report, machine, format, compression })
    }

    /// Gives a log whose machine is guessed the size that the site says, unless a job is larger.
    pub fn take_size(&mut self, procs: Option<Procs>) {
        if let Some(procs) = procs
            && self.workload.set_machine(Machine { procs }).is_ok()
        {
            self.machine = MachineSize { procs, source: MachineSource::Sinfo };
        }
    }

    /// Adds the jobs that had not ended when the log was taken, and takes partitions for queues where there are none. Returns how
    /// many were added.
    pub fn take_unfinished(&mut self, taken: Time) -> Result<usize, WorkloadError> {
        let ended = self.workload.len();
        if !self.unfinished.is_empty() {
            self.workload = self.workload.with_unfinished(&self.unfinished, taken)?;
        }
        self.workload.take_partitions_for_queues();
        Ok(self.workload.len() - ended)
    }
}
