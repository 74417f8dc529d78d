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
    /// The factor for a neighbour with the same requested time; those below for the same number of processors, and so on.
    request: f64,
    procs: f64,
    executable: f64,
    queue: f64,
    /// The number of newer jobs after which a job counts half as much as the newest.
    rank: f64,
    /// The days after which a job counts half as much.
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

impl OwnRuns {
    /// Fewer runs say little about a limit that none of them had.
    pub const ENOUGH: usize = 20;

    /// Whether the user's past says something about a limit that the user has not asked for lately.
    pub fn tell_of_another_limit(&self) -> bool {
        self.of_limit == 0 && self.jobs >= OwnRuns::ENOUGH
    }
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
        let one = EndedJob { run, ended, number: self.ended, facts };
        let place = self.ascending.partition_point(|other| other.run <= run);
        if self.ascending.len() < REMEMBERED {
            self.ascending.insert(place, one);
            return;
        }
        // Only what lies between the places of the oldest and of the new one moves.
        let oldest = self.ended - REMEMBERED as u64;
        let gone = self.ascending.iter().position(|neighbour| neighbour.number == oldest).unwrap_or(0);
        if gone < place {
            self.ascending.copy_within(gone + 1..place, gone);
            self.ascending[place - 1] = one;
        } else {
            self.ascending.copy_within(place..gone, place + 1);
            self.ascending[place] = one;
        }
    }

    pub fn len(&self) -> usize {
        self.ascending.len()
    }

    /// How many jobs there have been, the forgotten ones included.
    pub fn ended(&self) -> u64 {
        self.ended
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

    /// How long a job with a limit that none of these jobs had would run, by how long they ran under theirs: in proportion to the square root
    /// of the limit, at most up to it. Ascending; `None` if one of them had this limit, or they are too few.
    pub fn runs_under_another_limit(&self, facts: &JobFacts) -> Option<Vec<f64>> {
        let limit = facts.requested()?;
        if self.ascending.iter().any(|one| one.facts.request == facts.request) {
            return None;
        }
        let run = |one: &EndedJob| Some((one.run * (limit / one.facts.requested()?).sqrt()).min(limit));
        let mut runs: Vec<f64> = self.ascending.iter().filter_map(run).collect();
        runs.sort_unstable_by(f64::total_cmp);
        (runs.len() >= OwnRuns::ENOUGH).then_some(runs)
    }

    /// Run times and how much each counts by every kernel for a job with these facts, by ascending run time, with the prior of its
    /// request.
    pub fn weigh(&self, facts: &JobFacts, now: Time) -> Vec<NeighbourWeights> {
        let mut weighted = Vec::with_capacity(self.ascending.len() + PRIOR.len());
        let request = facts.requested();
        let mut prior = request.into_iter().flat_map(|request| PRIOR.map(|share| share * request)).peekable();
        let same = |one: u64, other: u64| usize::from(one == other && one > 0);
        for neighbour in &self.ascending {
            while let Some(run) = prior.next_if(|&run| run < neighbour.run) {
                weighted.push((run, [PRIOR_WEIGHT; KERNELS.len()]));
            }
            let rank = (self.ended - neighbour.number) as f64;
            let days = (now - neighbour.ended).0.max(0) as f64 / DAY;
            let other = &neighbour.facts;
            let alike = same(facts.request, other.request)
                + 2 * same(facts.procs, other.procs)
                + 4 * same(facts.executable, other.executable)
                + 8 * same(facts.queue, other.queue);
            let weight = |place: usize| {
                let kernel = &KERNELS[place];
                let recent = kernel.rank * kernel.days / ((kernel.rank + rank) * (kernel.days + days));
                recent * ALIKE[alike][place]
            };
            weighted.push((neighbour.run, std::array::from_fn(weight)));
        }
        weighted.extend(prior.map(|run| (run, [PRIOR_WEIGHT; KERNELS.len()])));
        weighted
    }
}

/// A run time and how much it counts by each of [`KERNELS`].
pub(super) type NeighbourWeights = (f64, [f64; KERNELS.len()]);

/// How much a neighbour that is alike counts by each kernel: by whether request, processors, executable and queue are the same, as the
/// bits of a number from the lowest on.
const ALIKE: [[f64; KERNELS.len()]; 16] = {
    let mut factors = [[1.0; KERNELS.len()]; 16];
    let mut bits = 0;
    while bits < factors.len() {
        let mut place = 0;
        while place < KERNELS.len() {
            let kernel = &KERNELS[place];
            let each = [kernel.request, kernel.procs, kernel.executable, kernel.queue];
            let mut bit = 0;
            while bit < each.len() {
                if bits >> bit & 1 == 1 {
                    factors[bits][place] *= each[bit];
                }
                bit += 1;
            }
            place += 1;
        }
        bits += 1;
    }
    factors
};

/// By each kernel, the first values up to which these shares of all weight lie; `None` of no values.
pub(super) fn kernel_quantiles<const N: usize>(
    weighted: &[NeighbourWeights],
    levels: &[f64; N],
) -> Option<[[f64; N]; KERNELS.len()]> {
    let last = weighted.last()?.0;
    let mut totals = [0.0; KERNELS.len()];
    for (_, weights) in weighted {
        totals.iter_mut().zip(weights).for_each(|(total, weight)| *total += weight);
    }
    // How many values lie below each level: sums never fall.
    let mut below = [[0_u32; N]; KERNELS.len()];
    let mut sums = [0.0; KERNELS.len()];
    let wanted = totals.map(|total| levels.map(|level| level * total));
    for (_, weights) in weighted {
        for place in 0..KERNELS.len() {
            sums[place] += weights[place];
            for level in 0..N {
                below[place][level] += u32::from(sums[place] < wanted[place][level]);
            }
        }
    }
    Some(below.map(|below| below.map(|count| weighted.get(count as usize).map_or(last, |one| one.0))))
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
        let weigh = |facts: JobFacts| -> Vec<Weighted> {
            let weighted = neighbours.weigh(&facts, Time(60 * 86_400));
            weighted.iter().map(|(run, weights)| (*run, weights[0])).collect()
        };
        let weighted = weigh(facts(0, 4));
        // No request, so no prior. 10: one newer, 60 days, same processors. 30: newest. 50: two newer, 60 days, same processors.
        let expected = [(10.0, 4.0 * 10.0 / 11.0 / 2.0), (30.0, 1.0), (50.0, 4.0 * 10.0 / 12.0 / 2.0)];
        for (one, other) in weighted.iter().zip(expected) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-12, "{one:?} {other:?}");
        }
        assert_eq!(weighted.len(), 3);
        // With a request of 60 s: 1.2, 12, 30, 54 and 60 s are in it.
        let weighted = weigh(facts(61, 4));
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
        // Quantiles by several kernels at once.
        let by_kernel = weighted.map(|(run, weight)| (run, [weight, 1.0, weight, 2.0]));
        let found = kernel_quantiles(&by_kernel, &[0.2, 0.5, 0.8]).unwrap();
        assert_eq!(found, [[1.0, 2.0, 9.0]; 4]);
        assert_eq!(kernel_quantiles(&[], &[0.5]), None);
    }
}
