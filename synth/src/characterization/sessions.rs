//! Sessions: a user's jobs, split where the time between two arrivals exceeds a gap.
//!
//! Sessions depend on arrivals only, so that logs without waits and synthetic workloads have them too. A gap of one hour
//! separates sessions best (Zakay & Feitelson 2013, "On identifying user session boundaries in parallel workload logs").

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use queuecast_core::job::UserId;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;

/// The sessions of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSessions {
    /// The session of each job, in the order of the jobs. Sessions are numbered in the order of their first jobs.
    pub of_job: Vec<u32>,
    /// Number of sessions.
    pub count: u32,
}

impl UserSessions {
    /// The default longest gap between two arrivals of one session.
    pub const GAP: Seconds = Seconds(3600);

    /// The sessions of a workload, split where a user's arrivals are more than `gap` apart. A job of an unknown user is a
    /// session of its own.
    pub fn of(workload: &Workload, gap: Seconds) -> UserSessions {
        let mut last: HashMap<UserId, (u32, Time)> = HashMap::new();
        let mut count = 0;
        let mut begin = || {
            count += 1;
            count - 1
        };
        let of_job = workload.jobs().iter().map(|job| match job.user.map(|user| last.entry(user)) {
            None => begin(),
            Some(Entry::Vacant(first)) => first.insert((begin(), job.submit)).0,
            Some(Entry::Occupied(mut last)) => {
                let (session, at) = last.get_mut();
                if job.submit - *at > gap {
                    *session = begin();
                }
                *at = job.submit;
                *session
            }
        });
        let of_job = of_job.collect();
        UserSessions { of_job, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;

    #[test]
    fn a_gap_ends_a_session_and_a_job_without_user_is_its_own() {
        let jobs =
            [(0, Some(1)), (10, Some(2)), (3600, Some(1)), (3700, None), (3701, None), (7201, Some(1))];
        let jobs = jobs.map(|(at, user)| {
            let mut job = Job::rigid(1, Time(at), Procs(1), None);
            job.user = user.and_then(UserId::new);
            (job, Truth::rigid(Seconds(1)))
        });
        let workload = Workload::new(Machine { procs: Procs(1) }, jobs.to_vec()).unwrap();
        let sessions = UserSessions::of(&workload, UserSessions::GAP);
        assert_eq!(sessions, UserSessions { of_job: vec![0, 1, 0, 2, 3, 4], count: 5 });
    }
}
