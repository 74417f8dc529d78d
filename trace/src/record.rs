//! One record of a log: the 18 fields of the Standard Workload Format and what accounting records add. Values are not
//! checked here but in [`mod@super::clean`].

use serde::Serialize;

use queuecast_core::job::Ending;

/// The value of an unknown field. Any negative number means the same.
pub const UNKNOWN: i64 = -1;

/// The status of a partial execution that another one follows.
const PARTIAL: i64 = 2;

/// The status of a cancelled job.
const CANCELLED: i64 = 5;

/// The fields of the Standard Workload Format, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names are the documentation; see `Field::name`
pub enum Field {
    Job,
    Submit,
    Wait,
    Run,
    AllocatedProcs,
    Cpu,
    Memory,
    RequestedProcs,
    RequestedTime,
    RequestedMemory,
    Status,
    User,
    Group,
    Executable,
    Queue,
    Partition,
    PrecedingJob,
    ThinkTime,
}

impl Field {
    /// All 18, in file order.
    pub const ALL: [Field; 18] = [
        Field::Job,
        Field::Submit,
        Field::Wait,
        Field::Run,
        Field::AllocatedProcs,
        Field::Cpu,
        Field::Memory,
        Field::RequestedProcs,
        Field::RequestedTime,
        Field::RequestedMemory,
        Field::Status,
        Field::User,
        Field::Group,
        Field::Executable,
        Field::Queue,
        Field::Partition,
        Field::PrecedingJob,
        Field::ThinkTime,
    ];

    /// Its column, from 1.
    pub fn column(self) -> usize {
        self as usize + 1
    }

    /// Its name in the definition of the format.
    pub fn name(self) -> &'static str {
        match self {
            Field::Job => "job number",
            Field::Submit => "submit time",
            Field::Wait => "wait time",
            Field::Run => "run time",
            Field::AllocatedProcs => "allocated processors",
            Field::Cpu => "average CPU time used",
            Field::Memory => "used memory",
            Field::RequestedProcs => "requested processors",
            Field::RequestedTime => "requested time",
            Field::RequestedMemory => "requested memory",
            Field::Status => "status",
            Field::User => "user",
            Field::Group => "group",
            Field::Executable => "executable",
            Field::Queue => "queue",
            Field::Partition => "partition",
            Field::PrecedingJob => "preceding job",
            Field::ThinkTime => "think time",
        }
    }
}

/// One job, or one partial execution of a job, as the log records it. Unknown fields are [`UNKNOWN`].
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Line in the (decompressed) file, from 1; 0 for a record that was not read from a file.
    pub line: u64,
    /// 1. Job number.
    pub job: i64,
    /// 2. Submit time, seconds: since the log's start in SWF, Unix time in accounting records.
    pub submit: i64,
    /// 3. Wait time, seconds: until the start, or until a job that never started left the queue.
    pub wait: i64,
    /// 4. Run time, seconds.
    pub run: i64,
    /// 5. Processors allocated.
    pub allocated_procs: i64,
    /// 6. CPU time used, seconds, average over processors; often with decimals. Unknown if negative.
    pub cpu: f64,
    /// 7. Memory used, kilobytes per processor.
    pub memory: i64,
    /// 8. Processors requested.
    pub requested_procs: i64,
    /// 9. Time requested, seconds.
    pub requested_time: i64,
    /// 10. Memory requested, kilobytes per processor.
    pub requested_memory: i64,
    /// 11. Status: failed 0, completed 1, partial 2, last partial completed 3 or failed 4, cancelled 5.
    pub status: i64,
    /// 12. User.
    pub user: i64,
    /// 13. Group.
    pub group: i64,
    /// 14. Executable.
    pub executable: i64,
    /// 15. Queue.
    pub queue: i64,
    /// 16. Partition.
    pub partition: i64,
    /// 17. Preceding job.
    pub preceding_job: i64,
    /// 18. Think time after the preceding job, seconds.
    pub think_time: i64,
    /// When it was submitted, if `submit` is when it became eligible instead; accounting records only.
    pub submitted: i64,
    /// Account charged; accounting records only.
    pub account: i64,
    /// Quality of service; accounting records only.
    pub qos: i64,
    /// How it ended: from the status in SWF, from the state in accounting records, which say more.
    pub ending: Ending,
    /// Whether the job had not ended when the log was taken, or at the moment that the log is read as of.
    pub unfinished: bool,
    /// Whether it waited or ran at the moment that the log is read as of.
    pub cut: bool,
}

