//! A job, typed by when each fact becomes known: [`Job`] at arrival, [`Truth`] only when it has ended.
//!
//! A [`Job`] has no run time on it. The engine keeps the [`Truth`] to itself and tells predictors through
//! [`Event`]s, so a predictor that peeks at the future does not compile. The simulator and a live cluster
//! emit the same events.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::units::{Procs, Seconds, Time};

/// The number a log gives a job. Need not be unique, dense, or ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u64);

/// A job's place in arrival order (submission time, then place in the log): 0 for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobIndex(pub u32);

impl JobIndex {
    /// As an index into a table with one row per job.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// Declares an identifier that packs "known or not" into four bytes: `Option<UserId>` is as small as `UserId`.
macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The identifier with this number; `None` for the one number that does not fit (`u32::MAX`).
            pub fn new(number: u32) -> Option<Self> {
                number.checked_add(1).and_then(NonZeroU32::new).map(Self)
            }

            /// The number a log uses for it.
            pub fn number(self) -> u32 {
                self.0.get() - 1
            }
        }
    )+};
}

identifiers! {
    /// The user of a job.
    UserId,
    /// The user's group.
    GroupId,
    /// The account or project charged.
    AccountId,
    /// What is run: an executable, a script, or a job name.
    ExecutableId,
    /// The queue or class submitted to.
    QueueId,
    /// The part of the machine.
    PartitionId,
    /// The quality of service asked for.
    QosId,
}

/// One way to run a job: how many processors, and for how long at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Processors held from start to end.
    pub procs: Procs,
    /// The requested time, which most systems enforce; `None` where the log has none.
    pub limit: Option<Seconds>,
}

/// Everything known about a job when it arrives, and nothing else.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Place in arrival order; set by [`crate::workload::Workload::new`].
    pub index: JobIndex,
    /// The log's number.
    pub id: JobId,
    /// When it was submitted (for accounting records: when it became eligible).
    pub submit: Time,
    /// The user.
    pub user: Option<UserId>,
    /// The user's group.
    pub group: Option<GroupId>,
    /// The account charged.
    pub account: Option<AccountId>,
    /// What is run.
    pub executable: Option<ExecutableId>,
    /// The queue.
    pub queue: Option<QueueId>,
    /// The partition.
    pub partition: Option<PartitionId>,
    /// The quality of service.
    pub qos: Option<QosId>,
    /// How it runs; for a moldable job, the shape its user would have picked.
    pub shape: Shape,
    /// Other shapes it could run in; `None` for a rigid job, which costs it no memory.
    pub other_shapes: Option<Box<[Shape]>>,
}

impl Clone for Job {
    fn clone(&self) -> Job {
        Job { other_shapes: self.other_shapes.clone(), ..*self }
    }

    /// Field by field in place, without a copy on the way: the engine does this for every job.
    #[inline]
    fn clone_from(&mut self, source: &Job) {
        let Job { index, id, submit, user, group, account, executable, queue, partition, qos, shape, .. } =
            *source;
        (self.index, self.id, self.submit, self.user, self.group) = (index, id, submit, user, group);
        (self.account, self.executable, self.queue) = (account, executable, queue);
        (self.partition, self.qos, self.shape) = (partition, qos, shape);
        self.other_shapes.clone_from(&source.other_shapes);
    }
}

impl Job {
    /// A rigid job of which only the essentials are known.
    pub fn rigid(id: u64, submit: Time, procs: Procs, limit: Option<Seconds>) -> Job {
        Job {
            index: JobIndex(0),
            id: JobId(id),
            submit,
            user: None,
            group: None,
            account: None,
            executable: None,
            queue: None,
            partition: None,
            qos: None,
            shape: Shape { procs, limit },
            other_shapes: None,
        }
    }

    /// Every shape it can run in, the preferred one first.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        std::iter::once(self.shape).chain(self.other_shapes.iter().flat_map(|more| more.iter().copied()))
    }

    /// The shape at this place among all, the preferred one at 0 and where there is no such place.
    pub fn shape_at(&self, place: u16) -> Shape {
        let other =
            usize::from(place).checked_sub(1).and_then(|place| self.other_shapes.as_ref()?.get(place));
        other.copied().unwrap_or(self.shape)
    }
}

/// How a job came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself, successfully.
    Completed,
    /// By itself, with an error.
    Failed,
    /// By its user or an administrator.
    Cancelled,
    /// By the system, at its limit.
    Killed,
    /// The log does not say.
    #[default]
    Unknown,
}

/// How long a job runs in each of its shapes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Runs {
    /// A rigid job: one run time.
    Rigid(Seconds),
    /// One run time per shape, in the order of [`Job::shapes`].
    Moldable(Box<[Seconds]>),
}

/// What will happen to a job once it starts: the engine's secret until the job ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Its run time unless it is stopped.
    pub runs: Runs,
    /// How it will end unless it is stopped.
    pub ending: Ending,
}

impl Truth {
    /// A rigid job's run time.
    pub fn rigid(run: Seconds) -> Truth {
        Truth { runs: Runs::Rigid(run), ending: Ending::Unknown }
    }

    /// The run time in the preferred shape.
    pub fn run(&self) -> Seconds {
        match &self.runs {
            Runs::Rigid(run) => *run,
            Runs::Moldable(runs) => runs.first().copied().unwrap_or_default(),
        }
    }

    /// The run time in the shape at this place among all; that in the preferred one where there is no such place.
    pub fn run_in(&self, shape: u16) -> Seconds {
        match &self.runs {
            Runs::Moldable(runs) => runs.get(usize::from(shape)).copied().unwrap_or_else(|| self.run()),
            Runs::Rigid(run) => *run,
        }
    }
}

/// What is known of a job once it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// How long it ran.
    pub ran: Seconds,
    /// How it ended.
    pub ending: Ending,
}

/// Something that happened to a job, in the simulator or on a live cluster.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// When.
    pub at: Time,
    /// To which job.
    pub job: &'a Job,
    /// What.
    pub what: What,
}

/// What can happen to a job: the four events of Talby et al. 2005, section 3.1, and its withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// It was submitted.
    Arrived,
    /// It started, in this shape.
    Started(Shape),
    /// It is still running at the moment it was predicted to have ended.
    Overran {
        /// How long it has run so far.
        elapsed: Seconds,
        /// What is predicted of it from now on, unless its predictor says otherwise.
        corrected: Seconds,
    },
    /// It ended.
    Ended(End),
    /// It left the queue without having started.
    Withdrawn,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_stay_small() {
        assert_eq!(size_of::<Option<UserId>>(), 4);
        assert!(
            size_of::<Job>() + size_of::<Truth>() <= 128,
            "{} + {}",
            size_of::<Job>(),
            size_of::<Truth>()
        );
    }

    #[test]
    fn identifiers_keep_zero_and_refuse_only_the_last_number() {
        assert_eq!(UserId::new(0).unwrap().number(), 0);
        assert_eq!(UserId::new(u32::MAX - 1).unwrap().number(), u32::MAX - 1);
        assert_eq!(UserId::new(u32::MAX), None);
    }
}
