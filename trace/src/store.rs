//! Where the records that cleaning keeps are stored while a log is read: as jobs, or as whole records.

use super::record::{Field, Record};
use queuecast_core::job::{
    AccountId, ExecutableId, GroupId, Job, JobId, JobIndex, PartitionId, QosId, QueueId, Runs, Shape, Truth,
    UserId,
};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Unfinished, Withdrawn, arrange};

/// A growing list of cleaned records, with what ordering them and fitting them to the machine needs.
pub(super) trait Store: Default {
    fn push(&mut self, record: &Record);
    fn len(&self) -> usize;
    /// Submit time and job number.
    fn key(&self, at: usize) -> (i64, i64);
    /// How long the job waited, if that is known.
    fn wait(&self, at: usize) -> Option<Seconds>;
    fn procs(&self, at: usize) -> Procs;
    fn set_procs(&mut self, at: usize, procs: Procs);
    /// Replaces the number of an identity, where it is known.
    fn renumber(&mut self, at: usize, field: Field, number: &mut dyn FnMut(u32) -> u32);
    /// The line in the file, if it is stored.
    fn line(&self, at: usize) -> Option<u64>;
    /// Removes the records whose entry in `keep` is `false`.
    fn retain(&mut self, keep: &[bool]);
    /// Moves `order[0]` to the front, `order[1]` next, and so on.
    fn arrange(&mut self, order: Vec<u32>);
}

/// Jobs, their truths and their starts, each in a column of its own.
#[derive(Default)]
pub(super) struct JobColumns {
    pub jobs: Vec<Job>,
    pub truths: Vec<Truth>,
    pub starts: Vec<Time>,
}

impl Store for JobColumns {
    fn push(&mut self, record: &Record) {
        let start = if record.wait < 0 { Time::NEVER } else { Time(record.submit) + Seconds(record.wait) };
        self.jobs.push(job(record));
        self.truths.push(Truth { runs: Runs::Rigid(Seconds(record.run)), ending: record.ending });
        self.starts.push(start);
    }

    fn len(&self) -> usize {
        self.jobs.len()
    }

    fn key(&self, at: usize) -> (i64, i64) {
        (self.jobs[at].submit.0, self.jobs[at].id.0 as i64)
    }

    fn wait(&self, at: usize) -> Option<Seconds> {
        let start = self.starts[at];
        (start != Time::NEVER).then(|| start - self.jobs[at].submit)
    }

    fn procs(&self, at: usize) -> Procs {
        self.jobs[at].shape.procs
    }

    fn set_procs(&mut self, at: usize, procs: Procs) {
        self.jobs[at].shape.procs = procs;
    }

    fn renumber(&mut self, at: usize, field: Field, number: &mut dyn FnMut(u32) -> u32) {
        renumber(&mut self.jobs[at], field, number);
    }

    fn line(&self, _at: usize) -> Option<u64> {
        None
    }

    fn retain(&mut self, keep: &[bool]) {
        retain(&mut self.jobs, keep);
        retain(&mut self.truths, keep);
        retain(&mut self.starts, keep);
    }

    fn arrange(&mut self, order: Vec<u32>) {
        arrange(&mut self.jobs, order.clone());
        arrange(&mut self.starts, order.clone());
        arrange(&mut self.truths, order);
    }
}

/// Whole records, cleaned: the requested processors are those the job is taken to need.
impl Store for Vec<Record> {
    fn push(&mut self, record: &Record) {
        self.push(record.clone());
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn key(&self, at: usize) -> (i64, i64) {
        (self[at].submit, self[at].job)
    }

    fn wait(&self, at: usize) -> Option<Seconds> {
        let wait = self[at].wait;
        (wait >= 0).then_some(Seconds(wait))
    }

    fn procs(&self, at: usize) -> Procs {
        Procs(u32::try_from(self[at].requested_procs).unwrap_or(u32::MAX))
    }

    fn set_procs(&mut self, at: usize, procs: Procs) {
        self[at].requested_procs = i64::from(procs.0);
    }

    fn renumber(&mut self, at: usize, field: Field, number: &mut dyn FnMut(u32) -> u32) {
        let Record { user, group, executable, queue, partition, .. } = &mut self[at];
        let value = match field {
            Field::User => user,
            Field::Group => group,
            Field::Executable => executable,
            Field::Queue => queue,
            Field::Partition => partition,
            _ => return,
        };
        if let Ok(old) = u32::try_from(*value) {
            *value = i64::from(number(old));
        }
    }

    fn line(&self, at: usize) -> Option<u64> {
        Some(self[at].line)
    }

    fn retain(&mut self, keep: &[bool]) {
        retain(self, keep);
    }

    fn arrange(&mut self, order: Vec<u32>) {
        arrange(self, order);
    }
}

/// Removes the items whose entry in `keep` is `false`.
pub(super) fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().is_none_or(|keep| *keep));
}

/// The job that a cleaned record describes. Numbers out of range, of which cleaning leaves none, become unknown.
fn job(record: &Record) -> Job {
    let number = |value: i64| u32::try_from(value).ok();
    let limit = (record.requested_time > 0).then_some(Seconds(record.requested_time));
    Job {
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
    }
}

/// The withdrawn job that a cleaned record describes, read after `before` kept records.
pub(super) fn withdrawn(record: &Record, before: usize) -> Withdrawn {
    let index = JobIndex(u32::try_from(before).unwrap_or(u32::MAX));
    let left = Time(record.submit) + Seconds(record.wait);
    Withdrawn { job: Job { index, ..job(record) }, left }
}

/// The job that a record describes which had not ended.
pub(super) fn unfinished(record: &Record) -> Unfinished {
    let start = (record.wait >= 0).then(|| Time(record.submit) + Seconds(record.wait));
    Unfinished { job: job(record), start }
}

/// Replaces a number of a job, where it is known.
pub(super) fn renumber(job: &mut Job, field: Field, number: &mut dyn FnMut(u32) -> u32) {
    match field {
        Field::User => job.user = job.user.and_then(|id| UserId::new(number(id.number()))),
        Field::Group => job.group = job.group.and_then(|id| GroupId::new(number(id.number()))),
        Field::Executable => {
            job.executable = job.executable.and_then(|id| ExecutableId::new(number(id.number())));
        }
        Field::Queue => job.queue = job.queue.and_then(|id| QueueId::new(number(id.number()))),
        Field::Partition => {
            job.partition = job.partition.and_then(|id| PartitionId::new(number(id.number())));
        }
        _ => {}
    }
}
