//! A log that a model is fitted to, or that a workload is made of.

use super::GenerationStep;
use queuecast_core::workload::Workload;

/// A workload that was read from a log, with what the record of a generated workload says about it.
#[derive(Debug, Clone, Copy)]
pub struct NamedLog<'a> {
    /// The log's name.
    pub name: &'a str,
    /// The log's jobs.
    pub workload: &'a Workload,
    /// The lines of its cleaning report, if it was cleaned.
    pub cleaning: &'a [String],
}

impl<'a> NamedLog<'a> {
    /// A log without a cleaning report.
    pub fn new(name: &'a str, workload: &'a Workload) -> NamedLog<'a> {
        NamedLog { name, workload, cleaning: &[] }
    }

    /// The digest of its jobs as 16 hexadecimal digits.
    pub(super) fn digest(&self) -> String {
        format!("{:016x}", self.workload.digest())
    }

    /// The steps of reading and cleaning it.
    pub(super) fn steps(&self) -> Vec<GenerationStep> {
        let read = GenerationStep::Read { log: self.name.to_owned(), digest: self.digest() };
        let cleaned = self.cleaning.iter().map(|line| GenerationStep::Cleaned { line: line.clone() });
        std::iter::once(read).chain(cleaned).collect()
    }
}
