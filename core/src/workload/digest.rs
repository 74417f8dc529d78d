//! A digest of everything that a simulation may depend on.

use super::Workload;
use crate::job::{Ending, Job, Runs, Shape, Truth};
use crate::units::{Seconds, Time};

impl Workload {
    /// A number that tells workloads apart, the same on every machine: FNV-1a over the machine and every field of the jobs and
    /// their truths. What no simulation depends on is left out: names, the epoch, recorded starts and withdrawn jobs. So a
    /// simulated schedule written as a log has the digest of its workload.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        digest.number(self.machine.procs.0.into());
        for (job, truth) in self.jobs.iter().zip(&self.truths) {
            digest.job(job);
            digest.truth(truth);
        }
        digest.0
    }
}

struct Digest(u64);

impl Digest {
    fn number(&mut self, value: i64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Two identifiers in one number; 0 for an unknown one.
    fn identifiers(&mut self, one: Option<u32>, other: Option<u32>) {
        let known = |number: Option<u32>| number.map_or(0, |number| i64::from(number) + 1);
        self.number(known(one) << 32 | known(other));
    }

    /// Everything but the index, which is the job's place.
    fn job(&mut self, job: &Job) {
        let Job {
            index: _,
            id,
            submit: Time(submit),
            user,
            group,
            account,
            executable,
            queue,
            partition,
            qos,
            shape,
            other_shapes,
        } = job;
        self.number(id.0 as i64);
        self.number(*submit);
        self.identifiers(user.map(|user| user.number()), group.map(|group| group.number()));
        self.identifiers(account.map(|one| one.number()), executable.map(|one| one.number()));
        self.identifiers(queue.map(|one| one.number()), partition.map(|one| one.number()));
        let others = other_shapes.as_deref().unwrap_or_default();
        self.identifiers(qos.map(|one| one.number()), Some(others.len() as u32));
        for Shape { procs, limit } in std::iter::once(shape).chain(others) {
            self.number(procs.0.into());
            self.number(limit.map_or(-1, |Seconds(limit)| limit));
        }
    }

    fn truth(&mut self, truth: &Truth) {
        let Truth { runs, ending } = truth;
        let runs = match runs {
            Runs::Rigid(run) => std::slice::from_ref(run),
            Runs::Moldable(runs) => runs,
        };
        let ending = match ending {
            Ending::Unknown => 0,
            Ending::Completed => 1,
            // The Standard Workload Format has one status for both.
            Ending::Failed | Ending::Killed => 2,
            Ending::Cancelled => 3,
        };
        self.identifiers(Some(ending), Some(runs.len() as u32));
        runs.iter().for_each(|&Seconds(run)| self.number(run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{AccountId, ExecutableId, GroupId, JobId, PartitionId, QosId, QueueId, UserId};
    use crate::units::Procs;
    use crate::workload::{Machine, Withdrawn};

    /// A job of which every field is known, with its truth.
    fn moldable() -> (Job, Truth) {
        let mut job = Job::rigid(7, Time(100), Procs(4), Some(Seconds(60)));
        job.user = UserId::new(1);
        job.group = GroupId::new(2);
        job.account = AccountId::new(3);
        job.executable = ExecutableId::new(4);
        job.queue = QueueId::new(5);
        job.partition = PartitionId::new(6);
        job.qos = QosId::new(7);
        job.other_shapes = Some([Shape { procs: Procs(8), limit: Some(Seconds(40)) }].into());
        let runs = Runs::Moldable([Seconds(50), Seconds(30)].into());
        (job, Truth { runs, ending: Ending::Completed })
    }

    fn workload(job: Job, truth: Truth) -> Workload {
        Workload::new(Machine { procs: Procs(16) }, vec![(job, truth)]).unwrap()
    }

    /// The digest of a workload that differs from [`moldable`] in its job.
    fn changed(change: fn(&mut Job)) -> u64 {
        let (mut job, truth) = moldable();
        change(&mut job);
        workload(job, truth).digest()
    }

    fn changed_truth(change: fn(&mut Truth)) -> u64 {
        let (job, mut truth) = moldable();
        change(&mut truth);
        workload(job, truth).digest()
    }

    fn changed_workload(change: fn(&mut Workload)) -> u64 {
        let (job, truth) = moldable();
        let mut workload = workload(job, truth);
        change(&mut workload);
        workload.digest()
    }

    #[test]
    fn every_field_changes_the_digest() {
        fn other(shape: Shape) -> Option<Box<[Shape]>> {
            Some([shape].into())
        }
        let digests = [
            ("as it is", changed(|_| ())),
            ("id", changed(|job| job.id = JobId(8))),
            ("submit", changed(|job| job.submit = Time(101))),
            ("user", changed(|job| job.user = UserId::new(0))),
            ("no user", changed(|job| job.user = None)),
            ("group", changed(|job| job.group = GroupId::new(0))),
            ("account", changed(|job| job.account = AccountId::new(0))),
            ("no account", changed(|job| job.account = None)),
            ("executable", changed(|job| job.executable = ExecutableId::new(0))),
            ("queue", changed(|job| job.queue = QueueId::new(0))),
            ("partition", changed(|job| job.partition = PartitionId::new(0))),
            ("qos", changed(|job| job.qos = QosId::new(0))),
            ("processors", changed(|job| job.shape.procs = Procs(5))),
            ("limit", changed(|job| job.shape.limit = Some(Seconds(61)))),
            ("no limit", changed(|job| job.shape.limit = None)),
            ("no other shapes", changed(|job| job.other_shapes = None)),
            (
                "other size",
                changed(|job| job.other_shapes = other(Shape { procs: Procs(9), limit: Some(Seconds(40)) })),
            ),
            ("other limit", changed(|job| job.other_shapes = other(Shape { procs: Procs(8), limit: None }))),
            ("run", changed_truth(|truth| truth.runs = Runs::Moldable([Seconds(51), Seconds(30)].into()))),
            (
                "other run",
                changed_truth(|truth| truth.runs = Runs::Moldable([Seconds(50), Seconds(31)].into())),
            ),
            ("one run", changed_truth(|truth| truth.runs = Runs::Rigid(Seconds(50)))),
            ("ending", changed_truth(|truth| truth.ending = Ending::Failed)),
            ("machine", changed_workload(|workload| workload.machine.procs = Procs(17))),
        ];
        for (place, (name, digest)) in digests.iter().enumerate() {
            for (other, same) in &digests[..place] {
                assert_ne!(digest, same, "{name} and {other}");
            }
        }
    }

    #[test]
    fn neighbouring_fields_are_told_apart() {
        let swapped = changed(|job| (job.user, job.group) = (UserId::new(2), GroupId::new(1)));
        assert_ne!(swapped, changed(|_| ()));
    }

    #[test]
    fn what_no_simulation_depends_on_does_not_count() {
        let same = changed_workload(|workload| {
            workload.epoch = Some(5);
            workload.names.users.insert(1, "ada".to_owned());
            workload.starts = vec![Time(110)];
            let job = Job::rigid(9, Time(100), Procs(1), None);
            workload.withdrawn = vec![Withdrawn { job, left: Time(200) }];
        });
        assert_eq!(same, changed(|_| ()));
    }
}
