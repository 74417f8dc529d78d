//! From a log to a workload: records become jobs as they are read, and nothing else of the file is kept.

use std::io::Read;

use super::clean::CleaningReport;
use super::error::TraceError;
use super::input::Compression;
use super::machine::MachineSize;
use super::record::Record;
use super::sift::{JobColumns, Sifted, sift};
use super::swf::Header;
use super::{Format, ReadOptions};
use crate::job::{
    AccountId, ExecutableId, GroupId, Job, JobId, JobIndex, PartitionId, QosId, QueueId, Runs, Shape, Truth,
    UserId,
};
use crate::units::{Procs, Seconds, Time};
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
    Log::of(sift(source, options)?)
}

impl Log {
    pub(super) fn of(sifted: Sifted<JobColumns>) -> Result<Log, TraceError> {
        let Sifted { kept, header, names, report, machine, format, compression } = sifted;
        let JobColumns { jobs, truths, starts } = kept;
        let mut workload = Workload::recorded(Machine { procs: machine.procs }, jobs, truths, starts)?;
        workload.names = names;
        workload.epoch = match format {
            Format::Swf => header.unix_start_time,
            Format::Sacct => Some(0),
        };
        Ok(Log { workload, header, report, machine, format, compression })
    }
}

/// When a cleaned record's job started; never, if its wait is unknown.
pub(super) fn start(record: &Record) -> Time {
    if record.wait < 0 { Time::NEVER } else { Time(record.submit) + Seconds(record.wait) }
}

/// A cleaned record as a job. Numbers out of range, of which cleaning leaves none, would be unknown.
pub(super) fn job(record: &Record) -> (Job, Truth) {
    let number = |value: i64| u32::try_from(value).ok();
    let limit = (record.requested_time > 0).then_some(Seconds(record.requested_time));
    let job = Job {
        index: JobIndex(0),
        id: JobId(record.job.unsigned_abs()),
        submit: Time(record.submit),
        user: number(record.user).and_then(UserId::new),
        group: number(record.group).and_then(GroupId::new),
        account: number(record.account).and_then(AccountId::new),
        executable: number(record.executable).and_then(ExecutableId::new),
        queue: number(record.queue).and_then(QueueId::new),
        partition: number(record.partition).and_then(PartitionId::new),
        qos: number(record.qos).and_then(QosId::new),
        shape: Shape { procs: Procs(number(record.requested_procs).unwrap_or(u32::MAX)), limit },
        other_shapes: None,
    };
    (job, Truth { runs: Runs::Rigid(Seconds(record.run)), ending: record.ending })
}
