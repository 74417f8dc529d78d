//! What is predicted of each size, and which one is best.

use queuecast_core::order;
use serde::Serialize;

use queuecast_core::spec::choices;
use queuecast_core::stats::{self, Percentiles};
use queuecast_core::units::{Procs, Seconds};

/// Turnarounds that differ by at most this share of the shorter one count as equal.
const NEGLIGIBLE: f64 = 0.01;

/// The range of a predicted time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeRange {
    /// 10th percentile, if it is known.
    pub p10: Option<f64>,
    /// Median.
    pub median: f64,
    /// 90th percentile, if it is known.
    pub p90: Option<f64>,
    /// The mean, if it is known.
    pub mean: Option<f64>,
}

impl TimeRange {
    /// Of draws; `None` of none. Percentiles are values that occur.
    pub fn of(draws: impl Iterator<Item = Seconds>) -> Option<TimeRange> {
        let found = Percentiles::of(draws.map(|draw| draw.0).collect())?;
        Some(TimeRange {
            p10: Some(found.p10 as f64),
            median: found.median as f64,
            p90: Some(found.p90 as f64),
            mean: Some(found.mean),
        })
    }
}

impl TimeRange {
    /// The ends of another range, and the own median moved between them.
    fn within(self, other: &TimeRange) -> TimeRange {
        let median = other.p10.map_or(self.median, |low| self.median.max(low));
        let median = other.p90.map_or(median, |high| median.min(high));
        TimeRange { p10: other.p10, median, p90: other.p90, mean: self.mean }
    }
}

/// What can be expected of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// The size.
    pub procs: Procs,
    /// How long it waits.
    pub queue: TimeRange,
    /// How long it runs.
    pub run: TimeRange,
    /// Both.
    pub turnaround: TimeRange,
    /// Probability of starting at once, if it is known; 0 for a size larger than the free processors.
    pub at_once: Option<f64>,
    /// Probability that this size finishes first, if it is known; ties go to the smaller.
    pub best: Option<f64>,
}

/// The statistic by which turnarounds are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// Their medians.
    #[default]
    Median,
    /// Their means: rare long waits count in full.
    Mean,
    /// Their 90th percentiles: for a deadline.
    P90,
}

impl Target {
    /// The statistic of a range; the median where it is not known.
    pub fn of(self, range: &TimeRange) -> f64 {
        match self {
            Target::Median => None,
            Target::Mean => range.mean,
            Target::P90 => range.p90,
        }
        .unwrap_or(range.median)
    }

    /// The compared value of draws; percentiles are values that occur. 0 of no draws.
    pub(super) fn of_draws(self, draws: &mut [i64]) -> f64 {
        let percent = match self {
            Target::Mean => return stats::mean(draws.iter().map(|&draw| draw as f64)),
            Target::Median => 50,
            Target::P90 => 90,
        };
        let rank = (percent * draws.len()).div_ceil(100).max(1) - 1;
        if draws.is_empty() { 0.0 } else { *draws.select_nth_unstable(rank).1 as f64 }
    }
}

choices! { Target, "target":
    Median = "median", "as likely longer as shorter";
    Mean = "mean", "rare long waits count in full";
    P90 = "p90", "what nine in ten do not exceed: for a deadline";
}

/// What makes one size better than another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference {
    /// The statistic by which turnarounds are compared.
    pub target: Target,
    /// A later start only for a gain above this share of the run time in the size that starts soonest; 0 to 1. The paper
    /// ends with 0.2 (section 6.1).
    pub averse: f64,
}

/// The prospects of all sizes, smallest first, and which one to ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Never empty.
    prospects: Vec<Prospect>,
    /// The place of the one to ask for.
    #[serde(skip)]
    recommended: usize,
    /// The place of the one that starts soonest.
    #[serde(skip)]
    soonest: usize,
    /// The place of the one of the least turnaround; of those alike the one to ask for, else the smallest.
    #[serde(skip)]
    least: usize,
    /// Places of the sizes that cannot be told from the one of the least turnaround, itself included.
    #[serde(skip)]
    close: Vec<usize>,
}

