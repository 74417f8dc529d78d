//! What would become of submissions.

use std::sync::Arc;

use super::at_once::{SiteRules, run_at_once};
use super::clock::on_clock;
use super::held_parts::HeldParts;
use super::job::{ControlledJob, Interruptions, JobStage, RefusedFor, StartedBy};
use super::state::Controller;
use crate::cluster::{
    Cluster, ClusterAction, ClusterEvent, JobOutcome, NodeChange, NodeNames, NodeState, PartitionIndex,
    QosIndex, RecordedRun,
};
use crate::controller::clock::Phases;
use crate::controller::queue::{ReasonsFound, WaitReason};
use queuecast_core::job_state::JobState;
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::SimError;

/// What became of a job, and what it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedJob {
    /// What became of it.
    pub outcome: JobOutcome,
    /// The place of its submission.
    pub submission: usize,
    /// The index of its QOS; `None` if it has none that is known.
    pub qos: Option<QosIndex>,
    /// How long it waited for what, since it was submitted or requeued last, to its start or to when it left; in the order of [`WaitReason`].
    pub waited: Box<[(WaitReason, Seconds)]>,
    /// What it held of each node from its start to its end; empty if it never started.
    pub parts: HeldParts,
    /// How often it was stopped before its last start.
    pub interruptions: Interruptions,
    /// What it was refused for, if it was.
    pub refused: Option<RefusedFor>,
}

/// What became of every job that was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedRun {
    /// The jobs, array tasks one by one, in the order of submission.
    pub jobs: Vec<SimulatedJob>,
    /// The generic resources of the cluster as limits name them: `gres/gpu`, and `gres/gpu:a100` where types are told apart,
    /// which counts for both.
    pub gres: Vec<String>,
}

/// What would become of every job that was submitted, array tasks one by one, in the order of submission. Times are of the clock
/// of the submissions; what the recording tells of outcomes is not looked at.
pub fn simulate_cluster(cluster: &Cluster, run: &RecordedRun, phases: Phases) -> Vec<JobOutcome> {
    let mut controller = Controller::new(cluster, &run.submissions, phases);
    controller.keeps_barred = is_recorded(run);
    controller.run(&events(cluster, run));
    outcomes(&controller, cluster, run)
}

/// Whether submissions were recorded as they were made, not found in accounting.
fn is_recorded(run: &RecordedRun) -> bool {
    run.clock.scheduler_start.is_some()
}

/// What is recorded, and known outages of nodes, in order. Outages that are over before the first submission, or known on
/// another clock, are left out.
fn events(cluster: &Cluster, run: &RecordedRun) -> Vec<ClusterEvent> {
    let mut events = run.events.clone();
    let first = run.submissions.iter().map(|one| one.submit.second()).min().unwrap_or_default();
    let known = cluster.outages.iter().filter(|one| run.clock.is_unix && one.to > first);
    for outage in known {
        let state = if outage.drained { NodeState::Drained } else { NodeState::Down };
        let mut change = |at: Time, state: NodeState| {
            let action = ClusterAction::Nodes(NodeChange { nodes: vec![outage.node], state });
            events.push(ClusterEvent { at: at.into(), action });
        };
        change(outage.from.max(first), state);
        if outage.to != Time::NEVER {
            change(outage.to, NodeState::Up);
        }
    }
    order::sort_by_key(&mut events, |event| event.at);
    events
}

pub fn outcomes(controller: &Controller<'_>, cluster: &Cluster, run: &RecordedRun) -> Vec<JobOutcome> {
    let names = node_names(cluster);
    let jobs = controller.jobs.all().iter();
    jobs.map(|job| outcome(cluster, run, job, NodeNames::of_cluster(&names, job.last.parts.nodes().clone())))
        .collect()
}

/// The names of all nodes, which outcomes share.
fn node_names(cluster: &Cluster) -> Arc<[String]> {
    cluster.nodes.iter().map(|node| node.name.clone()).collect()
}

/// Simulates a run, and reports the outcomes together with the parts of nodes that jobs held.
pub fn simulate_in_detail(cluster: &Cluster, run: &RecordedRun, phases: Phases) -> SimulatedRun {
    let mut controller = Controller::new(cluster, &run.submissions, phases);
    (controller.keeps_barred, controller.keeps_parts) = (is_recorded(run), true);
    controller.run(&events(cluster, run));
    in_detail(controller, cluster, run)
}

/// Simulates a run by another policy than Slurm's, without its timers and delays. Fails only if the predictor or the policy breaks its
/// contract.
pub fn simulate_by_rules(
    cluster: &Cluster,
    run: &RecordedRun,
    rules: SiteRules<'_>,
) -> Result<SimulatedRun, SimError> {
    let first = run.submissions.iter().map(|one| one.submit).min().unwrap_or_default();
    let phases = Phases::at_once(on_clock(first).second().into());
    let mut controller = Controller::new(cluster, &run.submissions, phases);
    controller.keeps_parts = true;
    let controller = run_at_once(controller, rules, &events(cluster, run))?;
    Ok(in_detail(controller, cluster, run))
}

