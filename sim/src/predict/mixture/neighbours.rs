//! Weighted nearest neighbours: the last jobs of a user, each counting by how similar, how recent and how new it is.

use serde::{Deserialize, Serialize};

use super::likeness::JobFacts;
use queuecast_core::units::{Seconds, Time};

/// How many ended jobs are remembered.
pub(super) const REMEMBERED: usize = 80;

/// Shares of the request that always count a little, in ascending order, and how much each does.
const PRIOR: [f64; 5] = [0.02, 0.2, 0.5, 0.9, 1.0];
const PRIOR_WEIGHT: f64 = 10.0;

const DAY: f64 = 86_400.0;

/// How much a neighbour counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    /// Times so much where the requested time is the same, and so on.
    request: f64,
    procs: f64,
    executable: f64,
    queue: f64,
    /// Half as much as the newest after so many newer ones.
    rank: f64,
    /// Half as much after so many days.
    days: f64,
}

impl Kernel {
    const fn new([request, procs, executable, queue]: [f64; 4], rank: f64, days: f64) -> Kernel {
        Kernel { request, procs, executable, queue, rank, days }
    }
}

/// The kernels of the neighbour experts. The first is also that of the distribution.
pub(super) const KERNELS: [Kernel; 4] = [
    Kernel::new([20.0, 4.0, 10.0, 1.0], 10.0, 60.0),
    Kernel::new([5.0, 2.0, 5.0, 1.0], 5.0, 60.0),
    Kernel::new([100.0, 20.0, 30.0, 2.0], 10.0, 60.0),
    Kernel::new([10.0, 10.0, 10.0, 1.0], 2.0, 10.0),
];

/// An ended job.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct EndedJob {
    run: f64,
    ended: Time,
    /// Counted from 1 in the order of ends.
    number: u64,
    facts: JobFacts,
}

/// The last jobs of a user that have ended, and how many of them are like one that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OwnRuns {
    /// How many are remembered: the last 80 at most.
    pub jobs: usize,
    /// How many of them had as many processors.
    pub of_size: usize,
    /// How many of them asked for the same time.
    pub of_limit: usize,
    /// How many of them both.
    pub of_both: usize,
    /// One in ten of all of them ran for less.
    pub p10: Seconds,
    /// Half of them.
    pub median: Seconds,
    /// Nine in ten.
    pub p90: Seconds,
}

/// A run time and how much it counts.
pub(super) type Weighted = (f64, f64);

/// The last ended jobs, by ascending run time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Neighbours {
    ascending: Vec<EndedJob>,
    ended: u64,
}

impl Neighbours {
    pub fn add(&mut self, run: f64, ended: Time, facts: JobFacts) {
        self.ended += 1;
        if self.ascending.len() == REMEMBERED {
            let forgotten = self.ended - REMEMBERED as u64;
            self.ascending.retain(|neighbour| neighbour.number != forgotten);
        }
        let place = self.ascending.partition_point(|other| other.run <= run);
        self.ascending.insert(place, EndedJob { run, ended, number: self.ended, facts });
    }

    pub fn len(&self) -> usize {
        self.ascending.len()
    }

    /// How many of these jobs are like one with these facts, and how long all of them ran.
    pub fn own_runs(&self, facts: &JobFacts) -> Option<OwnRuns> {
        let count =
            |is: &dyn Fn(&JobFacts) -> bool| self.ascending.iter().filter(|one| is(&one.facts)).count();
        let at = |share: f64| {
            let last = self.ascending.len().checked_sub(1)?;
            Some(Seconds(self.ascending[(share * last as f64).round() as usize].run.round() as i64))
        };
        Some(OwnRuns {
            jobs: self.ascending.len(),
            of_size: count(&|one| one.procs == facts.procs),
            of_limit: count(&|one| one.request == facts.request),
            of_both: count(&|one| one.procs == facts.procs && one.request == facts.request),
            p10: at(0.1)?,
            median: at(0.5)?,
            p90: at(0.9)?,
        })
    }