impl Advice {
    /// Chooses by the ranges alone. `None` if there is nothing to choose from.
    ///
    /// The soonest is the one of the least median queue time, of those alike the one of the least turnaround. The best is the
    /// smallest of those whose turnaround is at most 1 % longer than the least; it is asked for if it starts as soon, within 1 %.
    pub fn of(prospects: Vec<Prospect>, preference: Preference) -> Option<Advice> {
        Advice::chosen(prospects, preference, |_| Vec::new())
    }

    /// Chooses as [`Advice::of`] does; sizes for which `too_close` says so, given the place of the one of the least turnaround,
    /// cannot be told from that either.
    pub(crate) fn chosen(
        mut prospects: Vec<Prospect>,
        Preference { target, averse }: Preference,
        too_close: impl Fn(usize) -> Vec<bool>,
    ) -> Option<Advice> {
        order::sort_by_key(&mut prospects, |prospect| prospect.procs);
        let turnaround = |place: usize| target.of(&prospects[place].turnaround);
        let least = |one: &usize, other: &usize| turnaround(*one).total_cmp(&turnaround(*other));
        let shortest = (0..prospects.len()).min_by(least)?;
        let compared = too_close(shortest);
        let is_close = |place: &usize| {
            turnaround(*place) <= turnaround(shortest) * (1.0 + NEGLIGIBLE)
                || compared.get(*place).is_some_and(|&close| close)
        };
        let close: Vec<usize> = (0..prospects.len()).filter(is_close).collect();
        let best = close.first().copied().unwrap_or(shortest);
        let queue = |place: usize| prospects[place].queue.median;
        let soonest = (0..prospects.len())
            .min_by(|one, other| queue(*one).total_cmp(&queue(*other)).then_with(|| least(one, other)))?;
        let gain = turnaround(soonest) - turnaround(best);
        let worth = gain > averse * prospects[soonest].run.median;
        let starts_as_soon = queue(best) <= queue(soonest) * (1.0 + NEGLIGIBLE);
        let recommended = if worth || starts_as_soon { best } else { soonest };
        let least = if turnaround(recommended) <= turnaround(shortest) { recommended } else { shortest };
        Some(Advice { prospects, recommended, soonest, least, close })
    }

    /// This choice with the ranges of queue time and turnaround of another advice on the same sizes. Medians are kept,
    /// clamped into the new range.
    pub(super) fn with_ranges_of(mut self, other: &Advice) -> Advice {
        for (own, other) in self.prospects.iter_mut().zip(&other.prospects) {
            own.queue = own.queue.within(&other.queue);
            own.turnaround = own.turnaround.within(&other.turnaround);
        }
        self
    }

    /// The one of the least turnaround; of those alike the one to ask for, else the smallest.
    pub fn least(&self) -> &Prospect {
        &self.prospects[self.least]
    }

    /// Of each size, smallest first.
    pub fn prospects(&self) -> &[Prospect] {
        &self.prospects
    }

    /// The one to ask for.
    pub fn recommended(&self) -> &Prospect {
        &self.prospects[self.recommended]
    }

    /// Sizes whose turnarounds cannot be told from the least, smallest first; empty if the least stands alone.
    pub fn too_close(&self) -> Vec<Procs> {
        let close = if self.close.len() > 1 { self.close.as_slice() } else { &[] };
        close.iter().map(|&place| self.prospects[place].procs).collect()
    }

    /// What turnarounds can be compared by: the target, if it is known of all sizes, else their medians.
    pub fn comparable(&self, target: Target) -> Target {
        let known = |prospect: &Prospect| match target {
            Target::Median => true,
            Target::Mean => prospect.turnaround.mean.is_some(),
            Target::P90 => prospect.turnaround.p90.is_some(),
        };
        if self.prospects.iter().all(known) { target } else { Target::Median }
    }

    /// The one that starts soonest.
    pub fn soonest(&self) -> &Prospect {
        &self.prospects[self.soonest]
    }
}
