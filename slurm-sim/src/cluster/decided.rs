//! What a controller decided in a recorded run, decision by decision.

use serde::Serialize;

use queuecast_core::units::{Micros, Time};

/// What a controller decided in a recorded run, as its logs and snapshots tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecordedDecisions {
    /// What it logged, in its order.
    pub steps: Vec<LoggedStep>,
    /// Priorities of waiting jobs as they were shown, in the order of time.
    pub priorities: Vec<ShownPriority>,
    /// What jobs were given of their nodes, where that was recorded.
    pub given: Vec<GivenPart>,
    /// When jobs ended, by accounting; of a job that ran several times, each end.
    pub ends: Vec<RecordedEnd>,
}

/// The end of a run of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecordedEnd {
    /// The job.
    pub job: JobNumber,
    /// The second, as the controller counted it.
    pub end: Time,
}

/// What a job was given of one of its nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenPart {
    /// The job.
    pub job: JobNumber,
    /// When it started.
    pub start: Time,
    /// The index of the node.
    pub node: usize,
    /// Processors: those of all cores that it has.
    pub cpus: u32,
    /// MB.
    pub memory: u64,
}

impl RecordedDecisions {
    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.priorities.is_empty()
    }
}

/// A job by its number at the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct JobNumber {
    /// The number of its submission.
    pub id: u64,
    /// Its task; `None`: it is no array, or all tasks of one that wait together.
    pub task: Option<u32>,
}

/// Something that a controller logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedStep {
    /// When, on the recording's clock.
    pub at: Micros,
    /// What.
    pub what: LoggedAction,
}

/// What a controller did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoggedAction {
    /// A job was submitted.
    Submitted(JobNumber),
    /// A pass of the main scheduler began.
    Pass {
        /// Whether over the whole queue, as the background thread's own timer asks for it.
        full: bool,
    },
    /// The pass found too few nodes for a job; these are the partitions it waits in.
    Blocked {
        /// The job.
        job: JobNumber,
        /// Names of partitions.
        partitions: Vec<String>,
    },
    /// A limit kept the pass from starting a job.
    Delayed(JobNumber),
    /// A backfill cycle began.
    Cycle,
    /// A job was started.
    Started {
        /// The job.
        job: JobNumber,
        /// Where.
        on: LoggedPlace,
        /// Whether by backfilling.
        backfilled: bool,
    },
    /// A backfill cycle planned a job for later.
    Planned {
        /// The job.
        job: JobNumber,
        /// Where.
        on: LoggedPlace,
        /// From when.
        start: Time,
        /// Until when its nodes are kept for it.
        end: Time,
    },
    /// A job ended by itself.
    Ended(JobNumber),
    /// A job was stopped at its time limit.
    Stopped(JobNumber),
    /// A job was cancelled, waiting or running.
    Cancelled(JobNumber),
    /// A running job made way for another one.
    Preempted {
        /// The job.
        job: JobNumber,
        /// The other one, where it is told.
        by: Option<JobNumber>,
        /// Whether it went back to the queue.
        requeued: bool,
    },
}

/// Where a job was started or is planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedPlace {
    /// The partition.
    pub partition: String,
    /// Indices of the nodes, ascending.
    pub nodes: Vec<usize>,
}

/// The priority of a waiting job as it was shown, in whole numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownPriority {
    /// When, on the recording's clock.
    pub at: Micros,
    /// The job.
    pub job: JobNumber,
    /// The partition.
    pub partition: String,
    /// The whole priority.
    pub priority: u64,
    /// What is added up to it.
    pub parts: PriorityPartsShown,
}

/// What a priority consists of, each part rounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PriorityPartsShown {
    /// For its age.
    pub age: i64,
    /// For its user's fair share.
    pub fair_share: i64,
    /// For its size.
    pub size: i64,
    /// For its partition.
    pub partition: i64,
    /// For its QOS.
    pub qos: i64,
    /// What its user gave up.
    pub nice: i64,
}
