//! A job as the controller knows it.

use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::sync::Arc;

use super::handles::{PartitionChoice, SubmissionHandle};
use crate::cluster::{
    AssociationIndex, Begin, Cluster, JobSettings, PartitionIndex, QosIndex, SubmittedJob, TaskRun,
};
use crate::controller::held_parts::HeldParts;
use crate::controller::limits::{Amounts, LimitSet};
use crate::controller::placement::{CachedNeed, NodeShare};
use queuecast_core::units::Micros;

/// Where a job stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JobStage {
    /// Submitted later.
    #[default]
    ToCome,
    Waiting,
    Running,
    /// It ended well, or not.
    Ended {
        well: bool,
    },
    /// It was never started.
    Cancelled,
    /// Its submission was refused.
    Refused(RefusedFor),
}

/// What a submission is refused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusedFor {
    /// None of its partitions takes such jobs.
    Partition,
    /// A limit of submitted jobs is reached.
    SubmittedJobs,
    /// There are not as many licenses.
    Licenses,
    /// No nodes of its partitions could ever run it.
    Nodes,
}

/// Which scheduler started a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartedBy {
    Main,
    Backfill,
}

/// One partition of a job.
#[derive(Debug, Clone)]
pub struct RequestedPartition {
    pub partition: PartitionIndex,
    pub kept: Arc<CachedNeed>,
    /// What it needs once it was tried in another of its partitions that is `OverSubscribe=EXCLUSIVE`; `None`: that makes no difference.
    pub whole: Option<Arc<CachedNeed>>,
    /// The limits that hold for it there.
    pub limits: Arc<LimitSet>,
    /// Whether the partition does not admit its account or QOS, and this is checked only when it is to start.
    pub is_barred: bool,
    /// Seconds.
    pub limit: i64,
    pub priority: u64,
}

impl RequestedPartition {
    /// From now on its nodes are given whole.
    pub fn has_whole_nodes(&mut self) {
        if let Some(whole) = self.whole.take() {
            self.kept = whole;
        }
    }
}

/// The partitions that a job asks for, in the order in which it names them.
#[derive(Debug, Clone, Default)]
pub struct RequestedPartitions(pub Vec<RequestedPartition>);

impl RequestedPartitions {
    /// What each of them is named by.
    pub fn choices(&self) -> impl Iterator<Item = PartitionChoice> + use<> {
        (0..self.0.len()).map(PartitionChoice)
    }

    /// Each, and what it is named by.
    pub fn by_choice(&self) -> impl Iterator<Item = (PartitionChoice, &RequestedPartition)> {
        self.choices().zip(&self.0)
    }

    /// The one that is this partition of the cluster.
    pub fn find(&self, partition: PartitionIndex) -> Option<PartitionChoice> {
        self.0.iter().position(|at| at.partition == partition).map(PartitionChoice)
    }
}

impl Deref for RequestedPartitions {
    type Target = [RequestedPartition];

    fn deref(&self) -> &[RequestedPartition] {
        &self.0
    }
}

impl DerefMut for RequestedPartitions {
    fn deref_mut(&mut self) -> &mut [RequestedPartition] {
        &mut self.0
    }
}

impl Index<PartitionChoice> for RequestedPartitions {
    type Output = RequestedPartition;

    fn index(&self, choice: PartitionChoice) -> &RequestedPartition {
        &self.0[choice.0]
    }
}

impl IndexMut<PartitionChoice> for RequestedPartitions {
    fn index_mut(&mut self, choice: PartitionChoice) -> &mut RequestedPartition {
        &mut self.0[choice.0]
    }
}

/// What a job's submission says about when it starts and how long it runs.
#[derive(Debug, Clone, Default)]
pub struct JobTerms {
    pub nice: i64,
    pub fixed_priority: Option<u32>,
    /// The reservation it names.
    pub reservation: Option<String>,
    /// Run time; `None`: it runs past its time limit.
    pub run: Option<Micros>,
    /// Whether it fails if it is let run.
    pub fails: bool,
    /// Begin time, in seconds: it cannot start earlier.
    pub begin: i64,
    pub is_held: bool,
    /// Whether what its submission depends on does not hold it back any more: it is a task of an array, and could start already.
    pub is_free: bool,
}

/// Who a job counts for.
#[derive(Debug, Clone, Default)]
pub struct JobHolder {
    /// The number of its user.
    pub user: u32,
    pub qos: Option<QosIndex>,
    pub association: Option<AssociationIndex>,
    /// The limits that hold for its submission: those of its first partition.
    pub limits: Arc<LimitSet>,
}

/// What is known of a job while it waits. Times are in seconds.
#[derive(Debug, Clone, Default)]
pub struct JobWait {
    /// When it was submitted, or requeued.
    pub submit: i64,
    /// Since when it is eligible; `None` while it is not.
    pub eligible: Option<i64>,
    /// Since when it accrues age, where the number of such jobs is limited (`MaxJobsAccrue`).
    pub accrues_since: Option<i64>,
    /// Whether a pass or cycle has looked at it while it was eligible.
    pub was_seen: bool,
    /// Processors that the job-size factor counts; those of an exclusive job grow once nodes are planned for it.
    pub size_cpus: u32,
    /// Whether that is known.
    pub is_sized: bool,
    /// When other jobs were last preempted for it.
    pub preempted_at: Option<i64>,
}