impl Default for Record {
    /// A record of which nothing is known.
    fn default() -> Record {
        Record {
            line: 0,
            job: UNKNOWN,
            submit: UNKNOWN,
            wait: UNKNOWN,
            run: UNKNOWN,
            allocated_procs: UNKNOWN,
            cpu: UNKNOWN as f64,
            memory: UNKNOWN,
            requested_procs: UNKNOWN,
            requested_time: UNKNOWN,
            requested_memory: UNKNOWN,
            status: UNKNOWN,
            user: UNKNOWN,
            group: UNKNOWN,
            executable: UNKNOWN,
            queue: UNKNOWN,
            partition: UNKNOWN,
            preceding_job: UNKNOWN,
            think_time: UNKNOWN,
            submitted: UNKNOWN,
            account: UNKNOWN,
            qos: UNKNOWN,
            ending: Ending::Unknown,
            unfinished: false,
            cut: false,
        }
    }
}

impl Record {
    /// The value of a field, if it is known. CPU time loses its decimals.
    pub fn known(&self, field: Field) -> Option<i64> {
        let value = match field {
            Field::Job => self.job,
            Field::Submit => self.submit,
            Field::Wait => self.wait,
            Field::Run => self.run,
            Field::AllocatedProcs => self.allocated_procs,
            Field::Cpu if self.cpu < 0.0 => UNKNOWN,
            Field::Cpu => self.cpu as i64,
            Field::Memory => self.memory,
            Field::RequestedProcs => self.requested_procs,
            Field::RequestedTime => self.requested_time,
            Field::RequestedMemory => self.requested_memory,
            Field::Status => self.status,
            Field::User => self.user,
            Field::Group => self.group,
            Field::Executable => self.executable,
            Field::Queue => self.queue,
            Field::Partition => self.partition,
            Field::PrecedingJob => self.preceding_job,
            Field::ThinkTime => self.think_time,
        };
        (value >= 0).then_some(value)
    }

    /// The ending that a status code of the Standard Workload Format means; unknown for codes that the format does not
    /// define, mostly raw exit codes.
    pub fn ending_of_status(status: i64) -> Ending {
        match status {
            0 | 4 => Ending::Failed,
            1 | 3 => Ending::Completed,
            CANCELLED => Ending::Cancelled,
            _ => Ending::Unknown,
        }
    }

    /// Whether this job left the queue without starting. Its wait is known, it used no time, and no status says that it
    /// ran. It held no processors; where the record gives it some all the same, as those it asked for, the status says that
    /// it was cancelled.
    pub fn is_withdrawn(&self) -> bool {
        let unused = self.run <= 0 && self.cpu <= 0.0;
        let never_held = self.allocated_procs <= 0 || self.status == CANCELLED;
        unused && never_held && self.wait >= 0 && self.status != 1 && !self.is_partial() && !self.unfinished
    }

    /// Whether this job was cancelled while it waited and the record does not say when.
    pub(super) fn is_unplaced(&self) -> bool {
        self.status == CANCELLED && self.run < 0 && self.wait < 0 && !self.unfinished
    }

    /// Leaves of a record what was known of the job at the end of an instant; `false` if it was submitted later. Of a job
    /// that waited or ran then, whether it has ended since or not, the record says so ([`Record::cut`]) and nothing that came
    /// after. A record of a job that has ended without a wait stays as it is: nothing tells when it started.
    pub(super) fn cut_at(&mut self, instant: i64) -> bool {
        if self.submit > instant {
            return false;
        }
        if self.submit < 0 || (self.wait < 0 && !self.unfinished) {
            return true;
        }
        let start = self.submit.saturating_add(self.wait);
        let waits = self.wait < 0 || start > instant;
        let is_over = self.run < 0 || start.saturating_add(self.run) <= instant;
        let runs = !waits && (self.unfinished || !is_over);
        if waits {
            self.wait = UNKNOWN;
            if self.requested_procs > 0 {
                self.allocated_procs = UNKNOWN;
            }
        }
        if waits || runs {
            (self.run, self.cpu, self.memory) = (UNKNOWN, UNKNOWN as f64, UNKNOWN);
            self.status = if self.is_partial() { PARTIAL } else { UNKNOWN };
            self.ending = Ending::Unknown;
            (self.unfinished, self.cut) = (true, true);
        }
        true
    }

    /// Whether this is one of several executions of a job that was checkpointed or swapped out.
    pub fn is_partial(&self) -> bool {
        matches!(self.status, 2..=4)
    }
}
