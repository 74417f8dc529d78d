//! The jobs of several sites on one clock.

use queuecast_core::order;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use queuecast_core::job::{
    AccountId, ExecutableId, GroupId, Job, JobIndex, PartitionId, QosId, QueueId, Truth, UserId,
};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::{Names, Workload};

/// A job that arrives at a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridJob {
    /// The job; its index is its place in the order of arrival at the grid.
    pub job: Job,
    /// What will happen to it.
    pub truth: Truth,
    /// The site it was submitted to where there was no broker; `None` if it belongs to none.
    pub home: Option<usize>,
}

/// How the clocks of several logs are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// As recorded: logs of the same time.
    Recorded,
    /// Every log begins at the same instant: logs of different years.
    Start,
}

impl Alignment {
    /// `Recorded` if all logs state their epoch and their periods overlap at some instant, else `Start`.
    pub fn fitting(logs: &[&Workload]) -> Alignment {
        let within = |log: &&Workload| {
            let (epoch, first, last) = (log.epoch?, log.jobs().first()?, log.jobs().last()?);
            Some((epoch.saturating_add(first.submit.0), epoch.saturating_add(last.submit.0)))
        };
        let spans: Option<Vec<(i64, i64)>> = logs.iter().map(within).collect();
        let common = spans.and_then(|spans| {
            let from = spans.iter().map(|span| span.0).max()?;
            let to = spans.iter().map(|span| span.1).min()?;
            (from <= to).then_some(())
        });
        if common.is_some() { Alignment::Recorded } else { Alignment::Start }
    }
}

/// Makes one list of the jobs of several sites, in order of arrival; of jobs submitted at the same instant, those of the
/// site listed first come first.
///
/// Users, groups, queues and so on of different sites are different ones, even where they have the same number, unless
/// `same_people` says that users, groups, accounts and executables are the same everywhere: by their names, where logs have
/// names, else by their numbers. Only jobs submitted within
/// `period` of the first are taken.
pub fn merged(
    logs: &[&Workload],
    alignment: Alignment,
    same_people: bool,
    period: Option<Seconds>,
) -> Vec<GridJob> {
    let offset = |log: &Workload| match alignment {
        Alignment::Recorded => log.epoch.unwrap_or(0),
        Alignment::Start => log.begins().map_or(0, |first| first.0.saturating_neg()),
    };
    let offsets: Vec<i64> = logs.iter().map(|log| offset(log)).collect();
    let firsts = logs.iter().zip(&offsets).filter_map(|(log, offset)| Some(log.begins()? + Seconds(*offset)));
    let Some(first) = firsts.min() else { return Vec::new() };
    let mut numbers = Renumbered { same_people, ..Renumbered::default() };
    let mut jobs: Vec<GridJob> = Vec::with_capacity(logs.iter().map(|log| log.len()).sum());
    for (home, (log, &offset)) in logs.iter().zip(&offsets).enumerate() {
        for (job, truth) in log.jobs().iter().zip(log.truths()) {
            let submit = Time((job.submit + Seconds(offset) - first).0);
            if period.is_some_and(|period| submit >= Time(0) + period) {
                break;
            }
            let job = numbers.renumbered(home, Job { submit, ..job.clone() }, &log.names);
            jobs.push(GridJob { job, truth: truth.clone(), home: Some(home) });
        }
    }
    order::sort_by_key(&mut jobs, |one| one.job.submit);
    for (index, one) in (0..).zip(&mut jobs) {
        one.job.index = JobIndex(index);
    }
    jobs
}

/// New numbers for users and so on, in the order in which they are met. Looked up, never iterated.
#[derive(Debug, Default)]
struct Renumbered {
    same_people: bool,
    known: HashMap<(u8, Whose), u32>,
    /// How many there are of each kind.
    counts: [u32; 7],
}

/// What identifies a user, group, queue etc. across sites.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Whose {
    /// Its site and its number there.
    Site(usize, u32),
    /// Its name, at whichever site.
    Named(String),
    /// Its number, at whichever site.
    Numbered(u32),
}

/// Kinds below this number can be shared between sites: users, groups, accounts, executables. Queues, partitions and QOS
/// never are.
const PEOPLE: u8 = 4;

