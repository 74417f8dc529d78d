//! The estimates of a workload as a series of modes (Tsafrir, Etsion & Feitelson 2005, section 3): the distinct
//! times, each with its number of jobs.

use queuecast_core::order;
use serde::Serialize;

use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// A distinct estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Mode {
    /// The estimate.
    pub time: Seconds,
    /// Number of jobs with it.
    pub jobs: u64,
}

/// The modes of a workload, shortest first; distinct, each with at least one job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Modes {
    modes: Vec<Mode>,
    jobs: u64,
}

impl FromIterator<Seconds> for Modes {
    /// The modes of these estimates, one per job.
    fn from_iter<I: IntoIterator<Item = Seconds>>(times: I) -> Modes {
        let mut times: Vec<Seconds> = times.into_iter().collect();
        times.sort_unstable();
        let runs = times.chunk_by(|a, b| a == b);
        Modes {
            modes: runs.map(|run| Mode { time: run[0], jobs: run.len() as u64 }).collect(),
            jobs: times.len() as u64,
        }
    }
}

impl FromIterator<Mode> for Modes {
    /// These modes; modes of equal time are merged, modes without jobs are dropped.
    fn from_iter<I: IntoIterator<Item = Mode>>(modes: I) -> Modes {
        let mut modes: Vec<Mode> = modes.into_iter().filter(|mode| mode.jobs > 0).collect();
        modes.sort_unstable();
        modes.dedup_by(|later, kept| {
            let same = later.time == kept.time;
            if same {
                kept.jobs += later.jobs;
            }
            same
        });
        let jobs = modes.iter().map(|mode| mode.jobs).sum();
        Modes { modes, jobs }
    }
}

impl Modes {
    /// The modes of a workload's requested times; jobs without one are not counted.
    pub fn of(workload: &Workload) -> Modes {
        workload.jobs().iter().filter_map(|job| job.shape.limit).collect()
    }

    /// The modes by time: the place, from 1, is the *time rank*.
    pub fn by_time(&self) -> &[Mode] {
        &self.modes
    }

    /// The modes by number of jobs, descending, ties by time: the place, from 1, is the *popularity rank*.
    pub fn by_popularity(&self) -> Vec<Mode> {
        let mut modes = self.modes.clone();
        order::sort_by_key(&mut modes, |mode| std::cmp::Reverse(mode.jobs));
        modes
    }

    /// The place of an estimate among the modes by time, from 0; `None` if no job has it.
    pub fn place(&self, time: Seconds) -> Option<usize> {
        self.modes.binary_search_by_key(&time, |mode| mode.time).ok()
    }

    /// The number of modes: the paper's *K*.
    pub fn len(&self) -> usize {
        self.modes.len()
    }

    /// Whether there are no modes.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }

    /// The number of jobs with an estimate: the paper's *N*.
    pub fn jobs(&self) -> u64 {
        self.jobs
    }

    /// The longest estimate.
    pub fn longest(&self) -> Option<Seconds> {
        self.modes.last().map(|mode| mode.time)
    }

    /// The longest estimate of at least one job in 2,000: presumably the site's limit. Longer ones are tests or mistakes.
    pub fn permitted(&self) -> Option<Seconds> {
        let usual = self.modes.iter().rev().find(|mode| mode.jobs * Modes::RARE >= self.jobs);
        usual.map(|mode| mode.time)
    }

    /// The reciprocal of the share below which an estimate is taken for an exception.
    const RARE: u64 = 2_000;

    /// The share of the jobs, 0 to 1, with exactly this estimate.
    pub fn share(&self, time: Seconds) -> f64 {
        let found = self.modes.binary_search_by_key(&time, |mode| mode.time);
        found.map_or(0.0, |at| self.modes[at].jobs as f64 / self.jobs as f64)
    }

    /// The share of the jobs with one of the `values` most popular estimates. The paper's *head* has 20.
    pub fn head_share(&self, values: usize) -> f64 {
        let head: u64 = self.by_popularity().iter().take(values).map(|mode| mode.jobs).sum();
        head as f64 / self.jobs.max(1) as f64
    }

    /// The fewest values that cover this share (0 to 1) of the jobs (Table 2).
    pub fn covering(&self, share: f64) -> usize {
        let mut covered = 0;
        let wanted = share * self.jobs as f64;
        for (values, mode) in self.by_popularity().iter().enumerate() {
            if covered as f64 >= wanted {
                return values;
            }
            covered += mode.jobs;
        }
        self.len()
    }

