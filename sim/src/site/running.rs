//! The running jobs in order of when they are planned to end.

use serde::{Deserialize, Serialize};

use super::blocks::{Blocks, Entry};
use queuecast_core::job::JobIndex;

/// A running job as a planner needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedEnd {
    pub end: i64,
    pub job: JobIndex,
    pub procs: u32,
}

impl Entry for PlannedEnd {
    type Key = (i64, JobIndex);
    /// Processors the block frees.
    type Summary = i64;
    const EMPTY: i64 = 0;

    fn key(&self) -> (i64, JobIndex) {
        (self.end, self.job)
    }

    fn include(procs: &mut i64, entry: &PlannedEnd) {
        *procs += i64::from(entry.procs);
    }

    fn exclude(procs: &mut i64, entry: &PlannedEnd) {
        *procs -= i64::from(entry.procs);
    }
}

/// When enough processors will be free, and how many more than enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shadow {
    pub at: i64,
    pub extra: i64,
}

/// Running jobs by planned end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Running {
    ends: Blocks<PlannedEnd>,
}

impl Running {
    pub fn new() -> Running {
        Running { ends: Blocks::new() }
    }

    pub fn insert(&mut self, entry: PlannedEnd) {
        self.ends.insert(entry);
    }

    pub fn remove(&mut self, end: i64, job: JobIndex) {
        let found = self.ends.remove((end, job));
        debug_assert!(found, "a running job is listed under its planned end");
    }

    pub fn iter(&self) -> impl Iterator<Item = &PlannedEnd> {
        self.ends.iter()
    }

    /// Processors of jobs planned to have ended by `now`.
    pub fn leaving(&self, now: i64) -> i64 {
        self.iter().take_while(|entry| entry.end <= now).map(|entry| i64::from(entry.procs)).sum()
    }

    /// When `wanted` processors will be free if `free` are now and jobs end as planned; what ends at that
    /// very instant counts as free. `started` are jobs not listed here yet, sorted by planned end. Jobs
    /// planned to have ended by `gone_by` are counted in `free` already. `None` if that many never are.
    pub fn shadow(&self, gone_by: i64, free: i64, wanted: i64, started: &[PlannedEnd]) -> Option<Shadow> {
        let mut sum = Sum { available: free, wanted, at: None };
        let mut started = started;
        for block in self.ends.blocks() {
            let (Some(first), Some(last)) = (block.entries.first(), block.entries.last()) else { continue };
            let (before, after) = started.split_at(started.partition_point(|entry| entry.end <= last.end));
            let freed = block.summary + before.iter().map(|entry| i64::from(entry.procs)).sum::<i64>();
            if sum.at.is_none() && first.end > gone_by && sum.available + freed < wanted {
                sum.available += freed;
                started = after;
                continue;
            }
            for entry in &block.entries {
                while let Some((next, rest)) = started.split_first().filter(|(next, _)| next.end < entry.end)
                {
                    if sum.add(next) {
                        return sum.shadow();
                    }
                    started = rest;
                }
                if entry.end > gone_by && sum.add(entry) {
                    return sum.shadow();
                }
            }
        }
        for entry in started {
            if sum.add(entry) {
                break;
            }
        }
        sum.shadow()
    }
}

/// Adds up what becomes free, in order of time, until it is enough.
struct Sum {
    available: i64,
    wanted: i64,
    at: Option<i64>,
}

impl Sum {
    /// Adds one more end; whether it lies past the shadow, which then is settled.
    fn add(&mut self, entry: &PlannedEnd) -> bool {
        if self.at.is_some_and(|at| entry.end > at) {
            return true;
        }
        self.available += i64::from(entry.procs);
        if self.available >= self.wanted {
            self.at = Some(entry.end);
        }
        false
    }

    fn shadow(&self) -> Option<Shadow> {
        self.at.map(|at| Shadow { at, extra: self.available - self.wanted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(ends: &[(i64, u32)]) -> Running {
        let mut running = Running::new();
        for (job, &(end, procs)) in (0..).zip(ends) {
            running.insert(PlannedEnd { end, job: JobIndex(job), procs });
        }
        running
    }

    #[test]
    fn everything_ending_at_the_shadow_is_free_there() {
        let running = running(&[(50, 2), (10, 1), (50, 4), (90, 8)]);
        assert_eq!(running.shadow(0, 1, 3, &[]), Some(Shadow { at: 50, extra: 5 }));
        assert_eq!(running.shadow(0, 1, 2, &[]), Some(Shadow { at: 10, extra: 0 }));
        assert_eq!(running.shadow(0, 1, 17, &[]), None);
    }

    #[test]
    fn many_running_jobs_give_the_same_as_adding_up() {
        let ends: Vec<(i64, u32)> = (0..500).map(|n| (100 + (n * 7919) % 400, 1 + (n % 3) as u32)).collect();
        let total: i64 = ends.iter().map(|&(_, procs)| i64::from(procs)).sum();
        // All listed, or some of them only just started.
        for listed in [500, 470, 100, 0] {
            let running = running(&ends[..listed]);
            let mut started: Vec<PlannedEnd> = ends[listed..]
                .iter()
                .map(|&(end, procs)| PlannedEnd { end, job: JobIndex(0), procs })
                .collect();
            started.sort_by_key(|entry| entry.end);
            for wanted in (3..=total + 2).step_by(7) {
                let at = |time| 2 + ends.iter().filter(|e| e.0 <= time).map(|e| i64::from(e.1)).sum::<i64>();
                let slow = (100..500).find(|&time| at(time) >= wanted);
                let expected = slow.map(|time| Shadow { at: time, extra: at(time) - wanted });
                assert_eq!(running.shadow(0, 2, wanted, &started), expected);
            }
        }
    }
}
