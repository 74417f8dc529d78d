//! Binomial bounds on quantiles of past waits.

mod ranks;
mod run_length;
mod series;

use std::collections::HashMap;

use self::ranks::BoundRanks;
use self::run_length::RunLengths;
use self::series::WaitSeries;
use super::features::Feature;
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, QueueId};
use queuecast_core::spec::choices;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// The binomial method with change points: the upper bound, at a confidence, on a quantile of the waits of similar jobs (Brevik, Nurmi & Wolski 2006, and QBETS,
/// Nurmi, Brevik & Wolski 2007). The point is that bound, so that most waits are far below it.
///
/// # Formula
/// With `n` waits in order the bound on the quantile `q` at confidence `C` is the k-th smallest, `k` the least with
/// `Σ_{j<k} (n choose j)·q^j·(1 − q)^{n−j} ≥ C`. There is one from `n ≥ ln(1 − C) / ln q` on: 59 for 0.95 and 0.95.
///
/// # Histories
/// Those of [`BoundGroups`], from the narrowest to all jobs. A job is predicted by the first of its histories that has enough waits for a bound; before any has, by the
/// longest wait so far. (QBETS clusters jobs by fitted mixtures; these groups are fixed.) A history keeps its last 10,000 waits.
///
/// # Change points
/// A run of waits above the bound in force when they are learned that is too long to be chance cuts a history to its last `n`,
/// the fewest with a bound. How long a run may be depends on the autocorrelation of the history before it; the paper found the lengths by simulating series with log-normal
/// waits, and here they are computed: the expected number of such runs among `n` waits of a stationary series is at most `1 − C`. For 0.95 and 0.95 that is 3 if waits are independent, and 10 at an
/// autocorrelation of 0.9.
///
/// # Distribution
/// The history from its smallest to its largest wait, with levels stretched so that the bound is at `q`: the i-th of `n` has the level `q·(i − ½)/(k − ½)` up to
/// the k-th, and what is above shares the rest.
#[derive(Debug, Clone)]
pub struct BinomialBound {
    quantile: f64,
    ranks: BoundRanks,
    runs: RunLengths,
    groups: BoundGroups,
    /// Looked up, never iterated.
    of_group: HashMap<JobGroup, WaitSeries>,
    of_all: WaitSeries,
}

/// Which jobs a bound takes to be similar. Ranges of sizes are 1 to 4, 5 to 16, 17 to 64 and more processors; of requested times up to 15
/// minutes, 1, 4 and 12 hours, and longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum BoundGroups {
    /// Those of a queue and a range of sizes; of the queue; all.
    #[default]
    Queue,
    /// Those of a range of sizes and one of requested times; of the range of sizes; all. Queues do not count.
    Request,
}

choices! { BoundGroups, "grouping":
    Queue = "queue", "by queue and size, then by queue";
    Request = "request", "by size and requested time, then by size";
}

/// Jobs with a history of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum JobGroup {
    QueueAndSize(Option<QueueId>, u8),
    Queue(Option<QueueId>),
    SizeAndRequest(u8, u8),
    Size(u8),
}

impl BoundGroups {
    /// Those of a job, the narrower first.
    fn of(self, arrival: &Arrival<'_>) -> [JobGroup; 2] {
        let (size, queue) = (range_of(arrival.job), arrival.job.queue);
        match self {
            BoundGroups::Queue => [JobGroup::QueueAndSize(queue, size), JobGroup::Queue(queue)],
            BoundGroups::Request => {
                let requested = arrival.features.of(Feature::Ert);
                let request = REQUEST_ENDS.partition_point(|&end| end < requested) as u8;
                [JobGroup::SizeAndRequest(size, request), JobGroup::Size(size)]
            }
        }
    }
}

/// The largest number of processors of each range but the last.
const RANGE_ENDS: [u32; 3] = [4, 16, 64];

