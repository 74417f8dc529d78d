//! What became of the jobs of a cluster: waits by group, what was waited for, what was in use.

use queuecast_core::order;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::cluster_use::{CpuIdleness, ResourceUse, cluster_use};
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_eval::{Outcome, Spread, size_class};
use queuecast_slurm_sim::cluster::{Cluster, JobOutcome, RecordedRun, submit_refusal};
use queuecast_slurm_sim::controller::{Interruptions, RefusedFor, SimulatedJob, SimulatedRun, WaitReason};

/// What became of the jobs of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterReport {
    /// Submissions, an array as one.
    pub submissions: usize,
    /// Jobs, array tasks one by one.
    pub jobs: usize,
    /// Jobs by their final state. `REFUSED`: no partition takes or can ever run them, or a limit of submissions is reached; `PENDING`: never
    /// started.
    pub states: BTreeMap<String, usize>,
    /// Why jobs were refused, the most frequent reason first.
    pub refused: Vec<RefusedJobs>,
    /// Jobs that were stopped before their end so that others could start, or because nodes failed.
    pub interruptions: InterruptedJobs,
    /// Waits: of all jobs, by partition, QOS, account, user and size class.
    pub waits: Vec<WaitMeasures>,
    /// What a recording tells of the waits of the same jobs, if it does.
    pub recorded: Option<WaitMeasures>,
    /// What was waited for, the longest first.
    pub reasons: Vec<ReasonShare>,
    /// What was in use from the first submission to the last end.
    pub resources: Vec<ResourceUse>,
    /// Processors that were not in use.
    pub idle: CpuIdleness,
    /// From the first submission to the last end.
    pub makespan: Seconds,
}

/// The waits of some jobs, by the catalogue of metrics, over the jobs that started. Waits are from submission to start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitMeasures {
    /// What the jobs are told apart by: `all`, `partition`, `qos`, `account`, `user` or `size_class`.
    pub by: &'static str,
    /// The group.
    pub group: String,
    /// Jobs that started.
    pub started: usize,
    /// Jobs that did not.
    pub not_started: usize,
    /// Mean wait in seconds; `None` if no job started, as below.
    pub mean_wait: Option<f64>,
    /// The wait that half of the jobs do not exceed.
    pub p50_wait: Option<Seconds>,
    /// The wait that nine of ten do not exceed.
    pub p90_wait: Option<Seconds>,
    /// The longest.
    pub max_wait: Option<Seconds>,
    /// Mean bounded slowdown, over the jobs that ended.
    pub mean_bounded_slowdown: Option<f64>,
    /// The share that backfilling started, of those of which it is told.
    pub backfilled: Option<f64>,
}

/// Jobs that were refused for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedJobs {
    /// In the words of sbatch, with the limit.
    pub why: String,
    /// How many jobs.
    pub jobs: usize,
}

/// Jobs that were stopped before their end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct InterruptedJobs {
    /// Jobs that were preempted or requeued.
    pub jobs: usize,
    /// How often a job was preempted.
    pub preempted: u64,
    /// How often a job went back to the queue.
    pub requeued: u64,
    /// CPU-seconds of the runs that were stopped, which are lost.
    pub lost_cpu_seconds: i64,
}

/// The time that jobs waited for one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReasonShare {
    /// What for.
    pub reason: WaitReason,
    /// Of all jobs together.
    pub time: Seconds,
    /// Of the time that jobs waited for anything.
    pub share: f64,
    /// Jobs that waited for it.
    pub jobs: usize,
}

/// What is collected of a group.
#[derive(Debug, Default)]
struct GroupSums {
    waits: Vec<Seconds>,
    slowdowns: Vec<f64>,
    not_started: usize,
    told: usize,
    backfilled: usize,
}

impl GroupSums {
    fn add(&mut self, outcome: &JobOutcome) {
        let Some(job) = started(outcome) else {
            self.not_started += 1;
            return;
        };
        self.waits.push(job.wait());
        self.slowdowns.extend(outcome.end.map(|_| job.bounded_slowdown()));
        self.told += usize::from(outcome.backfilled.is_some());
        self.backfilled += usize::from(outcome.backfilled == Some(true));
    }

