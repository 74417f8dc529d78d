//! Binomial bounds on quantiles of past waits.

mod ranks;
mod run_length;
mod series;

use std::collections::HashMap;

use self::ranks::BoundRanks;
use self::run_length::RunLengths;
use self::series::WaitSeries;
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use crate::distribution::Distribution;
use crate::job::{Job, QueueId};
use crate::site::View;
use crate::units::Seconds;

/// The binomial method with change points: the upper bound, at a confidence, on a quantile of the waits of similar jobs (Brevik, Nurmi & Wolski 2006, and QBETS,
/// Nurmi, Brevik & Wolski 2007). The point is that bound, so that most waits are far below it.
///
/// # Formula
/// With `n` waits in order the bound on the quantile `q` at confidence `C` is the k-th smallest, `k` the least with
/// `Σ_{j<k} (n choose j)·q^j·(1 − q)^{n−j} ≥ C`. There is one from `n ≥ ln(1 − C) / ln q` on: 59 for 0.95 and 0.95.
///
/// # Histories
/// Each queue has four, for jobs of 1 to 4, 5 to 16, 17 to 64 and more processors, and one for all its jobs; there is one of all jobs. A job is predicted by the
/// first of these that has enough waits for a bound; before any has, by the longest wait so far. (QBETS also clusters jobs by their
/// requested times, by fitted mixtures; that is left out.) A history keeps its last 10,000 waits.
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
    /// Looked up, never iterated.
    of_range: HashMap<(Option<QueueId>, u8), WaitSeries>,
    /// Looked up, never iterated.
    of_queue: HashMap<Option<QueueId>, WaitSeries>,
    of_all: WaitSeries,
}

/// The largest number of processors of each range but the last.
const RANGE_ENDS: [u32; 3] = [4, 16, 64];

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
            of_range: HashMap::new(),
            of_queue: HashMap::new(),
            of_all: WaitSeries::default(),
        }
    }

    fn forecast(&self, sorted: &[f64], rank: usize) -> Option<WaitForecast> {
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
        // Places from 1 on, so many that each stands for the same share, and the bound and the largest among them.
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
    fn predict(&mut self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let (job, fewest) = (arrival.job, self.ranks.fewest);
        let of_range = self.of_range.get(&(job.queue, range_of(job)));
        let histories = [of_range, self.of_queue.get(&job.queue), Some(&self.of_all)];
        let known = histories.into_iter().flatten().find(|history| history.len() >= fewest);
        let sorted = known.unwrap_or(&self.of_all).sorted();
        let rank = self.ranks.rank(sorted.len()).unwrap_or(sorted.len());
        self.forecast(sorted, rank).unwrap_or_else(WaitForecast::nothing_known)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let (job, wait) = (arrival.job, wait.0.max(0) as f64);
        let BinomialBound { ranks, runs, of_range, of_queue, of_all, .. } = self;
        let own = of_range.entry((job.queue, range_of(job))).or_default();
        own.learn(wait, ranks, runs);
        of_queue.entry(job.queue).or_default().learn(wait, ranks, runs);
        of_all.learn(wait, ranks, runs);
    }
}

#[cfg(test)]
mod tests;
