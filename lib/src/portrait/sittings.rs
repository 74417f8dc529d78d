//! Who worked in one go: the jobs of a user cut into sittings where the user paused.
//!
//! By arrivals only, so that logs without waits and synthetic workloads have sittings too: a job belongs to its user's
//! sitting if it arrives within a gap of the user's last one. An hour separates people's pauses best (Zakay &
//! Feitelson 2013, "On identifying user session boundaries in parallel workload logs").

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::job::UserId;
use crate::units::{Seconds, Time};
use crate::workload::Workload;

/// The sittings of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sittings {
    /// The sitting of each job, in the order of the jobs; numbered in order of their first jobs.
    pub of_job: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Sittings {
    /// The usual longest gap between two arrivals of one sitting.
    pub const GAP: Seconds = Seconds(3600);

    /// The sittings of a workload, split where a user's arrivals are more than `gap` apart. A job of an unknown user
    /// sits alone.
    pub fn of(workload: &Workload, gap: Seconds) -> Sittings {
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
                let (sitting, at) = last.get_mut();
                if job.submit - *at > gap {
                    *sitting = begin();
                }
                *at = job.submit;
                *sitting
            }
        });
        let of_job = of_job.collect();
        Sittings { of_job, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, Truth};
    use crate::units::Procs;
    use crate::workload::Machine;

    #[test]
    fn a_pause_ends_a_sitting_and_strangers_sit_alone() {
        let jobs =
            [(0, Some(1)), (10, Some(2)), (3600, Some(1)), (3700, None), (3701, None), (7201, Some(1))];
        let jobs = jobs.map(|(at, user)| {
            let mut job = Job::rigid(1, Time(at), Procs(1), None);
            job.user = user.and_then(UserId::new);
            (job, Truth::rigid(Seconds(1)))
        });
        let workload = Workload::new(Machine { procs: Procs(1) }, jobs.to_vec()).unwrap();
        let sittings = Sittings::of(&workload, Sittings::GAP);
        assert_eq!(sittings, Sittings { of_job: vec![0, 1, 0, 2, 3, 4], count: 5 });
    }
}