    fn measures(self, by: &'static str, group: String) -> WaitMeasures {
        let (started, waits) = (self.waits.len(), Spread::of(self.waits));
        WaitMeasures {
            by,
            group,
            started,
            not_started: self.not_started,
            mean_wait: waits.mean,
            p50_wait: waits.p50,
            p90_wait: waits.p90,
            max_wait: waits.max,
            mean_bounded_slowdown: Spread::of(self.slowdowns).mean,
            backfilled: (self.told > 0).then(|| self.backfilled as f64 / self.told as f64),
        }
    }
}

/// A job that started; one that did not end has run for no time. Clocks of a recording may show a start before the submission: no wait.
pub(crate) fn started(outcome: &JobOutcome) -> Option<Outcome> {
    let start = outcome.start?;
    let ran = outcome.end.map_or(Seconds::ZERO, |end| (end - start).max(Seconds::ZERO));
    let (submit, procs) = (outcome.submit, Procs(outcome.cpus));
    Some(Outcome { submit, start: start.max(submit), ran, procs })
}

/// The waits of all of some jobs.
pub(crate) fn measures_of<'a>(group: &str, outcomes: impl Iterator<Item = &'a JobOutcome>) -> WaitMeasures {
    let mut sums = GroupSums::default();
    outcomes.for_each(|outcome| sums.add(outcome));
    sums.measures("all", group.to_owned())
}

/// Says what became of the jobs of a run that was simulated on a cluster.
pub fn cluster_report(cluster: &Cluster, run: &RecordedRun, simulated: &SimulatedRun) -> ClusterReport {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for job in &simulated.jobs {
        *states.entry(job.outcome.state.to_string()).or_default() += 1;
    }
    let submits = simulated.jobs.iter().map(|job| job.outcome.submit);
    let begin = submits.min().unwrap_or(Time(0));
    let ends = simulated.jobs.iter().filter_map(|job| job.outcome.end.or(job.outcome.start));
    let end = ends.max().unwrap_or(begin).max(begin);
    let mut waits = vec![measures_of("all", simulated.jobs.iter().map(|job| &job.outcome))];
    waits.extend(groups(cluster, run, simulated));
    let mut interruptions = InterruptedJobs::default();
    for one in simulated.jobs.iter().map(|job| job.interruptions) {
        interruptions.jobs += usize::from(one != Interruptions::default());
        interruptions.preempted += u64::from(one.preempted);
        interruptions.requeued += u64::from(one.requeued);
        interruptions.lost_cpu_seconds += one.lost;
    }
    let (resources, idle) = cluster_use(cluster, run, simulated, (begin, end));
    ClusterReport {
        submissions: run.submissions.len(),
        jobs: simulated.jobs.len(),
        states,
        refused: refused(cluster, run, simulated),
        interruptions,
        waits,
        recorded: (!run.outcomes.is_empty()).then(|| measures_of("recorded", run.outcomes.iter())),
        reasons: reasons(&simulated.jobs),
        resources,
        idle,
        makespan: end - begin,
    }
}

fn refused(cluster: &Cluster, run: &RecordedRun, simulated: &SimulatedRun) -> Vec<RefusedJobs> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for job in simulated.jobs.iter().filter(|job| job.outcome.state == JobState::Refused) {
        let submitted = &run.submissions[job.submission];
        let why = match job.refused {
            Some(RefusedFor::SubmittedJobs) => {
                "a limit of submitted jobs is reached (MaxSubmitJobs, GrpSubmitJobs)".to_owned()
            }
            why => submit_refusal(cluster, submitted).map_or_else(
                || match why {
                    Some(RefusedFor::Licenses) => "the site has not as many licenses".to_owned(),
                    Some(RefusedFor::Partition) => "no partition takes such jobs".to_owned(),
                    _ => {
                        let asked = submitted.request.partitions.join(",");
                        let of = if asked.is_empty() { "the default partition".to_owned() } else { asked };
                        format!("no nodes of {of} could ever run it, if they were idle")
                    }
                },
                |why| why.to_string(),
            ),
        };
        *counts.entry(why).or_default() += 1;
    }
    let mut all: Vec<RefusedJobs> = counts.into_iter().map(|(why, jobs)| RefusedJobs { why, jobs }).collect();
    order::sort_by_key(&mut all, |one| std::cmp::Reverse(one.jobs));
    all
}