impl Renumbered {
    fn number(&mut self, kind: u8, home: usize, number: u32, names: &BTreeMap<u32, String>) -> u32 {
        let whose = match names.get(&number) {
            _ if kind >= PEOPLE || !self.same_people => Whose::Site(home, number),
            Some(name) => Whose::Named(name.clone()),
            // In a log with names, a number without a name is meaningful within that log only.
            None if !names.is_empty() => Whose::Site(home, number),
            None => Whose::Numbered(number),
        };
        let count = &mut self.counts[usize::from(kind)];
        *self.known.entry((kind, whose)).or_insert_with(|| {
            *count += 1;
            *count - 1
        })
    }

    fn renumbered(&mut self, home: usize, mut job: Job, names: &Names) -> Job {
        let mut of = |kind: u8, number: u32, names| self.number(kind, home, number, names);
        job.user = job.user.and_then(|id| UserId::new(of(0, id.number(), &names.users)));
        job.group = job.group.and_then(|id| GroupId::new(of(1, id.number(), &names.groups)));
        job.account = job.account.and_then(|id| AccountId::new(of(2, id.number(), &names.accounts)));
        job.executable =
            job.executable.and_then(|id| ExecutableId::new(of(3, id.number(), &names.executables)));
        job.queue = job.queue.and_then(|id| QueueId::new(of(4, id.number(), &names.queues)));
        job.partition = job.partition.and_then(|id| PartitionId::new(of(5, id.number(), &names.partitions)));
        job.qos = job.qos.and_then(|id| QosId::new(of(6, id.number(), &names.qos)));
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;

    fn log(epoch: Option<i64>, jobs: &[(i64, u32)]) -> Workload {
        let job = |&(submit, user): &(i64, u32)| {
            let mut job = Job::rigid(1, Time(submit), Procs(1), None);
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(10)))
        };
        let mut log = Workload::new(Machine { procs: Procs(4) }, jobs.iter().map(job).collect()).unwrap();
        log.epoch = epoch;
        log
    }

    fn arrivals(jobs: &[GridJob]) -> Vec<(i64, usize, u32)> {
        let one = |one: &GridJob| (one.job.submit.0, one.home.unwrap(), one.job.user.unwrap().number());
        jobs.iter().map(one).collect()
    }

    #[test]
    fn logs_of_different_years_begin_together_and_users_stay_apart() {
        let (one, other) = (log(Some(1_000_000), &[(50, 7), (60, 7)]), log(Some(0), &[(5, 7), (15, 8)]));
        let logs = [&one, &other];
        assert_eq!(Alignment::fitting(&logs), Alignment::Start);
        let jobs = merged(&logs, Alignment::Start, false, None);
        assert_eq!(arrivals(&jobs), [(0, 0, 0), (0, 1, 1), (10, 0, 0), (10, 1, 2)]);
        assert_eq!(jobs.iter().map(|one| one.job.index.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        // Control: the same people have one number; a period ends the list.
        let jobs = merged(&logs, Alignment::Start, true, Some(Seconds(10)));
        assert_eq!(arrivals(&jobs), [(0, 0, 0), (0, 1, 0)]);
        // By name, where there are names: user 7 here is user 8 there.
        let (mut one, mut other) = (one, other);
        one.names.users = BTreeMap::from([(7, "ann".to_owned())]);
        other.names.users = BTreeMap::from([(7, "bob".to_owned()), (8, "ann".to_owned())]);
        let jobs = merged(&[&one, &other], Alignment::Start, true, None);
        assert_eq!(arrivals(&jobs), [(0, 0, 0), (0, 1, 1), (10, 0, 0), (10, 1, 0)]);
    }

    #[test]
    fn logs_of_the_same_time_keep_their_clocks() {
        let (one, other) = (log(Some(100), &[(0, 1), (60, 1)]), log(Some(120), &[(5, 1), (15, 1)]));
        let logs = [&one, &other];
        assert_eq!(Alignment::fitting(&logs), Alignment::Recorded);
        assert_eq!(
            arrivals(&merged(&logs, Alignment::Recorded, true, None)),
            [(0, 0, 0), (25, 1, 0), (35, 1, 0), (60, 0, 0)]
        );
        assert_eq!(Alignment::fitting(&[&one, &log(None, &[(0, 1), (1, 1)])]), Alignment::Start);
        assert!(merged(&[], Alignment::Start, false, None).is_empty());
    }
}
