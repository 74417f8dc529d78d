//! The facts of a workload that a result names: two results are comparable if these are equal.

use queuecast_core::workload::Workload;
use serde::Serialize;

use super::{Compression, Log, LogFormat, MachineSize};

/// The workload of a result.
#[derive(Debug, Clone, Serialize)]
pub struct WorkloadFacts {
    /// Where the jobs come from.
    pub source: String,
    /// Of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<LogFormat>,
    /// Of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// Jobs simulated.
    pub jobs: usize,
    /// See [`digest`].
    pub digest: String,
    /// Of a log: the machine's size, and where it is known from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineSize>,
    /// Processors of the machine.
    pub procs: u32,
    /// The Unix time that its clock begins at.
    pub epoch: Option<i64>,
    /// The first submission.
    pub first_submit: Option<i64>,
    /// The last submission.
    pub last_submit: Option<i64>,
    /// Work that arrives per processor.
    pub offered_load: f64,
    /// Jobs that request no time.
    pub without_request: usize,
    /// Jobs without a user.
    pub without_user: usize,
    /// Jobs without an executable.
    pub without_executable: usize,
}

/// The workload's digest as it is written everywhere.
pub fn digest(workload: &Workload) -> String {
    format!("{:016x}", workload.digest())
}

impl WorkloadFacts {
    /// Of a workload that was not read from a file.
    pub fn of(workload: &Workload, source: &str) -> WorkloadFacts {
        let lacking = workload.lacking();
        WorkloadFacts {
            source: source.to_owned(),
            format: None,
            compression: None,
            jobs: workload.len(),
            digest: digest(workload),
            machine: None,
            procs: workload.machine().procs.0,
            epoch: workload.epoch,
            first_submit: workload.begins().map(|time| time.0),
            last_submit: workload.jobs().last().map(|job| job.submit.0),
            offered_load: workload.offered_load(),
            without_request: lacking.request,
            without_user: lacking.user,
            without_executable: lacking.executable,
        }
    }
}

impl Log {
    /// The facts of its workload; `name` is what to call it.
    pub fn facts(&self, name: &str) -> WorkloadFacts {
        WorkloadFacts {
            format: Some(self.format),
            compression: Some(self.compression),
            machine: Some(self.machine),
            ..WorkloadFacts::of(&self.workload, name)
        }
    }
}