/// The last start of a job, and what it has since. Times are in seconds.
#[derive(Debug, Clone, Default)]
pub struct JobStart {
    pub start: i64,
    pub end: i64,
    pub by: Option<StartedBy>,
    /// The partition it runs in.
    pub ran_in: PartitionIndex,
    pub limit_end: i64,
    /// Whether it was stopped at its limit, or at the end of its reservation.
    pub is_timed_out: bool,
    /// Whether it was preempted and does not run again.
    pub is_preempted: bool,
    /// What it has of its nodes; nothing before it starts and after it has ended.
    pub shares: Arc<[NodeShare]>,
    /// The nodes it was started on; none after it has ended.
    pub nodes: Box<[u32]>,
    /// What it was given of them; where that is not kept the nodes alone.
    pub parts: HeldParts,
    /// Processors it was given.
    pub cpus: u32,
    pub amounts: Amounts,
    /// What it is billed for each second: found at its first start, and kept when it is requeued, wherever it runs then.
    pub billing: Option<f64>,
    /// How often it was started; tells a due end of this start from one of an earlier start.
    pub incarnation: u32,
    /// Of a job that has started, where its record stands among those of all jobs: records are in the order in which they were made.
    pub record: u64,
}

/// How often a job was stopped before its end so that others could start, or because its nodes failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interruptions {
    /// How often it was preempted.
    pub preempted: u32,
    /// How often it went back to the queue.
    pub requeued: u32,
    /// CPU-seconds of the runs that were stopped, which are lost.
    pub lost: i64,
}

/// A job, or one task of an array.
#[derive(Debug, Clone, Default)]
pub struct ControlledJob {
    /// Its submission, and which of its tasks it is.
    pub submission: SubmissionHandle,
    pub task: Option<u32>,
    /// The partitions it may run in, in the order in which it names them.
    pub partitions: RequestedPartitions,
    pub state: JobStage,
    pub terms: JobTerms,
    pub holder: JobHolder,
    pub wait: JobWait,
    pub last: JobStart,
    pub interruptions: Interruptions,
}

/// No job runs longer, in seconds.
const LONGEST_RUN: i64 = 100 * 365 * 86_400;

impl JobTerms {
    /// Of a submission, for a task that runs like this.
    fn of(submission: &SubmittedJob, run: Option<TaskRun>) -> JobTerms {
        let request = &submission.request;
        JobTerms {
            nice: request.terms.nice.unwrap_or(0),
            fixed_priority: request.terms.priority,
            reservation: request.terms.reservations.first().cloned(),
            run: match run {
                Some(TaskRun::For(run) | TaskRun::FailsAfter(run)) => {
                    Some(Micros::of_seconds(run.0.clamp(0, LONGEST_RUN)))
                }
                _ => None,
            },
            fails: matches!(run, Some(TaskRun::FailsAfter(_))),
            begin: match request.terms.begin {
                Some(Begin::After(by)) => submission.submit.second().0 + by.0,
                Some(Begin::At(at) | Begin::Eligible(at)) => at.0,
                _ => i64::MIN,
            },
            is_held: request.terms.hold,
            is_free: false,
        }
    }
}

impl ControlledJob {
    /// Whether it is stopped at all if it runs past its limit.
    pub fn is_stopped_ever(&self, settings: &JobSettings) -> bool {
        self.terms.run.is_some()
            || settings.over_time_limit.is_some()
            || self.terms.reservation.is_some() && settings.resv_over_run.is_some()
    }

    /// Whether a cycle keeps no nodes for plans of it, since its QOS says so (`NoReserve`).
    pub fn is_unreserved(&self, cluster: &Cluster) -> bool {
        self.holder.qos.is_some_and(|qos| cluster[qos].flags.no_reserve)
    }

    /// What it has computed since its last start is lost.
    pub fn lose_run(&mut self) {
        self.interruptions.lost += (self.last.end - self.last.start).max(0) * i64::from(self.last.cpus);
    }

    /// The jobs of a submission, which come later. Their limits are found when they come.
    pub fn all_of(
        id: SubmissionHandle,
        submission: &SubmittedJob,
        no_limits: &Arc<LimitSet>,
    ) -> Vec<ControlledJob> {
        let tasks: Vec<Option<u32>> = match &submission.request.array {
            Some(array) => array.indices.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        let job = |(index, task): (usize, Option<u32>)| {
            let run = submission.runs.get(index).or(submission.runs.first()).copied();
            ControlledJob {
                submission: id,
                task,
                partitions: RequestedPartitions::default(),
                state: JobStage::ToCome,
                terms: JobTerms::of(submission, run),
                holder: JobHolder { user: 0, qos: None, association: None, limits: no_limits.clone() },
                wait: JobWait { submit: submission.submit.second().0, ..JobWait::default() },
                last: JobStart::default(),
                interruptions: Interruptions::default(),
            }
        };
        tasks.into_iter().enumerate().map(job).collect()
    }

    /// The limits that it counts for while it runs.
    pub fn running_limits(&self) -> Arc<LimitSet> {
        let own = self.partitions.iter().find(|at| at.partition == self.last.ran_in);
        own.map_or(&self.holder.limits, |at| &at.limits).clone()
    }

    /// Whether it is a failing job that ran for its whole run time, that is, was not stopped before.
    pub fn has_failed(&self) -> bool {
        let ran = self.last.end - self.last.start;
        self.terms.fails && self.terms.run.is_some_and(|run| ran >= run / Micros::SECOND)
    }
}