/// How many jobs are taken out of the controller before the memory that they had there is given back.
const TAKEN_AT_ONCE: usize = 1 << 15;

fn in_detail(controller: Controller<'_>, cluster: &Cluster, run: &RecordedRun) -> SimulatedRun {
    let Controller { jobs, reasons, pool, .. } = controller;
    let gres = pool.layout.gres_names().collect();
    // What never starts is taken to wait until everything else is over.
    let mut left = jobs.into_all();
    let last = |job: &ControlledJob| job.wait.submit.max(job.last.start).max(job.last.end);
    let over = left.iter().map(last).max().unwrap_or(0);
    let names = node_names(cluster);
    let reasons = reasons.by_submission();
    let mut jobs = Vec::with_capacity(left.len());
    // From the last to the first, so that jobs are never there twice.
    while let Some(mut job) = left.pop() {
        let parts = std::mem::take(&mut job.last.parts);
        let nodes = NodeNames::of_cluster(&names, parts.nodes().clone());
        jobs.push(SimulatedJob {
            outcome: outcome(cluster, run, &job, nodes),
            submission: job.submission.0,
            qos: job.holder.qos,
            waited: waited(&job, run, &reasons, over),
            parts,
            interruptions: job.interruptions,
            refused: match job.state {
                JobStage::Refused(why) => Some(why),
                _ => None,
            },
        });
        if left.len().is_multiple_of(TAKEN_AT_ONCE) {
            left.shrink_to_fit();
        }
    }
    jobs.reverse();
    SimulatedRun { jobs, gres }
}

/// Before it could start, a job waits for its begin time, then for what it depends on; afterwards for what the last pass found.
fn waited(
    job: &ControlledJob,
    run: &RecordedRun,
    reasons: &ReasonsFound,
    over: i64,
) -> Box<[(WaitReason, Seconds)]> {
    let left = match job.state {
        _ if job.last.by.is_some() => job.last.start,
        JobStage::Refused(_) | JobStage::ToCome => return Box::default(),
        JobStage::Cancelled => job.last.end.max(job.wait.submit),
        _ => over,
    };
    let eligible = job.wait.eligible.unwrap_or(left).clamp(job.wait.submit, left.max(job.wait.submit));
    let begun = job.terms.begin.clamp(job.wait.submit, eligible);
    let rest = if job.terms.is_held {
        WaitReason::Held
    } else if run.submissions[job.submission.0].request.dependency.is_some() {
        WaitReason::Dependency
    } else {
        WaitReason::BeginTime
    };
    let mut times = vec![(WaitReason::BeginTime, begun - job.wait.submit), (rest, eligible - begun)];
    times.extend(reasons.between(job.submission, eligible, left));
    let mut sums: Vec<(WaitReason, Seconds)> = Vec::new();
    times.sort_unstable();
    for (reason, seconds) in times.into_iter().filter(|(_, seconds)| *seconds > 0) {
        match sums.last_mut() {
            Some((last, sum)) if *last == reason => sum.0 += seconds,
            _ => sums.push((reason, Seconds(seconds))),
        }
    }
    sums.into()
}

fn outcome(cluster: &Cluster, run: &RecordedRun, job: &ControlledJob, nodes: NodeNames) -> JobOutcome {
    let started = job.last.by.is_some();
    let names = |partition: PartitionIndex| cluster[partition].name.clone();
    let partitions: Vec<String> = job.partitions.iter().map(|at| names(at.partition)).collect();
    let state = match job.state {
        JobStage::ToCome | JobStage::Waiting => JobState::Pending,
        JobStage::Running => JobState::Running,
        JobStage::Ended { well: true } => JobState::Completed,
        JobStage::Ended { well: false } if job.last.is_timed_out => JobState::Timeout,
        JobStage::Ended { well: false } if job.last.end >= job.last.limit_end => JobState::Timeout,
        JobStage::Ended { well: false } if job.last.is_preempted => JobState::Preempted,
        JobStage::Ended { well: false } if job.has_failed() => JobState::Failed,
        JobStage::Ended { well: false } | JobStage::Cancelled => JobState::Cancelled,
        JobStage::Refused(_) => JobState::Refused,
    };
    JobOutcome {
        key: run.submissions[job.submission.0].key.clone(),
        task: job.task,
        state,
        // Of a job that was requeued its first submission, as accounting has it.
        submit: match job.interruptions.requeued {
            0 => Time(job.wait.submit),
            _ => run.submissions[job.submission.0].submit.second(),
        },
        eligible: job.wait.eligible.map(Time),
        start: started.then_some(Time(job.last.start)),
        end: matches!(job.state, JobStage::Ended { .. }).then_some(Time(job.last.end)),
        partition: if started { names(job.last.ran_in) } else { partitions.join(",") },
        cpus: job.last.cpus,
        billed: None,
        nodes,
        backfilled: job.last.by.map(|by| by == StartedBy::Backfill),
        priority: job.partitions.iter().map(|at| at.priority).max(),
    }
}
