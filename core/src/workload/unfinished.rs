//! Jobs that run or wait at the end of a log.

use super::{Workload, WorkloadError};
use crate::job::{Job, QueueId, Truth};
use crate::units::{Seconds, Time};

/// A job that had not ended when its log was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The job.
    pub job: Job,
    /// When it started; `None` if it still waited.
    pub start: Option<Time>,
}

/// A job that has run for this much longer than it asked for has ended, and its end was never recorded.
const OVERDUE: Seconds = Seconds(3600);

impl Unfinished {
    /// Whether it may still run or wait then.
    pub fn may_be_there(&self, then: Time) -> bool {
        let due = self.start.zip(self.job.shape.limit).map(|(start, limit)| start + limit + OVERDUE);
        self.job.submit <= then
            && self.start.is_none_or(|start| start <= then)
            && due.is_none_or(|due| due >= then)
    }
}

impl Workload {
    /// In a log that names no queues, as accounting does not, takes partitions for queues.
    pub fn take_partitions_for_queues(&mut self) {
        if self.jobs.iter().any(|job| job.queue.is_some()) {
            return;
        }
        let withdrawn = self.withdrawn.iter_mut().map(|one| &mut one.job);
        for job in self.jobs.iter_mut().chain(withdrawn) {
            job.queue = job.partition.and_then(|partition| QueueId::new(partition.number()));
        }
        self.names.queues = self.names.partitions.clone();
    }

    /// The workload with the jobs that ran or waited when the log was taken, at `taken`. Questions about moments up to then see
    /// them run or wait; of later nothing is known, and the next second has them all start or end. Left out are those larger
    /// than the machine, and those that must have ended since: an hour has passed since the time they asked for.
    ///
    /// Without the waits of these jobs, and without what they hold, the last hours of a log look emptier than they were.
    pub fn with_unfinished(&self, unfinished: &[Unfinished], taken: Time) -> Result<Workload, WorkloadError> {
        // Without recorded waits there is nothing to go on.
        let there = unfinished.iter().filter(|one| {
            !self.starts.is_empty() && one.may_be_there(taken) && one.job.shape.procs <= self.machine.procs
        });
        let mut starts = self.starts.clone();
        let mut pairs: Vec<(Job, Truth)> =
            self.jobs.iter().cloned().zip(self.truths.iter().cloned()).collect();
        for one in there {
            let start = one.start.unwrap_or(taken + Seconds(1));
            starts.push(start);
            pairs.push((one.job.clone(), Truth::rigid(taken + Seconds(1) - start)));
        }
        let (jobs, truths) = pairs.into_iter().unzip();
        let mut joined = Workload::recorded(self.machine, jobs, truths, starts)?;
        joined.set_withdrawn(self.withdrawn.clone())?;
        joined.take_origin(self);
        Ok(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Procs;
    use crate::workload::Machine;

    fn job(id: u64, submit: i64, procs: u32) -> Job {
        Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(100)))
    }

    #[test]
    fn partitions_are_queues_where_no_job_has_one() {
        use crate::job::PartitionId;
        let machine = Machine { procs: Procs(4) };
        let of = |partition, queue: Option<u32>| Job {
            partition: PartitionId::new(partition),
            queue: queue.and_then(QueueId::new),
            ..job(1, 0, 1)
        };
        let queues = |jobs: Vec<Job>| {
            let truths = vec![Truth::rigid(Seconds(1)); jobs.len()];
            let mut log = Workload::from_columns(machine, jobs, truths).unwrap();
            log.names.partitions.insert(7, "short".into());
            log.take_partitions_for_queues();
            let numbers: Vec<_> = log.jobs().iter().map(|job| job.queue.map(QueueId::number)).collect();
            (numbers, log.names.queues.len())
        };
        assert_eq!(queues(vec![of(7, None), of(8, None)]), (vec![Some(7), Some(8)], 1));
        assert_eq!(queues(vec![of(7, Some(2)), of(8, None)]), (vec![Some(2), None], 0), "control");
    }

    #[test]
    fn jobs_that_had_not_ended_run_and_wait_until_the_log_was_taken() {
        let machine = Machine { procs: Procs(4) };
        let ended = vec![job(1, 0, 2), job(5, 90, 1)];
        let truths = vec![Truth::rigid(Seconds(60)), Truth::rigid(Seconds(5))];
        let log = Workload::recorded(machine, ended, truths, vec![Time(10), Time(91)]).unwrap();
        let open = |id, submit, procs, start: Option<i64>| Unfinished {
            job: job(id, submit, procs),
            start: start.map(Time),
        };
        let runaway = open(6, -9000, 1, Some(-8000));
        let all = [open(2, 20, 2, Some(70)), open(3, 30, 4, None), open(4, 40, 5, None), runaway];
        let joined = log.with_unfinished(&all, Time(120)).unwrap();
        let seen: Vec<(u64, i64, i64)> = joined
            .jobs()
            .iter()
            .zip(&joined.starts)
            .zip(joined.truths())
            .map(|((job, start), truth)| (job.id.0, start.0, (*start + truth.run()).0))
            .collect();
        assert_eq!(
            seen,
            [(1, 10, 70), (2, 70, 121), (3, 121, 121), (5, 91, 96)],
            "4 is too large, 6 long gone"
        );
        assert_eq!(log.with_unfinished(&[], Time(120)).unwrap(), log);
        // Asked about an earlier moment, a later start is not known.
        assert_eq!(log.with_unfinished(&all[..1], Time(50)).unwrap().len(), 2);
        let silent = Workload::new(machine, vec![(job(1, 0, 2), Truth::rigid(Seconds(60)))]).unwrap();
        assert_eq!(silent.with_unfinished(&all, Time(120)).unwrap(), silent, "no waits are recorded");
    }
}
