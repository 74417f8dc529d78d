//! Submissions out of a log that is not the accounting of a Slurm site, such as one in the Standard Workload Format, for a site.

use queuecast_core::order;
use std::collections::BTreeMap;

use super::rules::RuleCounter;
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Cluster, JobOutcome, JobRequest, MemoryRequest, NodeNames, RecordedRun, RunClock, SharedRequests,
    SubmittedJob, TaskRun, TimeLimit,
};
use queuecast_trace::{LogFormat, ReadOptions, Record, Records, Ruleset, TraceError};

/// The submissions of a log for a cluster, with their recorded outcomes; what was assumed is added to the list.
pub(super) fn logged_jobs(
    text: &str,
    format: LogFormat,
    cluster: &Cluster,
    rules: &mut RuleCounter,
    assumed: &mut Vec<String>,
) -> Result<RecordedRun, TraceError> {
    let options = ReadOptions { format: Some(format), ruleset: Ruleset::none(), ..ReadOptions::default() };
    let mut records = Records::open(text.as_bytes(), &options)?;
    let (mut all, mut record) = (Vec::new(), Record::default());
    while records.read(&mut record)? {
        all.push(record.clone());
    }
    let header = records.header();
    let begin = header.unix_start_time.filter(|&begin| begin > 0).unwrap_or(0);
    let partitions = QueuePartitions::new(cluster, &records.names().queues);
    let mut holders = LogHolders::new(cluster);
    let mut run = RecordedRun::default();
    let mut requests = SharedRequests::default();
    let mut keys: BTreeMap<i64, usize> = BTreeMap::new();
    for record in &all {
        let line = record.line as usize;
        let procs = if record.requested_procs > 0 { record.requested_procs } else { record.allocated_procs };
        let Some(tasks) = u32::try_from(procs).ok().filter(|&procs| procs > 0) else {
            rules.count("jobs without a number of processors", line);
            continue;
        };
        if record.submit < 0 {
            rules.count("jobs without a time of submission", line);
            continue;
        }
        if record.run < 0 {
            rules.count("jobs without a run time: they were cancelled before they started", line);
            continue;
        }
        let seen = keys.entry(record.job).or_default();
        *seen += 1;
        let key = if *seen == 1 { record.job.to_string() } else { format!("{}-{seen}", record.job) };
        let (user, account) = holders.of(record.user, record.group);
        let memory = (record.requested_memory > 0)
            .then(|| MemoryRequest::PerCpu((record.requested_memory as u64).div_ceil(1024)));
        let limit = (record.requested_time > 0).then_some(TimeLimit::Of(Seconds(record.requested_time)));
        let submit = Time(begin.saturating_add(record.submit));
        let start = (record.wait >= 0).then(|| submit + Seconds(record.wait));
        run.outcomes.extend(start.map(|start| JobOutcome {
            key: key.clone(),
            task: None,
            state: JobState::Completed,
            submit,
            eligible: Some(submit),
            start: Some(start),
            end: Some(start + Seconds(record.run)),
            partition: String::new(),
            cpus: u32::try_from(record.allocated_procs.max(0)).unwrap_or(0),
            billed: None,
            nodes: NodeNames::default(),
            backfilled: None,
            priority: None,
        }));
        run.submissions.push(SubmittedJob {
            key,
            id: None,
            submit: submit.into(),
            user,
            request: requests.shared(JobRequest {
                account,
                partitions: partitions.of(record.queue).into_iter().collect(),
                tasks: Some(tasks),
                memory,
                time_limit: limit,
                ..JobRequest::default()
            }),
            runs: vec![TaskRun::For(Seconds(record.run))],
            not_modelled: Vec::new(),
        });
    }
    order::sort_by_key(&mut run.submissions, |job| job.submit);
    let first = run.submissions.first().map_or(Micros::ZERO, |job| job.submit);
    run.clock = RunClock { is_unix: begin > 0, zero: first.second(), begin: first, ..RunClock::default() };
    assumed.push("each processor is a task of one processor, on any nodes".to_owned());
    if all.iter().any(|record| record.requested_time <= 0) {
        assumed.push("jobs without a requested time have the default time of their partition".to_owned());
    }
    if all.iter().all(|record| record.requested_memory <= 0) {
        assumed.push("jobs ask for no memory of their own".to_owned());
    }
    assumed.extend(partitions.told(&all));
    assumed.extend(holders.told());
    Ok(run)
}

/// Maps queues of the log to partitions.
struct QueuePartitions {
    by_queue: BTreeMap<i64, String>,
}

impl QueuePartitions {
    /// A queue maps to the partition named like it, or named with its number.
    fn new(cluster: &Cluster, names: &BTreeMap<u32, String>) -> QueuePartitions {
        let known = |name: &str| cluster.partition(name).map(|one| cluster[one].name.clone());
        let named = names.iter().filter_map(|(&queue, name)| {
            let word = name.split_whitespace().next().unwrap_or_default();
            Some((i64::from(queue), known(name).or_else(|| known(word))?))
        });
        let numbered =
            cluster.partitions.iter().filter_map(|one| Some((one.name.parse().ok()?, one.name.clone())));
        QueuePartitions { by_queue: order::map_of(numbered.chain(named)) }
    }

    fn of(&self, queue: i64) -> Option<String> {
        self.by_queue.get(&queue).cloned()
    }

