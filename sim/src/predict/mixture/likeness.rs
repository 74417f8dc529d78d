//! When two jobs are alike.

use serde::{Deserialize, Serialize};

use queuecast_core::job::Job;
use queuecast_core::units::Time;

/// What experts know of a job. Each fact is a number from 1 on, or 0 where it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JobFacts {
    pub user: u64,
    pub executable: u64,
    pub queue: u64,
    pub procs: u64,
    pub request: u64,
    /// How long ago the user's job before this one was submitted, in powers of four seconds.
    pub gap: u64,
}

impl JobFacts {
    /// Those of a job whose user submitted the one before it at this time.
    pub fn of(job: &Job, before: Option<Time>) -> JobFacts {
        let code = |number: Option<u32>| number.map_or(0, |number| u64::from(number) + 1);
        let gap = before.map(|before| (job.submit - before).0.max(1).unsigned_abs());
        JobFacts {
            user: code(job.user.map(|user| user.number())),
            executable: code(job.executable.map(|executable| executable.number())),
            queue: code(job.queue.map(|queue| queue.number())),
            procs: code(Some(job.shape.procs.0)),
            request: job.shape.limit.map_or(0, |limit| limit.0.max(0).unsigned_abs() + 1),
            gap: gap.map_or(0, |gap| 1 + u64::from(gap.ilog2() / 2)),
        }
    }

    /// The requested time in seconds, at least one.
    pub fn requested(&self) -> Option<f64> {
        self.request.checked_sub(1).map(|seconds| seconds.max(1) as f64)
    }

    /// The jobs like this one, in this sense.
    pub fn alike(&self, likeness: Likeness) -> Alike {
        let JobFacts { user, executable, queue, procs, request, gap } = *self;
        let none = Alike { sense: likeness as u64, who: 0, what: 0, how: 0, request: 0 };
        let own = Alike { who: user, ..none };
        match likeness {
            Likeness::UserExecutableProcsRequest => Alike { what: executable, how: procs, request, ..own },
            Likeness::UserProcsRequest => Alike { how: procs, request, ..own },
            Likeness::UserRequest => Alike { request, ..own },
            Likeness::User => own,
            Likeness::UserExecutable => Alike { what: executable, ..own },
            Likeness::UserProcs => Alike { how: procs, ..own },
            Likeness::UserQueue => Alike { what: queue, ..own },
            Likeness::Request => Alike { request, ..none },
            Likeness::UserRequestGap => Alike { how: gap, request, ..own },
            Likeness::ProcsRequestQueue => Alike { what: queue, how: procs, request, ..none },
            Likeness::Queue => Alike { what: queue, ..none },
            Likeness::Any => none,
        }
    }
}

/// A sense in which two jobs are alike: they are equal in the facts it is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    UserExecutableProcsRequest,
    UserProcsRequest,
    UserRequest,
    User,
    UserExecutable,
    UserProcs,
    UserQueue,
    Request,
    UserRequestGap,
    ProcsRequestQueue,
    Queue,
    Any,
}

impl Likeness {
    /// All of them.
    pub const ALL: [Likeness; 12] = [
        Likeness::UserExecutableProcsRequest,
        Likeness::UserProcsRequest,
        Likeness::UserRequest,
        Likeness::User,
        Likeness::UserExecutable,
        Likeness::UserProcs,
        Likeness::UserQueue,
        Likeness::Request,
        Likeness::UserRequestGap,
        Likeness::ProcsRequestQueue,
        Likeness::Queue,
        Likeness::Any,
    ];

    /// The number of kinds, the first of the list, that have experts of their own; experts fall back on the last two.
    pub const WITH_EXPERTS: usize = 10;

    /// What is asked where no job is alike in this sense.
    pub fn coarser(self) -> Option<Likeness> {
        match self {
            Likeness::UserExecutableProcsRequest => Some(Likeness::UserProcsRequest),
            Likeness::UserProcsRequest | Likeness::UserRequestGap => Some(Likeness::UserRequest),
            Likeness::UserRequest | Likeness::UserExecutable | Likeness::UserProcs | Likeness::UserQueue => {
                Some(Likeness::User)
            }
            Likeness::ProcsRequestQueue => Some(Likeness::Request),
            Likeness::User | Likeness::Request | Likeness::Queue | Likeness::Any => None,
        }
    }
}

/// Jobs that are alike in one sense, as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Alike {
    sense: u64,
    who: u64,
    what: u64,
    how: u64,
    request: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{QueueId, UserId};
    use queuecast_core::units::{Procs, Seconds};

    fn job(user: Option<u32>, limit: Option<i64>) -> Job {
        let user = user.and_then(UserId::new);
        Job { user, ..Job::rigid(1, Time(1000), Procs(4), limit.map(Seconds)) }
    }

    #[test]
    fn facts_tell_unknown_from_zero() {
        let known = JobFacts::of(&job(Some(0), Some(0)), Some(Time(984)));
        assert_eq!((known.user, known.request, known.procs, known.queue), (1, 1, 5, 0));
        assert_eq!((known.requested(), known.gap), (Some(1.0), 3), "16 s are four to the second power");
        let unknown = JobFacts::of(&job(None, None), None);
        assert_eq!((unknown.user, unknown.request, unknown.requested(), unknown.gap), (0, 0, None, 0));
        let earlier = JobFacts::of(&job(None, Some(-5)), Some(Time(2000)));
        assert_eq!((earlier.request, earlier.gap), (1, 1));
    }

    #[test]
    fn alike_are_those_equal_in_what_is_named() {
        let one = JobFacts::of(&job(Some(1), Some(60)), None);
        let mut other = job(Some(1), Some(60));
        other.queue = QueueId::new(3);
        let other = JobFacts::of(&other, Some(Time(0)));
        let same: Vec<bool> =
            Likeness::ALL.iter().map(|&likeness| one.alike(likeness) == other.alike(likeness)).collect();
        let differ = [6, 8, 9, 10];
        assert_eq!(same, (0..12).map(|place| !differ.contains(&place)).collect::<Vec<_>>());
        // Senses are kept apart: the same numbers under another sense are other jobs.
        let keys = Likeness::ALL.map(|likeness| one.alike(likeness));
        for (place, key) in keys.iter().enumerate() {
            assert!(keys[..place].iter().all(|before| before != key));
        }
    }
}
