//! Jobs in the same situation: how right a method was for those like the one asked about.

use serde::{Deserialize, Serialize};

use queuecast_core::job::{Job, QueueId};
use queuecast_core::number::{integer, number_of};
use queuecast_core::units::{Procs, Time};
use queuecast_sim::site::Site;

/// Fewer jobs than this decide nothing.
pub(super) const FEWEST: usize = 30;

/// What a job met when it was submitted, and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Regime {
    /// Whether it fitted beside the running jobs, and no job waited.
    fits: bool,
    /// Half of the binary logarithm of its processors.
    size: u32,
    queue: Option<QueueId>,
}

/// In what jobs must be alike, the most alike first.
const MATCHES: [RegimeMatch; 3] = [
    RegimeMatch { size: true, queue: true },
    RegimeMatch { size: true, queue: false },
    RegimeMatch { size: false, queue: false },
];

#[derive(Debug, Clone, Copy)]
struct RegimeMatch {
    size: bool,
    queue: bool,
}

impl Regime {
    /// Of a job that is submitted to a site now.
    pub fn of(job: &Job, site: &Site, now: Time) -> Regime {
        let view = site.view(now);
        Regime::met(view.queue_length() == 0 && job.shape.procs <= view.free(), job.shape.procs, job.queue)
    }

    /// Of a job of this size, by whether it met room and no queue.
    pub fn met(fits: bool, procs: Procs, queue: Option<QueueId>) -> Regime {
        Regime { fits, size: procs.0.max(1).ilog2() / 2, queue }
    }

    /// How right answers were for the jobs most like this one of which there are enough; `None` if there are too few in any case.
    /// `judged` tells that of the jobs for which this is true.
    pub fn record(self, judged: impl Fn(&dyn Fn(&Regime) -> bool) -> JudgedJobs) -> Option<RegimeRecord> {
        MATCHES.iter().find_map(|matched| {
            let alike = |other: &Regime| {
                other.fits == self.fits
                    && (!matched.size || other.size == self.size)
                    && (!matched.queue || other.queue == self.queue)
            };
            let JudgedJobs { jobs, inside, at_once } = judged(&alike);
            let share = |count: usize| count as f64 / jobs.max(1) as f64;
            let of_size = (Procs(1 << (2 * self.size)), Procs((4_u32 << (2 * self.size)).wrapping_sub(1)));
            (jobs >= FEWEST).then_some(RegimeRecord {
                fits: self.fits,
                procs: matched.size.then_some(of_size),
                same_queue: matched.queue && self.queue.is_some(),
                jobs,
                inside: share(inside),
                at_once: share(at_once),
            })
        })
    }
}

/// How many jobs a method was judged by, and of these how many started within its range of 80 %, and at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct JudgedJobs {
    pub jobs: usize,
    pub inside: usize,
    pub at_once: usize,
}

/// A job that starts this soon starts at once: schedulers decide every few seconds.
pub(super) const AT_ONCE: f64 = 10.0;

/// How right a method was for the last jobs in the same situation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RegimeRecord {
    /// Whether these jobs fitted beside the running ones while no job waited, as the one asked about does; else none of them did.
    pub fits: bool,
    /// The fewest and the most processors they asked for; `None` for any number.
    pub procs: Option<(Procs, Procs)>,
    /// Whether they were submitted to the queue of the one asked about.
    pub same_queue: bool,
    /// How many they are.
    pub jobs: usize,
    /// The share that started within the range of 80 %.
    pub inside: f64,
    /// The share that started within ten seconds.
    pub at_once: f64,
}

impl RegimeRecord {
    /// A range that held less often in such a situation is not to be relied on.
    pub const RELIABLE: f64 = 0.65;

    /// How often such ranges held, in words, with `only ` before the share or nothing.
    pub fn words(&self, only: &str) -> String {
        format!("{}, {only}{:.1}% started within such a range", self.jobs_in_words(), 100.0 * self.inside)
    }

    /// How many of these jobs started at once, in words.
    pub fn at_once_in_words(&self) -> String {
        format!("{}, {:.1}% started within ten seconds", self.jobs_in_words(), 100.0 * self.at_once)
    }

    fn jobs_in_words(&self) -> String {
        let size = match self.procs {
            Some((low, high)) if low == high => format!(" on {}", number_of(low.0, "processor")),
            Some((low, high)) => {
                format!(" on {} to {} processors", integer(low.0.into()), integer(high.0.into()))
            }
            None => String::new(),
        };
        let queue = if self.same_queue { " of its queue" } else { "" };
        let met = if self.fits { "that found room and no queue" } else { "that found a queue or no room" };
        let jobs = number_of(i64::try_from(self.jobs).unwrap_or(i64::MAX), "job");
        format!("of the last {jobs}{queue}{size} {met}")
    }

    /// Whether ranges have held in such a situation.
    pub fn is_reliable(&self) -> bool {
        self.inside >= RegimeRecord::RELIABLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jobs_most_alike_of_which_there_are_enough_count() {
        let regime = |fits, size, queue| Regime { fits, size, queue: QueueId::new(queue) };
        let own = regime(false, 2, 1);
        // Ten alike in all, 40 of the size and 60 that did not fit; none of those that did counts.
        let mut all = vec![own; 10];
        all.extend([regime(false, 2, 3); 30]);
        all.extend([regime(false, 5, 1); 20]);
        all.extend([regime(true, 2, 1); 100]);
        let judged = |alike: &dyn Fn(&Regime) -> bool| {
            let jobs = all.iter().filter(|one| alike(one)).count();
            JudgedJobs { jobs, inside: jobs / 2, at_once: jobs / 4 }
        };
        let record = own.record(judged).unwrap();
        assert_eq!((record.jobs, record.procs, record.same_queue), (40, Some((Procs(16), Procs(63))), false));
        assert!(!record.is_reliable() && !record.fits);
        assert_eq!((record.inside, record.at_once), (0.5, 0.25));
        assert_eq!(
            record.at_once_in_words(),
            "of the last 40 jobs on 16 to 63 processors that found a queue or no room, 25.0% started within ten seconds"
        );
        let record = regime(false, 9, 1).record(judged).unwrap();
        assert_eq!((record.jobs, record.procs), (60, None));
        assert_eq!(
            regime(true, 2, 1).record(judged).map(|one| (one.jobs, one.same_queue)),
            Some((100, true))
        );
        let count = |jobs| JudgedJobs { jobs, inside: jobs, at_once: 0 };
        assert_eq!(own.record(|_| count(29)), None);
        // The largest size that there is.
        let largest = Regime { size: u32::MAX.ilog2() / 2, ..own }.record(|_| count(30)).unwrap();
        assert_eq!(largest.procs, Some((Procs(1 << 30), Procs(u32::MAX))));
    }
}