    /// The joint ratio: 0.91 means that 9 % of the values cover 91 % of the jobs.
    ///
    /// # Formula
    /// the `j` with `C(1 − j) = j`, `C` the jobs' share covered by a share of the values, the most popular first,
    /// linear between values
    pub fn joint_ratio(&self) -> Option<f64> {
        let (values, jobs) = (self.len() as f64, self.jobs as f64);
        let mut covered = 0.0;
        for (rank, mode) in (1..).zip(self.by_popularity()) {
            let after = covered + mode.jobs as f64 / jobs;
            let share = f64::from(rank) / values;
            if after >= 1.0 - share {
                // Where the segment from (share before, covered) meets the line of slope -1.
                let before = share - 1.0 / values;
                let part = (1.0 - before - covered) / ((after - covered) + 1.0 / values);
                return Some(covered + part * (after - covered));
            }
            covered = after;
        }
        None
    }

    /// The share of the jobs with at most this estimate.
    pub fn cumulative(&self, time: Seconds) -> f64 {
        let upto = self.modes.partition_point(|mode| mode.time <= time);
        self.modes[..upto].iter().map(|mode| mode.jobs).sum::<u64>() as f64 / self.jobs.max(1) as f64
    }

    /// The Kolmogorov–Smirnov distance of two distributions of estimates.
    ///
    /// # Formula
    /// `max |F(t) − G(t)|` over all times
    pub fn distance(&self, other: &Modes) -> f64 {
        let (mut at, mut with) = (0, 0);
        let (mut mine, mut theirs) = (0u64, 0u64);
        let mut furthest = 0.0f64;
        while at < self.len() || with < other.len() {
            let next = |modes: &[Mode], at: usize| modes.get(at).map_or(Seconds(i64::MAX), |mode| mode.time);
            let time = next(&self.modes, at).min(next(&other.modes, with));
            while next(&self.modes, at) == time && at < self.len() {
                mine += self.modes[at].jobs;
                at += 1;
            }
            while next(&other.modes, with) == time && with < other.len() {
                theirs += other.modes[with].jobs;
                with += 1;
            }
            let (f, g) = (mine as f64 / self.jobs.max(1) as f64, theirs as f64 / other.jobs.max(1) as f64);
            furthest = furthest.max((f - g).abs());
        }
        furthest
    }

    /// Each estimate as often as it is used, shortest first.
    pub fn times(&self) -> impl Iterator<Item = Seconds> + '_ {
        self.modes.iter().flat_map(|mode| (0..mode.jobs).map(|_| mode.time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(modes: &[(i64, u64)]) -> Modes {
        modes.iter().map(|&(time, jobs)| Mode { time: Seconds(time), jobs }).collect()
    }

    #[test]
    fn times_are_counted_and_ranked() {
        let counted: Modes = [300, 60, 300, 900, 60, 300].map(Seconds).into_iter().collect();
        assert_eq!(counted, modes(&[(900, 1), (300, 2), (60, 2), (300, 1), (5, 0)]));
        assert_eq!((counted.len(), counted.jobs(), counted.longest()), (3, 6, Some(Seconds(900))));
        assert_eq!(
            counted.by_popularity().iter().map(|mode| mode.time.0).collect::<Vec<_>>(),
            [300, 60, 900]
        );
        assert_eq!((counted.share(Seconds(60)), counted.share(Seconds(61))), (2.0 / 6.0, 0.0));
        assert_eq!(counted.head_share(2), 5.0 / 6.0);
        assert_eq!(counted.permitted(), Some(Seconds(900)));
        assert_eq!(modes(&[(60, 3000), (900, 2), (86_400, 1)]).permitted(), Some(Seconds(900)));
        assert_eq!([0.1, 0.5, 0.51, 5.0 / 6.0, 1.0].map(|share| counted.covering(share)), [1, 1, 2, 2, 3]);
        assert_eq!(counted.times().count(), 6);
        assert!(counted.times().is_sorted());
    }

    #[test]
    fn the_joint_ratio_is_where_bins_and_jobs_are_opposite() {
        // One value of ten covers nine tenths.
        let mut few: Vec<(i64, u64)> = (1..=9).map(|time| (time, 1)).collect();
        few.push((10, 81));
        assert!((modes(&few).joint_ratio().unwrap() - 0.9).abs() < 1e-12);
        // All alike: half covers half.
        let alike: Vec<(i64, u64)> = (1..=10).map(|time| (time, 5)).collect();
        assert!((modes(&alike).joint_ratio().unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(Modes::default().joint_ratio(), None);
    }

    #[test]
    fn distance_is_the_largest_gap_between_the_curves() {
        let (short, long) = (modes(&[(60, 3), (120, 1)]), modes(&[(60, 1), (180, 3)]));
        assert_eq!(short.distance(&long), 0.75);
        assert_eq!(short.distance(&long), long.distance(&short));
        assert_eq!(short.distance(&modes(&[(60, 6), (120, 2)])), 0.0);
        assert_eq!(short.cumulative(Seconds(119)), 0.75);
    }
}