/// What jobs are grouped by, in the order of [`group_keys`].
pub(crate) const GROUPED_BY: [&str; 5] = ["partition", "qos", "account", "user", "size_class"];

/// The groups of a job: the order of a size class, and the name.
pub(crate) fn group_keys<'a>(
    cluster: &'a Cluster,
    run: &'a RecordedRun,
    job: &'a SimulatedJob,
) -> [(u32, &'a str); 5] {
    let submission = &run.submissions[job.submission];
    let size = job.outcome.cpus.checked_ilog2();
    [
        (0, named(job.outcome.partition.as_str())),
        (0, job.qos.map_or(UNKNOWN, |qos| cluster[qos].name.as_str())),
        (0, named(submission.request.account.as_deref().unwrap_or_default())),
        (0, named(submission.user.as_str())),
        // The size of a job that never started is not known.
        (size.unwrap_or(u32::MAX), UNKNOWN),
    ]
}

/// What a group is called.
pub(crate) fn group_name(by: usize, (order, name): (u32, &str)) -> String {
    if by == 4 && order < u32::MAX { size_class(order) } else { name.to_owned() }
}

/// The group of jobs of which it is not known.
const UNKNOWN: &str = "(none)";

fn named(name: &str) -> &str {
    if name.is_empty() { UNKNOWN } else { name }
}

fn groups(cluster: &Cluster, run: &RecordedRun, simulated: &SimulatedRun) -> Vec<WaitMeasures> {
    let mut all: BTreeMap<(usize, u32, &str), GroupSums> = BTreeMap::new();
    for job in &simulated.jobs {
        for (by, (order, name)) in group_keys(cluster, run, job).into_iter().enumerate() {
            all.entry((by, order, name)).or_default().add(&job.outcome);
        }
    }
    let groups = all.into_iter();
    groups
        .map(|((by, order, name), sums)| sums.measures(GROUPED_BY[by], group_name(by, (order, name))))
        .collect()
}

fn reasons(jobs: &[SimulatedJob]) -> Vec<ReasonShare> {
    let mut sums: BTreeMap<WaitReason, (i64, usize)> = BTreeMap::new();
    for &(reason, time) in jobs.iter().flat_map(|job| &job.waited) {
        let sum = sums.entry(reason).or_default();
        *sum = (sum.0.saturating_add(time.0), sum.1 + 1);
    }
    let all: i64 = sums.values().map(|sum| sum.0).sum();
    let share = |time: i64| if all > 0 { time as f64 / all as f64 } else { 0.0 };
    let mut shares: Vec<ReasonShare> = sums
        .into_iter()
        .map(|(reason, (time, jobs))| ReasonShare { reason, time: Seconds(time), share: share(time), jobs })
        .collect();
    order::sort_by_key(&mut shares, |one| (std::cmp::Reverse(one.time), one.reason));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Micros;
    use queuecast_slurm_sim::cluster::{
        ClusterNode, ClusterPartition, GenericResource, JobRequest, NodeNames, SubmittedJob, TaskRun,
    };
    use queuecast_slurm_sim::controller::{GresIndex, HeldParts};

    fn job(place: usize, submit: i64, start: Option<i64>, end: i64, cpus: u32, node: u32) -> SimulatedJob {
        let parts = start.map(|_| HeldParts::alike(std::iter::once(node), (cpus, 100, &[(GresIndex(0), 1)])));
        SimulatedJob {
            outcome: JobOutcome {
                key: place.to_string(),
                task: None,
                state: if start.is_some() { JobState::Completed } else { JobState::Pending },
                submit: Time(submit),
                eligible: Some(Time(submit)),
                start: start.map(Time),
                end: start.map(|_| Time(end)),
                partition: "p".into(),
                cpus: if start.is_some() { cpus } else { 0 },
                billed: None,
                nodes: NodeNames::default(),
                backfilled: start.map(|_| place == 0),
                priority: None,
            },
            submission: place,
            qos: None,
            waited: start.map(|start| (WaitReason::Resources, Seconds(start - submit))).into_iter().collect(),
            parts: parts.unwrap_or_default(),
            interruptions: Interruptions::default(),
            refused: None,
        }
    }

    #[test]
    fn numbers_are_worked_by_hand() {
        let gres = vec![GenericResource { name: "gpu".into(), kind: None, count: 2 }];
        let node = |name: &str| ClusterNode {
            name: name.into(),
            cpus: 4,
            memory_mb: 1000,
            gres: gres.clone(),
            ..ClusterNode::default()
        };
        let cluster = Cluster {
            nodes: vec![node("a"), node("b"), node("unused")],
            partitions: vec![ClusterPartition { nodes: vec![0, 1], ..ClusterPartition::default() }],
            ..Cluster::default()
        };
        let submitted = |place: usize| SubmittedJob {
            key: place.to_string(),
            id: None,
            submit: Micros::ZERO,
            user: if place == 0 { "ann".into() } else { "bob".into() },
            request: JobRequest { account: Some("x".into()), ..JobRequest::default() }.into(),
            runs: vec![TaskRun::Unknown],
            not_modelled: Vec::new(),
        };
        let run = RecordedRun { submissions: (0..3).map(submitted).collect(), ..RecordedRun::default() };
        // 2 of 8 processors for 100 s, then 4 for 100 s; one job waits all the time.
        let jobs =
            vec![job(0, 0, Some(0), 100, 2, 0), job(1, 0, Some(100), 200, 4, 1), job(2, 0, None, 0, 1, 0)];
        let report = cluster_report(&cluster, &run, &SimulatedRun { jobs, gres: vec!["gres/gpu".into()] });
        assert_eq!((report.jobs, report.states["COMPLETED"], report.makespan), (3, 2, Seconds(200)));
        let all = &report.waits[0];
        assert_eq!((all.started, all.not_started, all.mean_wait), (2, 1, Some(50.0)));
        assert_eq!(
            (all.p50_wait, all.p90_wait, all.backfilled),
            (Some(Seconds(0)), Some(Seconds(100)), Some(0.5))
        );
        assert_eq!(all.mean_bounded_slowdown, Some(1.5));
        let group = |by: &str| -> Vec<(String, usize)> {
            report
                .waits
                .iter()
                .filter(|one| one.by == by)
                .map(|one| (one.group.clone(), one.started + one.not_started))
                .collect()
        };
        assert_eq!(group("user"), [("ann".to_owned(), 1), ("bob".to_owned(), 2)]);
        assert_eq!(
            group("size_class").iter().map(|one| one.0.as_str()).collect::<Vec<_>>(),
            ["2-3", "4-7", "(none)"]
        );
        // Every job is once in each grouping.
        for by in ["partition", "qos", "account", "user", "size_class"] {
            assert_eq!(group(by).iter().map(|one| one.1).sum::<usize>(), 3, "{by}");
        }
        let used: Vec<(&str, f64, f64)> = report
            .resources
            .iter()
            .map(|one| (one.name.as_str(), one.available, one.utilization.unwrap()))
            .collect();
        assert_eq!(used, [("cpu", 8.0, 0.375), ("mem", 2000.0, 0.05), ("gres/gpu", 4.0, 0.25)]);
        // 6 of 8, then 4 of 8 are idle while a job waits; 2 of 8 for half of the time on a node that is partly used.
        assert_eq!((report.idle.while_waiting, report.idle.on_partly_used_nodes), (Some(0.625), Some(0.125)));
        assert_eq!(
            (report.reasons[0].reason, report.reasons[0].time, report.reasons[0].jobs),
            (WaitReason::Resources, Seconds(100), 2)
        );
        let empty = cluster_report(
            &cluster,
            &RecordedRun::default(),
            &SimulatedRun { jobs: Vec::new(), gres: Vec::new() },
        );
        assert_eq!(
            (empty.waits[0].mean_wait, empty.idle.while_waiting, empty.resources[0].utilization),
            (None, None, None)
        );
    }
}