/// The longest requested time of each range but the last, in seconds.
const REQUEST_ENDS: [f64; 4] = [900.0, 3_600.0, 14_400.0, 43_200.0];

/// How many points a distribution has up to its bound, at most.
const POINTS: usize = 40;

fn range_of(job: &Job) -> u8 {
    RANGE_ENDS.partition_point(|&end| end < job.shape.procs.0) as u8
}

impl BinomialBound {
    /// The default quantile.
    pub const QUANTILE: f64 = 0.95;

    /// The default confidence.
    pub const CONFIDENCE: f64 = 0.95;

    /// The bound on this quantile at this confidence, both kept within 0.01 and 0.999.
    pub fn new(quantile: f64, confidence: f64) -> BinomialBound {
        let within = |share: f64| if share.is_nan() { 0.95 } else { share.clamp(0.01, 0.999) };
        let (quantile, confidence) = (within(quantile), within(confidence));
        let ranks = BoundRanks::new(quantile, confidence);
        let runs = RunLengths::new(quantile, (1.0 - confidence) / ranks.fewest as f64);
        BinomialBound {
            quantile,
            ranks,
            runs,
            groups: BoundGroups::default(),
            of_group: HashMap::new(),
            of_all: WaitSeries::default(),
        }
    }

    /// This predictor with other groups of similar jobs.
    #[must_use]
    pub fn grouped(self, groups: BoundGroups) -> BinomialBound {
        BinomialBound { groups, of_group: HashMap::new(), ..self }
    }

    /// This predictor with a fixed number of misses in a row, at least 1, that cuts a history, whatever its autocorrelation.
    #[must_use]
    pub fn cut_after(self, misses: usize) -> BinomialBound {
        BinomialBound { runs: RunLengths::fixed(misses.max(1)), ..self }
    }

    fn bounded(&self, sorted: &[f64], rank: usize) -> Option<WaitForecast> {
        let bound = *sorted.get(rank.checked_sub(1)?)?;
        let (count, middle) = (sorted.len(), rank as f64 - 0.5);
        let level = |place: usize| {
            if place <= rank {
                self.quantile * (place as f64 - 0.5) / middle
            } else {
                let share = (place - rank) as f64 / ((count - rank) as f64 + 0.5);
                self.quantile + (1.0 - self.quantile) * share
            }
        };
        // Places from 1 on, in equal steps below and above the bound, with the bound and the largest wait among them.
        let step = rank.div_ceil(POINTS).max(1);
        let upto = (0..rank).step_by(step).map(|place| place + 1).filter(|&place| place < rank);
        let above = (count - rank).div_ceil(POINTS / 4).max(1);
        let beyond = (rank + above..count).step_by(above);
        let mut knots: Vec<(f64, f64)> = Vec::with_capacity(2 * POINTS);
        for place in upto.chain([rank]).chain(beyond).chain((count > rank).then_some(count)) {
            knots.push((level(place), sorted[place - 1]));
        }
        Some(WaitForecast::new(bound, Distribution::quantiles(&knots)?))
    }
}

impl WaitPredictor for BinomialBound {
    fn forecast(&self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let fewest = self.ranks.fewest;
        let histories = self.groups.of(arrival).map(|group| self.of_group.get(&group));
        let known = histories.into_iter().flatten().find(|history| history.len() >= fewest);
        let sorted = known.unwrap_or(&self.of_all).sorted();
        let rank = self.ranks.rank(sorted.len()).unwrap_or(sorted.len());
        self.bounded(sorted, rank).unwrap_or_else(WaitForecast::nothing_known)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let wait = wait.0.max(0) as f64;
        let BinomialBound { ranks, runs, groups, of_group, of_all, .. } = self;
        for group in groups.of(arrival) {
            of_group.entry(group).or_default().learn(wait, ranks, runs);
        }
        of_all.learn(wait, ranks, runs);
    }
}

#[cfg(test)]
mod tests;