    /// Run times and how much each counts for a job with these facts, by ascending run time, with the prior of its request.
    pub fn weigh(&self, kernel: &Kernel, facts: &JobFacts, now: Time, weighted: &mut Vec<Weighted>) {
        weighted.clear();
        let request = facts.requested();
        let mut prior = request.into_iter().flat_map(|request| PRIOR.map(|share| share * request)).peekable();
        let same = |one: u64, other: u64, factor: f64| if one == other && one > 0 { factor } else { 1.0 };
        for neighbour in &self.ascending {
            while let Some(run) = prior.next_if(|&run| run < neighbour.run) {
                weighted.push((run, PRIOR_WEIGHT));
            }
            let rank = (self.ended - neighbour.number) as f64;
            let days = (now - neighbour.ended).0.max(0) as f64 / DAY;
            let recent = kernel.rank * kernel.days / ((kernel.rank + rank) * (kernel.days + days));
            let alike = same(facts.request, neighbour.facts.request, kernel.request)
                * same(facts.procs, neighbour.facts.procs, kernel.procs)
                * same(facts.executable, neighbour.facts.executable, kernel.executable)
                * same(facts.queue, neighbour.facts.queue, kernel.queue);
            weighted.push((neighbour.run, recent * alike));
        }
        weighted.extend(prior.map(|run| (run, PRIOR_WEIGHT)));
    }
}

/// The first values up to which these shares of all weight lie, levels in ascending order; `None` of no values.
pub(super) fn quantiles<const N: usize>(weighted: &[Weighted], levels: &[f64; N]) -> Option<[f64; N]> {
    let last = weighted.last()?.0;
    let total: f64 = weighted.iter().map(|&(_, weight)| weight).sum();
    let mut found = [last; N];
    let (mut place, mut sum) = (0, 0.0);
    for &(value, weight) in weighted {
        sum += weight;
        while place < N && sum >= levels[place] * total {
            found[place] = value;
            place += 1;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(request: u64, procs: u64) -> JobFacts {
        JobFacts { user: 1, executable: 0, queue: 0, procs, request, gap: 0 }
    }

    #[test]
    fn weights_are_worked_by_hand() {
        let mut neighbours = Neighbours::default();
        neighbours.add(50.0, Time(0), facts(101, 4));
        neighbours.add(10.0, Time(0), facts(61, 4));
        neighbours.add(30.0, Time(60 * 86_400), facts(61, 2));
        let mut weighted = Vec::new();
        neighbours.weigh(&KERNELS[0], &facts(0, 4), Time(60 * 86_400), &mut weighted);
        // No request, so no prior. 10: one newer, 60 days, same processors. 30: newest. 50: two newer, 60 days, same processors.
        let expected = [(10.0, 4.0 * 10.0 / 11.0 / 2.0), (30.0, 1.0), (50.0, 4.0 * 10.0 / 12.0 / 2.0)];
        for (one, other) in weighted.iter().zip(expected) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-12, "{one:?} {other:?}");
        }
        assert_eq!(weighted.len(), 3);
        // With a request of 60 s: 1.2, 12, 30, 54 and 60 s are in it.
        neighbours.weigh(&KERNELS[0], &facts(61, 4), Time(60 * 86_400), &mut weighted);
        let runs: Vec<f64> = weighted.iter().map(|&(run, _)| run).collect();
        assert_eq!(runs, [1.2, 10.0, 12.0, 30.0, 30.0, 50.0, 54.0, 60.0]);
        assert!((weighted[1].1 - 80.0 * 10.0 / 11.0 / 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut neighbours = Neighbours::default();
        for number in 0..200 {
            neighbours.add(f64::from(number % 7), Time(number.into()), facts(1, 1));
        }
        assert_eq!(neighbours.len(), REMEMBERED);
        let numbers: Vec<u64> = neighbours.ascending.iter().map(|neighbour| neighbour.number).collect();
        assert!(numbers.iter().all(|&number| number > 120));
        assert!(neighbours.ascending.is_sorted_by_key(|neighbour| neighbour.run));
    }

    #[test]
    fn quantiles_go_by_weight() {
        let weighted = [(1.0, 1.0), (2.0, 2.0), (9.0, 1.0)];
        assert_eq!(quantiles(&weighted, &[0.2, 0.25, 0.5, 0.75, 0.8]), Some([1.0, 1.0, 2.0, 2.0, 9.0]));
        assert_eq!(quantiles(&[], &[0.5]), None);
    }
}