    fn told(&self, records: &[Record]) -> Vec<String> {
        let mut told = Vec::new();
        let known = records.iter().filter(|record| self.by_queue.contains_key(&record.queue)).count();
        if known > 0 {
            let pairs: Vec<String> =
                self.by_queue.iter().map(|(queue, name)| format!("{queue} is {name}")).collect();
            told.push(format!("queues are partitions of the same name ({})", pairs.join(", ")));
        }
        if known < records.len() {
            told.push(format!("{} jobs of other queues go to the default partition", records.len() - known));
        }
        told
    }
}

/// Maps the users and groups of a log to the site's associations: groups to accounts and users to users of that account, in
/// order of appearance.
struct LogHolders {
    /// Accounts with their users.
    accounts: Vec<(String, Vec<String>)>,
    groups: BTreeMap<i64, usize>,
    users: BTreeMap<(usize, i64), usize>,
    in_account: Vec<usize>,
}

impl LogHolders {
    fn new(cluster: &Cluster) -> LogHolders {
        let mut accounts: Vec<(String, Vec<String>)> = Vec::new();
        for one in cluster.associations.0.iter().filter(|one| one.account != "root") {
            let Some(user) = one.user.clone() else { continue };
            match accounts.iter_mut().find(|(account, _)| *account == one.account) {
                Some((_, users)) if users.contains(&user) => {}
                Some((_, users)) => users.push(user),
                None => accounts.push((one.account.clone(), vec![user])),
            }
        }
        let in_account = vec![0; accounts.len()];
        LogHolders { accounts, groups: BTreeMap::new(), users: BTreeMap::new(), in_account }
    }

    fn of(&mut self, user: i64, group: i64) -> (String, Option<String>) {
        let count = self.groups.len();
        let place = *self.groups.entry(group).or_insert(count);
        if self.accounts.is_empty() {
            return (format!("user{user}"), (group >= 0).then(|| format!("group{group}")));
        }
        let place = place % self.accounts.len();
        let (account, users) = &self.accounts[place];
        let next = &mut self.in_account[place];
        let number = *self.users.entry((place, user)).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
        (users[number % users.len()].clone(), Some(account.clone()))
    }

    fn told(&self) -> Vec<String> {
        if self.accounts.is_empty() {
            return Vec::new();
        }
        let users: usize = self.accounts.iter().map(|(_, users)| users.len()).sum();
        vec![format!(
            "{} groups and {} users of the log stand for {} accounts and {users} users of the site, in the order in which they appear",
            self.groups.len(),
            self.users.len(),
            self.accounts.len(),
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{Association, Associations, ClusterPartition};

    const LOG: &str = "; UnixStartTime: 1000000000
; Queue: 2 fast queue
1 0 5 60 4 -1 2048 4 120 1025 1 7 3 -1 2 -1 -1 -1
2 10 -1 -1 4 -1 -1 4 120 -1 5 7 3 -1 1 -1 -1 -1
3 20 0 30 8 -1 -1 -1 -1 -1 1 8 4 -1 1 -1 -1 -1
4 30 0 30 -1 -1 -1 -1 -1 -1 1 8 4 -1 1 -1 -1 -1
";

    #[test]
    fn records_become_submissions() {
        let partition = |name: &str| ClusterPartition { name: name.into(), ..ClusterPartition::default() };
        let mut cluster =
            Cluster { partitions: vec![partition("slow"), partition("fast")], ..Cluster::default() };
        let (mut rules, mut assumed) = (RuleCounter::default(), Vec::new());
        let run = logged_jobs(LOG, LogFormat::SWF, &cluster, &mut rules, &mut assumed).unwrap();
        let [one, three] = &run.submissions[..] else { panic!("{run:?}") };
        assert_eq!(
            (one.submit.second(), one.request.tasks, one.request.partitions.join(",")),
            (Time(1_000_000_000), Some(4), "fast".into())
        );
        assert_eq!(
            (one.request.memory, one.request.time_limit),
            (Some(MemoryRequest::PerCpu(2)), Some(TimeLimit::Of(Seconds(120))))
        );
        assert_eq!(
            (three.request.tasks, three.request.partitions.len(), three.runs.as_slice()),
            (Some(8), 0, &[TaskRun::For(Seconds(30))][..])
        );
        assert_eq!((one.user.as_str(), one.request.account.as_deref()), ("user7", Some("group3")));
        assert_eq!((run.outcomes.len(), run.outcomes[0].start), (2, Some(Time(1_000_000_005))));
        let counted: Vec<(usize, usize)> =
            rules.into_rules().iter().map(|one| (one.count, one.line)).collect();
        assert_eq!(counted, [(1, 4), (1, 6)]);
        assert!(assumed.iter().any(|one| one.contains("2 is fast")), "{assumed:?}");
        // With associations their names are used, and shared if there are too few.
        let of = |account: &str, user: Option<&str>| Association {
            account: account.into(),
            user: user.map(str::to_owned),
            ..Association::default()
        };
        cluster.associations =
            Associations(vec![of("root", None), of("a", None), of("a", Some("ann")), of("b", Some("bob"))]);
        let run =
            logged_jobs(LOG, LogFormat::SWF, &cluster, &mut RuleCounter::default(), &mut assumed).unwrap();
        let names: Vec<(&str, Option<&str>)> =
            run.submissions.iter().map(|job| (job.user.as_str(), job.request.account.as_deref())).collect();
        assert_eq!(names, [("ann", Some("a")), ("bob", Some("b"))]);
    }
}
